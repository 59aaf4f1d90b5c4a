/**
 * Git activities that the autopilot runs itself: landings, their undo, and git tasks for single ideas.
 * Invariant: each reports its end to the autopilot, whatever it was. Only a landing can be cancelled.
 */
import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { footingOf } from '../../decide/delivery/stack.js';
import { gitTimes } from '../../decide/idea/activity-times.js';
import { type Autopilot, agentName, type Effect } from '../../decide/run/autopilot.js';
import { bounceReason } from '../../decide/run/bounce.js';
import type { GitTaskResult } from '../../decide/run/git-tasks.js';
import { revertedText } from '../../decide/run/reverted.js';
import { lookFirst } from '../../decide/run/target-busy.js';
import { clip, MAX_REASON } from '../../decide/text.js';
import type { GitActivities } from '../../protocol/activities.js';
import type { LandResult } from '../../protocol/git-work.js';
import type { Below } from '../../protocol/review.js';
import type { AutopilotInput, IdeaEntry } from '../../protocol/run.js';
import {
  activityProblem,
  gitActivities,
  isMachines,
  LANDING_FIRST,
  noWorkerOn,
  refOf,
  timeRanOut,
  wasNotTaken,
} from '../proxies.js';
import { emit } from '../publish.js';
import { closedEvent } from './deliveries.js';

const belowOf = (pilot: Autopilot, entry: IdeaEntry): { below?: Below } => {
  const footing = footingOf(pilot.graph, entry);
  return footing.kind === 'on' ? { below: footing.below } : {};
};

const bluesOf = (blues: string[]): { blues?: string[] } => (blues.length > 0 ? { blues } : {});

export class GitWork {
  readonly #input: AutopilotInput;
  readonly #tell: (event: (pilot: Autopilot) => void) => void;
  #landing: CancellationScope | undefined;

  constructor(input: AutopilotInput, tell: (event: (pilot: Autopilot) => void) => void) {
    this.#input = input;
    this.#tell = tell;
  }

  /** The landing in progress, which `abort` cancels. */
  cancelLanding(): void {
    this.#landing?.cancel();
  }

  async land(pilot: Autopilot, idea: string): Promise<void> {
    const entry = pilot.graph.entry(idea);
    if (!entry?.work) {
      this.#tell((p) => p.landingFailed(idea, 'there is no finished work to land'));
      return;
    }
    const scope = new CancellationScope({ cancellable: true });
    this.#landing = scope;
    const { work } = entry;
    const { anew, green, review } = entry;
    const more = {
      ...{ ...(anew ? { anew } : {}), ...(green ? { green } : {}) },
      ...(review && review.seen.length > 0 ? { seen: review.seen } : {}),
      ...belowOf(pilot, entry),
      ...pilot.placesBefore(entry, Date.now()),
      ...lookFirst(pilot.state),
    };
    try {
      const title = entry.card.title;
      const about = { idea, summary: `land ${idea} on ${pilot.state.target}`, kind: 'land' as const };
      const result: LandResult = await scope.run(() =>
        this.#untilTaken(pilot, about, (git) =>
          git.landIdea({
            ...refOf(this.#input),
            idea,
            title,
            ...work,
            ...bluesOf(pilot.graph.completes(idea)),
            ...more,
          }),
        ),
      );
      this.#tellGate(idea, result);
      this.#tellEnd(pilot, idea, result);
      this.#tell((p) => p.landed(idea, result, Date.now()));
    } catch (error) {
      const problem = isCancellation(error) ? 'it was aborted by a person' : activityProblem(error);
      if (!problem) throw error;
      const lands = isMachines(error);
      this.#tell((p) => p.landingFailed(idea, problem, lands));
    } finally {
      this.#landing = undefined;
    }
  }

  #tellEnd({ graph, state }: Autopilot, idea: string, result: LandResult): void {
    switch (result.kind) {
      case 'in-review': {
        const { number, url } = result.pull;
        const why = result.note === undefined ? {} : { why: clip(result.note, MAX_REASON) };
        const { below } = result.pull;
        const on = below ? { below: { idea: below.idea, number: below.number } } : {};
        emit(this.#input, { kind: 'review', idea, state: 'open', number, url, ...on, ...why });
        return;
      }
      case 'pull-closed':
        emit(this.#input, closedEvent(idea, result));
        return;
      case 'conflict':
      case 'red':
        emit(this.#input, { kind: 'bounced', idea, why: bounceReason(result) });
        return;
      case 'landed':
        for (const one of result.reverted ?? []) {
          if (!graph.entry(one.idea)) continue;
          const { by, files } = one;
          const text = clip(revertedText(one, state.target), MAX_REASON);
          emit(this.#input, { kind: 'reverted', idea: one.idea, by, text, ...(files ? { part: true } : {}) });
        }
        return;
      case 'waits-below':
      case 'waits-place':
      case 'target-busy':
      case 'target-free':
      case 'forge-waits':
        return;
    }
  }

  /** The gate on the merged tree, as the one on the idea's own branch is told. */
  #tellGate(idea: string, result: LandResult): void {
    if (result.kind === 'conflict' || !result.gate) return;
    const same = result.kind === 'red' ? undefined : result.gate.same;
    if (result.kind !== 'red' && result.gate.earlier && same === undefined) return;
    const { commands, tests, durationMs, log } = result.gate;
    const failure = result.kind === 'red' ? result.gate.failure : undefined;
    const red = failure && {
      ...{ command: failure.command, exitCode: failure.exitCode, why: failure.why, log: failure.log },
    };
    emit(this.#input, {
      ...{ kind: 'gate', idea, merged: true, pass: result.kind !== 'red', commands, durationMs },
      ...{ tests, log },
      ...(same === undefined ? {} : { same }),
      ...red,
    });
  }

  /**
   * Without a worker on the host the work waits and warns; nothing has begun. It also waits after a time in which
   * nobody could work on it, for example when the machine was off.
   */
  async #untilTaken<T>(
    pilot: Autopilot,
    { idea, summary, kind }: { idea: string; summary: string; kind: 'land' | 'git-task' },
    work: (git: GitActivities) => Promise<T>,
  ): Promise<T> {
    const queue = pilot.state.queues.git;
    const before = kind === 'land' ? undefined : pilot.graph.entry(idea)?.reason;
    const priority = kind === 'land' ? LANDING_FIRST : undefined;
    for (let untaken = 0; ; untaken++) {
      try {
        const times = gitTimes(kind, this.#input.settings, untaken);
        const done = await work(gitActivities(queue, summary, times, priority));
        if (untaken > 0) this.#tell((p) => p.workWaits(idea, before));
        return done;
      } catch (error) {
        const why = wasNotTaken(error) ? noWorkerOn(queue) : timeRanOut(error);
        if (why === undefined) throw error;
        this.#tell((p) => p.workWaits(idea, why));
      }
    }
  }

  async task(pilot: Autopilot, { idea, task, force }: Extract<Effect, { do: 'git-task' }>): Promise<void> {
    const about = { ...refOf(this.#input), idea };
    const entry = pilot.graph.entry(idea);
    const slot = agentName(entry?.lastSlot ?? 1);
    const fresh = entry?.told?.verb === 'retry' ? { fresh: true } : {};
    const carryOut = async (git: GitActivities): Promise<GitTaskResult> => {
      switch (task) {
        case 'rollback':
          return { task, result: await git.rollbackIdea({ ...about, agentName: slot, ...fresh }) };
        case 'cleanup':
          return { task, result: await git.cleanupIdea({ ...about, force: force || undefined }) };
        case 'stash':
          return { task, result: await git.stashIdea(about) };
      }
    };
    try {
      const work = { idea, summary: `${task} ${idea}`, kind: 'git-task' as const };
      const result = await this.#untilTaken(pilot, work, carryOut);
      this.#tell((p) => p.gitTaskDone(idea, result));
    } catch (error) {
      const problem = activityProblem(error);
      if (!problem) throw error;
      this.#tell((p) => p.gitTaskDone(idea, { task, problem }));
    }
  }

  async undo(pilot: Autopilot, idea: string): Promise<void> {
    const entry = pilot.graph.entry(idea);
    if (!entry) return;
    const { title } = entry.card;
    const work = { idea, summary: `take ${idea} off ${pilot.state.target}`, kind: 'land' as const };
    try {
      const about = { ...refOf(this.#input), idea, title, agentName: agentName(entry.lastSlot ?? 1) };
      const undone = await this.#untilTaken(pilot, work, (git) =>
        git.undoIdea({
          ...about,
          commit: entry.commit || undefined,
          ...bluesOf(pilot.graph.above(idea)),
        }),
      );
      this.#tell((p) => p.undone(idea, undone));
    } catch (error) {
      const problem = activityProblem(error);
      if (!problem) throw error;
      this.#tell((p) => p.undone(idea, { kind: 'failed', problem }));
    }
  }
}
