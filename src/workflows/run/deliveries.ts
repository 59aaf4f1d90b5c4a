/**
 * Pushes of the target, and looks at pull requests.
 * Invariant: each reports its end to the autopilot, whatever it was.
 */
import { CancellationScope, condition, isCancellation, patched } from '@temporalio/workflow';
import { heldText, onlyPushes } from '../../decide/delivery/push.js';
import { belowIsOpen } from '../../decide/delivery/stack.js';
import { gitTimes } from '../../decide/idea/activity-times.js';
import type { Autopilot } from '../../decide/run/autopilot.js';
import { clip, MAX_REASON } from '../../decide/text.js';
import type { KnownTips, PushTargetResult } from '../../protocol/delivery.js';
import type { RunEvent } from '../../protocol/events.js';
import type { ClosedPull } from '../../protocol/git-work.js';
import type { LookResult } from '../../protocol/review.js';
import type { AutopilotInput } from '../../protocol/run.js';
import { activityProblem, gitActivities, LANDING_FIRST, noWorkerOn, refOf, wasNotTaken } from '../proxies.js';
import { emit } from '../publish.js';

/** For the last push of a run that a person stops. */
const LONGEST_LAST_PUSH = '20 seconds';
const CUT_OFF = 'it was cut off, because the run ended';

function problemOf(error: unknown, queue: string): string | undefined {
  if (isCancellation(error)) return CUT_OFF;
  return wasNotTaken(error) ? noWorkerOn(queue) : activityProblem(error);
}

/** Somebody closed its pull request, and perhaps said why. */
export const closedEvent = (idea: string, { number, url, by, why }: ClosedPull): RunEvent => ({
  ...{ kind: 'review', idea, state: 'closed', number, url },
  ...(by === undefined ? {} : { by }),
  ...(why === undefined ? {} : { why }),
});

/** Undefined: no news. */
function reviewEvent(idea: string, pull: { number: number; url: string }, result: LookResult): RunEvent | undefined {
  const about = { kind: 'review' as const, idea, ...pull };
  switch (result.kind) {
    case 'merged':
      return { ...about, state: 'merged', ...(result.by === undefined ? {} : { by: result.by }) };
    case 'closed':
      return closedEvent(idea, { ...pull, ...result });
    case 'back':
      return { ...about, state: result.about, why: result.what };
    case 'apart':
      return { ...about, state: 'apart' };
    case 'astray':
      return { ...about, state: 'astray', why: result.why };
    default:
      return undefined;
  }
}

export class Deliveries {
  readonly #input: AutopilotInput;
  readonly #tell: (event: (pilot: Autopilot) => void) => void;
  #push: CancellationScope | undefined;
  /** A stop gives this push a last chance. */
  #last: CancellationScope | undefined;
  /** An abort cut this push off. */
  #cut: CancellationScope | undefined;
  readonly #looks = new Set<CancellationScope>();

  constructor(input: AutopilotInput, tell: (event: (pilot: Autopilot) => void) => void) {
    this.#input = input;
    this.#tell = tell;
  }

  /** A remote or a forge that hangs holds neither a stop nor an abort. */
  endFor(pilot: Autopilot, begin: (work: Promise<void>) => void): void {
    const { state } = pilot;
    const delivers = this.#push !== undefined || this.#looks.size > 0;
    if (state.run !== 'stopping' || !delivers || !patched('deliveries-end')) return;
    for (const scope of this.#looks) scope.cancel();
    const scope = this.#push;
    if (!scope || this.#cut === scope) return;
    if (state.aborting) {
      // Older versions let the last push of a stop go on.
      if (this.#last === scope && !patched('abort-ends-last-push')) return;
      this.#cut = scope;
      scope.cancel();
    } else if (this.#last !== scope && onlyPushes(state, pilot.openIdeas().length)) {
      this.#last = scope;
      begin(this.#endSoon(scope));
    }
  }

  get pushing(): boolean {
    return this.#push !== undefined;
  }

  async #endSoon(scope: CancellationScope): Promise<void> {
    if (!(await condition(() => this.#push !== scope, LONGEST_LAST_PUSH))) scope.cancel();
  }

  /** One look at the pull request of an idea in review. */
  async look(pilot: Autopilot, idea: string): Promise<void> {
    const entry = pilot.graph.entry(idea);
    if (!entry?.review) return;
    const { number, url, candidate, onto, below, work, seen } = entry.review;
    const open = below && belowIsOpen(pilot.graph, entry) ? { belowIsOpen: true as const } : {};
    const { git: queue } = pilot.state.queues;
    let result: LookResult;
    const scope = new CancellationScope({ cancellable: true });
    this.#looks.add(scope);
    try {
      const git = gitActivities(
        queue,
        `look at the pull request of ${idea}`,
        gitTimes('git-task', this.#input.settings),
      );
      const pull = { number, url, candidate, onto, ...(below ? { below } : {}) };
      result = await scope.run(() => git.lookAtPull({ ...refOf(this.#input), idea, pull, work, seen, ...open }));
    } catch (error) {
      const why = problemOf(error, queue);
      if (!why) throw error;
      result = { kind: 'unreachable', why };
    } finally {
      this.#looks.delete(scope);
    }
    const told = reviewEvent(idea, { number, url }, result);
    if (told) emit(this.#input, told);
    this.#tell((p) => p.looked(idea, result, Date.now()));
  }

  /** Once: the autopilot decides when to try again. */
  async push(pilot: Autopilot, known: KnownTips | undefined): Promise<void> {
    const { settings } = this.#input;
    const to = settings.delivery?.to ?? '';
    const before = pilot.state.delivery?.held;
    const { git: queue } = pilot.state.queues;
    let result: PushTargetResult;
    const scope = new CancellationScope({ cancellable: true });
    this.#push = scope;
    try {
      const git = gitActivities(
        queue,
        `push ${pilot.state.target} to ${to}`,
        gitTimes('land', settings),
        LANDING_FIRST,
      );
      const about = { ...refOf(this.#input), ...(known ? { known } : {}), serial: pilot.state.pushes ?? 0 };
      result = await scope.run(() => git.pushTarget(about));
    } catch (error) {
      const why = problemOf(error, queue);
      if (!why) throw error;
      result = { kind: 'held', cause: 'failed', why, ideas: [] };
    } finally {
      this.#push = undefined;
    }
    this.#tellPush(result, to, before?.why);
    this.#tell((p) => p.pushed(result, Date.now()));
  }

  /** A repeated failure is told once. */
  #tellPush(result: PushTargetResult, to: string, before: string | undefined): void {
    const again = result.replaced?.map(({ idea }) => idea);
    const about = { ideas: result.ideas, ...(again && again.length > 0 ? { again } : {}) };
    if (result.kind === 'pushed') {
      const { commit, commits, note } = result;
      if (commits > 0 || before !== undefined)
        emit(this.#input, {
          kind: 'push',
          state: 'pushed',
          to,
          commit,
          commits,
          ...about,
          ...(note ? { why: note } : {}),
        });
      return;
    }
    if (before !== undefined && before === clip(result.why, MAX_REASON)) return;
    const { cause, commits } = result;
    const text = heldText(result, to);
    emit(this.#input, {
      kind: 'push',
      state: 'held',
      to,
      cause,
      why: text,
      ...(commits === undefined ? {} : { commits }),
      ...about,
    });
  }
}
