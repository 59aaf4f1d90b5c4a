/**
 * The jobs behind the activities, by name. Must not import Temporal, so that jobs can run in their own process.
 * Starting a child process copies the parent's page tables: 22 ms (measured) from a worker of 350 MB, whose event loop
 * stops meanwhile, and 3 ms from a small process.
 */

import { withCancellation } from '../git/watched.js';
import { FAILURE } from '../protocol/failures.js';
import { runAgent } from './agent-run/run.js';
import { deliverAlert } from './alerts/deliver.js';
import { cleanUp } from './clean/by-itself.js';
import { pushTarget } from './delivery/push.js';
import { runIdeaGate } from './gate/idea-gate.js';
import { cleanupIdea, rollbackIdea, stashIdea } from './idea-git.js';
import {
  type DoWork,
  type WorkContext,
  type WorkDeps,
  WorkError,
  type WorkInput,
  type WorkName,
  type WorkResult,
} from './job.js';
import { landIdea, undoIdea } from './land.js';
import { noteJob } from './ledger/note.js';
import { machineFault } from './machine.js';
import { closeRun, openRun, runConfig } from './open-run.js';
import { prepareIdea } from './prepare.js';
import { repositoryFault } from './repository-gone.js';
import { lookAtPull } from './review/look.js';
import { cleanFault, redactorOf } from './secrets.js';
import { claimItem, tellTracker } from './tracker/tell.js';
import { planWave } from './waves/plan.js';

export { ownGit } from '../git/interruptible.js';
export { whenStoodStill } from '../git/locks.js';

const WORK: {
  [Name in WorkName]: (deps: WorkDeps, input: WorkInput<Name>, context: WorkContext) => Promise<WorkResult<Name>>;
} = {
  openRun,
  runConfig,
  closeRun,
  deliverAlert,
  claimItem,
  tellTracker,
  planWave,
  prepareIdea,
  runAgent,
  runGate: runIdeaGate,
  landIdea,
  rollbackIdea,
  stashIdea,
  undoIdea,
  cleanupIdea,
  pushTarget,
  lookAtPull,
  cleanUp,
};

/** Does the work in this process. */
export const workHere =
  (deps: WorkDeps): DoWork =>
  (name, input, context) => {
    const done = withCancellation(context.signal, () => WORK[name](deps, input, context));
    const noted = done.then((result) =>
      context.abandoned() ? undefined : noteJob(deps, name, input, result).catch(ledgerFault),
    );
    return noted
      .then(() => done)
      .catch(async (error: unknown) => {
        const gone = 'runId' in input ? await repositoryFault(deps.root, input) : undefined;
        // Without descriptors nobody can look at the repository either.
        const fault = machineFault(gone ?? error);
        throw cleanFault(fault, redactorOf(deps));
      });
  };

/** The work is done and kept; only its record is missing. The next attempt finds both. */
function ledgerFault(error: unknown): never {
  const why = error instanceof Error ? error.message : String(error);
  throw new WorkError(`the ledger cannot be written: ${why}. Fix that; ralphctl tries again`, FAILURE.machine, true);
}
