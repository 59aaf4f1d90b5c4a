/** A red base whose runner names files by their path, through agent, gate and baseline as a run has them. Features: B4. */
import { expect, it } from 'vitest';
import { bench, say } from './bench.js';

/** It loads a module that is not there, so node names it by its absolute path. */
const BROKEN = "import './gone.mjs';\n";

it.each([
  ['the same file fails: a person is asked', 'x.txt', { alreadyRed: true, knownTests: ['test/price.test.mjs'] }],
  [
    'another one fails, too: the work’s own',
    'test/tax.test.mjs',
    { newTests: ['test/tax.test.mjs'], knownTests: ['test/price.test.mjs'] },
  ],
])('%s', async (_, file, failure) => {
  const b = await bench({
    files: { 'test/price.test.mjs': BROKEN },
    agent: `cat > /dev/null\ncp test/price.test.mjs ${file}\n${say('COMPLETE')}`,
    config: { gate: [{ run: 'node --test', name: 'tests' }] },
  });
  const at = await b.prepare();
  await b.call(b.activities.runAgent, b.agentInput(at)).done;
  const input = { ...b.ref, idea: 't-1', serial: 1, worktree: at.worktree, base: at.base };
  expect(await b.call(b.activities.runGate, input).done).toMatchObject({ pass: false, failure });
});
