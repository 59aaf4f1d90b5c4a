/**
 * Tells a problem of one idea from a problem of its agent (B8): an agent that works for other ideas is not broken.
 * Invariant: an idea's own problem closes no account, and its retries are limited. A provider's problem never fails an
 * idea.
 * May import protocol and decide only.
 */
import type { Worked } from '../../protocol/idea-run.js';
import type { AccountBreaker, LimitState, Trouble } from '../../protocol/limits.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { Board } from '../run/board.js';
import { leaveWaiting, queueForSlot } from '../run/waiting.js';
import { clip, clipReason, MAX_QUESTION } from '../text.js';
import { backOffMs, LAUNCH_FAILURES } from './reopening.js';

/**
 * When two ideas fail to launch an agent within this time and no launch works in between, its program does not start.
 */
const LAUNCH_WINDOW_MS = 10 * 60_000;
/** Retries of an agent that does not start, over some hours, before the failures count against the ideas that try. */
const MOST_LAUNCH_TRIES = LAUNCH_FAILURES + 5;
/** Runs in a row without an answer from the provider, while it answers other ideas, before a person is asked. */
export const MOST_UNANSWERED = 5;

/** An agent worked for the idea. */
export function noteWork(board: Board, entry: IdeaEntry, { agent, at }: Worked): void {
  if (entry.suspect !== undefined && entry.suspect < at) delete entry.suspect;
  const { breakers, state, settings } = board;
  const { limits } = state;
  if (!breakers || !limits || !settings.ownTrouble) return;
  if (entry.trouble && entry.trouble.at < at) {
    delete entry.trouble;
    delete entry.notBefore;
  }
  const key = breakers.account(agent);
  if ((limits.worked?.[key]?.at ?? 0) < at) limits.worked = { ...limits.worked, [key]: { idea: entry.card.id, at } };
  keepStumbles(limits, (one) => one.agent !== agent || one.at > at);
  breakers.worked(agent, at);
}

/** Whether the problem is the idea's alone, as far as is known. Records the failure. */
export function isOwn(board: Board, entry: IdeaEntry, { kind, agent }: Trouble, now: number): boolean {
  const { breakers, state, settings } = board;
  const { limits } = state;
  if (!breakers || !limits || !settings.ownTrouble || (kind !== 'launch' && kind !== 'provider')) return false;
  const idea = entry.card.id;
  const before = entry.trouble?.kind === kind ? entry.trouble : undefined;
  const since = before?.since ?? now;
  const alone = kind === 'launch' && stumblesAlone(limits, idea, agent, now);
  const key = breakers.account(agent);
  const known = breakers
    .closed(agent)
    .find((breaker) => breaker.kind === kind && breaker.ideas?.some((one) => one !== idea));
  // The agent worked in this run. For hours now, only these ideas have tried it.
  const over = known?.kind === 'launch' && known.hits >= MOST_LAUNCH_TRIES && limits.worked?.[key] !== undefined;
  const own = over || (!known && (alone || othersWork(limits, idea, key, since)));
  entry.trouble = { kind, own: own ? (before?.own ?? 0) + 1 : 0, since, at: now };
  return own;
}

/** Failed launches closed this breaker: ideas that failed to launch before count as well. */
export function addStumbled({ state }: Board, { kind, agent }: Trouble, breaker: AccountBreaker | undefined): void {
  if (kind !== 'launch' || !breaker?.ideas) return;
  const stumbled = state.limits?.stumbled?.filter((one) => one.agent === agent) ?? [];
  breaker.ideas = [...new Set([...breaker.ideas, ...stumbled.map(({ idea }) => idea)])];
}

function stumblesAlone(limits: LimitState, idea: string, agent: string, now: number): boolean {
  keepStumbles(limits, (one) => now - one.at <= LAUNCH_WINDOW_MS && (one.agent !== agent || one.idea !== idea));
  const others = limits.stumbled?.some((one) => one.agent === agent) ?? false;
  limits.stumbled = [...(limits.stumbled ?? []), { agent, idea, at: now }];
  return !others;
}

function othersWork({ worked }: LimitState, idea: string, key: string, since: number): boolean {
  const last = worked?.[key];
  return last !== undefined && last.idea !== idea && last.at > since;
}

function keepStumbles(limits: LimitState, keep: (one: NonNullable<LimitState['stumbled']>[number]) => boolean): void {
  const left = limits.stumbled?.filter(keep);
  if (left && left.length > 0) limits.stumbled = left;
  else delete limits.stumbled;
}

/** ralphctl retries the idea after growing delays, until its retries are used up. */
export function takeOwnTrouble(board: Board, entry: IdeaEntry, trouble: Trouble, now: number): void {
  const { settings, state } = board;
  const tries = entry.trouble?.own ?? 1;
  queueForSlot(board, entry);
  if (state.run === 'stopping') return;
  if (trouble.kind === 'provider') {
    entry.reason = clipReason(`its agent gets no answer, while agents of other ideas do: ${trouble.message}`);
    if (tries >= MOST_UNANSWERED) askAbout(board, entry, trouble);
    else waitFor(entry, now + (backOffMs({ kind: 'provider', hits: tries }, settings) ?? 0));
    return;
  }
  entry.reason = clipReason(`its agent does not start: ${trouble.message}`);
  const most = settings.errorStrategy === 'retry' ? settings.maxRetries : 0;
  if (tries > most) close(board, entry, trouble, tries);
  else waitFor(entry, now + settings.retryBaseMs * 2 ** (tries - 1));
}

function waitFor(entry: IdeaEntry, until: number): void {
  entry.notBefore = until;
}

/** Of the agent's own words, so that the command after them is not cut off. */
const MOST_WORDS = 150;

function close(board: Board, entry: IdeaEntry, { agent, message }: Trouble, tries: number): void {
  const idea = entry.card.id;
  leaveWaiting(board, idea);
  const outcome = board.settings.errorStrategy === 'skip' ? 'skipped' : 'failed';
  const times = tries === 1 ? 'once' : `${tries} times`;
  const reason = `${agent} ended right at its start ${times}: ${clip(message, MOST_WORDS).replace(/\.$/, '')}. Its output: ralphctl logs ${idea}`;
  board.outbox.push({ do: 'verdict', idea, verdict: { kind: 'close', outcome, reason } });
}

function askAbout(board: Board, entry: IdeaEntry, { message }: Trouble): void {
  const idea = entry.card.id;
  leaveWaiting(board, idea);
  const text = `${MOST_UNANSWERED} agent runs in a row of this idea got no answer from their provider, while other ideas did (${message}). Reply with anything to retry, or leave it out: ralphctl skip ${idea}`;
  const question = clip(text, MAX_QUESTION);
  delete entry.trouble;
  delete entry.notBefore;
  entry.reason = question;
  board.set(entry, 'needs-human');
  board.outbox.push({ do: 'verdict', idea, verdict: { kind: 'ask', question } });
}
