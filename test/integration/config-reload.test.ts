/**
 * A configuration that changes while a run is open: named on attaching, brought in by `config reload`, by flags of `start`, or
 * with the answer to a question about the baseline. Feature: A7.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { Held, type HeldIdea } from '../support/held.js';
import { yaml } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

const open = async (ideas: HeldIdea[], config: Record<string, unknown> = {}) => {
  held = await Held.open(inject('stateRoot'), ideas, config);
  await held.start();
};
const base = { version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0 };
const write = (config: Record<string, unknown>) => held.box.write({ 'ralphctl.yaml': yaml({ ...base, ...config }) });

it('gate, limits and slots of a reload count from the next iteration on; target, backlog and worktrees.root stay', async () => {
  const witness = (name: string) => `touch ${join(held.box.scratch, name)}`;
  await open([
    { id: 'r-1', steps: [{ signal: 'PROGRESS:50' }, { signal: 'COMPLETE' }] },
    { id: 'r-2', steps: [{ signal: 'COMPLETE' }] },
  ]);
  await held.began('r-1');
  await write({
    ...{ slots: 2, gate: [witness('new-gate')], maxIterations: 7, target: 'side', backlog: 'other.md' },
    worktrees: { root: join(held.box.scratch, 'elsewhere') },
  });
  await held.box.git('branch', 'side');
  await held.box.write({ 'other.md': '# Roadmap\n\n- [ ] **o-1**: Do it\n' });

  const attached = await held.box.run('start', '--detach');
  expect(attached.code, attached.stderr).toBe(0);
  expect(attached.stderr).toMatch(/configuration file has changed.*ralphctl config reload/);
  expect(attached.stderr).toMatch(/target: not set → side stays until the next run: .*ralphctl stop/);

  const { json } = await held.box.run('config', 'reload', '--json');
  const keys = (list: unknown) => (list as { key: string }[]).map(({ key }) => key).sort();
  expect(json[0]).toMatchObject({ revision: 1, taken: true });
  expect(keys(json[0]?.changed)).toEqual(['gate.commands', 'maxIterations', 'slots']);
  expect(keys(json[0]?.kept)).toEqual(['backlog', 'target', 'worktrees.root']);
  // Two slots: the second idea starts at once.
  await held.began('r-2');
  expect((await held.box.run('status', '--json')).json[0]).toMatchObject({ status: { config: 1, slots: 2 } });
  await held.go('r-1-1');
  const second = await held.event('its second iteration', (one) => one.kind === 'iteration' && one.iteration === 2);
  expect(second).toMatchObject({ idea: 'r-1', max: 7 });
  await held.go('r-1-2', 'r-2-1');
  expect((await held.finish()).landed).toBe(2);
  expect(await readFile(join(held.box.scratch, 'new-gate'), 'utf8')).toBe('');
}, 240_000);

it('flags of start on an open run: what can be applied is, the rest is refused by name with 7', async () => {
  await open([{ id: 'f-1', steps: [{ signal: 'PROGRESS:50' }, { signal: 'COMPLETE' }] }]);
  await held.began('f-1');
  await held.box.git('branch', 'side');
  await held.box.write({ 'other.md': '# Roadmap\n\n- [ ] **o-1**: Do it\n' });
  const witness = `touch ${join(held.box.scratch, 'flag-gate')}`;

  const refused = await held.box.run('start', 'other.md', '--detach', '--target', 'side', '--slots', '3');
  expect(refused.code).toBe(7);
  expect(refused.stderr).toMatch(
    /cannot apply: --target side: the run lands on main;.*other\.md: the run has the ideas of /,
  );
  expect(refused.stderr).toMatch(/enqueue other\.md.*Applied: 3 slots/);
  expect((await held.status()).slots).toBe(3);
  const other = await held.box.run('start', '--detach', '--max-iterations', '9');
  expect(other.code, other.stderr).toBe(0);
  expect(other.stderr).toContain('applied to the open run: maxIterations: 30 → 9 (next iteration)');
  const unknown = await held.box.run('start', '--detach', '--agent', 'nobody');
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('unknown agent "nobody"');

  const taken = await held.box.run('start', '--detach', '--gate', witness, '--mode', 'step', '--target', 'main');
  expect(taken.code, taken.stderr).toBe(0);
  expect(taken.stderr).toMatch(/applied to the open run: gate\.commands: .*flag-gate/);
  expect(taken.stderr).toContain('applied to the open run: mode step');
  expect(await held.status()).toMatchObject({ mode: 'step', config: 3, slots: 3 });
  const shown = (await held.box.run('config', 'show', '--json')).json[0]?.keys as { key: string; origin: string }[];
  expect(shown).toContainEqual(expect.objectContaining({ key: 'gate.commands', origin: '--gate' }));
  expect(shown).toContainEqual(expect.objectContaining({ key: 'agent', origin: 'ralphctl.yaml:2' }));
  expect(shown).toContainEqual(expect.objectContaining({ key: 'commit.type', origin: 'default' }));
  await held.box.run('mode', 'autopilot');
  await held.go('f-1-1', 'f-1-2');
  expect((await held.finish()).landed).toBe(1);
  expect(await readFile(join(held.box.scratch, 'flag-gate'), 'utf8')).toBe('');
}, 240_000);

it('A7: what a flag set stays: reload names the flag, show compares its own key, and the same flag again changes nothing', async () => {
  held = await Held.open(inject('stateRoot'), [{ id: 's-1', steps: [{ signal: 'COMPLETE' }] }]);
  const { box } = held;
  await held.start('--slots', '2');
  await held.began('s-1');
  const again = await box.run('start', '--slots', '2', '--mode', 'autopilot', '--detach');
  expect(again.code, again.stderr).toBe(0);
  expect(again.stderr).not.toContain('applied to the open run');
  expect(again.stderr).toContain('nothing changed: the run already has 2 slots, mode autopilot');

  await box.git('branch', 'side');
  await write({ gate: ['true'], target: 'side' });
  const reload = await box.run('config', 'reload');
  expect(reload.stdout).toContain(
    'slots stays 2: --slots set it, and the file has 1. To use that in this run: ralphctl start --slots 1',
  );
  expect((await box.run('config', 'reload', '--json')).json[0]).toMatchObject({
    ...{ changed: [], kept: [{ key: 'target' }] },
    overridden: [{ key: 'slots', flag: '--slots', file: 1, run: 2 }],
  });
  const one = await box.run('config', 'show', 'slots');
  expect(one.stdout).toMatch(/^slots: 2 {2}# --slots$/m);
  expect(one.stdout).not.toContain('the file');
  const target = (await box.run('config', 'show', 'target')).stdout;
  expect(target).toMatch(/the file has another value by now, for the next run:\n {2}target: not set → side stays/);
  expect(target).not.toContain('ralphctl config reload');
  await write({ gate: ['true'], target: 'side', maxIterations: 7 });
  expect((await box.run('config', 'show')).stdout).toContain('bring it into the run with: ralphctl config reload');
  expect((await box.run('config', 'show', 'slots')).stdout).not.toContain('the file');

  // The advised command is accepted.
  const taken = await box.run('start', '--slots', '1', '--detach');
  expect(taken.code, taken.stderr).toBe(0);
  expect((await held.status()).slots).toBe(1);
  expect((await box.run('config', 'reload')).stdout).not.toContain('--slots');
  await held.go('s-1-1');
  expect((await held.finish()).landed).toBe(1);
}, 240_000);

it('C3 D3: a start that attaches tells no missing tick of a part of a split, nor of what the run landed', async () => {
  const step = { signal: 'COMPLETE' };
  await open(
    [
      { id: 'w-1', steps: [step] },
      { id: 'v-1', steps: [step] },
      { id: 'x-1', steps: [step], depends: 'v-1' },
    ],
    { slots: 2 },
  );
  const { box } = held;
  await held.began('v-1');
  expect((await box.run('split', 'x-1', '--into', 'First', '--into', 'Second')).code).toBe(0);
  await held.go('v-1-1');
  await held.idea('x-1-1', 'landed');
  const attached = await box.run('start', '--detach');
  expect(attached.code, attached.stderr).toBe(0);
  expect(attached.stderr).not.toContain('landed before');
  expect((await box.run('start', '--dry-run')).stdout).not.toContain('landed before');
  // An open run refuses the flag, and what it names then is accepted.
  const refused = await box.run('start', '--detach', '--again', 'x-1-1');
  expect([refused.code, refused.stderr]).toEqual([
    7,
    expect.stringMatching(/End (?:it|this one) first: ralphctl stop/),
  ]);
  expect((await box.run('stop')).code).toBe(0);
  await held.go('w-1-1');
  await held.closed();
  const planned = (await box.run('start', '--dry-run', '--again', 'x-1-1', '--json')).json[0];
  expect(JSON.stringify(planned?.order)).toContain('"x-1-1"');
}, 240_000);

it('start --agent on an open run: the idea goes on with that agent from its next iteration', async () => {
  const script = 'echo other > by.txt; echo "<ralph nonce=\\"$RALPHCTL_NONCE\\">COMPLETE</ralph>"';
  await open([{ id: 'a-1', steps: [{ signal: 'PROGRESS:50' }] }], {
    agents: { other: { adapter: 'command', command: ['sh', '-c', script] } },
  });
  await held.began('a-1');
  const taken = await held.box.run('start', '--detach', '--agent', 'other');
  expect(taken.code, taken.stderr).toBe(0);
  expect(taken.stderr).toContain('applied to the open run: agent: scripted → other (next iteration)');
  await held.go('a-1-1');
  expect((await held.finish()).landed).toBe(1);
  expect(
    await held.event('the iteration of the other agent', (one) => one.kind === 'iteration' && one.agent === 'other'),
  ).toMatchObject({ idea: 'a-1', iteration: 2 });
  expect(await held.box.git('show', 'main:by.txt')).toBe('other');
}, 240_000);

it('the answer to a question about the baseline brings the changed file into the run', async () => {
  const gate = { commands: ['echo not ok 1 - always; exit 1'] };
  await open(
    [
      {
        id: 'b-1',
        steps: [
          { signal: 'COMPLETE', free: true },
          { signal: 'COMPLETE', free: true },
        ],
      },
    ],
    { gate },
  );
  const asked = await held.idea('b-1', 'needs-human');
  expect(asked.reason).toContain('gate.baseline');
  await write({ gate: { ...gate, baseline: 'tolerate' } });
  const answered = await held.box.run('answer', 'b-1', 'go on');
  expect(answered.code, answered.stderr).toBe(0);
  expect(answered.stderr).toContain('gate.baseline: ask → tolerate (next iteration)');
  expect((await held.finish()).landed).toBe(1);
}, 240_000);
