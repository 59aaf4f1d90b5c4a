/**
 * The jobs behind the activities, by name. Must not import Temporal, so that jobs can run in their own process.
 * Starting a child process copies the parent's page tables: 22 ms (measured) from a worker of 350 MB, whose event loop
 * stops meanwhile, and 3 ms from a small process.
 */
import type { AgentActivities, GitActivities, MainActivities } from '../protocol/activities.js';
import { runAgent } from './agent-run/run.js';
import { deliverAlert } from './alerts/deliver.js';
import { runIdeaGate } from './gate/gate.js';
import { cleanupIdea, rollbackIdea, stashIdea } from './idea-git.js';
import type { WorkContext, WorkDeps } from './job.js';
import { landIdea, undoIdea } from './land.js';
import { machineFault } from './machine.js';
import { closeRun, openRun, runConfig } from './open-run.js';
import { prepareIdea } from './prepare.js';
import { repositoryFault } from './repository-gone.js';
import { cleanFault, redactorOf } from './secrets.js';

export { whenStoodStill } from '../git/locks.js';

type Activities = AgentActivities & GitActivities & Omit<MainActivities, 'reconcileIdeas'>;
export type WorkName = keyof Activities;
export type WorkInput<Name extends WorkName> = Parameters<Activities[Name]>[0];
export type WorkResult<Name extends WorkName> = Awaited<ReturnType<Activities[Name]>>;

/** Does the work, in this process or another. Rejects with a {@link WorkError} or any other error. */
export type DoWork = <Name extends WorkName>(
  name: Name,
  input: WorkInput<Name>,
  context: WorkContext,
) => Promise<WorkResult<Name>>;

const WORK: {
  [Name in WorkName]: (deps: WorkDeps, input: WorkInput<Name>, context: WorkContext) => Promise<WorkResult<Name>>;
} = {
  openRun,
  runConfig,
  closeRun,
  deliverAlert,
  prepareIdea,
  runAgent,
  runGate: runIdeaGate,
  landIdea,
  rollbackIdea,
  stashIdea,
  undoIdea,
  cleanupIdea,
};

/** Does the work in this process. */
export const workHere =
  (deps: WorkDeps): DoWork =>
  (name, input, context) =>
    WORK[name](deps, input, context).catch(async (error: unknown) => {
      const fault = (await repositoryFault(deps.root, input)) ?? machineFault(error);
      throw cleanFault(fault, redactorOf(deps));
    });
