/** What people say about ideas outlasts the run in which they said it, or is said to be gone. Features: C3, C6. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';
import { roadmap, yaml } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

it('C3: a later run begins with edits and splits, says so, and lets the backlog win where it was changed', async () => {
  held = await Held.open(inject('stateRoot'), [
    { id: 'e-1', steps: [{ signal: 'COMPLETE' }] },
    { id: 's-1', steps: [DONE], depends: 'e-1' },
    { id: 't-1', steps: [DONE] },
    { id: 'a-1', steps: [DONE] },
    { id: 'after', steps: [DONE], depends: 's-1' },
  ]);
  const { box } = held;
  await held.start();
  await held.began('e-1');
  const said = async (...args: string[]) => {
    const { code, stderr } = await box.run(...args);
    expect(code, stderr).toBe(0);
    return stderr;
  };
  expect(await said('edit', 'e-1', '--text', 'Do e-1 in green', '--max-iterations', '7')).toContain(
    'later runs use the edit too',
  );
  expect(await said('split', 's-1', '--into', 'Build the walls', '--into', 'Put the roof on')).toContain('later runs');
  await said('edit', 's-1-2', '--title', 'Put a red roof on');
  await said('edit', 't-1', '--text', 'Do t-1 otherwise');
  await said('abandon', 'a-1');
  const more = join(box.scratch, 'more.yaml');
  await writeFile(more, yaml({ version: 1, ideas: [{ id: 'x-1', text: 'Do x-1', ralph: true }] }));
  await said('enqueue', more);
  await said('abort');
  await held.closed();

  const tasks = [
    { id: 'e-1' },
    { id: 's-1', depends: 'e-1' },
    { id: 't-1', text: 'Do t-1 differently' },
    { id: 'a-1' },
  ];
  await box.write({ 'roadmap.md': roadmap([...tasks, { id: 'after', depends: 's-1' }]) });
  await box.commit('another text for t-1');
  const planned = await box.run('start', '--dry-run');
  expect(planned.stdout).toContain('e-1 keeps its edit');
  const second = await box.run('start', '--detach');
  expect(second.code, second.stderr).toBe(0);
  for (const words of [
    /e-1 keeps its edit \(.*\); return to the backlog with: ralphctl edit e-1 --forget/,
    /s-1 is split into s-1-1, s-1-2 /,
    /s-1-2 keeps its edit/,
    /the edit of t-1 .* no longer applies: the backlog has a newer text for it/,
    /the run leaves out a-1: you abandoned it \(.*\); to try it again: ralphctl retry a-1/,
    /the last run also had x-1/,
  ])
    expect(second.stderr).toMatch(words);
  await held.go('e-1-1');
  await held.began('e-1', 1, 2);
  expect((await held.finish()).notLanded).toMatchObject([{ idea: 'a-1', status: 'abandoned' }]);
  const prompt = await held.prompt('e-1', 1);
  expect(prompt).toContain('Do e-1 in green');
  expect(prompt).toContain('of 7');
  expect(await held.prompt('t-1', 1)).toContain('Do t-1 differently');
  expect(await held.prompt('s-1-2', 1)).toContain('Put a red roof on');
  const landed = (await held.events()).flatMap((one) =>
    one.kind === 'idea' && one.status === 'landed' ? [one.idea] : [],
  );
  const parts = Math.max(landed.indexOf('s-1-1'), landed.indexOf('s-1-2'));
  expect(landed.indexOf('after')).toBeGreaterThan(parts);
  // It never runs by itself: it has landed once its parts have (A4).
  expect(landed.filter((id) => id === 's-1')).toHaveLength(1);
  expect(landed.indexOf('s-1')).toBeGreaterThan(parts);

  // Taken back, it is gone; and what no longer applies is said once.
  expect((await box.run('edit', 't-1', '--forget')).stderr).toContain('there is no edit of t-1 to drop');
  expect((await box.run('edit', 'e-1', '--forget')).stdout).toContain('later runs read e-1 from the backlog again');
  expect((await box.run('split', 's-1', '--forget')).code).toBe(0);
  expect((await box.run('start', '--dry-run')).stdout).not.toMatch(/no longer applies|split into/);
});
