/** What a person tells one idea, on the real program. Features: A2 C1 C2 C3 C4 C5. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { DONE, Held, type HeldStep } from '../support/held.js';
import { until } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());

const keep = { id: 'keep', steps: [{ signal: 'COMPLETE' }] as HeldStep[] };
const free = (signal: string, more: Partial<HeldStep> = {}): HeldStep => ({ signal, free: true, ...more });
const open = (ideas: Parameters<typeof Held.open>[1], config = {}) =>
  Held.open(inject('stateRoot'), ideas, { errors: { threshold: 50, maxRetries: 0 }, ...config });

describe('getting ideas going again', () => {
  it('hint and retry, limit, edit and unblock: each lands, the hint is read exactly once (C2, C3, C4, C5)', async () => {
    held = await open(
      [
        keep,
        { id: 'bad', steps: [free('none', { exit: 3 }), free('PROGRESS:50', { when: 'use the other port' })] },
        { id: 'slow', steps: [free('PROGRESS:50'), free('COMPLETE')], max_iterations: 1 },
        { id: 'stuck', steps: [free('BLOCKED: no key'), free('COMPLETE', { when: 'the key is in .env' })] },
      ],
      { slots: 2 },
    );
    const { box } = held;
    await held.start();
    await held.idea('bad', 'failed');
    await held.idea('slow', 'timeout');
    await held.idea('stuck', 'blocked');
    const early = await box.run('retry', 'keep');
    expect([early.code, early.stderr]).toEqual([7, expect.stringMatching(/keep is running\. Possible now: .*stop/)]);
    const unknown = await box.run('retry', 'stick');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('Did you mean stuck?')]);

    expect((await box.run('hint', 'bad', 'use the other port')).code).toBe(0);
    expect((await box.run('edit', 'bad', '--max-iterations', '2')).code).toBe(0);
    expect((await box.run('retry', 'bad', '--reason', 'port was taken')).code).toBe(0);
    // The hint makes it go on; without it, in the second prompt, it fails again.
    const read = await held.event('the hint to be read', ({ kind }) => kind === 'delivered');
    const serial = read.kind === 'delivered' ? read.serial : 0;
    const again = await held.idea('bad', 'failed');
    expect(again.told).toEqual({ verb: 'retry', reason: 'port was taken' });
    expect(await held.prompt('bad', serial)).toContain('use the other port');
    expect(await held.prompt('bad', serial + 1)).not.toContain('use the other port');
    expect((await held.events()).filter((event) => event.kind === 'delivered')).toHaveLength(1);

    const more = await box.run('limit', 'slow', '+1');
    expect([more.code, more.stdout]).toEqual([0, expect.stringContaining('1 more iteration')]);
    await held.idea('slow', 'landed');
    expect(await held.times('slow', 1)).toBe(1);

    expect((await box.run('edit', 'stuck', '--text', 'Do it; the key is in .env')).code).toBe(0);
    expect((await box.run('unblock', 'stuck')).code).toBe(0);
    await held.idea('stuck', 'landed');
    await box.run('skip', 'bad', '--reason', 'not today');
    await hintsAreBounded();
    await held.go('keep-1');
    const { notLanded } = await held.finish();
    expect(notLanded).toEqual([{ idea: 'bad', status: 'skipped', reason: 'not today' }]);
  });
});

describe('taking back', () => {
  it('rollback of a landed and of an unlanded idea, cleanup, abandon (C2, C3)', async () => {
    held = await open([keep, { id: 'a-1', steps: [DONE] }, { id: 'b-1', steps: [free('BLOCKED: no key')] }], {
      slots: 2,
    });
    const { box } = held;
    await held.start();
    await held.idea('a-1', 'landed');
    await held.idea('b-1', 'blocked');
    expect(await box.git('show', 'main:a-1.txt')).toBe('1');
    const undo = await box.run('rollback', 'a-1', '--reason', 'wrong idea');
    expect([undo.code, undo.stdout]).toEqual([0, expect.stringContaining('landing queue')]);
    await held.event(
      'the undo',
      ({ kind, ...event }) => kind === 'command' && JSON.stringify(event).includes('was taken off main'),
    );
    expect(await held.why('a-1')).toMatchObject({ status: 'pending', held: true });
    expect(await box.git('ls-tree', '--name-only', 'main')).not.toContain('a-1.txt');

    const before = await held.times('b-1', 1);
    expect((await box.run('rollback', 'b-1')).code).toBe(0);
    await held.began('b-1', 1, before + 1);
    await held.idea('b-1', 'blocked');
    const saves = await held.saves('b-1');
    expect(await box.git('show', `${saves[0]}:b-1.txt`)).toBe('1');
    // It began where the target was, not on what it had done before.
    expect(await box.git('show', 'ralph/b-1:b-1.txt').catch(() => '1')).toBe('1');

    expect((await box.run('cleanup', 'b-1')).code).toBe(0);
    const cleaned = await held.event(
      'the cleanup',
      (event) => event.kind === 'command' && event.done.includes('was removed'),
    );
    expect(cleaned).toMatchObject({ verb: 'cleanup', idea: 'b-1' });
    const { json } = await box.run('status', '--json');
    const worktrees = join(held.stateRoot, 'projects', (json[0] as { project: string }).project, 'worktrees');
    expect((await readdir(worktrees)).filter((name) => name.endsWith('-b-1'))).toEqual([]);
    expect((await box.run('abandon', 'b-1', '--reason', 'obsolete')).code).toBe(0);
    expect(await held.why('b-1')).toMatchObject({ status: 'abandoned', reason: 'obsolete' });

    expect((await box.run('retry', 'a-1')).code).toBe(0);
    await held.idea('a-1', 'landed');
    await held.go('keep-1');
    expect((await held.finish()).notLanded.map(({ idea }) => idea)).toEqual(['b-1']);
    expect(await box.git('show', 'main:a-1.txt')).toBe('1');
  });

  it('split of a running idea: its agent is ended, its parts land, and only then what waits for it starts (C3)', async () => {
    held = await open([
      { id: 'big', steps: [{ signal: 'COMPLETE' }] },
      { id: 'after', steps: [DONE], depends: 'big' },
    ]);
    const { box } = held;
    await held.start();
    await held.began('big');
    const told = await box.run('split', 'big', '--into', 'first half', '--into', 'second half');
    expect(told.code, told.stderr).toBe(0);
    expect((await held.finish()).notLanded).toEqual([]);
    const landed = (await held.events()).flatMap((event) =>
      event.kind === 'idea' && event.status === 'landed' ? [event.idea] : [],
    );
    expect(landed).toEqual(['big-1', 'big-2', 'big', 'after']);
    expect((await held.saves('big')).length).toBeGreaterThan(0);
  });
});

describe('one idea at a time', () => {
  it('pause and resume, stop, bump and score act on that idea alone (A2, C1)', async () => {
    const two: HeldStep[] = [{ signal: 'PROGRESS:50' }, free('COMPLETE')];
    held = await open([
      { id: 'p-1', steps: two },
      { id: 'p-2', steps: [DONE] },
      { id: 'p-3', steps: [{ signal: 'COMPLETE' }] },
    ]);
    const { box } = held;
    await held.start();
    await held.began('p-1');
    expect((await box.run('resume', 'p-1')).code).toBe(7);
    expect((await box.run('bump', 'p-3')).code).toBe(0);
    expect((await box.run('score', 'p-2', '--', '-5')).code).toBe(0);
    expect((await held.why('p-2')).parts).toContainEqual({ label: 'set by a person', value: -5 });
    expect((await held.why('p-3')).rank).toBe(1);
    expect((await box.run('pause', 'p-1')).code).toBe(0);
    await held.go('p-1-1');
    await held.idea('p-1', 'paused');
    expect((await held.status()).state).toBe('running');
    // Its slot goes to the next one; it waits for the next free one when it resumes.
    await held.began('p-3');
    expect((await box.run('resume', 'p-1')).code).toBe(0);
    await held.idea('p-1', 'wants-slot');
    expect((await box.run('stop', 'p-3', '--reason', 'not yet')).code).toBe(0);
    await held.go('p-3-1');
    await held.idea('p-1', 'landed');
    await held.closed();
    const { json } = await box.run('status', '--json');
    const last = json[0]?.last as { notLanded: unknown[] };
    // Its last iteration was complete; it was kept back all the same, its work on its branch.
    expect(last.notLanded).toEqual([{ idea: 'p-3', status: 'pending', reason: 'not yet' }]);
    expect(existsSync(join(box.scratch, 'began-p-2-1'))).toBe(true);
    expect(await box.git('show', 'ralph/p-3:p-3.txt')).toBe('1');
  });
});

/** Of an idea at work: the command refuses, and a signal to its page says so in the run's events. */
async function hintsAreBounded(): Promise<void> {
  const { box } = held;
  for (let n = 0; n < 4; n++) expect((await box.run('hint', 'keep', `${n} ${'x'.repeat(7900)}`)).code).toBe(0);
  await until('the hints', async () => (await box.run('status', 'keep', '--json')).json.length > 0);
  const { code, stderr } = await until('the refusal', async () => {
    const said = await box.run('hint', 'keep', 'y'.repeat(500));
    return said.code === 7 && said;
  });
  expect([code, stderr]).toEqual([7, expect.stringContaining('exceed 32000 characters together')]);
  // An idea that asks nothing takes no answer, so nobody gets around the bound of hints.
  const answer = await box.run('answer', 'keep', 'z'.repeat(500));
  expect([answer.code, answer.stderr]).toEqual([7, expect.stringContaining('ralphctl hint keep')]);
}
