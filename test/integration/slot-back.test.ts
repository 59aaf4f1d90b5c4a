/** A slot goes back when its agent has ended: its work is settled beside the next agent. Features: A1 C1 C6. */
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { Held, type HeldIdea } from '../support/held.js';
import { pidsWith } from '../support/processes.js';
import { until } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

const COMPLETE = { signal: 'COMPLETE' };
const ideas = (...ids: string[]): HeldIdea[] => ids.map((id) => ({ id, steps: [COMPLETE, COMPLETE] }));

/** The commit of an agent's work is part of what is settled. That of the first idea waits, as long as a hook may. */
const HOOK = (scratch: string): string => `#!/bin/sh
[ -f p-1.txt ] || exit 0
echo hook >> ${scratch}/hook
until [ -e ${scratch}/hook-go ]; do sleep 0.05; done
`;

async function open(list: HeldIdea[], config: Record<string, unknown> = {}): Promise<void> {
  held = await Held.open(inject('stateRoot'), list, { commit: { hooks: true }, ...config });
  await held.box.write({ '.git/hooks/pre-commit': HOOK(held.box.scratch) });
  await chmod(join(held.box.repo, '.git/hooks/pre-commit'), 0o755);
}

const hooks = async (): Promise<number> => {
  const path = join(held.box.scratch, 'hook');
  return existsSync(path) ? (await readFile(path, 'utf8')).trim().split('\n').length : 0;
};
const settling = (times = 1): Promise<unknown> => until(`hook ${times}`, async () => (await hooks()) >= times);
const settle = (): Promise<void> => writeFile(join(held.box.scratch, 'hook-go'), '');

/** Each idea is on the target exactly once. */
async function expectAllLanded(count: number): Promise<void> {
  expect((await held.finish()).landed).toBe(count);
  const trailers = await held.box.git('log', '--format=%(trailers:key=Ralph-Idea,valueonly)', 'main');
  const ids = trailers.split('\n').filter(Boolean);
  expect([...new Set(ids)]).toHaveLength(count);
}

it('A1: the next agent begins while the work of one that is done is settled; each keeps its number', async () => {
  await open(ideas('p-1', 'p-2'));
  await held.start();
  await held.began('p-1');
  await held.go('p-1-1');
  await settling();
  await held.began('p-2');
  const { active } = await held.status();
  expect(active.map(({ id, status, agentName, beside }) => [id, status, agentName, beside])).toEqual([
    ['p-1', 'running', 'ed-001', true],
    ['p-2', 'running', 'ed-002', undefined],
  ]);
  await settle();
  await held.event('p-1 landed', (one) => one.kind === 'idea' && one.idea === 'p-1' && one.status === 'landed');
  expect(await held.times('p-2', 1)).toBe(1);
  await held.go('p-2-1');
  await expectAllLanded(2);
}, 240_000);

it('A1: an agent that says it is done and has changed nothing: its idea waits for a slot, and comes before a new one', async () => {
  await open([
    { id: 'q-1', steps: [{ signal: 'COMPLETE', idle: true }, COMPLETE] },
    ...ideas('q-2', 'q-3').map((one) => ({ ...one, steps: [COMPLETE] })),
  ]);
  await held.start();
  await held.began('q-1');
  await held.go('q-1-1');
  await held.idea('q-1', 'wants-slot');
  await held.began('q-2');
  await held.go('q-2-1');
  await held.began('q-1', 2);
  expect(await held.times('q-3', 1)).toBe(0);
  for (const step of ['q-1-2', 'q-3-1']) await held.go(step);
  await expectAllLanded(3);
}, 240_000);

it('C6: a worker that is killed meanwhile: one slot, one agent; both ideas work again, and each lands once', async () => {
  await open(ideas('p-1', 'p-2'));
  await held.start();
  await held.began('p-1');
  await held.go('p-1-1');
  await settling();
  await held.began('p-2');
  const { json } = await held.box.run('status', '--json');
  const [pid] = await pidsWith('worker', '--child', '--project', String(json[0]?.project));
  if (pid === undefined) throw new Error('there is no worker');
  process.kill(pid, 'SIGKILL');
  // The next worker waits for the commit under way.
  await settle();
  // The work of p-1 was not settled: its agent runs again, before that of p-2 or after it, and ends at once.
  await held.began('p-2', 1, 2);
  expect((await held.status()).active.filter(({ beside, agentName }) => agentName && !beside)).toHaveLength(1);
  await held.go('p-2-1');
  await expectAllLanded(2);
}, 240_000);

it('C1: pause --now while the work is settled: the idea goes on in a slot of its own', async () => {
  await open(ideas('p-1', 'p-2'));
  await held.start();
  await held.began('p-1');
  await held.go('p-1-1');
  await settling();
  await held.began('p-2');
  await held.box.run('pause', '--now');
  await settle();
  await held.state('paused');
  // Neither has a slot: a screen that counts from the events must say so, like status.
  expect((await held.box.run('status')).stdout).toContain('Slots (0 of 1; 2 paused beside them)');
  const paused = (await held.events()).filter((one) => one.kind === 'idea' && one.status === 'paused');
  expect(paused.map((one) => one.kind === 'idea' && [one.idea, one.agentName]).sort()).toEqual([
    ['p-1', undefined],
    ['p-2', undefined],
  ]);
  await held.box.run('resume');
  await held.go('p-2-1');
  await expectAllLanded(2);
}, 240_000);
