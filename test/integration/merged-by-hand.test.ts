/** A person merges the branch of an idea while it has a question. Features: B4, C5, D3. */
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { until } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

it('B4 D3: every view says it, and its next COMPLETE without a change lands it', async () => {
  held = await Held.open(inject('stateRoot'), [
    {
      id: 'a-1',
      ralph: true,
      steps: [
        { signal: 'NEEDS_HUMAN: merge it?', free: true },
        { signal: 'COMPLETE', idle: true, free: true },
      ],
    },
  ]);
  const { box } = held;
  await held.start();
  await held.idea('a-1', 'needs-human');
  await box.git('merge', '-q', '--no-ff', '--no-edit', 'ralph/a-1');
  const work = (await box.git('rev-parse', 'ralph/a-1')).slice(0, 8);
  expect((await box.run('status')).stdout).toContain(`merged by hand as ${work}`);
  expect((await box.run('why', 'a-1')).stdout).toContain(`a person merged commits of it: ${work}\n`);

  expect((await box.run('answer', 'a-1', 'merged, go on')).code).toBe(0);
  await until('the end of the run', async () => (await box.run('status')).code === 6, 120_000);
  const { json } = await box.run('why', 'a-1', '--json');
  expect(json[0]).toMatchObject({ status: 'landed', runs: [{ commits: 1 }, { commits: 0, gate: { pass: true } }] });
  expect(await box.git('log', '--format=%s', '--grep', 'Ralph-Idea: a-1', 'main')).not.toBe('');
  expect(await box.git('show', 'main:roadmap.md')).toMatch(/\[x\] \*\*a-1\*\*/);
}, 240_000);
