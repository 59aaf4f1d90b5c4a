/** A second run says how much it landed itself, apart from what had landed before. Features: A8 G1 G7. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

it('A8 G1 G7: status, the Web UI, the alert of the end and the report count this run and all runs apart', async () => {
  const lands = (id: string) => ({ do: [{ write: { path: id, text: id } }], signal: 'COMPLETE' });
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'a-1' }]),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] },
      notify: { rows: [{ to: 'command', run: ['sh', '-c', 'cat >> alerts.jsonl'], events: ['run-done'] }] },
    }),
    '.gitignore': 'alerts.jsonl\n',
    '.ralph-script.yaml': yaml({
      ideas: { 'a-1': [lands('a')], 'b-1': [{ signal: 'NEEDS_HUMAN: which?' }, lands('b')] },
    }),
  });
  const held = Held.around(box, inject('stateRoot'));
  await held.start();
  await held.finish();
  await box.write({ 'roadmap.md': roadmap([{ id: 'a-1' }, { id: 'b-1' }]) });
  await box.commit('one more');
  await held.start();
  await held.idea('b-1', 'needs-human');
  expect((await box.run('status')).stdout).toContain('waits for you, 0 landed on main in this run (1/2 in all)');
  expect((await held.status()).landedBefore).toBe(1);
  await box.run('answer', 'b-1', 'that');
  await held.finish();
  expect((await box.run('status')).stdout).toContain('1 landed in this run (2 in all), 0 did not land');
  expect((await box.run('report')).stdout).toContain('1 landed in this run (2 in all)   0 not');
  const alerts = await until('both alerts', async () => {
    const lines = (await readFile(join(box?.repo ?? '', 'alerts.jsonl'), 'utf8')).trim().split(/\n(?=\{"version")/);
    return lines.length === 2 && lines;
  });
  expect(alerts[0]).toContain('completed: 1 of 1 idea landed');
  expect(alerts[1]).toContain('completed: 1 landed in this run (2 of 2 in all)');
}, 240_000);

it('A4 A8 C1 G1: with another target, what is ticked and not there counts in no number of the run', async () => {
  const lands = (id: string) => ({ do: [{ write: { path: id, text: id } }], signal: 'COMPLETE' });
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'a-1' }]),
    'ralphctl.yaml': yaml({ ...{ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] } }),
    '.ralph-script.yaml': yaml({ ideas: { 'a-1': [lands('a')], 'b-1': [lands('b')] } }),
  });
  await box.git('branch', 'other');
  const held = Held.around(box, inject('stateRoot'));
  await held.start();
  await held.finish();
  await box.write({ 'roadmap.md': `${await readFile(join(box.repo, 'roadmap.md'), 'utf8')}- [ ] **b-1**: Do b-1\n` });
  await box.commit('one more');
  await held.start('--target', 'other');
  await held.finish();
  const { stdout } = await box.run('status');
  expect(stdout).toContain('1 landed, 0 did not land');
  expect(stdout).not.toContain('in all');
  expect((await box.run('report')).stdout).toContain('1 landed   0 not');
}, 240_000);
