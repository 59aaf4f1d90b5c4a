/** Findings that a person should look at, although nothing has to be done. Pure. */
import type { IdeaModel, Moment, RunModel } from '../model/model.js';
import { changedOutside } from '../model/outside.js';
import { iterationCount } from '../model/tally.js';
import type { WorkerLoss } from '../model/worker-losses.js';
import { many } from '../screen/text/numbers.js';
import { clock, duration, lasted } from '../screen/text/time.js';
import { leftWords } from '../screen/words/left-words.js';
import { waveText } from '../screen/words/wave-words.js';
import { answerRows } from './answers.js';
import type { Extra } from './extra.js';
import type { Report } from './schema.js';
import { slotWords } from './slot-use.js';

type Look = Report['look'];

/** Maximum number of ids in a sentence. */
const MOST_NAMED = 5;
/** The report mentions waits for a person where the longest is longer than this, ms. */
const LONG_WAIT = 60_000;
/** A slow idea takes more than this many times the median, and longer than this, ms. */
const SLOW_TIMES = 3;
const SLOW_MS = 10 * 60_000;
/** The report mentions slots that were empty for a larger share of a longer time, ms. */
const MOST_EMPTY = 0.2;
const SLOTS_MS = 10 * 60_000;

export const named = (ids: readonly string[]): string =>
  ids.length > MOST_NAMED
    ? `${ids.slice(0, MOST_NAMED).join(', ')} and ${ids.length - MOST_NAMED} more`
    : ids.join(', ');

export function lookOf(model: RunModel, landed: readonly IdeaModel[], extra: Extra): Look {
  const ideas = [...model.ideas.values()].filter(({ group, landedBefore }) => !group && !landedBefore);
  return [
    ...ungated(landed),
    ...flaky(ideas),
    ...tolerated(ideas),
    ...slow(landed),
    ...waves(model),
    ...limits(model, ideas, extra.now),
    ...pauses(model, ideas, extra),
    ...workerLosses(model, extra.now),
    ...emptySlots(extra),
    ...you(ideas, model.approvals?.length ?? 0, extra),
    ...answerRows(ideas, extra),
    ...steps(ideas),
    ...outside(ideas),
    // Once the run is over, that is something to do.
    ...model.warnings.flatMap(({ kind, text }) => (kind === 'push' && extra.over ? [] : [{ kind, text }])),
    ...(model.endedHere ?? []).map(({ idea, why }) => ({ kind: 'left', text: `${idea} ${leftWords(why)}` })),
    // Once the run is over, an idea that is gone as a whole is something to do.
    ...[...(extra.gone?.values() ?? [])].flatMap(({ text, part, command }) =>
      part || !extra.over ? [{ kind: 'missing', text: part ? `${text}: ${command}` : text }] : [],
    ),
    ...(extra.behind ? [{ kind: 'checkout', text: extra.behind }] : []),
  ];
}

const gatesOf = (idea: IdeaModel) => [...idea.iterations.map(({ gate }) => gate), idea.mergedGate];

function byCommand(ideas: readonly IdeaModel[], of: 'flaky' | 'tolerated'): [command: string, ids: string[]][] {
  const found = new Map<string, Set<string>>();
  for (const idea of ideas)
    for (const gate of gatesOf(idea))
      for (const command of gate?.[of] ?? []) found.set(command, (found.get(command) ?? new Set()).add(idea.id));
  return [...found].map(([command, ids]) => [command, [...ids]]);
}

/** Also a worker that a person restarted. */
function workerLosses({ ideas, workerLosses: losses = [] }: RunModel, now: number): Look {
  if (losses.length === 0) return [];
  const ids = [...new Set(losses.flatMap(({ ideas }) => ideas))];
  const times = losses.map(({ from }) => clock(from, now));
  const uncharged = ids.filter((id) => {
    const idea = ideas.get(id);
    return losses.every((one) => !one.ideas.includes(id) || !(idea && isCharged(idea, one)));
  });
  const some = uncharged.length === 0 ? '' : ` (${named(uncharged)} uncharged)`;
  const free = uncharged.length === ids.length ? ', uncharged' : some;
  const text = `the worker ended ${many(losses.length, 'time')} while ideas worked (${named(times)}): ${named(ids)} went on after it${free}`;
  return [{ kind: 'worker', text }];
}

/** An iteration of the number that ran then has finished since, with the result that was there or by another try. */
function isCharged({ iterations }: IdeaModel, { to }: WorkerLoss): boolean {
  const cut = iterations.findLast(({ startedAt }) => startedAt <= to);
  return iterations.some(
    ({ number, startedAt, durationMs, uncharged }) =>
      cut?.number === number && startedAt >= cut.startedAt && durationMs !== undefined && !uncharged,
  );
}

/** Nobody but its agent has judged what is on the target now. */
function ungated(landed: readonly IdeaModel[]): Look {
  const ids = landed.flatMap(({ id, gate, mergedGate }) => ((mergedGate ?? gate)?.none ? [id] : []));
  if (ids.length === 0) return [];
  const only = ids.length === 1 ? 'only its agent says that it is done' : 'only their agents say that they are done';
  const text = `${many(ids.length, 'idea')} landed without a gate, so ${only}: ${named(ids)}. Add gate: to ralphctl.yaml`;
  return [{ kind: 'no gate', text }];
}

const flaky = (ideas: readonly IdeaModel[]): Look =>
  byCommand(ideas, 'flaky').map(([command, ids]) => {
    const tests = flakyTests(ideas, command);
    const which = tests.length > 0 ? ` (${named(tests)})` : '';
    const text = `${command}${which} failed, and passed when run again, in ${many(ids.length, 'idea')}: ${named(ids)}`;
    return { kind: 'flaky', text };
  });

/** The tests that failed first, those of most ideas first. Runs of older versions have none. */
function flakyTests(ideas: readonly IdeaModel[], command: string): string[] {
  const counts = new Map<string, number>();
  for (const idea of ideas) {
    const runs = gatesOf(idea).flatMap((gate) => gate?.commands ?? []);
    const names = runs.flatMap((one) => (one.command === command ? (one.flakyTests ?? []) : []));
    for (const test of new Set(names)) counts.set(test, (counts.get(test) ?? 0) + 1);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([test]) => test);
}

const tolerated = (ideas: readonly IdeaModel[]): Look =>
  byCommand(ideas, 'tolerated').map(([command, ids]) => ({
    kind: 'red base',
    text: `${command} also fails where ${many(ids.length, 'idea')} began, and was tolerated: ${named(ids)}`,
  }));

/** How long each idea waited for a person, ms. */
function waitedOf({ night, now }: Extra): Map<string, number> {
  const waited = new Map<string, number>();
  for (const { idea, from, to = now } of night?.waits ?? []) waited.set(idea, (waited.get(idea) ?? 0) + to - from);
  return waited;
}

/** By the work of its agents and its gates, without its waits. */
function slow(landed: readonly IdeaModel[]): Look {
  const took = landed.map((idea) => {
    const gate = gatesOf(idea).reduce((sum, one) => sum + (one?.durationMs ?? 0), 0);
    return { idea, gate, ms: idea.spent.ms + gate };
  });
  took.sort((a, b) => b.ms - a.ms);
  const [first] = took;
  const median = took[Math.floor(took.length / 2)]?.ms ?? 0;
  if (!first || took.length < 3 || first.ms < SLOW_MS || first.ms < SLOW_TIMES * median) return [];
  const share = Math.round((100 * first.gate) / first.ms);
  const iterations = many(iterationCount(first.idea), 'iteration');
  return [
    {
      kind: 'slow',
      text: `${first.idea.id}: ${lasted(first.ms)}, ${iterations}${share >= 10 ? `, ${share} % of it in the gate` : ''}`,
    },
  ];
}

/** What each wave brought, and what triage kept from the agents. */
function waves({ waves: all, rejected, wavesEnd }: RunModel): Look {
  const lines = [...all.values()].flatMap(({ of, summary }) =>
    summary ? [{ kind: `wave ${summary.wave} of ${of}`, text: waveText(summary, duration) }] : [],
  );
  const end = wavesEnd === undefined ? [] : [{ kind: 'waves', text: `no further one: ${wavesEnd}` }];
  const out = [...rejected.keys()];
  const refused = `${many(out.length, 'report')} ${out.length === 1 ? 'is' : 'are'} not worked on: ${named(out)}. See why: ralphctl triage`;
  return [...lines, ...end, ...(out.length === 0 ? [] : [{ kind: 'triage', text: refused }])];
}

const MOST_PAUSES = 5;

/** Pauses of the run, and of ideas that paused by themselves. Waits for an approval are those for you. */
function pauses({ pauses: all }: RunModel, ideas: readonly IdeaModel[], { now, over }: Extra): Look {
  const span = ({ from, to }: { from: number; to?: number }): string =>
    `from ${clock(from, to ?? now)} ${to === undefined ? (over ? 'to the end' : 'on') : `to ${clock(to, to)} (${lasted(to - from)})`}`;
  const within = ({ at }: Moment): boolean => all.some(({ from, to = now }) => at >= from && at <= to);
  const lines = [
    ...all.map((one) => `the run was paused ${span(one)}${one.why ? `: ${one.why}` : ''}`),
    ...ideas.flatMap(({ id, moments }) =>
      moments.flatMap((one) =>
        one.kind === 'paused' && one.text !== 'waits for approval' && !within(one)
          ? [`${id} was ${one.text} ${span({ from: one.at, ...(one.to === undefined ? {} : { to: one.to }) })}`]
          : [],
      ),
    ),
  ];
  const more = lines.length - MOST_PAUSES;
  return [
    ...lines.slice(0, MOST_PAUSES).map((text) => ({ kind: 'paused', text })),
    ...(more > 0 ? [{ kind: 'paused', text: `and ${many(more, 'more pause')}; see: ralphctl logs` }] : []),
  ];
}

function limits({ limits: all }: RunModel, ideas: readonly IdeaModel[], now: number): Look {
  const byKey = new Map<string, typeof all>();
  for (const one of all) byKey.set(one.key, [...(byKey.get(one.key) ?? []), one]);
  return [...byKey.values()].map((times) => {
    const [first] = times;
    const agents = first?.agents ?? [];
    const spans = times
      .slice(0, 3)
      .map(({ from, to }) => `${clock(from, to ?? now)} to ${to === undefined ? 'the end' : clock(to, to)}`);
    const more = times.length > 3 ? ` and ${many(times.length - 3, 'more time')}` : '';
    const taken = ideas.flatMap(({ moments }) =>
      moments.flatMap(({ agent, before }) => (agent !== undefined && agents.includes(before ?? '') ? [agent] : [])),
    );
    const others = [...new Set(taken)];
    const over = taken.length > 0 ? `; ${others.join(', ')} took over ${many(taken.length, 'idea')}` : '';
    return {
      kind: 'limits',
      text: `${agents.join(', ') || first?.key} could not work from ${spans.join(', ')}${more}${over}${first?.reason ? ` (${first.reason})` : ''}`,
    };
  });
}

/** Slots that were empty for a fifth of a run or more. */
function emptySlots({ slotTime }: Extra): Look {
  const words = slotTime && slotWords(slotTime);
  if (!words || words.empty < MOST_EMPTY || words.ms < SLOTS_MS) return [];
  return [{ kind: 'slots', text: words.text }];
}

/** What the person said, and how long ideas waited for it. `all`: how often they approved all that waited. */
function you(ideas: readonly IdeaModel[], all: number, extra: Extra): Look {
  const said = ideas.flatMap((idea) => idea.said.filter(({ done, takenBack }) => done !== undefined && !takenBack));
  const count = (verb: string): number => said.filter((one) => one.verb === verb).length;
  const approvals = count('approve') + all;
  const late = said.filter(({ undelivered }) => undelivered).length;
  const notDelivered = late === 0 ? '' : count('hint') === 1 ? ', not delivered' : ` (${late} not delivered)`;
  const words = [
    ...(count('answer') > 0 ? [many(count('answer'), 'answer')] : []),
    ...(count('hint') > 0 ? [many(count('hint'), 'hint') + notDelivered] : []),
    ...(approvals > 0 ? [many(approvals, 'approval')] : []),
  ];
  const [longest, ...others] = [...waitedOf(extra)].sort((a, b) => b[1] - a[1]);
  const waits =
    longest && longest[1] >= LONG_WAIT
      ? others.length === 0
        ? `${longest[0]} waited ${lasted(longest[1])} for you`
        : `${1 + others.length} ideas waited for you, ${longest[0]} the longest: ${lasted(longest[1])}`
      : undefined;
  const text = [words.join(', '), waits].filter(Boolean).join('; ');
  return text === '' ? [] : [{ kind: 'you', text }];
}

function steps(ideas: readonly IdeaModel[]): Look {
  return ideas.flatMap(({ id, stepsSkipped, stepsFailed }) => [
    ...(stepsSkipped.length > 0 ? [{ kind: 'steps', text: `${id} left out ${named(stepsSkipped)}` }] : []),
    ...(stepsFailed.length > 0 ? [{ kind: 'steps', text: `${id} failed in ${named(stepsFailed)}` }] : []),
  ]);
}

/** The warning is over with the idea, and what changed is still as it was left. */
function outside(ideas: readonly IdeaModel[]): Look {
  const lines = ideas.flatMap((idea) => changedOutside(idea).map((text) => `${idea.id}: ${text}`));
  const more = lines.length - MOST_NAMED;
  return [
    ...lines.slice(0, MOST_NAMED).map((text) => ({ kind: 'outside', text })),
    ...(more > 0 ? [{ kind: 'outside', text: `and ${more} more; see: ralphctl why IDEA` }] : []),
  ];
}

/** Findings in one landed idea: findings of its gates, and the person who approved it. */
export function lookOfIdea(idea: IdeaModel, now: number): string[] {
  const found = new Set(gatesOf(idea).flatMap((gate) => gate?.tripwires ?? []));
  const approved = idea.said.findLast(
    ({ verb, done }) => (verb === 'approve' || verb === 'answer') && done !== undefined,
  );
  return [...found].map((text) => (approved ? `${text} (you let it land at ${clock(approved.at, now)})` : text));
}
