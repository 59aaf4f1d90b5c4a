import { defineConfig } from 'vitest/config';
import { LONG_FILES } from './scripts/long-files.mjs';
import { LongestFirst } from './test/support/longest-first.js';

/** Full runs draw ten times as many cases. */
const longer = process.env.RALPHCTL_TEST_FULL ? 10 : 1;

/** What `npm test` without arguments leaves to `npm run test:long`. */
const LATER = process.env.RALPHCTL_TEST_SHORT ? LONG_FILES : [];

/** They replace modules, or measure what a whole process holds: each has a process of its own. */
const ALONE = [
  'test/activities/kept-folders.test.ts',
  'test/unit/client/output.test.ts',
  'test/unit/process/{descriptors,flood}.test.ts',
  'test/unit/workflows/idea-ladder.test.ts',
  'test/unit/workflows/idea-words.test.ts',
];

export default defineConfig({
  test: {
    pool: 'forks',
    // No test changes a module or a global for good, so a process loads the modules once for all of its files.
    isolate: false,
    // Half of the time a file of whole runs waits for timers, kills and other processes: twice as many as two cores.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/{unit,activities,replay}/**/*.test.ts'],
          exclude: [...ALONE, ...LATER],
          testTimeout: 60_000 * longer,
          hookTimeout: 60_000 * longer,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ALONE,
          exclude: LATER,
          isolate: true,
          testTimeout: 60_000 * longer,
          hookTimeout: 60_000 * longer,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/{integration,chaos,agents}/**/*.test.ts'],
          exclude: LATER,
          // The first run on a machine may have to build the server.
          globalSetup: 'test/support/global-server.ts',
          testTimeout: 300_000 * longer,
          hookTimeout: 900_000 * longer,
        },
      },
    ],
  },
});
