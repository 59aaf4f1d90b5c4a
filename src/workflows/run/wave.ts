/**
 * Asks for the plan of a wave: the source is read and triaged by an activity, because texts never enter history.
 * Invariant: a source that cannot be read is a result, and the autopilot decides when to read it again.
 */
import type { Autopilot, Effect } from '../../decide/run/autopilot.js';
import type { AutopilotInput } from '../../protocol/run.js';
import type { PlanWaveResult } from '../../protocol/waves.js';
import { activityProblem, refOf, trackerActivities } from '../proxies.js';

export async function planWave(
  input: AutopilotInput,
  pilot: Autopilot,
  { wave, most }: Extract<Effect, { do: 'wave' }>,
  tell: (event: (pilot: Autopilot) => void) => void,
): Promise<void> {
  const known = pilot.state.entries.map(({ card }) => card.id);
  const result = await planned(input, { wave, most, known });
  tell((p) => {
    if (result.kind === 'planned') p.enqueue(result.cards, result.carried);
    p.waves.planned(result, Date.now());
  });
}

async function planned(
  input: AutopilotInput,
  asked: { wave: number; most: number; known: string[] },
): Promise<PlanWaveResult> {
  try {
    return await trackerActivities(`plan wave ${asked.wave}`).planWave({ ...refOf(input), ...asked });
  } catch (error) {
    const why = activityProblem(error);
    if (why === undefined) throw error;
    return { kind: 'unreadable', why, person: true };
  }
}
