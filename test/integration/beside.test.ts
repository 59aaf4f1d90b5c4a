/** Slots hold agents, nothing else: what runs beside them, and who comes next. Features: A1 C1 C6. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { Held, type HeldIdea } from '../support/held.js';
import { pidsWith } from '../support/processes.js';
import { until } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

const COMPLETE = { signal: 'COMPLETE' };
const ideas = (...steps: number[]): HeldIdea[] =>
  steps.map((count, at) => ({ id: `p-${at + 1}`, steps: Array.from({ length: count }, () => COMPLETE) }));

/** Its gate says that it has begun and with which number, and waits for a verdict. Landings and baselines are green. */
const GATE = (scratch: string): string => `case "$RALPHCTL_SLOT" in 0|101|102) exit 0;; esac
for f in p-*.txt; do id=\${f%.txt}; done
echo "$RALPHCTL_SLOT" >> ${scratch}/gate-$id
n=$(wc -l < ${scratch}/gate-$id)
until [ -s ${scratch}/verdict-$id-$n ]; do sleep 0.05; done
grep -q green ${scratch}/verdict-$id-$n
`;

async function open(list: HeldIdea[], config: Record<string, unknown> = {}): Promise<void> {
  held = await Held.open(inject('stateRoot'), list, { gate: { commands: ['sh gate.sh'], rerun: false }, ...config });
  await held.box.write({ 'gate.sh': GATE(held.box.scratch) });
  await held.box.commit('gate');
}

const gates = async (id: string): Promise<string[]> => {
  const path = join(held.box.scratch, `gate-${id}`);
  return existsSync(path) ? (await readFile(path, 'utf8')).trim().split('\n') : [];
};
const gated = (id: string, times = 1): Promise<unknown> =>
  until(`gate ${times} of ${id}`, async () => (await gates(id)).length >= times);
const verdict = (id: string, text: 'green' | 'red', n = 1): Promise<void> =>
  writeFile(join(held.box.scratch, `verdict-${id}-${n}`), text);
const line = async (id: string) => (await held.status()).active.find((one) => one.id === id);

/** Each idea is on the target exactly once. */
async function expectAllLanded(count: number): Promise<void> {
  expect((await held.finish()).landed).toBe(count);
  const trailers = await held.box.git('log', '--format=%(trailers:key=Ralph-Idea,valueonly)', 'main');
  const ids = trailers.split('\n').filter(Boolean);
  expect([...new Set(ids)]).toHaveLength(count);
}

describe('A1: the gate of an idea runs beside the slots', () => {
  it('another agent works meanwhile; after a red gate the idea comes before a new one, with its name and its worktree', async () => {
    await open(ideas(2, 1, 1));
    await held.start();
    await held.began('p-1');
    await held.go('p-1-1');
    await gated('p-1');
    await held.began('p-2');
    const now = await held.status();
    expect(now.active.map(({ id, status, agentName, beside }) => [id, status, agentName, beside])).toEqual([
      ['p-1', 'running', 'ed-001', true],
      ['p-2', 'running', 'ed-002', undefined],
    ]);
    expect((await held.box.run('status')).stdout).toContain('Slots (1 of 1; 1 at the gate beside them)');
    await verdict('p-1', 'red');
    await held.idea('p-1', 'wants-slot');
    expect(await held.times('p-1', 2)).toBe(0);
    await held.go('p-2-1');
    await held.began('p-1', 2);
    expect(await held.times('p-3', 1)).toBe(0);
    expect((await line('p-1'))?.agentName).toBe('ed-001');
    await gated('p-2');
    await held.go('p-1-2');
    await held.event('p-1 has ended again', (one) => one.kind === 'iteration-end' && one.serial === 2);
    // As many gates run beside the slots as there are slots.
    expect(await held.times('p-3', 1)).toBe(0);
    await verdict('p-2', 'green');
    await held.began('p-3');
    await gated('p-1', 2);
    await held.go('p-3-1');
    await gated('p-3');
    // Ports and containers go by the number: nobody has that of another one whose agent or gate runs.
    expect([await gates('p-1'), await gates('p-2')]).toEqual([['1', '1'], ['2']]);
    await verdict('p-1', 'green', 2);
    await verdict('p-3', 'green');
    await expectAllLanded(3);
    const prepared = (await held.events()).filter((one) => one.kind === 'iteration' && one.idea === 'p-1');
    expect(prepared.map((one) => 'agentName' in one && one.agentName)).toEqual(['ed-001', 'ed-001']);
  }, 240_000);

  it('with gate.parallel: 1 the second idea holds its slot until the first gate is over', async () => {
    await open(ideas(1, 1, 1), { gate: { commands: ['sh gate.sh'], rerun: false, parallel: 1 } });
    await held.start();
    await held.began('p-1');
    await held.go('p-1-1');
    await gated('p-1');
    await held.began('p-2');
    await held.go('p-2-1');
    await held.event('p-2 has ended', (one) => one.kind === 'iteration-end' && one.idea === 'p-2');
    await until('p-2 waits', async () => (await line('p-2'))?.gating !== undefined);
    expect([await gates('p-2'), await held.times('p-3', 1)]).toEqual([[], 0]);
    await verdict('p-1', 'green');
    await gated('p-2');
    await held.began('p-3');
    await held.go('p-3-1');
    for (const id of ['p-2', 'p-3']) await verdict(id, 'green');
    await expectAllLanded(3);
  }, 240_000);

  it('C1: a pause finds an idea at its gate: a red one works on after the resume, in a slot of its own', async () => {
    await open(ideas(2, 1));
    await held.start();
    await held.began('p-1');
    await held.go('p-1-1');
    await gated('p-1');
    await held.began('p-2');
    await held.box.run('pause');
    await verdict('p-1', 'red');
    await held.idea('p-1', 'paused');
    await held.go('p-2-1');
    await verdict('p-2', 'green');
    await held.state('paused');
    expect(await held.times('p-1', 2)).toBe(0);
    await held.box.run('resume');
    await held.began('p-1', 2);
    await held.go('p-1-2');
    await verdict('p-1', 'green', 2);
    await expectAllLanded(2);
  }, 240_000);

  it('C1: pause --now ends the gate and the agent beside it; both go on, and the agent run at the gate is not repeated', async () => {
    await open(ideas(1, 1));
    await held.start();
    await held.began('p-1');
    await held.go('p-1-1');
    await gated('p-1');
    await held.began('p-2');
    await held.box.run('pause', '--now');
    await held.state('paused');
    await held.box.run('resume');
    await gated('p-1', 2);
    await held.began('p-2', 1, 2);
    expect(await held.times('p-1', 1)).toBe(1);
    await held.go('p-2-1');
    for (const id of ['p-1', 'p-2']) for (const n of [1, 2]) await verdict(id, 'green', n);
    await expectAllLanded(2);
  }, 240_000);

  it('a stop lets the gate end: what is green lands, what is red stays for the next run', async () => {
    await open(ideas(1, 1, 1), { slots: 2 });
    await held.start();
    for (const id of ['p-1', 'p-2']) await held.began(id);
    for (const id of ['p-1-1', 'p-2-1']) await held.go(id);
    for (const id of ['p-1', 'p-2']) await gated(id);
    await held.began('p-3');
    await held.box.run('stop');
    await verdict('p-1', 'green');
    await verdict('p-2', 'red');
    await held.go('p-3-1');
    await verdict('p-3', 'green');
    const summary = await held.finish();
    expect(summary.landed).toBe(2);
    expect(summary.notLanded).toMatchObject([{ idea: 'p-2', status: 'pending' }]);
  }, 240_000);

  it('C6: a worker that is killed while a gate runs beside an agent costs neither of them a run that was over', async () => {
    await open(ideas(1, 1));
    await held.start();
    await held.began('p-1');
    await held.go('p-1-1');
    await gated('p-1');
    await held.began('p-2');
    const { json } = await held.box.run('status', '--json');
    const [pid] = await pidsWith('worker', '--child', '--project', String(json[0]?.project));
    if (pid === undefined) throw new Error('there is no worker');
    process.kill(pid, 'SIGKILL');
    await gated('p-1', 2);
    await held.began('p-2', 1, 2);
    expect(await held.times('p-1', 1)).toBe(1);
    await held.go('p-2-1');
    for (const id of ['p-1', 'p-2']) for (const n of [1, 2, 3]) await verdict(id, 'green', n);
    await expectAllLanded(2);
  }, 240_000);
});
