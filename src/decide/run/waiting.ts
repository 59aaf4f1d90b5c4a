/**
 * Ideas that return to work: answered, or bounced from landing. They get a slot before any new idea.
 * Invariant: an idea is in the queue at most once, and only while its status is `wants-slot`.
 * May import protocol and decide only.
 */
import type { AgentChoice } from '../../protocol/limits.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { stepOn } from '../delivery/stack.js';
import { bestReady, FIRST, score } from '../scheduler/score.js';
import { agentName } from '../scheduler/slots.js';
import { giveSlotsBack, keepNumber } from './beside.js';
import type { Board } from './board.js';
import { asksToLand, isActive, tellRunState } from './control.js';
import type { Effect } from './effects.js';
import { forgetStranger, takeOver } from './left-open.js';

/** `afterGate`: it has a worktree as its agent left it, and needs only a slot. */
export function queueForSlot(board: Board, entry: IdeaEntry, afterGate = false): void {
  const { state } = board;
  if (!afterGate || !keepNumber(board, entry)) board.freeSlot(entry);
  board.set(entry, 'wants-slot');
  // A stopping run gives out no slots: the idea ends, and its work stays on its branch.
  if (state.run === 'stopping') tellRunState(board, entry);
  else if (!state.waiting.includes(entry.card.id)) state.waiting.push(entry.card.id);
}

export function leaveWaiting(board: Board, idea: string): void {
  const { state } = board;
  if (state.waiting.includes(idea)) state.waiting = state.waiting.filter((one) => one !== idea);
}

/** Gives free slots to waiting ideas first, then to the best ready ideas, at most `mostStarts` of those at once. */
export function fillSlots(board: Board, now: number, mostStarts = Number.POSITIVE_INFINITY): Effect[] {
  const { state } = board;
  if (!isActive(board)) return state.run === 'stopping' ? [] : fillAlone(board, now);
  giveSlotsBack(board);
  const { starts: takenOver, stops } = startLeftOpen(board, now, mostStarts);
  const commands = [...stops, ...takenOver];
  if (state.leftOpen) return commands;
  if (state.budget?.inUse && board.slots.used > 0) return commands;
  delete state.budget?.inUse;
  giveToWaiting(board, now, commands, (entry) => !isSuspect(board, entry));
  const free = (): boolean => board.slots.used + board.returningCount < state.slots && !landingQueueIsFull(board);
  for (let starts = takenOver.length; starts < mostStarts && free(); starts++) {
    const idea = state.run === 'waiting_user' ? nextAssigned(board) : nextReady(board);
    const entry = idea === undefined ? undefined : board.graph.entry(idea);
    if (!entry) break;
    commands.push(start(board, entry, chooseAgent(board, entry, now)));
  }
  giveToWaiting(board, now, commands);
  return commands;
}

/** In a paused run: what a person resumed alone goes on, and nothing else begins. */
function fillAlone(board: Board, now: number): Effect[] {
  const { state, graph } = board;
  const isAlone = (entry: IdeaEntry | undefined): boolean => entry?.status === 'wants-slot' && entry.alone === true;
  if (!state.waiting.some((idea) => isAlone(graph.entry(idea))) || !board.rules('alone-gets-a-slot')) return [];
  if (state.budget?.inUse && board.slots.used > 0) return [];
  const commands: Effect[] = [];
  giveToWaiting(board, now, commands, isAlone);
  return commands;
}

/** As {@link takeOver} says, before anything new begins and whatever the number of slots. */
function startLeftOpen(board: Board, now: number, mostStarts: number): { starts: Effect[]; stops: Effect[] } {
  const { taken, ended } = takeOver(board, mostStarts);
  const starts = taken.map(({ entry, wanted }) => start(board, entry, chooseAgent(board, entry, now), wanted));
  board.endedHere.push(...ended);
  return { starts, stops: ended.map(({ idea }) => ({ do: 'tell', idea, signal: 'stop' })) };
}

function giveToWaiting(
  board: Board,
  now: number,
  commands: Effect[],
  may: (entry: IdeaEntry) => boolean = () => true,
): void {
  while (board.slots.used < board.state.slots) {
    const entry = nextWaiting(board, may);
    if (!entry) break;
    const choice = chooseAgent(board, entry, now);
    const slot = board.takeSlot(entry);
    delete entry.reason;
    delete entry.notBefore;
    board.set(entry, 'running');
    commands.push(welcomeBack(entry, slot, choice));
  }
}

/** Another idea shows better whether something is wrong with this idea's agent. */
const isSuspect = ({ breakers }: Board, entry: IdeaEntry): boolean =>
  breakers !== undefined && !breakers.allOpen && breakers.isSuspect(entry.card.id, breakers.agentsOf(entry));

/**
 * Of ideas that lose their worker again and again, only one runs at a time. So the others finish, and the cause becomes
 * visible.
 */
function standsBack(board: Board, { card, suspect }: IdeaEntry): boolean {
  if (suspect === undefined) return false;
  return board
    .openIdeas()
    .some((one) => one.card.id !== card.id && one.suspect !== undefined && one.status === 'running');
}

/** Ends waits that are over, so that they trigger no further wake-up. */
export function endOwnWaits({ state, graph }: Board, now: number): void {
  for (const idea of state.waiting) {
    const entry = graph.entry(idea);
    if (entry?.notBefore !== undefined && entry.notBefore <= now) delete entry.notBefore;
  }
}

/** When the first idea with a timed wait may resume, epoch ms. */
export function nextOwnWait({ state, graph }: Board): number | undefined {
  return earliest(state.waiting.map((idea) => graph.entry(idea)?.notBefore));
}

export function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((at) => at !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** Whether one of the idea's agents can work now. */
function canWork(board: Board, entry: IdeaEntry): boolean {
  const { breakers } = board;
  return !breakers || breakers.allOpen || breakers.couldUse(breakers.agentsOf(entry));
}

/** Semi-auto: a person decides what starts. */
function nextAssigned(board: Board): string | undefined {
  const { state, graph } = board;
  const idea = state.assigned?.find((id) => {
    const entry = graph.entry(id);
    return entry !== undefined && graph.isReady(id) && canWork(board, entry);
  });
  if (idea !== undefined) state.assigned = state.assigned?.filter((id) => id !== idea);
  return idea;
}

/** Takes the choice, and reserves the first try of a closed account where needed. */
function chooseAgent(board: Board, entry: IdeaEntry, now: number): AgentChoice | undefined {
  const { breakers } = board;
  const chosen = breakers?.choose(entry.card.id, breakers.agentsOf(entry), now);
  if (!breakers || !chosen) return undefined;
  const choice = breakers.explained(entry, chosen);
  noteChoice(entry, choice);
  return choice;
}

function noteChoice(entry: IdeaEntry, choice: AgentChoice | undefined): void {
  entry.agent = choice?.agent ?? '';
  if (choice?.probe) entry.probe = true;
  else delete entry.probe;
}

/** Sends running ideas the agent to use from their next iteration on, where that has changed. */
export function reviewAgents(board: Board, now: number): Effect[] {
  const { breakers } = board;
  if (!breakers?.changed) return [];
  breakers.changed = false;
  return board.openIdeas().flatMap((entry) => {
    if (entry.slot === undefined || entry.agent === undefined) return [];
    const agents = breakers.agentsOf(entry);
    const chosen = breakers.review(entry.card.id, agents, entry.agent, now);
    if ((chosen?.agent ?? '') === entry.agent && chosen?.probe === entry.probe) return [];
    const choice = chosen && breakers.explained(entry, chosen);
    noteChoice(entry, choice);
    return [{ do: 'agent', idea: entry.card.id, choice }];
  });
}

/** Ideas wait for an available agent and nothing else runs: limits block the run. */
function standsStill(board: Board): boolean {
  const { state, breakers } = board;
  if (!breakers || breakers.allOpen || !isActive(board)) return false;
  if (board.slots.used > 0 || board.runningCount > 0 || state.lane.length > 0 || state.landing !== undefined)
    return false;
  return state.waiting.length > 0 || (state.run === 'running' && board.pool.best() !== undefined);
}

export function noteStandstill(board: Board): void {
  const { breakers, state } = board;
  if (!breakers || !state.limits) return;
  const until = breakers.wakeAt();
  if (!standsStill(board)) delete state.limits.still;
  else state.limits.still = { why: breakers.whyStill(), until };
}

function nextReady(board: Board): string | undefined {
  if (!board.breakers || board.breakers.allOpen) return board.pool.best();
  // Ideas with the same agent have the same answer: it is computed once for each.
  const known = new Map<string, boolean>();
  return board.pool.bestOf((id) => {
    const entry = board.graph.entry(id);
    if (!entry) return false;
    const agent = entry.card.agent ?? '';
    const can = known.get(agent) ?? canWork(board, entry);
    known.set(agent, can);
    return can;
  });
}

const LEAST_WAITING = 4;

/**
 * Landing is slower than working. Work that begins now would be stale at its turn, and the queue would only grow.
 * Returning ideas are not held up, because they empty the landing queue. In waves with one slot each idea begins on
 * what the one before has changed, unless that waits for a person.
 */
function landingQueueIsFull({ state, settings, graph, rules }: Board): boolean {
  if (settings.waves && state.slots === 1) {
    const asks = (id: string): boolean => asksToLand(graph.entry(id));
    return state.lane.length > 0 && !(state.lane.every(asks) && rules('waves-pass-approvals'));
  }
  const { maxWaiting } = settings;
  if (maxWaiting === undefined) return false;
  return state.lane.length >= (maxWaiting || Math.max(LEAST_WAITING, 2 * state.slots));
}

/** The first waiting idea that can resume. Ideas that no longer wait drop out. */
function nextWaiting(board: Board, may: (entry: IdeaEntry) => boolean): IdeaEntry | undefined {
  const { state } = board;
  let found: IdeaEntry | undefined;
  const rest: string[] = [];
  for (const idea of state.waiting) {
    const entry = board.graph.entry(idea);
    if (entry?.status !== 'wants-slot') continue;
    if (!found && entry.notBefore === undefined && !standsBack(board, entry) && canWork(board, entry) && may(entry))
      found = entry;
    else rest.push(idea);
  }
  state.waiting = rest;
  return found;
}

function welcomeBack(entry: IdeaEntry, slot: number, choice: AgentChoice | undefined): Effect {
  const idea = entry.card.id;
  const agent = choice ? { choice } : {};
  if (!entry.bounce) return { do: 'grant', idea, slot, ...agent };
  const { reopen, feedback } = entry.bounce;
  delete entry.bounce;
  return { do: 'verdict', idea, verdict: { kind: 'reopen', agentName: agentName(slot), reopen, feedback, ...agent } };
}

function start(board: Board, entry: IdeaEntry, choice: AgentChoice | undefined, wanted?: number): Effect {
  const slot = board.takeSlot(entry, forgetStranger(board, entry.card.id) ?? wanted);
  // A new child numbers its reports from one. Reports of an earlier generation no longer count.
  entry.seq = 0;
  entry.life = Math.abs(entry.life) + 1;
  entry.rounds = 0;
  delete entry.reason;
  stepOn(board.graph, entry);
  board.set(entry, 'running');
  return { do: 'start', idea: entry.card.id, slot, choice };
}

/* Puts an idea before all ready ideas (A2). May import protocol and decide only. */

export function putFirst(board: Board, entry: IdeaEntry): void {
  const { graph, settings } = board;
  const first = bestReady(graph, settings.weights, 2).find((id) => id !== entry.card.id);
  const best = first === undefined ? undefined : graph.entry(first);
  const own = score(entry, graph, settings.weights) - (entry.boost ?? 0);
  const needed = best ? score(best, graph, settings.weights) - own + 1 : 1;
  const { boost = 0, points = 0 } = entry;
  // Points, also negative ones, must not cost it the place.
  if (settings.pointsAddUp) entry.boost = Math.max(FIRST, needed, needed - points, boost - points) + points;
  else entry.boost = Math.max(needed, boost);
}

/** The last points count. A first place stays, with the points on top, as between runs. */
export function setPoints({ settings }: Board, entry: IdeaEntry, n: number): void {
  const place = settings.pointsAddUp ? (entry.boost ?? 0) - (entry.points ?? 0) : 0;
  entry.boost = place + n;
  entry.points = n;
}
