/** Tells the events what a job found, and what takes long for an idea beside its agent and the commands of its own gate. */
import type { Activity, RunEvent } from '../protocol/events.js';
import { EventWriter } from '../run-files/events.js';
import type { LoadedRun } from '../run-files/run.js';
import type { WorkDeps } from './job.js';

export type TellActivity = (activity: Activity, command?: { command: string; number?: number; of?: number }) => void;

export const tellEvent = (deps: WorkDeps, { file: { project, runId } }: LoadedRun, event: RunEvent): void =>
  new EventWriter(deps.root, () => {}).write({ project, runId }, event, Date.now());

export function tellActivity(deps: WorkDeps, { file }: LoadedRun, idea: string): TellActivity {
  const events = new EventWriter(deps.root, () => {});
  const { project, runId } = file;
  return (activity, command) =>
    events.write({ project, runId }, { kind: 'activity', idea, activity, ...command }, Date.now());
}
