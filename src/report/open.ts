/** Ideas that have not landed, with their states and reasons. Pure. */
import type { IdeaModel, Iteration, RunModel } from '../model/model.js';
import { many } from '../screen/numbers.js';
import type { Extra } from './extra.js';
import type { OpenIdea, OpenState } from './schema.js';
import { workOf } from './work.js';

export function stateOf(idea: IdeaModel, waitsFor: string | undefined): OpenState {
  if (idea.approval) return 'approve';
  switch (idea.status) {
    case 'needs-human':
      return 'asks';
    case 'timeout':
      return 'timed out';
    case 'running':
      return idea.waits ? 'waits' : 'works';
    case 'wants-slot':
      return 'waits';
    case 'landing':
    case 'landed':
      return 'lands';
    case 'abandoned':
      return 'given up';
    case 'paused':
      return 'held';
    case 'pending':
      if (idea.held) return 'held';
      if (idea.forNext?.leftOut) return 'skipped';
      return waitsFor === undefined ? 'ready' : 'after';
    default:
      return idea.status;
  }
}

export function openIdea(model: RunModel, idea: IdeaModel, extra: Extra): OpenIdea {
  const before = idea.dependsOn.filter((id) => {
    const other = model.ideas.get(id);
    return other !== undefined && !landedOf(model, other);
  });
  const asked = extra.over ? unanswered(idea) : undefined;
  const state = extra.givenUp?.has(idea.id) ? 'given up' : asked === undefined ? stateOf(idea, before[0]) : 'asks';
  const told = idea.said.findLast(({ verb }) => verb === 'skip' || verb === 'abandon');
  const reason = asked ?? reasonOf(idea, state, before) ?? told?.text;
  const times = timesOf(idea, extra);
  const later = extra.later?.get(idea.id);
  const branch = idea.commits > 0 && extra.branchOf ? extra.branchOf(idea.id) : undefined;
  return {
    ...workOf(idea),
    state,
    ...(reason ? { reason } : {}),
    notes: [...notesOf(idea, state, branch, times), ...nextNotes(idea)],
    ...(idea.since === undefined ? {} : { since: idea.since }),
    ...(idea.percent === undefined ? {} : { percent: idea.percent }),
    ...(branch ? { branch } : {}),
    commits: idea.commits,
    ...(times > 1 ? { times } : {}),
    ...(later ? { later } : {}),
    ...(idea.forNext?.queued ? { queued: true } : {}),
    ...(idea.forNext ? { forNext: idea.forNext.words } : {}),
    ...(idea.gate?.log && !idea.gate.pass ? { gateLog: idea.gate.log } : {}),
  };
}

/** The open question of an idea that a stopped run returned to the backlog. */
function unanswered({ status, iterations, said }: IdeaModel): string | undefined {
  const last = iterations.at(-1);
  if (status !== 'pending' || last?.signal?.kind !== 'needs-human') return undefined;
  const answered = said.some(({ at, verb }) => verb === 'answer' && at >= (last.endedAt ?? last.startedAt));
  return answered ? undefined : last.signal.question;
}

/** A group has landed with its children. */
const landedOf = (model: RunModel, idea: IdeaModel): boolean =>
  idea.group
    ? idea.children.every((id) => {
        const child = model.ideas.get(id);
        return !child || child.group || child.status === 'landed';
      })
    : idea.status === 'landed';

function reasonOf(idea: IdeaModel, state: OpenState, before: readonly string[]): string | undefined {
  if (state === 'asks' || state === 'approve') return idea.question ?? idea.reason;
  if (state === 'after') return `waits for ${before.slice(0, 5).join(', ')}${before.length > 5 ? ', …' : ''}`;
  if (state === 'waits') return idea.waits?.text ?? 'waits for a slot';
  if (state === 'blocked') return blockedReason(idea) ?? idea.reason;
  return idea.reason;
}

/** The signal contains the whole reason; the event may have a truncated one. */
function blockedReason(idea: IdeaModel): string | undefined {
  const signal = idea.iterations.at(-1)?.signal;
  if (signal?.kind !== 'blocked' || idea.reason === undefined) return undefined;
  return signal.reason.startsWith(idea.reason.replace(/…$/, '')) ? signal.reason : undefined;
}

/** Number of consecutive runs, newest first, in which it ended with the same status. */
function timesOf({ id, status }: IdeaModel, { earlier = [] }: Extra): number {
  const other = earlier.findIndex(({ open }) => open.get(id) !== status);
  return 1 + (other < 0 ? earlier.length : other);
}

/** `third` */
export const nth = (n: number): string => NTH[n] ?? `${n}th`;

const NTH = ['', '', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth'];

function notesOf(idea: IdeaModel, state: OpenState, branch: string | undefined, times: number): string[] {
  const notes: string[] = [];
  if (times > 1 && state !== 'ready' && state !== 'after') notes.push(`${state} for the ${nth(times)} time`);
  if (state === 'timed out' || state === 'failed') {
    if (idea.percent !== undefined && idea.percent < 100) notes.push(`last progress ${idea.percent} %`);
    const red = redRow(idea.iterations, idea.reason);
    if (red) notes.push(red);
    if (idea.retries > 0) notes.push(many(idea.retries + 1, 'try').replace(/trys$/, 'tries'));
  }
  if (branch && state !== 'asks') notes.push(`branch ${branch} is kept, ${many(idea.commits, 'commit')}`);
  return notes;
}

function nextNotes({ forNext }: IdeaModel): string[] {
  if (!forNext) return [];
  const { queued, leftOut, words } = forNext;
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
  if (test === undefined && reason.includes('gate was red')) return undefined;
  if (times < 2) return `gate red: ${test ?? last.command}`;
  return test === undefined ? `gate red ${times} times in a row: ${where}` : `gate red ${times} times at ${where}`;
}
