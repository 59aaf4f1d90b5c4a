/** What people said about ideas counts in the next run: abandoned until a retry, and hints once. So do retries. Features: A2, C3, C5. */
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';
import { until } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());
const SLOW = 160_000;

it(
  'C3: abandon is for good until a retry, which works without a run; a hint that no prompt had is in the first of the next run, once',
  async () => {
    held = await Held.open(inject('stateRoot'), [
      { id: 'h-1', steps: [{ signal: 'COMPLETE' }] },
      { id: 'a-1', steps: [DONE] },
      { id: 'b-1', steps: [{ ...DONE, signal: 'NEEDS_HUMAN: really?' }, DONE] },
    ]);
    const { run } = held.box;
    const ok = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(...args);
      expect(code, stderr).toBe(0);
      return stdout + stderr;
    };
    await held.start();
    await held.began('h-1');
    await ok('abandon', 'a-1', '--reason', 'obsolete');
    await ok('hint', 'b-1', 'use British spelling');
    await ok('abort');
    await held.closed();
    // The last events are on their way to the file when the run ends.
    await until('the hint to be told as kept', async () =>
      (await held.events()).some(
        (one) =>
          one.kind === 'command' && one.done === 'kept for the first prompt in the next run: "use British spelling"',
      ),
    );

    expect((await run('start', '--dry-run')).stdout).not.toContain('a-1 ');
    const second = await ok('start', '--detach');
    expect(second).toMatch(
      /the run leaves out a-1: you abandoned it \(.*\): obsolete; to try it again: ralphctl retry a-1/,
    );
    expect(second).toContain('carries over: hint for b-1');
    await held.go('h-1-1');
    await held.state('waits for you');
    expect(await held.prompt('b-1', 1)).toContain('use British spelling');
    await ok('answer', 'b-1', 'yes');
    const summary = await held.finish();
    expect(summary.notLanded).toMatchObject([
      { idea: 'a-1', status: 'abandoned', reason: 'obsolete (in an earlier run)' },
    ]);
    expect(await held.prompt('b-1', 2)).not.toContain('use British spelling');

    expect(await ok('retry', 'a-1')).toContain('a-1 is no longer abandoned. No run is open');
    const again = await run('retry', 'b-1');
    expect([again.code, again.stderr]).toEqual([7, expect.stringContaining('b-1 has landed')]);
    const third = await ok('start', '--detach');
    expect(third).toContain('carries over: retry a-1');
    expect(third).not.toMatch(/leaves out|hint/);
    expect((await held.finish()).notLanded).toEqual([]);
  },
  SLOW,
);

it(
  'C3: an abandoned idea that is retried in the open run is not left out of the next one',
  async () => {
    held = await Held.open(inject('stateRoot'), [
      { id: 'h-1', steps: [{ signal: 'COMPLETE' }] },
      { id: 'a-1', steps: [DONE] },
    ]);
    const { run } = held.box;
    await held.start();
    await held.began('h-1');
    expect((await run('abandon', 'a-1')).code).toBe(0);
    await run('abort');
    await held.closed();
    await held.start();
    await held.began('h-1', 1, 2);
    expect((await run('retry', 'a-1')).stdout).toContain('a-1 is pending again');
    await run('abort');
    await held.closed();
    const third = await run('start', '--detach');
    expect([third.code, third.stderr]).toEqual([0, expect.not.stringContaining('left out')]);
    await held.go('h-1-1');
    expect((await held.finish()).notLanded).toEqual([]);
  },
  SLOW,
);

it(
  'C3: abandon works without an open run, by name, and status does not say that a start tries it again',
  async () => {
    held = await Held.open(inject('stateRoot'), [
      { id: 'h-1', steps: [DONE] },
      { id: 'a-1', steps: [{ ...DONE, signal: 'BLOCKED: no key' }] },
      { id: 'k-1', steps: [{ signal: 'COMPLETE' }] },
    ]);
    const { run } = held.box;
    await held.start();
    await held.idea('a-1', 'blocked');
    // Nobody but the backlog knows that it has no step to skip.
    expect((await held.why('a-1')).possible).toEqual(expect.arrayContaining(['skip', 'abandon']));
    expect((await held.why('a-1')).possible).not.toContain('skip --step');
    await held.began('k-1');
    await run('abort');
    await held.closed();
    expect((await run('status')).stdout).toContain('try them again with: ralphctl start');
    expect(await run('abandon', 'a-2')).toMatchObject({ code: 2, stderr: expect.stringContaining('no idea a-2') });
    expect(await run('abandon', 'h-1')).toMatchObject({ code: 7, stderr: expect.stringContaining('landed') });
    const told = await run('abandon', 'a-1', '--reason', 'obsolete');
    expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('until: ralphctl retry a-1')]);
    const { stdout } = await run('status');
    expect(stdout).toContain('a start leaves out a-1, until: ralphctl retry a-1');
    expect(stdout).toContain('try the others again with: ralphctl start');
    const next = await run('start', '--detach');
    expect(next.stderr).toMatch(/the run leaves out a-1: you abandoned it \(.*\): obsolete/);
    await held.began('k-1', 1, 2);
    await held.go('k-1-1');
    expect((await held.finish()).notLanded).toMatchObject([{ idea: 'a-1', status: 'abandoned' }]);
  },
  SLOW,
);

it(
  'A2: an idea that failed is worth less at each start that tries it again; why and the plan show it',
  async () => {
    const blocked = { ...DONE, signal: 'BLOCKED: no key' };
    held = await Held.open(
      inject('stateRoot'),
      [
        { id: 'f-1', steps: [blocked] },
        { id: 'k-1', steps: [{ signal: 'COMPLETE' }] },
      ],
      { slots: 2 },
    );
    const { run } = held.box;
    const retries = async () => (await held.why('f-1')).parts.find(({ label }) => /tried again/.test(label));
    const night = async (n: number) => {
      await held.start();
      await held.idea('f-1', 'blocked');
      const seen = await retries();
      await held.began('k-1', 1, n);
      await run('abort');
      await held.closed();
      return seen;
    };
    expect(await night(1)).toBe(undefined);
    // Without a run, as the next start counts it.
    // Status counts none yet, so why says when it will.
    expect(await retries()).toEqual({ label: 'tried again once, with the next start', value: -15 });
    expect(await night(2)).toEqual({ label: 'tried again once', value: -15 });
    const plan = (await run('start', '--dry-run', '--json')).json[0] as { order: { id: string; score: number }[] };
    expect(plan.order.map(({ id, score }) => [id, score])).toEqual([
      ['k-1', 0],
      ['f-1', -30],
    ]);
  },
  SLOW,
);
