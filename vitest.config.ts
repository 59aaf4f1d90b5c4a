import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.js';

/** Full runs draw ten times as many cases. */
const longer = process.env.RALPHCTL_TEST_FULL ? 10 : 1;

const PURE = ['test/unit/{decide,model,screen,config}/**/*.test.ts'];

export default defineConfig({
  test: {
    pool: 'forks',
    // Half of the time a file of whole runs waits for timers, kills and other processes: twice as many as two cores.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: PURE,
          // Nothing in these tests changes a module or a global, so one process loads the modules once for all of them.
          isolate: false,
          testTimeout: 60_000 * longer,
          hookTimeout: 60_000 * longer,
        },
      },
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/{unit,activities,replay}/**/*.test.ts'],
          exclude: PURE,
          testTimeout: 60_000 * longer,
          hookTimeout: 60_000 * longer,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/{integration,chaos,agents}/**/*.test.ts'],
          // The first run on a machine may have to build the server.
          globalSetup: 'test/support/global-server.ts',
          testTimeout: 180_000 * longer,
          hookTimeout: 900_000 * longer,
        },
      },
    ],
  },
});
