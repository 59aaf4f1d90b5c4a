/** Making a worktree ready: idempotent, set up once, reopened after a landing that bounced. Features: B2 D1. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ActivityCancellationDetails, CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { savePoint } from '../../src/git/saves/saves.js';
import { findByToken } from '../../src/process/tokens.js';
import { FAILURE } from '../../src/protocol/failures.js';
import type { LandResult } from '../../src/protocol/git-work.js';
import { eventsPath } from '../../src/run-files/events.js';
import { until } from '../support/program.js';
import { type Bench, bench, idea } from './bench.js';

describe('prepareIdea', () => {
  it('makes a worktree on the branch of the idea, and the second time finds it as it is', async () => {
    const b = await bench({
      ideas: [
        idea('t-1', {
          maxIterations: 7,
          timeoutMinutes: 2,
          iterationTimeoutMinutes: 1,
          ralph: false,
          allowEmpty: true,
        }),
      ],
    });
    const first = await b.prepare();
    expect(first).toMatchObject({ branch: 'ralph/t-1', base: await b.git('rev-parse', 'main'), origin: 'created' });
    expect(first.limits).toEqual({
      maxIterations: 7,
      timeoutMs: 120_000,
      iterationTimeoutMs: 60_000,
      loop: false,
      allowEmpty: true,
    });
    await b.write({ 'work.txt': 'mine\n' }, first.worktree);
    await b.write({ 'new.txt': 'x' });
    await b.commit('main goes on');
    const second = await b.prepare();
    expect(second).toEqual({ ...first, origin: 'adopted' });
    expect(await b.read(join(first.worktree, 'work.txt'))).toBe('mine\n');
    const both = await Promise.all([b.prepare(), b.prepare()]);
    expect(both).toEqual([second, second]);
  });

  it('goes on from a save where somebody deleted branch and worktree, and tells it before the agent works', async () => {
    const b = await bench();
    const { worktree } = await b.prepare();
    await b.write({ 'work.txt': 'mine\n' }, worktree);
    await savePoint({ worktree, idea: 't-1', why: 'its agent was interrupted' });
    await b.git('worktree', 'remove', '--force', worktree);
    await b.git('branch', '-D', 'ralph/t-1');
    const again = await b.prepare();
    expect(await b.read(join(again.worktree, 'work.txt'))).toBe('mine\n');
    const told = await until('the event', async () =>
      (await b.read(eventsPath(b.root, b.ref)).catch(() => '')).includes('"gone"'),
    );
    expect(told).toBe(true);
    expect(await b.read(eventsPath(b.root, b.ref))).toContain('it goes on from its save 1 (ralphctl saves t-1)');
    // The move of the branch is ralphctl's own.
    await b.git('worktree', 'remove', '--force', again.worktree);
    expect(await b.read(join((await b.prepare()).worktree, 'work.txt'))).toBe('mine\n');
  });

  it('takes limits from the configuration where the idea has none', async () => {
    const b = await bench({ config: { maxIterations: 9, timeoutMinutes: 4, iterationTimeoutMinutes: 3 } });
    const limits = { maxIterations: 9, timeoutMs: 240_000, iterationTimeoutMs: 180_000, loop: true, allowEmpty: false };
    expect((await b.prepare()).limits).toEqual(limits);
  });

  it('runs the setup once per state of the lockfile', async () => {
    const b = await bench({
      files: { 'package-lock.json': '1', '.gitignore': 'node_modules/\n' },
      config: {
        setup: {
          run: 'echo ran >> "$COUNT"; mkdir -p node_modules && cp package-lock.json node_modules/from',
          passEnv: ['COUNT'],
        },
      },
    });
    const count = async (): Promise<number> => (await b.read(join(b.base, 'count'))).split('\n').length - 1;
    b.env.COUNT = join(b.base, 'count');
    const at = await b.prepare();
    expect(await count()).toBe(1);
    await b.prepare();
    expect(await count()).toBe(1);
    await b.write({ 'package-lock.json': '2' }, at.worktree);
    await b.gitIn(at.worktree, 'commit', '-qam', 'another dependency');
    await b.prepare();
    expect(await count()).toBe(2);
    expect(await b.read(join(at.worktree, 'node_modules/from'))).toBe('2');
  });

  it('a setup that fails is named with its last words, and not tried again', async () => {
    const b = await bench({ config: { setup: { run: 'seq 1 5000; echo "no such package: left-pad" >&2; exit 4' } } });
    const failure = await b.prepare().catch((error: unknown) => error);
    expect(failure).toMatchObject({ type: FAILURE.setup, nonRetryable: true });
    const { message } = failure as Error;
    expect(message).toContain('no such package: left-pad');
    expect(message).toContain('exit 4');
    expect(message.length).toBeLessThan(3000);
    expect(message).toMatch(/setup\.log/);
  });

  it('a cancelled setup ends as cancelled with nothing left running', async () => {
    const b = await bench({ config: { setup: { run: 'touch "$BEGUN"; sleep 600', passEnv: ['BEGUN'] } } });
    b.env.BEGUN = join(b.marks, 'begun');
    const call = b.call(b.activities.prepareIdea, { ...b.ref, idea: 't-1', agentName: 'ed-001' });
    await until('the setup to run', async () => existsSync(join(b.marks, 'begun')));
    call.env.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
    await expect(call.done).rejects.toBeInstanceOf(CancelledFailure);
    expect(await findByToken(b.project)).toEqual([]);
  });

  it('a target that is gone is for a person to fix', async () => {
    const b = await bench({ run: { target: 'gone' } });
    await expect(b.prepare()).rejects.toMatchObject({ type: FAILURE.repository, nonRetryable: true });
  });
});

/** Lands what the worktree holds as the finished work of t-1. */
async function land(b: Bench): Promise<LandResult> {
  const at = await b.prepare();
  const { head } = await b.call(b.activities.runAgent, b.agentInput(at)).done;
  const { worktree, branch, base } = at;
  return b.call(b.activities.landIdea, {
    ...{ ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' },
    ...{ worktree, branch, base, head },
  }).done;
}

describe('reopening', () => {
  it('after a conflict: the branch starts from the target, with the work and the markers on top', async () => {
    const b = await bench({ agent: 'cat > /dev/null; echo mine > base.txt; echo more > more.txt; echo done' });
    const at = await b.prepare();
    await b.write({ 'base.txt': 'theirs\n' });
    const onto = await b.commit('theirs');
    await b.setAgent(
      `echo mine > base.txt; echo more > more.txt; printf '<ralph nonce="%s">COMPLETE</ralph>\\n' "$RALPHCTL_NONCE"`,
    );
    const bounced = await land(b);
    expect(bounced).toMatchObject({ kind: 'conflict', onto, files: ['base.txt'] });
    const reopen = { kind: 'conflict' as const, onto, files: ['base.txt'] };
    const again = await b.prepare('t-1', { reopen });
    expect(again).toMatchObject({ worktree: at.worktree, branch: 'ralph/t-1', base: onto });
    expect(await b.read(join(at.worktree, 'base.txt'))).toMatch(/^<<<<<<< .*theirs.*=======.*mine.*>>>>>>> /s);
    expect(await b.read(join(at.worktree, 'more.txt'))).toBe('more\n');
    expect(await b.git('rev-parse', 'ralph/t-1')).toBe(onto);
    await b.write({ 'base.txt': 'both\n' }, at.worktree);
    await b.prepare('t-1', { reopen });
    expect(await b.read(join(at.worktree, 'base.txt')), 'a retried activity').toBe('both\n');
    expect(await b.git('for-each-ref', 'refs/ralphctl/save/t-1/')).not.toBe('');
  });

  it('after a red gate: the branch is the very commit that would have landed', async () => {
    const b = await bench({
      config: { gate: ['test "$(cat base.txt mine.txt)" != "theirs\nmine"'] },
      agent: `echo mine > mine.txt; printf '<ralph nonce="%s">COMPLETE</ralph>\\n' "$RALPHCTL_NONCE"`,
    });
    await b.prepare();
    await b.write({ 'base.txt': 'theirs\n' });
    const onto = await b.commit('theirs');
    const bounced = await land(b);
    if (bounced.kind !== 'red') throw new Error(`expected red, got ${bounced.kind}`);
    expect(bounced).toMatchObject({ onto, gate: { pass: false } });
    const reopen = { kind: 'red' as const, onto, candidate: bounced.candidate };
    const again = await b.prepare('t-1', { reopen });
    expect(again.base).toBe(onto);
    expect(await b.git('rev-parse', 'ralph/t-1')).toBe(bounced.candidate);
    expect(await b.read(join(again.worktree, 'base.txt'))).toBe('theirs\n');
    await b.write({ 'fixed.txt': 'x' }, again.worktree);
    await b.prepare('t-1', { reopen });
    expect(existsSync(join(again.worktree, 'fixed.txt')), 'a retried activity').toBe(true);
  });
});
