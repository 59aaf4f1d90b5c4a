/** What a person says while something lands. Features: A6 B4 C1 D1. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { findByToken } from '../../src/process/tokens.js';
import { DONE, Held } from '../support/held.js';
import { roadmap, until, yaml } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

it('abort in the middle of a landing gate ends it: nothing moves, no process is left, a later start lands it (B4, C1)', async () => {
  held = await Held.open(inject('stateRoot'), [{ id: 'l-1', steps: [DONE] }]);
  const { box } = held;
  // Only the lane has its worktree there; in the idea's own, and on the base, the gate is green at once.
  const script = `case "$PWD" in */integration/main) touch ${box.scratch}/lands; while [ ! -e ${box.scratch}/go-gate ]; do sleep 0.2; done;; esac`;
  await box.write({
    'gate.sh': script,
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['sh gate.sh'] }),
  });
  await box.commit('a gate that holds');
  const tip = await box.git('rev-parse', 'main');
  await held.start();
  await until('the landing gate', async () => existsSync(join(box.scratch, 'lands')), 120_000);
  const { json } = await box.run('status', '--json');
  const { project } = json[0] as { project: string };
  expect((await findByToken(`${project}/l-1`)).length).toBeGreaterThan(0);
  const told = await box.run('abort', '--reason', 'wrong target');
  expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('nothing more lands')]);
  await held.closed();
  const last = (await box.run('status', '--json')).json[0]?.last as { outcome: string; notLanded: object[] };
  expect(last.outcome).toBe('aborted');
  expect(last.notLanded).toMatchObject([{ idea: 'l-1', status: 'pending' }]);
  expect(await box.git('rev-parse', 'main')).toBe(tip);
  expect(await findByToken(`${project}/l-1`)).toEqual([]);
  expect(await box.git('show', 'ralph/l-1:l-1.txt')).toBe('1');

  await held.go('gate');
  const again = await box.run('start', '--json', '--wait');
  expect(again.code, again.stderr).toBe(0);
  expect(await box.git('show', 'main:l-1.txt')).toContain('1');
  expect(await box.git('status', '--porcelain')).toBe('');
});

it('mode step holds every step: the iteration, then the landing; another mode, or a stop, ends the waiting (A6)', async () => {
  const ideas = ['s-1', 's-2', 's-3'].map((id) => ({ id, steps: [DONE] }));
  held = await Held.open(inject('stateRoot'), ideas);
  const { box } = held;
  const tip = await box.git('rev-parse', 'main');
  await held.start('--mode', 'step');
  const toTheLanding = async (id: string): Promise<void> => {
    await held.idea(id, 'paused');
    expect((await box.run('approve', id)).code).toBe(0);
    const { reason, possible } = await held.idea(id, 'landing');
    expect([reason, possible]).toEqual([
      'done: its landing waits for an approval',
      expect.arrayContaining(['approve', 'hint', 'stop']),
    ]);
  };
  await toTheLanding('s-1');
  // Its slot is free meanwhile, and the next idea waits for its own yes.
  await held.idea('s-2', 'paused');
  expect(await box.git('rev-parse', 'main')).toBe(tip);
  expect((await box.run('status')).stdout).toContain('ralphctl approve s-1');
  expect((await box.run('approve', 's-1')).stdout).toContain('s-1 lands next');
  await held.idea('s-1', 'landed');
  expect((await held.why('s-2')).status).toBe('paused');
  await toTheLanding('s-2');
  expect((await box.run('mode', 'autopilot')).code).toBe(0);
  await held.idea('s-2', 'landed');
  await held.idea('s-3', 'landed');
  await held.closed();

  // A run that stops lands nothing that nobody has let pass.
  await box.write({ 'roadmap.md': roadmap([{ id: 's-4' }]) });
  await box.commit('another idea');
  await held.start('--mode', 'step');
  await toTheLanding('s-4');
  expect((await box.run('stop')).code).toBe(0);
  expect((await held.finish()).notLanded).toMatchObject([{ idea: 's-4', status: 'pending' }]);
  expect(await box.git('show', 'ralph/s-4:s-4.txt')).toBe('1');
});
