/** How long a run has been going: the worker's own number stands still while nothing happens. */
import type { RunStatistics, RunStatus } from '../../protocol/views.js';

/** Local clock time. */
export const elapsed = ({ startedAt, runtimeMs }: RunStatistics, now: number): number =>
  startedAt === undefined ? runtimeMs : Math.max(runtimeMs, now - startedAt);

/** The status of an open run, as of now. */
export const asOfNow = (status: RunStatus, now: number): RunStatus => ({
  ...status,
  statistics: { ...status.statistics, runtimeMs: elapsed(status.statistics, now) },
});
