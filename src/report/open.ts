/** Ideas that have not landed, with their states and reasons. Pure. */
import { isAnswered } from '../model/at-end.js';
import { hasLanded } from '../model/counts.js';
import type { IdeaModel, Iteration, RunModel } from '../model/model.js';
import { branchSize } from '../model/tally.js';
import { withoutApproveOffer } from '../protocol/approve-offer.js';
import { cutOff } from '../screen/cut-off.js';
import { many, retriesText } from '../screen/text/numbers.js';
import { type Shown, shownOf } from '../screen/text/theme.js';
import type { Extra } from './extra.js';
import { lineGoneText, lineWait } from './gone-text.js';
import type { OpenIdea, OpenState } from './schema.js';
import { workOf } from './work.js';

/** The states of the screen that a report does not tell apart. */
const COARSE = {
  ...{ gate: 'works', limit: 'waits', login: 'waits', slot: 'waits', paused: 'held' },
  ...{ queued: 'lands', 'in review': 'lands', landed: 'lands' },
} as const satisfies Partial<Record<Shown, OpenState>>;

const isCoarse = (shown: Shown): shown is keyof typeof COARSE => Object.hasOwn(COARSE, shown);

/** As the screen shows the idea; that it was taken off, a report says beside it. */
export function stateOf({ off: _, reverted: __, ...idea }: IdeaModel, waitsFor: string | undefined): OpenState {
  const shown = shownOf(idea, undefined, waitsFor);
  if (shown === 'taken off') return 'lands';
  return isCoarse(shown) ? COARSE[shown] : shown;
}

export function openIdea(model: RunModel, idea: IdeaModel, extra: Extra): OpenIdea {
  const before = idea.dependsOn.filter((id) => !hasLanded(model.ideas, id));
  const answered = extra.over && isAnswered(idea) ? idea.answered : undefined;
  const asked = extra.over ? questionOf(answered?.question ?? unanswered(idea)) : undefined;
  const stopped = extra.over ? cutOff(model, idea, extra.terminated ? 'terminated' : model.state) : undefined;
  const last = stateOf(idea, before[0]);
  // The run closed before its first agent run.
  const rests = last !== 'works' ? last : extra.over ? 'ready' : extra.still ? 'waits' : last;
  const now =
    asked === undefined
      ? stopped === undefined
        ? rests
        : 'stopped'
      : (answered ?? idea).approval
        ? 'approve'
        : 'asks';
  const state = extra.givenUp?.has(idea.id) ? 'given up' : now;
  const told = idea.said.findLast(({ verb }) => verb === 'skip' || verb === 'abandon');
  const reason = asked ?? (state === 'stopped' ? stopped : reasonOf(idea, state, before)) ?? told?.text;
  const times = DECIDED.has(state) || idea.status === 'pending' ? 1 : timesOf(idea, extra);
  const later = extra.later?.get(idea.id);
  const commits = commitsIn(idea, extra);
  const tail = extra.gateTails?.get(idea.id);
  const branch = commits > 0 ? extra.branchOf?.(idea.id) : undefined;
  const saved = !branch && extra.saved?.has(idea.id) === true;
  const queued = idea.forNext?.queued === true && !idea.lineGone;
  const acted = later !== undefined || queued || answered !== undefined || idea.lineGone !== undefined;
  return {
    ...workOf(idea),
    state,
    ...(reason ? { reason: acted ? withoutAdvice(reason) : reason } : {}),
    notes: [...notesOf(idea, state, { branch, commits, saved, times }), ...nextNotes(idea)],
    ...(idea.since === undefined ? {} : { since: idea.since }),
    ...(idea.percent === undefined ? {} : { percent: idea.percent }),
    ...(branch ? { branch } : {}),
    commits,
    ...(times > 1 ? { times } : {}),
    ...(later ? { later } : {}),
    ...(queued ? { queued: true } : {}),
    ...(answered ? { answered: true } : {}),
    ...(idea.forNext ? { forNext: idea.forNext.words } : {}),
    ...(idea.gate?.log && !idea.gate.pass ? { gateLog: idea.gate.log, ...(tail ? { gateTail: tail } : {}) } : {}),
  };
}

const questionOf = (asked: string | undefined): string | undefined => asked && withoutApproveOffer(asked);

/** The size of its branch, where this run has work on it. */
export const commitsIn = ({ id, commits, iterations }: IdeaModel, { commitsOf }: Extra): number =>
  branchSize({ commits, runs: iterations }, commitsOf?.(id));

const NOBODY_WORKS = 'its agent works again once a worker runs';

/** A person decided these, so that the next run has them in its summary again. */
const DECIDED = new Set<OpenState>(['given up', 'skipped']);

/** A reason of an older run may end with a command that somebody has given since. */
const withoutAdvice = (reason: string): string =>
  reason.replace(
    /(?:\. Later runs leave it out until: ralphctl retry \S+|; it stays out until a retry|; start it again with: ralphctl retry \S+)$/,
    '',
  );

/** The open question of an idea that a stopped run returned to the backlog. */
function unanswered({ status, iterations, said, left }: IdeaModel): string | undefined {
  const last = iterations.at(-1);
  if (left) return left.question;
  if (status !== 'pending' || last?.signal?.kind !== 'needs-human') return undefined;
  const answered = said.some(
    ({ at, verb, takenBack }) => verb === 'answer' && !takenBack && at >= (last.endedAt ?? last.startedAt),
  );
  return answered ? undefined : last.signal.question;
}

function reasonOf(idea: IdeaModel, state: OpenState, before: readonly string[]): string | undefined {
  if (state === 'asks' || state === 'approve') return idea.question ?? idea.reason;
  if (state === 'after') return `waits for ${before.slice(0, 5).join(', ')}${before.length > 5 ? ', …' : ''}`;
  if (state === 'waits') return idea.waits?.text ?? (idea.status === 'running' ? NOBODY_WORKS : 'waits for a slot');
  if (state === 'blocked') return blockedReason(idea) ?? idea.reason;
  return idea.reason;
}

/** The signal contains the whole reason; the event may have a truncated one. */
function blockedReason(idea: IdeaModel): string | undefined {
  const signal = idea.iterations.at(-1)?.signal;
  if (signal?.kind !== 'blocked' || idea.reason === undefined) return undefined;
  return signal.reason.startsWith(idea.reason.replace(/…$/, '')) ? signal.reason : undefined;
}

/**
 * Number of consecutive runs, newest first, in which it ended with the same status. Says nothing of a pending idea: a
 * summary calls it so where it was stopped or asks, and also where it never began.
 */
function timesOf({ id, status }: IdeaModel, { earlier = [] }: Extra): number {
  const other = earlier.findIndex(({ open }) => open.get(id) !== status);
  return 1 + (other < 0 ? earlier.length : other);
}

/** `third` */
export const nth = (n: number): string => NTH[n] ?? `${n}th`;

const NTH = ['', '', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

interface About {
  branch: string | undefined;
  commits: number;
  saved: boolean;
  times: number;
}

function notesOf(idea: IdeaModel, state: OpenState, { branch, commits, saved, times }: About): string[] {
  const notes: string[] = [];
  if (times > 1 && state !== 'ready' && state !== 'after') notes.push(`${state} for the ${nth(times)} time`);
  if (state === 'timed out' || state === 'failed') {
    if (idea.percent !== undefined && idea.percent < 100) notes.push(`last progress ${idea.percent} %`);
    const red = redRow(idea.iterations, idea.reason);
    if (red) notes.push(red);
    if (idea.retries > 0) notes.push(retriesText(idea.retries));
  }
  if (branch && state !== 'asks') notes.push(`branch ${branch} is kept, ${many(commits, 'commit')}`);
  if (saved && state !== 'asks') notes.push(`its work is saved: ralphctl saves ${idea.id}`);
  return notes;
}

function nextNotes({ id, forNext, lineGone }: IdeaModel): string[] {
  if (lineGone) return [lineGoneText(lineGone), ...(forNext?.queued ? [lineWait(lineGone)] : [])];
  if (!forNext) return [];
  const { queued, leftOut, rolledBack, turnedDown, words } = forNext;
  if (rolledBack || turnedDown) return [`runs leave it out until: ralphctl retry ${id}`];
  if (leftOut) return ['the next run leaves it out'];
  const rest = words.filter((word) => !/^(?:retry|unblock) /.test(word));
  return [
    ...(queued ? ['queued for the next start'] : []),
    ...(rest.length > 0 ? [`kept for the next start: ${rest.join(', ')}`] : []),
  ];
}

/** Number of consecutive gates, up to the last one, that were red at the same place. */
function redRow(runs: readonly Iteration[], reason = ''): string | undefined {
  const gates = runs.flatMap(({ gate }) => gate ?? []);
  const last = gates.at(-1);
  if (!last || last.pass || last.command === undefined) return undefined;
  const test = last.newTests[0];
  const same = gates
    .toReversed()
    .findIndex(
      (gate) => gate.pass || gate.command !== last.command || (test !== undefined && !gate.newTests.includes(test)),
    );
  const times = same < 0 ? gates.length : same;
  const where = test === undefined ? last.command : `the same test: ${test}`;
  // The reason already says so.
  if (test === undefined && /gate (?:was|is) red/.test(reason)) return undefined;
  if (times < 2) return `gate red: ${test ?? last.command}`;
  return test === undefined ? `gate red ${times} times in a row: ${where}` : `gate red ${times} times at ${where}`;
}
