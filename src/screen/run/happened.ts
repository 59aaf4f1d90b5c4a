/** One event as a line of *Lately* and of the log. Invariant: every kind of event has words, even an unknown kind. */
import type { RunModel } from '../../model/model.js';
import { runsOf } from '../../model/tally.js';
import type { AgentSignal } from '../../protocol/agent-run.js';
import type { StampedEvent } from '../../protocol/events.js';
import type { Colour } from '../text/line.js';
import { dollars, many, UNKNOWN } from '../text/numbers.js';
import { clean } from '../text/text.js';
import { clock, duration } from '../text/time.js';
import { pushWords, reviewText } from './push-words.js';
import { agentsOf, limitWord } from './standing.js';

export interface Happened {
  at: number;
  sign: string;
  colour?: Colour;
  /** Idea, agents of an account, or `run`. */
  who: string;
  text: string;
  /** Title of the idea, where space allows. */
  title?: string;
  /** Cost of a landed idea: iterations, time, money. */
  took?: { iterations: number; ms: number; cost: string };
}

/** Kinds that *Lately* omits. */
const SMALL = new Set<StampedEvent['kind']>([
  'gate-start',
  'landing',
  'waiting',
  'delivered',
  'answered',
  'iteration',
  'asks',
  'warning-over',
]);
/** States that only lead to others. */
const PASSING = new Set<string>(['wants-slot', 'landing']);

export const isSmall = (event: StampedEvent): boolean =>
  SMALL.has(event.kind) || (event.kind === 'idea' && PASSING.has(event.status));

const keys = new WeakMap<StampedEvent, string>();
let keyed = 0;

/** Gives each event its own key, even when two events share a line. */
export function eventKey(event: StampedEvent): string {
  const known = keys.get(event);
  if (known !== undefined) return known;
  keyed += 1;
  const key = `${event.at} ${keyed}`;
  keys.set(event, key);
  return key;
}

const RUNGS = {
  nudge: 'told to try another way',
  fresh: 'told to begin afresh',
  stronger: 'continues with a stronger model or effort',
  other: 'another agent continues',
  ask: 'you are asked',
} as const;

export function happened(event: StampedEvent, model: RunModel, now: number): Happened {
  const who = 'idea' in event && event.idea !== undefined ? event.idea : 'run';
  const at = Date.parse(event.at);
  const say = (sign: string, colour: Colour | undefined, text: string): Happened => ({
    at,
    sign,
    who,
    text,
    ...(colour ? { colour } : {}),
  });
  switch (event.kind) {
    case 'run':
      return say('·', 'gray', `${event.state}${event.why ? `: ${clean(event.why)}` : ''}`);
    case 'idea':
      return ofIdea(event, model, say);
    case 'iteration':
      return say(
        '▸',
        'blue',
        `iteration ${event.iteration} of ${event.max} begins${event.agent ? `, ${event.agent}` : ''}`,
      );
    case 'iteration-end': {
      const end = event.outcome === 'ok' ? claim(event) : ended(event);
      const commits = event.commits > 0 ? `, ${many(event.commits, 'commit')}` : '';
      return say('·', 'gray', `iteration ${event.iteration}: ${end}${commits}, ${duration(event.durationMs)}`);
    }
    case 'asks':
      return say('?', 'cyan', `asks: ${clean(event.question)}`);
    case 'gate-start':
      return say('▹', 'blue', `gate ${event.number} of ${event.of}: ${clean(event.command)}`);
    case 'gate': {
      const where = event.merged ? 'gate on the merged tree' : 'gate';
      const tests = event.tests ? `, ${event.tests.passed}/${event.tests.total} passing` : '';
      const flaky = event.flaky?.length ? `; flaky: ${clean(event.flaky.join(', '))}` : '';
      if (event.pass) return say('✓', 'green', `${where} green${tests}${flaky}`);
      const next = event.merged || lastTry(event.idea, model) ? '' : '; the failure is in its next prompt';
      return say('✗', 'red', `${where} red: ${clean(event.command ?? '')}${tests}${next}`);
    }
    case 'landing':
      return say('▴', 'blue', 'lands');
    case 'bounced':
      return say('↺', 'yellow', `does not land: ${clean(event.why)}; back to its agent`);
    case 'step-start':
      return say('▸', 'blue', `step ${event.number} of ${event.of} begins: ${clean(event.step)}`);
    case 'step':
      return say('·', 'gray', `step ${clean(event.step)} ${event.state}${event.why ? `: ${clean(event.why)}` : ''}`);
    case 'waiting':
      return say('◷', 'yellow', `waits ${duration(event.ms)}: ${clean(event.why)}`);
    case 'answered':
      return say('›', 'cyan', event.text ? `you answered: ${clean(event.text)}` : 'takes your answer');
    case 'command': {
      const words = event.text ?? event.reason;
      return say('›', 'cyan', `you: ${event.verb}${words ? ` (${clean(words)})` : ''}: ${clean(event.done)}`);
    }
    case 'refused':
      return say('!', 'yellow', `${event.verb} refused: ${clean(event.why)}`);
    case 'delivered':
      return say('›', 'cyan', `has read ${readText(event)}, in agent run ${event.serial}`);
    case 'interrupted':
      return say('◫', 'gray', `iteration ${event.iteration} interrupted; it is not charged`);
    case 'parked':
      return say('◷', 'yellow', `could not work: ${clean(event.trouble.message)}`);
    case 'held':
      return say('◷', 'yellow', `holds, its work is kept: ${clean(event.why)}`);
    case 'account': {
      const { account } = event;
      const agents = agentsOf(account);
      if (account.state === 'open') return { ...say('✓', 'green', 'open again'), who: agents };
      const until = account.until === undefined ? '' : `, until ${clock(account.until, now)}`;
      const tried = account.state === 'probing' ? '; tried again' : '';
      return { ...say('◷', 'yellow', `${limitWord(account)}${until}${tried}`), who: agents };
    }
    case 'agent':
      return say(
        '⇄',
        'blue',
        `continues with ${event.agent}${event.before ? ` instead of ${event.before}` : ''}${event.why ? `: ${clean(event.why)}` : ''}`,
      );
    case 'all-limited':
      return say('◷', 'yellow', `no agent can work: ${clean(event.why)}`);
    case 'escalated':
      return say('!', 'yellow', `got nowhere in ${many(event.iterations, 'iteration')}: ${RUNGS[event.rung]}`);
    case 'alert': {
      const text = `alert to row ${clean(event.row)} ${event.state}${event.why ? `: ${clean(event.why)}` : ''}`;
      return event.state === 'failed' ? say('!', 'yellow', text) : say('·', 'gray', text);
    }
    case 'review':
      return say('⇡', 'blue', clean(reviewText(event)));
    case 'push': {
      const text = clean(pushWords(event).join(''));
      return event.state === 'held' ? say('!', 'yellow', text) : say('⇡', 'green', text);
    }
    case 'tracker':
      return say(
        event.state === 'failed' ? '!' : '·',
        event.state === 'failed' || event.state === 'waits' ? 'yellow' : 'gray',
        `tracker: ${event.state}${event.why ? `: ${clean(event.why)}` : ''}`,
      );
    case 'wave':
      return { ...say('≋', event.state === 'waits' ? 'yellow' : 'blue', waveWords(event)), who: `wave ${event.wave}` };
    case 'rejected':
      return { ...say('⊘', 'gray', `rejected: ${clean(event.reason)}`), who: clean(event.report) };
    case 'warning':
      return say('!', 'yellow', `${event.warning}: ${clean(event.text)}`);
    case 'warning-over':
      return say('·', 'gray', `warning over: ${event.warning}`);
    default:
      return say('·', 'gray', clean(String((event as { kind: unknown }).kind)));
  }
}

function waveWords(event: Extract<StampedEvent, { kind: 'wave' }>): string {
  const { of, state, taken = [], rejected = 0, passed = 0, attempted = 0, failed = 0, why } = event;
  switch (state) {
    case 'began':
      return `of ${of} begins: ${taken.map(({ idea }) => idea).join(', ')}; ${many(rejected, 'report')} rejected`;
    case 'empty':
      return `of ${of} finds nothing to work on; ${many(rejected, 'report')} rejected`;
    case 'waits':
      return `waits: the source cannot be read: ${clean(why ?? '')}`;
    case 'ended':
      return `is over: ${passed} of ${attempted} passed, ${failed} failed`;
    case 'over':
      return `is the last one: ${clean(why ?? '')}`;
  }
}

function ofIdea(
  event: Extract<StampedEvent, { kind: 'idea' }>,
  model: RunModel,
  say: (sign: string, colour: Colour | undefined, text: string) => Happened,
): Happened {
  const title = clean(event.title);
  const reason = event.reason ? `: ${clean(event.reason)}` : '';
  switch (event.status) {
    case 'running':
      return say('▸', 'blue', title);
    case 'landed':
      return {
        ...say('✓', 'green', `landed ${event.commit?.slice(0, 8) ?? ''}`.trimEnd()),
        title,
        ...tookOf(model, event.idea),
      };
    case 'needs-human':
      return say('?', 'cyan', `${event.approval ? 'wants approval' : 'asks'}: ${clean(wholeQuestion(event, model))}`);
    case 'blocked':
      return say('⊗', 'yellow', `blocked${reason}`);
    case 'timeout':
      return say('◔', 'yellow', `timed out${reason}`);
    case 'failed':
      return say('✗', 'red', `failed${reason}`);
    case 'paused':
      return say('◫', 'gray', event.approval ? 'waits for approval' : 'paused');
    case 'skipped':
      return say('⊘', 'gray', `skipped${reason}`);
    case 'abandoned':
      return say('⊘', 'gray', `given up${reason}`);
    case 'pending':
      return say('◦', undefined, event.held ? `held${reason}` : `to do again${reason}`);
    case 'wants-slot':
      return say('◷', 'yellow', `waits for a slot${reason}`);
    case 'landing':
      return say('▵', 'blue', 'in the landing queue');
  }
}

/** No iteration follows. */
function lastTry(idea: string, model: RunModel): boolean {
  const last = model.ideas.get(idea)?.iterations.at(-1);
  return last?.max !== undefined && last.number >= last.max;
}

/** The event holds a shortened question; an open idea still holds the whole one. */
function wholeQuestion({ idea, reason = '' }: { idea: string; reason?: string }, model: RunModel): string {
  const question = model.ideas.get(idea)?.question;
  return question?.startsWith(reason.replace(/…$/, '')) ? question : reason;
}

function tookOf(model: RunModel, id: string): Pick<Happened, 'took'> {
  const idea = model.ideas.get(id);
  if (!idea || idea.spent.iterations === 0) return {};
  const { iterations, ms, dollars: cost, unknownDollars } = idea.spent;
  return { took: { iterations, ms, cost: unknownDollars === runsOf(idea.spent) ? UNKNOWN : dollars(cost) } };
}

/** `PROGRESS 60`; for a rejected COMPLETE also the reason. */
export function claim({ signal, turnedDown }: { signal: AgentSignal; turnedDown?: string }): string {
  const said = signalWords(signal);
  return turnedDown === undefined ? said : `${said}, turned down: ${clean(turnedDown)}`;
}

export function signalWords(signal: AgentSignal): string {
  switch (signal.kind) {
    case 'complete':
      return 'COMPLETE';
    case 'blocked':
      return `BLOCKED: ${clean(signal.reason)}`;
    case 'needs-human':
      return `NEEDS_HUMAN: ${clean(signal.question)}`;
    case 'progress':
      return `PROGRESS ${signal.percent}`;
    case 'none':
      return '(no signal)';
  }
}

const ended = ({ outcome, message }: { outcome: string; message?: string }): string =>
  outcome === 'timeout' ? 'timed out' : `failed: ${clean(message ?? '')}`;

/** Advice from ralphctl does not count as a person's note. */
function readText({ notes, fromProgram = 0 }: { notes: number; fromProgram?: number }): string {
  const yours = notes - fromProgram;
  const parts = [...(yours > 0 ? [many(yours, 'note')] : []), ...(fromProgram > 0 ? ['the advice of ralphctl'] : [])];
  return parts.join(' and ');
}
