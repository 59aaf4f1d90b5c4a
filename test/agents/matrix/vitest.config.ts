/** The matrix is run by `npm run test:agents`, never by `npm test`: it takes half an hour. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('../../..', import.meta.url).pathname,
    include: ['test/agents/matrix/*.matrix.ts'],
    pool: 'forks',
    maxWorkers: Number(process.env.RIG_WORKERS ?? 2),
    hookTimeout: 60_000,
  },
});
