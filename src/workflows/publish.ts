/**
 * The display of a run (G9): current details, memo, search attribute, events.
 * Invariant: memo and attribute are written only on a change, because each write is a history event.
 */

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import {
  patched,
  proxySinks,
  type Sink,
  type Sinks,
  setCurrentDetails,
  upsertMemo,
  upsertSearchAttributes,
} from '@temporalio/workflow';
import type { UseAgent } from '../decide/messages/between.js';
import { type Autopilot, agentName } from '../decide/run/autopilot.js';
import { runDetails } from '../decide/views/details.js';
import { progressOf } from '../decide/views/progress.js';
import { nothingRuns } from '../decide/views/resting.js';
import { runStanding, type Standing } from '../decide/views/standing.js';
import { NEXT_SHOWN, runStatus, runWarnings } from '../decide/views/status.js';
import { isCounted, isOnlyTicked, landedBefore } from '../decide/views/survey.js';
import type { Spent } from '../protocol/budget.js';
import type { RunMode } from '../protocol/command.js';
import type { RunEvent } from '../protocol/events.js';
import type { AgentChoice } from '../protocol/limits.js';
import type { AutopilotInput, AutopilotState } from '../protocol/run.js';
import type { RunRef } from '../protocol/run-ref.js';
import { type RunOutcome, type ShownState, WAITS_FOR_YOU } from '../protocol/states.js';
import type { RunStatus } from '../protocol/views.js';
import type { WarningLine } from '../protocol/warnings.js';

const LARGE_RUN = 500;
const OPEN = JSON.stringify(['open', undefined]);

export class Publisher {
  readonly #input: AutopilotInput;
  #published = '';
  #publishedState: string | undefined;
  #listedState: string | undefined;
  #publishedAt = 0;
  #emittedState: ShownState | undefined;
  #warned = new Set<WarningLine['kind']>();
  #still: string | undefined;
  #landing: string | undefined;
  readonly #accounts = new Map<string, string>();

  constructor(input: AutopilotInput) {
    this.#input = input;
  }

  #emitChanges(pilot: Autopilot): void {
    for (const entry of pilot.takeChanges(Date.now())) {
      const { card, status, slot, beside, gating, reason, commit, hold, approval, approvable, retries, used } = entry;
      // It keeps its number, and its slot went to another idea.
      const rests = status === 'wants-slot' || (status === 'paused' && beside);
      emit(this.#input, {
        kind: 'idea',
        idea: card.id,
        title: card.title,
        status,
        agentName: slot === undefined || rests ? undefined : agentName(slot),
        gating: gating !== undefined && beside ? true : undefined,
        reason: reason || undefined,
        commit: commit || undefined,
        waits: entry.behind !== undefined || entry.donePaused ? true : undefined,
        held: hold,
        approval: approval || approvable,
        retries: retries > 0 ? retries : undefined,
        unworked: status === 'failed' && used === 0 ? true : undefined,
      });
    }
  }

  /** After the change that queued it. */
  #emitLanding({ state, graph }: Autopilot): void {
    if (state.landing === this.#landing) return;
    this.#landing = state.landing;
    // Looks at a target that a person's merge holds are no news.
    if (state.targetBusy) return;
    if (state.landing === undefined || graph.entry(state.landing)?.busy === 'undo') return;
    emit(this.#input, { kind: 'landing', idea: state.landing });
  }

  #emitTold(pilot: Autopilot): void {
    for (const { verb, idea, reason, text, by, done, refusal } of pilot.takeTold()) {
      const about = { verb, idea: idea || undefined, text: text || undefined, by };
      if (refusal === undefined)
        emit(this.#input, { kind: 'command', ...about, reason: reason || undefined, done: done ?? '' });
      else emit(this.#input, { kind: 'refused', ...about, why: refusal });
    }
  }

  #emitAccounts(pilot: Autopilot): void {
    const lines = pilot.accounts();
    for (const account of lines) {
      const { key, state, until } = account;
      const shown = JSON.stringify([state, until]);
      if ((this.#accounts.get(key) ?? OPEN) === shown) continue;
      this.#accounts.set(key, shown);
      emit(this.#input, { kind: 'account', account });
    }
    // Only a closed agent program has a line of its own.
    for (const [key, shown] of this.#accounts) {
      if (shown === OPEN || lines.some((line) => line.key === key)) continue;
      this.#accounts.set(key, OPEN);
      emit(this.#input, { kind: 'account', account: { key, agents: [key.replace(/^agent:/, '')], state: 'open' } });
    }
  }

  #emitStandstill({ state }: Autopilot): void {
    const { still } = state.limits ?? {};
    const shown = JSON.stringify(still);
    if (shown === this.#still) return;
    this.#still = shown;
    if (still) emit(this.#input, { kind: 'all-limited', ...still });
  }

  /** Warnings of the run itself; ideas send their own. */
  #emitWarnings(pilot: Autopilot): void {
    const open = new Set<WarningLine['kind']>();
    for (const { kind, text } of runWarnings(pilot.state, this.#input.settings)) {
      // The event of the push tells it.
      if (kind === 'push' || open.has(kind)) continue;
      open.add(kind);
      if (!this.#warned.has(kind)) emit(this.#input, { kind: 'warning', warning: kind, text });
    }
    for (const kind of this.#warned) if (!open.has(kind)) emit(this.#input, { kind: 'warning-over', warning: kind });
    this.#warned = open;
  }

  #emitState(pilot: Autopilot, { run, why: reason }: { run: ShownState; why?: string }): void {
    if (run === this.#emittedState) return;
    // Views of the files know what is ticked, and not what the target had when the run began.
    const begins = this.#emittedState === undefined && this.#input.state === undefined;
    this.#emittedState = run;
    emit(this.#input, {
      kind: 'run',
      state: run,
      why: reason || undefined,
      ...progress(pilot),
      ...(begins ? { ticked: tickedIds(pilot) } : {}),
      ...courseOf(pilot),
    });
  }

  /** `whole`: draw a large run even if it was drawn a moment ago. `ended`: how the run ended. */
  publish(pilot: Autopilot, whole = false, ended?: RunOutcome): void {
    const { entries } = pilot.state;
    const standing = standingOf(pilot);
    const run = ended ?? standing.run;
    const { why: reason } = standing;
    this.#emitTold(pilot);
    for (const left of pilot.takeEnded()) emit(this.#input, { kind: 'left', ...left });
    const waves = pilot.waves.takeNews();
    for (const event of waves.before) emit(this.#input, event);
    // A run goes on before its ideas do; what ends or holds it is told before that it ended or holds.
    const goesOn = run === 'running';
    if (goesOn) this.#emitState(pilot, { ...standing, run });
    this.#emitAccounts(pilot);
    this.#emitStandstill(pilot);
    this.#emitWarnings(pilot);
    this.#emitChanges(pilot);
    this.#emitLanding(pilot);
    for (const event of waves.after) emit(this.#input, event);
    if (!goesOn) this.#emitState(pilot, { ...standing, run });
    // A full view costs a pass over all ideas, so a large run is drawn at most once a second.
    const now = Date.now();
    const lately = run === this.#publishedState && now - this.#publishedAt < 1000;
    if (entries.length > LARGE_RUN && lately && !whole) return;
    this.#publishedAt = now;
    const next = pilot.next(NEXT_SHOWN);
    const status = runStatus(this.#input, pilot.state, this.#input.settings, pilot.graph, now, next);
    setCurrentDetails(runDetails({ ...status, ...(ended ? { state: ended } : {}) }));
    const { state, why } = listed(status, { run, why: reason }, ended);
    const memo = progressOf(status, { state, entries, ended });
    const fingerprint = JSON.stringify([memo, why]);
    if (fingerprint === this.#published) return;
    this.#published = fingerprint;
    if (state !== this.#listedState) upsertSearchAttributes([{ key: RALPH_STATE, value: state }]);
    this.#listedState = state;
    this.#publishedState = run;
    upsertMemo({ progress: { ...memo, why: why ?? null } });
  }
}

/** Memo and attribute are written on a change of state. Runs of 0.1 called this state running. */
function standingOf(pilot: Autopilot): Standing {
  const standing = runStanding(pilot.state, pilot.graph);
  return standing.run === WAITS_FOR_YOU && !patched('waits-for-you') ? { run: 'running' } : standing;
}

/** A list of runs has one word: a run in which all that is left is paused or held is paused there. */
function listed(
  status: RunStatus,
  { run, why }: { run: ShownState; why: string | undefined },
  ended: RunOutcome | undefined,
): { state: ShownState; why: string | undefined } {
  const rests = ended === undefined ? nothingRuns(status) : undefined;
  // Runs that began before this called it running.
  return rests && patched('resting') ? { state: 'paused', why: rests.text } : { state: run, why };
}

/** The landed and the total number of ideas that count. */
function progress(pilot: Autopilot): { landed: number; before?: number; total: number } {
  const ideas = pilot.state.entries.filter(isCounted);
  const landed = ideas.filter((entry) => entry.status === 'landed');
  const before = landedBefore(landed);
  return { landed: landed.length, before: before > 0 ? before : undefined, total: ideas.length };
}

const tickedIds = ({ state }: Autopilot): string[] =>
  state.entries.filter((entry) => !entry.card.blue && isOnlyTicked(entry)).map(({ card }) => card.id);

/** How the run is set, and what its ideas have used. */
const courseOf = ({ state }: Autopilot): { mode: RunMode; slots: number; spent?: Spent } => ({
  mode: state.mode ?? 'autopilot',
  slots: state.slots,
  spent: state.budget?.run,
});

/* Typed search attribute keys (G9). May import @temporalio/common only. */

export const RALPH_PROJECT = defineSearchAttributeKey('RalphProject', SearchAttributeType.KEYWORD);
export const RALPH_STATE = defineSearchAttributeKey('RalphState', SearchAttributeType.KEYWORD);
export const RALPH_IDEA = defineSearchAttributeKey('RalphIdea', SearchAttributeType.KEYWORD);
export const RALPH_ITERATION = defineSearchAttributeKey('RalphIteration', SearchAttributeType.INT);

/* Sends events to the worker's event file. A sink: no history events, not called on replay. */

export interface EventSinks extends Sinks {
  ralph: Sink & { event(ref: RunRef, event: RunEvent, at: number): void };
}

const { ralph } = proxySinks<EventSinks>();

export function emit(ref: RunRef, event: RunEvent): void {
  ralph.event({ project: ref.project, runId: ref.runId }, event, Date.now());
}

/* The autopilot's effects as message arguments, and the name of its end. Pure. */

export function outcomeOf({ run, aborting }: AutopilotState): RunOutcome {
  if (run !== 'stopping') return 'completed';
  return aborting ? 'aborted' : 'stopped';
}

const choiceOf = ({ choice }: { choice?: AgentChoice }): { choice?: AgentChoice } => (choice ? { choice } : {});

/** For the agent to use from now on: none, too, is said in so many words. */
export const agentOf = ({ choice }: { choice?: AgentChoice }): UseAgent => (choice ? { choice } : { none: true });

export const grantOf = (command: { slot: number; choice?: AgentChoice }) => ({
  agentName: agentName(command.slot),
  ...choiceOf(command),
});
