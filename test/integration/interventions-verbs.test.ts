/** `approve` of what the gate asks about, and `pause --now` of one idea, on the real program. Features: B3 C1 C5. */
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

it('approve lands a green gate over deleted tests as it is, and is refused where words are needed (B3, C5)', async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 't-1' }, { id: 't-2' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 2, stepDelayMs: 0, gate: ['true'] }),
    't-1.test.js': "test('a', () => {});\n",
    '.ralph-script.yaml': yaml({
      ideas: {
        't-1': [{ do: [{ run: 'rm t-1.test.js' }, { append: { path: 't-1.txt', text: 'x\n' } }], signal: 'COMPLETE' }],
        't-2': [
          { do: [], signal: 'NEEDS_HUMAN: which colour?' },
          { do: [{ append: { path: 't-2.txt', text: 'x\n' } }], signal: 'COMPLETE' },
        ],
      },
    }),
  });
  const held = Held.around(box, inject('stateRoot'));
  await held.start();
  const asks = await held.idea('t-1', 'needs-human');
  expect(asks.reason).toMatch(/tests are gone \(t-1\.test\.js\).*ralphctl approve t-1/);
  expect(asks.possible).toContain('approve');
  expect((await held.idea('t-2', 'needs-human')).possible).not.toContain('approve');
  const no = await box.run('approve', 't-2');
  expect([no.code, no.stderr]).toEqual([7, expect.stringMatching(/t-2 waits for an answer\. Possible now: .*answer/)]);

  const yes = await box.run('approve', 't-1', '--reason', 'that test was about nothing');
  expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining('t-1 lands as it is')]);
  await held.idea('t-1', 'landed');
  expect((await box.run('answer', 't-2', 'blue')).code).toBe(0);
  expect((await held.finish()).notLanded).toEqual([]);
  expect((await box.git('ls-tree', '--name-only', 'main')).split('\n')).not.toContain('t-1.test.js');
  // One run of the agent: the yes went to no prompt.
  expect((await held.events()).filter((event) => event.kind === 'iteration' && event.idea === 't-1')).toHaveLength(1);
});

it('pause --now of one idea ends its agent alone; its iteration is not charged and runs again (C1)', async () => {
  const held = await Held.open(
    inject('stateRoot'),
    [
      { id: 'p-1', steps: [{ signal: 'COMPLETE' }], max_iterations: 1 },
      { id: 'p-2', steps: [{ signal: 'COMPLETE' }] },
    ],
    { slots: 2 },
  );
  box = held.box;
  await held.start();
  await held.began('p-1');
  await held.began('p-2');
  const told = await box.run('pause', '--now', 'p-1', '--reason', 'wrong branch of the API');
  expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('p-1 pauses now')]);
  const paused = await held.idea('p-1', 'paused');
  expect(paused.told).toEqual({ verb: 'pause-now', reason: 'wrong branch of the API' });
  expect(paused.possible).not.toContain('pause-now');
  expect((await held.status()).state).toBe('running');
  await held.event('the interruption', (event) => event.kind === 'interrupted' && event.idea === 'p-1');
  expect(await held.times('p-2', 1)).toBe(1);
  const saves = await held.saves('p-1');
  expect(await box.git('show', `${saves.at(-1)}:draft-p-1.txt`)).toBe('draft 1');

  await held.go('p-2-1');
  await held.idea('p-2', 'landed');
  expect((await held.why('p-1')).status).toBe('paused');
  expect((await box.run('resume', 'p-1')).code).toBe(0);
  // The same iteration again: with one iteration allowed, a charged one would end the idea.
  await until('p-1 again', async () => (await held.times('p-1', 1)) === 2, 120_000);
  await held.go('p-1-1');
  expect((await held.finish()).notLanded).toEqual([]);
  const interrupted = (await held.events()).filter((event) => event.kind === 'interrupted');
  expect(interrupted).toHaveLength(1);
});
