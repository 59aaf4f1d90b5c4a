/**
 * The end of a run: its summary is written, and people learn what became of the hints that no prompt had.
 * Invariant: the end itself is published last, because a client that follows the events leaves there.
 */
import { log } from '@temporalio/workflow';
import { carriedOver } from '../../decide/idea/carry.js';
import type { Autopilot } from '../../decide/run/autopilot.js';
import { clip, MAX_REASON } from '../../decide/text.js';
import { runStatus, runSummary } from '../../decide/views/status.js';
import type { CarriedOver } from '../../protocol/activities.js';
import { HINT_KEPT } from '../../protocol/command.js';
import type { AutopilotInput, RunSummary } from '../../protocol/run.js';
import type { AlertSender } from '../alert-sender.js';
import { activityProblem, mainActivities, refOf } from '../proxies.js';
import { emit, outcomeOf, type Publisher } from '../publish.js';
import type { TrackerSender } from '../tracker-sender.js';

export async function closeRun(
  input: AutopilotInput,
  pilot: Autopilot,
  { publisher, alerts, tracker }: { publisher: Publisher; alerts: AlertSender; tracker: TrackerSender },
): Promise<RunSummary> {
  const outcome = outcomeOf(pilot.state);
  pilot.state.run = 'completed';
  const status = runStatus(input, pilot.state, input.settings, pilot.graph, Date.now());
  const summary = runSummary(outcome, pilot.state.entries, status);
  const { unsaid, ...carried } = carriedOver(pilot.state.entries);
  let kept = true;
  try {
    await mainActivities().closeRun({ ...refOf(input), outcome, summary, carried });
  } catch (error) {
    kept = false;
    const problem = activityProblem(error);
    if (!problem) throw error;
    log.warn('the run summary could not be written', { problem });
  }
  if (kept) tellCarried(input, carried.hints);
  tellUnsaid(input, kept ? unsaid : [...carried.hints, ...unsaid]);
  const turns = pilot.takeTurns();
  alerts.note(pilot, turns, outcome);
  tracker.note(pilot, turns);
  await alerts.whenSent();
  await tracker.whenSent();
  publisher.publish(pilot, true, outcome);
  return summary;
}

/** Hints for ideas that did not start, for the next run. */
function tellCarried(input: AutopilotInput, hints: CarriedOver['hints']): void {
  for (const { idea, notes } of hints) {
    for (const note of notes) {
      const done = `${HINT_KEPT}: "${clip(note, MAX_REASON)}"`;
      emit(input, { kind: 'command', verb: 'hint', idea, done });
    }
  }
}

/** Hints that the next run does not get. */
function tellUnsaid(input: AutopilotInput, hints: CarriedOver['hints']): void {
  for (const { idea, notes } of hints) {
    const why = 'the run ended before the idea had a prompt; send it again once another run is open';
    for (const note of notes) {
      emit(input, { kind: 'refused', verb: 'hint', idea, why: `${why}: "${clip(note, MAX_REASON)}"` });
    }
  }
}
