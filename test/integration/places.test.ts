/** What an idea meets that came back from a conflict: nobody else lands in the same files meanwhile. Features: D1. */
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

const shared = (first: string, last: string): string => `${first}\n${'same\n'.repeat(8)}${last}\n`;

it('D1: work in the same files lands after it, and needs no second try', async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'p-1' }, { id: 'p-2' }, { id: 'p-3' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 3, stepDelayMs: 0, gate: ['true'] }),
    'shared.txt': shared('first', 'last'),
  });
  const { scratch } = box;
  const step = (id: string, n: number, text: string) => ({
    do: [
      { append: { path: join(scratch, `began-${id}-${n}`), text: 'once\n' } },
      { waitFor: { path: join(scratch, `go-${id}-${n}`) } },
      { write: { path: 'shared.txt', text } },
    ],
    signal: 'COMPLETE',
  });
  const ideas = {
    'p-1': [step('p-1', 1, shared('one', 'last'))],
    'p-2': [
      step('p-2', 1, shared('two', 'last')),
      { whenPrompt: { contains: 'conflict markers' }, ...step('p-2', 2, shared('one and two', 'last')) },
    ],
    'p-3': [step('p-3', 1, shared('first', 'three'))],
  };
  await box.write({ '.ralph-script.yaml': yaml({ ideas }) });
  await box.commit('script');
  const held = Held.around(box, inject('stateRoot'));
  await held.start();
  for (const id of ['p-1', 'p-2', 'p-3']) await held.began(id);
  await held.go('p-1-1');
  await held.idea('p-1', 'landed');
  await held.go('p-2-1');
  await held.began('p-2', 2);
  await held.go('p-3-1');
  await held.event('p-3 waits', ({ kind, ...event }) => 'reason' in event && /lands after p-2/.test(`${event.reason}`));
  expect((await box.run('why', 'p-3')).stdout).toContain(
    'done; it lands after p-2, which came back from a conflict in shared.txt',
  );
  const told = (await box.run('logs')).stdout.split('\n').filter((line) => line.includes('lands after p-2'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain('p-3');
  await held.go('p-2-2');
  expect((await held.finish()).landed).toBe(3);
  expect(await box.git('show', 'main:shared.txt')).toBe(shared('one and two', 'three').trim());
  const events = await held.events();
  const inOrder = events.flatMap((one) => (one.kind === 'idea' && one.status === 'landed' ? [one.idea] : []));
  expect(inOrder).toEqual(['p-1', 'p-2', 'p-3']);
  expect(events.filter(({ kind }) => kind === 'bounced')).toMatchObject([{ idea: 'p-2' }]);
  expect(await held.times('p-3', 1)).toBe(1);
}, 240_000);
