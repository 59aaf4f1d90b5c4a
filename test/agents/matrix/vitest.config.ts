/** The matrix is run by `npm run test:agents`, never by `npm test`: all of it takes half an hour. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['test/agents/matrix/*.matrix.ts'],
    globalSetup: 'test/agents/matrix/setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    hookTimeout: 60_000,
  },
});
