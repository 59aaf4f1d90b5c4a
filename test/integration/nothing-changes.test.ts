/** Commands that would change nothing are refused, and a pause at the gate names the gate. Features: C1 C2. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

it('C1 C2: a pause of a paused idea, and a clean-up without a worktree', async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'g-1' }, { id: 'n-1', depends: 'g-1' }]),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0 },
      gate: ['sh gate.sh'],
    }),
    '.ralph-script.yaml': yaml({
      ideas: { 'g-1': [{ do: [{ append: { path: 'g-1.txt', text: 'x\n' } }], signal: 'COMPLETE' }] },
      default: [{ do: [{ append: { path: 'n-1.txt', text: 'x\n' } }], signal: 'COMPLETE' }],
    }),
  });
  const { scratch } = box;
  const began = join(scratch, 'gate-began');
  const go = join(scratch, 'gate-go');
  await box.write({ 'gate.sh': `touch '${began}'\nuntil [ -e '${go}' ]; do sleep 0.1; done\n` });
  await box.commit('gate');
  const held = Held.around(box, inject('stateRoot'));
  await held.start();
  await until('the gate', () => Promise.resolve(existsSync(began)));

  const clean = await box.run('cleanup', 'n-1');
  expect([clean.code, clean.stderr]).toEqual([7, expect.stringContaining('n-1 has no worktree')]);
  const told = await box.run('pause', 'g-1', '--now');
  expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('its gate is ended and runs again')]);
  expect((await held.idea('g-1', 'paused')).possible).not.toContain('pause');
  const again = await box.run('pause', 'g-1');
  expect([again.code, again.stderr]).toEqual([7, expect.stringContaining('g-1 is already paused. Resume with')]);
  await held.event('the interruption', (event) => event.kind === 'interrupted' && event.gate === true);
  expect((await box.run('logs')).stdout).toContain('g-1 the gate of iteration 1 was interrupted; it runs again');

  await writeFile(go, '');
  expect((await box.run('resume', 'g-1')).code).toBe(0);
  const { notLanded } = await held.finish();
  expect(notLanded).toEqual([]);
  const gated = (await held.events()).filter((event) => event.kind === 'iteration' && event.idea === 'g-1');
  expect(gated).toHaveLength(1);
  expect((await held.events()).filter((event) => event.kind === 'command' && event.verb === 'cleanup')).toEqual([]);

  const after = await box.run('cleanup', 'n-1');
  expect([after.code, after.stderr]).toEqual([7, expect.stringContaining('n-1 has no worktree')]);
});
