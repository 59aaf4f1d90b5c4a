/**
 * Gates run beside the slots: an idea gives its slot back when its agent run is over, and keeps its number.
 * Invariant: bounded. Where as many gates run beside the slots as may, an idea holds its slot until one of them is over,
 * so that work does not pile up behind a slow gate. May import protocol and decide only.
 */
import type { AgentEnded } from '../../protocol/agent-run.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { MOST_NUMBERS } from '../scheduler/slots.js';
import type { Board } from './board.js';

function mostBeside({ settings, state }: Board): number {
  const { gatesBeside, waves } = settings;
  if (gatesBeside === undefined) return 0;
  // Each idea begins on what the one before has changed: none begins beside a gate.
  if (waves && state.slots === 1) return 0;
  // Ideas wait for an approval in their slots. An approved one must not wait for others that nobody approves.
  if (state.mode === 'step') return 0;
  return gatesBeside || state.slots;
}

/** Ideas whose gate has begun give their slots to others, in the order in which their agents ended. */
export function giveSlotsBack(board: Board): void {
  const gating = board.gating();
  let left = mostBeside(board) - gating.filter(({ beside }) => beside).length;
  for (const entry of gating) {
    if (left <= 0 || board.slots.numbers >= MOST_NUMBERS) return;
    if (entry.beside) continue;
    board.stepAside(entry);
    board.touch(entry);
    left -= 1;
  }
}

/**
 * Its agent has ended and says that it is done: its gate is next, once the run is settled. A report that came after this
 * agent run began has the last word, so that a late message takes no slot from the next agent run.
 */
export function noteAgentEnded(board: Board, { idea, life, after }: AgentEnded, now: number): void {
  const entry = board.graph.entry(idea);
  if (!entry || !board.isOpen(idea) || life !== entry.life || after !== entry.seq) return;
  if (entry.status !== 'running' || entry.slot === undefined || entry.beside || entry.gating !== undefined) return;
  board.gateBegins(entry, now);
}

/** Its gate begins, or begins again. One whose slot went back with its agent keeps its place among the gates. */
export function noteGating(board: Board, entry: IdeaEntry, now: number): void {
  if (entry.gating === undefined || !board.settings.settlesBeside) board.gateBegins(entry, now);
}

/** Its gate is over, and it needs a slot for its next iteration: it keeps its number, and with it its worktree as it is. */
export function keepNumber(board: Board, entry: IdeaEntry): boolean {
  if (board.settings.gatesBeside === undefined || entry.slot === undefined) return false;
  if (!entry.beside && board.slots.numbers >= MOST_NUMBERS) return false;
  board.gateOver(entry);
  board.stepAside(entry);
  return true;
}
