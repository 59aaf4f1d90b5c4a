/**
 * Asks for the plan of a wave: the source is read and triaged by an activity, because texts never enter history.
 * Invariant: a source that cannot be read is a result, and the autopilot decides when to read it again. One that hangs
 * holds no stop.
 */
import { CancellationScope, isCancellation, patched } from '@temporalio/workflow';
import type { Autopilot, Effect } from '../../decide/run/autopilot.js';
import type { AutopilotInput } from '../../protocol/run.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { PlanWaveInput, PlanWaveResult } from '../../protocol/waves.js';
import { activityProblem, refOf, trackerActivities } from '../proxies.js';

export class WavePlanner {
  readonly #input: AutopilotInput;
  readonly #tell: (event: (pilot: Autopilot) => void) => void;
  /** Of the plan in progress. */
  #scope: CancellationScope | undefined;

  constructor(input: AutopilotInput, tell: (event: (pilot: Autopilot) => void) => void) {
    this.#input = input;
    this.#tell = tell;
  }

  /** A stopping run begins no wave, so it waits for no plan. */
  endFor({ state }: Autopilot): void {
    if (state.run !== 'stopping' || !this.#scope || !patched('plans-end')) return;
    this.#scope.cancel();
    this.#scope = undefined;
  }

  async plan(pilot: Autopilot, { do: _, idea: __, ...asked }: Extract<Effect, { do: 'wave' }>): Promise<void> {
    const known = pilot.state.entries.map(({ card }) => card.id);
    const result = await this.#planned({ ...asked, known });
    this.#tell((p) => {
      if (result?.kind === 'planned') p.enqueue(result.cards, result.carried);
      if (result) p.waves.planned(result, Date.now());
      else p.waves.unplanned();
    });
  }

  /** Undefined: the run stops. */
  async #planned(asked: Omit<PlanWaveInput, keyof RunRef>): Promise<PlanWaveResult | undefined> {
    const { planWave } = trackerActivities(`plan wave ${asked.wave}`);
    const scope = new CancellationScope({ cancellable: true });
    this.#scope = scope;
    try {
      return await scope.run(() => planWave({ ...refOf(this.#input), ...asked }));
    } catch (error) {
      const why = activityProblem(error);
      // The worker may be lost while it ends the plan.
      if (scope.consideredCancelled && (why !== undefined || isCancellation(error))) return undefined;
      if (why === undefined) throw error;
      return { kind: 'unreadable', why, person: true };
    } finally {
      this.#scope = undefined;
    }
  }
}
