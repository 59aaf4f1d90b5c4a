/** Names the run for an activity, with the revision of its configuration that counts now. */
import type { RunRef } from '../protocol/activities.js';

export const refOf = ({ project, runId, config }: RunRef): RunRef => ({
  project,
  runId,
  ...(config === undefined ? {} : { config }),
});
