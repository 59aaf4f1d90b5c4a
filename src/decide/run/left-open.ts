/**
 * Ideas whose workflows an earlier run left open, because somebody terminated its autopilot.
 * Invariant: this run takes them over before it starts anything else, each under the number that it has. One that this run
 * does not work on (left out, done or not in the backlog) ends after its iteration; one that waits for another idea now is
 * taken over at its turn. While the agent of such a stranger works, nobody else gets its slot, nor its number before the
 * end of its gate. May import protocol and decide only.
 */
import type { LeftOpen } from '../../protocol/activities.js';
import type { IdeaReport } from '../../protocol/idea-run.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { statusWord } from '../../protocol/states.js';
import { slotOf } from '../scheduler/slots.js';
import type { Board, EndedHere } from './board.js';

export interface TakenOver {
  entry: IdeaEntry;
  /** The number of its slot. */
  wanted: number | undefined;
}

/** Undefined: it waits for another idea, and its turn comes. */
function whyNotHere(entry: IdeaEntry | undefined): string | undefined {
  if (!entry) return 'its backlog does not have it';
  if (entry.status === 'landed') return 'it has landed';
  if (entry.status !== 'pending') return `here it is ${statusWord(entry.status)}`;
  return entry.hold ? 'it is on hold' : undefined;
}

/** At most `most` ideas to take over now, and those to end; the rest stays in the state. */
export function takeOver(board: Board, most: number): { taken: TakenOver[]; ended: EndedHere[] } {
  const { state, graph } = board;
  if (!state.leftOpen) return { taken: [], ended: [] };
  const left = inOrder(state.leftOpen, (idea) => graph.isReady(idea));
  const taken: TakenOver[] = [];
  const ended: EndedHere[] = [];
  while (taken.length < most) {
    const next = left.shift();
    if (!next) break;
    const entry = graph.entry(next.idea);
    if (!entry || !graph.isReady(next.idea)) {
      holdNumber(board, next);
      const why = whyNotHere(entry);
      if (why !== undefined) ended.push({ idea: next.idea, why });
      continue;
    }
    if (next.state === 'asks') entry.leftAsking = true;
    taken.push({ entry, wanted: numberOf(next) });
  }
  if (left.length > 0) state.leftOpen = left;
  else delete state.leftOpen;
  return { taken, ended };
}

const numberOf = ({ agentName }: LeftOpen): number | undefined =>
  agentName === undefined ? undefined : slotOf(agentName);

/** Who holds a number before those that take a free one, and strangers first: they keep theirs in any case. */
function inOrder(all: readonly LeftOpen[], isReady: (idea: string) => boolean): LeftOpen[] {
  const rank = (one: LeftOpen): number => (isReady(one.idea) ? (numberOf(one) === undefined ? 2 : 1) : 0);
  return [...all].sort((a, b) => rank(a) - rank(b));
}

/** Nobody holds a number while it rests: what it waits for may need the slot. */
function holdNumber({ state, slots }: Board, left: LeftOpen): void {
  const { idea } = left;
  const wanted = numberOf(left);
  if (wanted === undefined || left.state === 'rests') return;
  const beside = left.state === 'gate' ? { beside: true as const } : {};
  const slot = slots.take(idea, wanted);
  if (beside.beside) slots.stepAside(slot);
  state.strangers = [...(state.strangers ?? []), { idea, slot, ...beside }];
}

/** What such a report leaves of a stranger: its slot and number; at its gate only the number; later nothing. */
export function noteStranger(board: Board, { idea, kind }: Pick<IdeaReport, 'idea' | 'kind'>): void {
  if (WORKS.has(kind)) return;
  const stranger = board.state.strangers?.find((one) => one.idea === idea);
  if (!stranger) return;
  if (kind !== 'gating') forgetStranger(board, idea);
  else {
    stranger.beside = true;
    board.slots.stepAside(stranger.slot);
  }
}

const WORKS: ReadonlySet<IdeaReport['kind']> = new Set(['spent', 'warnings', 'probing', 'recovered', 'resumed']);

/** It has ended, or this run works on it now. Returns its number, which is free again. */
export function forgetStranger({ state, slots }: Board, idea: string): number | undefined {
  const stranger = state.strangers?.find((one) => one.idea === idea);
  if (!stranger) return undefined;
  slots.free(stranger.slot, idea);
  const rest = state.strangers?.filter((one) => one !== stranger) ?? [];
  if (rest.length > 0) state.strangers = rest;
  else delete state.strangers;
  return stranger.slot;
}
