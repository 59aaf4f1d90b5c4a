/**
 * Ideas that come back: answered, or bounced from landing. They get a slot before any new idea does.
 * Invariant: an idea stands in the queue at most once, and only while its status is `wants-slot`.
 * May import protocol and decide only.
 */
import type { IdeaEntry } from '../protocol/run.js';
import type { Board } from './board.js';
import type { Command } from './commands.js';
import { tellRunState } from './control.js';
import { agentName } from './slots.js';

export function queueForSlot(board: Board, entry: IdeaEntry): void {
  const { state } = board;
  board.freeSlot(entry);
  board.set(entry, 'wants-slot');
  // In a run that stops no slot will come: the idea ends, its work stays on its branch.
  if (state.run === 'stopping') tellRunState(board, entry);
  else if (!state.waiting.includes(entry.card.id)) state.waiting.push(entry.card.id);
}

export function leaveWaiting(board: Board, idea: string): void {
  const { state } = board;
  if (state.waiting.includes(idea)) state.waiting = state.waiting.filter((one) => one !== idea);
}

/** Gives free slots to those who wait, then to the best ready ideas. */
export function fillSlots(board: Board): Command[] {
  const { state } = board;
  const commands: Command[] = [];
  while (board.slots.used < state.slots) {
    const entry = nextWaiting(board);
    if (!entry) break;
    const slot = board.takeSlot(entry);
    board.set(entry, 'running');
    commands.push(welcomeBack(entry, slot));
  }
  while (board.slots.used < state.slots) {
    const idea = state.run === 'waiting_user' ? nextAssigned(board) : board.pool.best();
    const entry = idea === undefined ? undefined : board.graph.entry(idea);
    if (!entry) break;
    commands.push(start(board, entry));
  }
  return commands;
}

function nextWaiting(board: Board): IdeaEntry | undefined {
  const { waiting } = board.state;
  for (let idea = waiting.shift(); idea !== undefined; idea = waiting.shift()) {
    const entry = board.graph.entry(idea);
    if (entry?.status === 'wants-slot') return entry;
  }
  return undefined;
}

/** Semi-auto: a person says what starts. */
function nextAssigned(board: Board): string | undefined {
  const { state, graph } = board;
  const idea = state.assigned?.find((id) => graph.isReady(id));
  if (idea !== undefined) state.assigned = state.assigned?.filter((id) => id !== idea);
  return idea;
}

function welcomeBack(entry: IdeaEntry, slot: number): Command {
  const idea = entry.card.id;
  if (!entry.bounce) return { do: 'grant', idea, slot };
  const { reopen, feedback } = entry.bounce;
  delete entry.bounce;
  return { do: 'verdict', idea, verdict: { kind: 'reopen', agentName: agentName(slot), reopen, feedback } };
}

function start(board: Board, entry: IdeaEntry): Command {
  const slot = board.takeSlot(entry);
  // A new child numbers its reports from one again; reports of an earlier life no longer count.
  entry.seq = 0;
  entry.life = Math.abs(entry.life) + 1;
  entry.rounds = 0;
  delete entry.reason;
  board.set(entry, 'running');
  return { do: 'start', idea: entry.card.id, slot };
}
