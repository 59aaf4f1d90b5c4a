/** The state of the run, in the words of the first two lines. Invariant: a held run never reads `running`. */
import { outcomeOf } from '../../model/at-end.js';
import type { RunModel } from '../../model/model.js';
import type { AccountLine } from '../../protocol/limits.js';
import type { Details } from '../details.js';
import { isOver } from '../idea/possible.js';
import { listsOf } from '../lists.js';
import { outcomeWords } from '../outcome-words.js';
import type { Colour } from '../text/line.js';
import { dollarsOf, many, moneyText, usedText } from '../text/numbers.js';
import { clean } from '../text/text.js';
import { clock, duration, ran } from '../text/time.js';
import { agentsOf as agentNames } from '../words/event-words.js';
import { limitWord } from '../words/state-words.js';
import { standsStill } from './resting.js';

export interface Standing {
  sign: string;
  colour?: Colour;
  text: string;
  /** Replaces the bar. */
  second?: string;
  /** The picture shows the state after the last event. */
  stale?: true;
  /** The second line shows the limits. */
  limits?: true;
}

export function standingOf(model: RunModel, details: Details, now: number): Standing {
  const { state } = model;
  if (model.reading) return { sign: '·', colour: 'gray', text: 'reading …', second: 'its events are being read' };
  if (isOver(model)) return over(model, now);
  if (details.standstill) return still(details.standstill, now);
  const since = model.since === undefined ? '' : ` ${duration(now - model.since)}`;
  if (state === 'waits for you')
    return { sign: '?', colour: 'cyan', text: `waits for you${since}`, second: `nothing runs: ${asked(model)}` };
  if (state === 'waiting_user') return semiAuto(model);
  if (state === 'pausing' || state === 'paused') return paused(model, since, now);
  if (state === 'stopping') return { sign: '◫', colour: 'gray', text: 'stopping', second: holding(model) };
  const runs = model.startedAt === undefined ? '' : ` ${duration(now - model.startedAt)}`;
  if (state === 'idle') return { sign: '◦', text: `starting${runs}`, second: STARTING };
  const nothing = standsStill(model);
  if (nothing === undefined) return { sign: '▸', colour: 'blue', text: `running${runs}` };
  const asks = listsOf(model).needs.some(({ shown }) => shown === 'asks' || shown === 'approve');
  return {
    sign: '◫',
    colour: 'gray',
    text: `stands still${runs}`,
    second: `${nothing}${asks ? `, ${asked(model)}` : ''}. p on such an idea resumes it`,
  };
}

/** The run is on the server before a screen opens. */
const STARTING = 'the server has the run; a worker is about to take it up';

/** Nobody has said for a while how the run stands. */
const unsure = (text: string, second: string): Standing => ({ sign: '!', colour: 'yellow', text, second, stale: true });

function still(stand: NonNullable<Details['standstill']>, now: number): Standing {
  const since = stand.since === undefined ? '' : clock(stand.since, now);
  switch (stand.kind) {
    case 'no-worker':
      return unsure(
        `nothing moves: no worker answers since ${since}`,
        'W starts a worker. Nothing is lost; commands are kept and carried out then.',
      );
    case 'no-server':
      return unsure(
        `nothing moves: no server answers since ${since}`,
        stand.where === undefined
          ? 'W starts server and worker. Nothing is lost; commands are refused until then.'
          : `It must come back by itself: ${clean(stand.where)}. Commands are refused until then.`,
      );
    case 'gone':
      return unsure(
        `nothing moves: the server does not have this run, whose last event is of ${since}`,
        'What has landed stays. A new run takes the rest: ralphctl start',
      );
    case 'disk':
      return { sign: '!', colour: 'red', text: stand.text, second: stand.fix, stale: true };
    case 'busy':
      return unsure(
        `busy: the worker has not answered since ${since}`,
        stand.polled === undefined
          ? 'It runs and has other work first. Commands are queued.'
          : `A worker last asked for work at ${clock(stand.polled, now)}. Commands are queued.`,
      );
    case 'crashing':
      return {
        sign: '!',
        colour: 'red',
        text: `stuck: the worker ended ${stand.times} times since ${since}`,
        second: `${clean(stand.how)}${stand.error === undefined ? '' : `: ${clean(stand.error)}`}   log: ${clean(stand.log)}`,
        stale: true,
      };
    case 'failing':
      return {
        sign: '!',
        colour: 'red',
        text: `stuck: the run's own code fails, ${many(stand.tries, 'try')}${since === '' ? '' : ` since ${since}`}`,
        second: `${clean(stand.error.split('\n')[0] ?? '')}${stand.log ? `   log: ${clean(stand.log)}` : ''}`,
        stale: true,
      };
  }
}

function over(model: RunModel, now: number): Standing {
  const { startedAt, endedAt } = model;
  const took = startedAt === undefined ? '' : ` ${ran({ startedAt, endedAt }, now)}`;
  const { spent } = model;
  const outcome = outcomeOf(model);
  const cost = spent.dollars > 0 ? ` · ${moneyText(spent)}` : '';
  const second = `${outcomeWords(outcome, model.target).join(', ')} · ${many(spent.iterations, 'iteration')}${cost}`;
  const { open, gone } = outcome;
  if (model.state === 'completed' && open > 0)
    return { sign: '!', colour: 'yellow', text: `completed${took}, ${open} not landed`, second };
  if (model.state === 'completed' && gone > 0)
    return { sign: '!', colour: 'yellow', text: `completed${took}, ${gone} taken off since`, second };
  if (model.state === 'completed') return { sign: '✓', colour: 'green', text: `completed${took}`, second };
  if (model.state === 'stopped') return { sign: '◫', colour: 'gray', text: `stopped${took}`, second };
  if (model.state === 'terminated') return { sign: '!', colour: 'yellow', text: `terminated${took}`, second };
  return { sign: '✗', colour: 'red', text: `aborted${took}`, second };
}

/** `2 ideas ask, 1 wants approval` */
function asked(model: RunModel): string {
  const { needs } = listsOf(model);
  const of = (shown: string): number => needs.filter((need) => need.shown === shown).length;
  const parts: string[] = [];
  const asks = of('asks');
  const approve = of('approve');
  if (asks > 0) parts.push(`${many(asks, 'idea')} ${asks === 1 ? 'asks' : 'ask'}`);
  if (approve > 0) parts.push(`${approve} ${approve === 1 ? 'wants' : 'want'} approval`);
  return parts.join(', ') || 'everything left waits for a person';
}

function semiAuto(model: RunModel): Standing {
  const { ready } = listsOf(model);
  const one: Standing = { sign: '?', colour: 'cyan', text: 'waits for you' };
  if (model.counts.working > 0) return { ...one, sign: '▸', colour: 'blue', text: 'running' };
  if (ready.length === 0) return { ...one, second: `no idea is ready: ${asked(model)}` };
  return {
    ...one,
    second: `${ready.length} ${ready.length === 1 ? 'is' : 'are'} ready: b starts the selected one`,
  };
}

const holding = (model: RunModel): string => {
  const { working } = model.counts;
  if (working === 0) return model.why ? clean(model.why) : '';
  const still = `${many(working, 'iteration')} still ${working === 1 ? 'runs' : 'run'}`;
  return model.why ? `${clean(model.why)}; ${still}` : still;
};

function paused(model: RunModel, since: string, now: number): Standing {
  const failures = /failed one after another/;
  if (model.review || failures.test(model.why ?? ''))
    return { sign: '!', colour: 'yellow', text: 'needs a review', second: inARow(model) };
  const used = model.budget.find(({ used, most, scope }) => scope !== 'idea' && used >= most);
  const closed = [...model.accounts.values()].filter(({ state }) => state !== 'open');
  const until = model.live?.resumesAt;
  if (used && /budget/.test(model.why ?? 'budget'))
    return {
      sign: '◷',
      colour: 'yellow',
      text: `budget of the ${used.scope} is used up${until === undefined ? '' : ` until ${clock(until, now)}`}`,
      second:
        used.dimension === 'dollars'
          ? `${usedText(used)} of ${dollarsOf(used.most)}`
          : `${used.used} of ${used.most} ${used.dimension}`,
    };
  if (model.state === 'paused' && closed.length > 0 && model.counts.working === 0) {
    const at = until ?? Math.min(...closed.map((one) => one.until ?? Number.POSITIVE_INFINITY));
    return {
      sign: '◷',
      colour: 'yellow',
      text: Number.isFinite(at)
        ? `waits for a limit until ${clock(at, now)} (${duration(at - now)})`
        : 'waits for a login',
      limits: true,
      second: closed.map((one) => `${agentsOf(one)}: ${limitWord(one)}`).join(' · '),
    };
  }
  const second = holding(model);
  return {
    sign: '◫',
    colour: 'gray',
    text: model.state === 'pausing' ? 'pausing' : `paused${since}`,
    ...(second === '' ? {} : { second }),
  };
}

/** `3 ideas failed one after another: a, b, c` */
function inARow(model: RunModel): string {
  const failed = listsOf(model).needs.filter(({ shown }) => shown === 'failed');
  const count = Number(
    /\d+/.exec(model.why ?? model.warnings.find(({ kind }) => kind === 'errors')?.text ?? '')?.[0] ?? failed.length,
  );
  const ids = failed.slice(-count).map(({ id }) => id);
  return `${many(count, 'idea')} failed one after another${ids.length > 0 ? `: ${ids.join(', ')}` : ''}`;
}

export const agentsOf = (account: AccountLine): string => agentNames(account, clean);

/** The agent that replaced one of the account's agents while the account could not work. */
export function tookOver({ replaced }: RunModel, { agents, since = 0 }: AccountLine): string | undefined {
  return agents
    .flatMap((one) => replaced.get(one) ?? [])
    .filter(({ at }) => at >= since)
    .sort((a, b) => b.at - a.at)[0]?.agent;
}
