import type { RunRef } from '../protocol/run-ref.js';

export const refOf = ({ project, runId, config }: RunRef): RunRef => ({
  project,
  runId,
  ...(config === undefined ? {} : { config }),
});
