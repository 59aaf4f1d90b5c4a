import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    pool: 'forks',
    // Two cores: more files at once only make time limits lie.
    maxWorkers: 2,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/{unit,activities,replay}/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'whole',
          include: ['test/{integration,chaos,agents}/**/*.test.ts'],
          // The first run on a machine may have to build the server.
          globalSetup: 'test/support/global-server.ts',
          testTimeout: 180_000,
          hookTimeout: 900_000,
        },
      },
    ],
  },
});
