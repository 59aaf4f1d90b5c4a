/** A plan whose idea starts anew goes on at the step it was at; a person may leave steps out. Features: B9 C2 C3. */
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { type Sandbox, sandbox, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

const append = (text: string) => ({ append: { path: 'work.txt', text: `${text}\n` } });
const at = (step: string) => ({ whenPrompt: { contains: `Now do step ${step}, and only this one` } });

async function open(script: (scratch: string) => object[], maxIterations = 10): Promise<Held> {
  const steps = ['a', 'b', 'c'].map((id) => ({ id, text: `Do ${id}` }));
  const made = await sandbox(inject('stateRoot'), {
    'ideas.yaml': yaml({
      version: 1,
      ideas: [
        { id: 'p-1', text: 'Build it', maxIterations, plan: { phases: [{ name: 'Only', steps }] } },
        { id: 'q-1', text: 'Keeps the run open, and has no plan' },
      ],
    }),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 2, stepDelayMs: 0, gate: ['true'] }),
  });
  box = made;
  const held = { waitFor: { path: join(made.scratch, 'go-q-1') } };
  const done = { do: [held, { append: { path: 'q.txt', text: 'q\n' } }], signal: 'COMPLETE' };
  await made.write({ '.ralph-script.yaml': yaml({ ideas: { 'p-1': script(made.scratch), 'q-1': [done] } }) });
  await made.commit('script');
  return Held.around(made, inject('stateRoot'));
}

const stepsOf = async (held: Held): Promise<string[]> =>
  (await held.events()).flatMap((event) => (event.kind === 'step' ? [`${event.step} ${event.state}`] : []));

it('retry goes on at the step that was not done; retry --fresh begins with the first (B9, C2)', async () => {
  const held = await open(() => [
    { ...at('a'), do: [append('a')], signal: 'COMPLETE' },
    {
      whenPrompt: { contains: ['Now do step b, and only this one', 'the door is open'] },
      do: [append('b')],
      signal: 'COMPLETE',
    },
    { ...at('b'), do: [append('half')], signal: 'BLOCKED: the door is closed' },
    {
      whenPrompt: { contains: ['Now do step c, and only this one', 'all is well'] },
      do: [append('c')],
      signal: 'COMPLETE',
    },
    { ...at('c'), do: [], signal: 'BLOCKED: not yet' },
  ]);
  await held.start();
  expect((await held.idea('p-1', 'blocked')).reason).toBe('step b: the door is closed');
  await box?.run('hint', 'p-1', 'the door is open');
  expect((await box?.run('retry', 'p-1'))?.code).toBe(0);
  await held.event('the third step to block', (event) => event.kind === 'idea' && /^step c:/.test(event.reason ?? ''));
  // The first step was not done again.
  expect(await stepsOf(held)).toEqual(['a complete', 'b complete']);
  const prompt = await held.prompt('p-1', 3);
  expect(prompt).toContain('[x] a Do a');
  expect(prompt).toContain('Now do step b');

  await box?.run('hint', 'p-1', 'all is well; the door is open');
  const fresh = await box?.run('retry', 'p-1', '--fresh');
  expect([fresh?.code, fresh?.stdout]).toEqual([
    0,
    expect.stringContaining('first saves its work so far, then drops it'),
  ]);
  // The hint is read by the first run only, so that b blocks again.
  expect((await held.idea('p-1', 'blocked')).reason).toMatch(/^step [bc]: /);
  await held.event('the first step again', (event) => event.kind === 'iteration' && event.serial === 5);
  await held.idea('p-1', 'blocked');
  expect((await stepsOf(held)).filter((one) => one === 'a complete')).toHaveLength(2);
  expect((await held.saves('p-1')).length).toBeGreaterThan(0);
  expect(await box?.git('show', 'ralph/p-1:work.txt')).toBe('a\nhalf');
  await held.go('q-1');
  expect((await held.finish()).notLanded.map(({ idea }) => idea)).toEqual(['p-1']);
});

it('skip --step leaves out the step it is at, running or not, and the idea lands without it (B9, C3)', async () => {
  const held = await open((scratch) => [
    { ...at('a'), do: [append('a')], signal: 'BLOCKED: no key' },
    {
      ...at('b'),
      do: [{ run: `echo x >> ${scratch}/began-p-1-2` }, { waitFor: { path: join(scratch, 'never') } }],
      signal: 'COMPLETE',
    },
    { ...at('c'), do: [append('c')], signal: 'COMPLETE' },
  ]);
  await held.start();
  await held.idea('p-1', 'blocked');
  const none = await box?.run('skip', 'q-1', '--step');
  expect([none?.code, none?.stderr]).toEqual([2, expect.stringContaining('q-1 has no plan with steps')]);
  const first = await box?.run('skip', 'p-1', '--step', '--reason', 'the key comes next week');
  expect([first?.code, first?.stdout.trim()]).toEqual([
    0,
    'p-1 skips its current step when it starts: ralphctl unblock p-1',
  ]);
  expect((await box?.run('unblock', 'p-1'))?.code).toBe(0);
  await held.began('p-1', 2);
  const second = await box?.run('skip', 'p-1', '--step');
  expect([second?.code, second?.stdout]).toEqual([0, expect.stringContaining('continues with the next one')]);
  await held.go('q-1');
  expect((await held.finish()).notLanded).toEqual([]);
  const steps = (await held.events()).filter((event) => event.kind === 'step');
  expect(steps).toMatchObject([
    { step: 'a', state: 'skipped', why: 'the key comes next week' },
    { step: 'b', state: 'skipped', why: 'a person said so' },
    { step: 'c', state: 'complete' },
  ]);
  expect(await box?.git('show', 'main:work.txt')).toBe('a\nc');
});
