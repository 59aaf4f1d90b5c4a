/** Applies the result of a gate to its idea. May import protocol only. */
import type { StampedEvent } from '../protocol/events.js';
import { isNoGate } from '../protocol/gate.js';
import type { GateRun, IdeaModel } from './model.js';

export function gate(idea: IdeaModel, event: Extract<StampedEvent, { kind: 'gate' }>, at: number): void {
  const result: GateRun = {
    at,
    pass: event.pass,
    durationMs: event.durationMs,
    commands: event.commands ?? [],
    newTests: event.newTests ?? [],
    knownTests: event.knownTests ?? [],
    flaky: event.flaky ?? [],
    tolerated: event.tolerated ?? [],
    tripwires: event.tripwires ?? [],
  };
  if (isNoGate(event)) result.none = true;
  if (event.command !== undefined) result.command = event.command;
  if (event.exitCode !== undefined) result.exitCode = event.exitCode;
  if (event.why !== undefined) result.why = event.why;
  if (event.log !== undefined) result.log = event.log;
  if (event.same !== undefined) result.same = event.same;
  if (event.tests) result.tests = event.tests;
  delete idea.gateNow;
  if (!event.pass) unfinished(idea);
  if (event.merged) {
    idea.mergedGate = result;
    return;
  }
  idea.gate = result;
  const last = idea.iterations.at(-1);
  if (last) last.gate = result;
}

/** The newest one, on its own branch or on the merged tree. */
export function lastGate<Gate extends { at: number }>({
  gate: own,
  mergedGate: merged,
}: {
  gate?: Gate;
  mergedGate?: Gate;
}): { gate: Gate; merged?: true } | undefined {
  if (merged && merged.at >= (own?.at ?? 0)) return { gate: merged, merged: true };
  return own && { gate: own };
}

/** The agent was wrong that all is done: what counts is what it said before. */
export function unfinished(idea: IdeaModel): void {
  if (idea.percent === undefined || idea.percent < 100) return;
  if (idea.partly === undefined) delete idea.percent;
  else idea.percent = idea.partly;
}
