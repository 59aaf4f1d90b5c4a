/** Taking back what does not go by itself: fresh starts, locked worktrees, landings that others stand on. Features: C2. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

const blocked = { signal: 'BLOCKED: no key', free: true };

/** Path of the idea's worktree, as git knows it. */
async function worktreeOf(held: Held, id: string): Promise<string | undefined> {
  const list = await held.box.git('worktree', 'list', '--porcelain');
  const entry = list.split('\n\n').find((lines) => lines.split('\n').includes(`branch refs/heads/ralph/${id}`));
  return entry?.match(/^worktree (.*)$/m)?.[1];
}

const said = (held: Held, words: string) =>
  held.event(words, (event) => event.kind === 'command' && event.done.includes(words));

describe('a fresh start, and a clean-up by force', () => {
  it('retry --fresh saves and drops the work; cleanup of a locked worktree needs --force (C2)', async () => {
    const held = await Held.open(
      inject('stateRoot'),
      [
        { id: 'keep', steps: [{ signal: 'COMPLETE' }] },
        { id: 'f-1', steps: [blocked] },
      ],
      { slots: 2 },
    );
    box = held.box;
    await held.start();
    await held.idea('f-1', 'blocked');
    const first = await box.git('rev-parse', 'ralph/f-1');
    await box.git('commit', '-q', '--allow-empty', '-m', 'a fix');
    const fixed = await box.git('rev-parse', 'main');
    const again = await box.run('retry', 'f-1', '--fresh', '--reason', 'wrong way');
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringContaining('first saves its work so far, then drops it'),
    ]);
    await held.began('f-1', 1, 2);
    await said(held, 'f-1 begins again on main');
    expect(await box.git('merge-base', 'main', 'ralph/f-1')).toBe(fixed);
    await held.idea('f-1', 'blocked');
    const saves = await held.saves('f-1');
    expect(await box.git('rev-list', '--max-count=1', saves[0] ?? '')).not.toBe('');
    expect(await box.git('merge-base', '--is-ancestor', first, saves[0] ?? '').then(() => true)).toBe(true);
    // Once, not on top of what it did before: the file would have two lines.
    expect(await box.git('show', 'ralph/f-1:f-1.txt')).toBe('1');

    const worktree = (await worktreeOf(held, 'f-1')) ?? '';
    expect(existsSync(worktree)).toBe(true);
    await box.git('worktree', 'lock', '--reason', 'on a stick', worktree);
    expect((await box.run('cleanup', 'f-1')).code).toBe(0);
    await said(held, 'the worktree of f-1 was kept');
    expect((await held.why('f-1')).reason).toContain('lock');
    expect(existsSync(worktree)).toBe(true);
    expect((await box.run('cleanup', 'f-1', '--force')).code).toBe(0);
    await said(held, 'the worktree of f-1 was removed');
    expect(existsSync(worktree)).toBe(false);
    expect(await worktreeOf(held, 'f-1')).toBeUndefined();
    expect((await held.why('f-1')).status).toBe('blocked');
    // Its commits are not on the target: the branch stays.
    expect(await box.git('show', 'ralph/f-1:f-1.txt')).toBe('1');
    await held.go('keep-1');
    expect((await held.finish()).notLanded.map(({ idea }) => idea)).toEqual(['f-1']);
  });
});

describe('a landing that others stand on', () => {
  it('an undo that conflicts, and one that turns the gate red, move nothing and say what to do (C2)', async () => {
    const write = (path: string, text: string) => ({ write: { path, text } });
    const done = (...steps: object[]) => [{ do: steps, signal: 'COMPLETE' }];
    box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([
        { id: 'one' },
        { id: 'two', depends: 'one' },
        { id: 'lib' },
        { id: 'user', depends: 'lib' },
        { id: 'last', depends: 'two, user' },
      ]),
      'ralphctl.yaml': yaml({
        ...{ version: 1, agent: 'scripted', slots: 2, stepDelayMs: 0 },
        gate: [{ run: 'test ! -e user.txt || test -e lib.txt', name: 'links' }],
      }),
    });
    const wait = { waitFor: { path: join(box.scratch, 'go-last') } };
    await box.write({
      '.ralph-script.yaml': yaml({
        ideas: {
          one: done(write('shared.txt', 'one\n')),
          two: done(write('shared.txt', 'two\n')),
          lib: done(write('lib.txt', 'lib\n')),
          user: done(write('user.txt', 'user\n')),
          last: done(wait, write('last.txt', 'last\n')),
        },
      }),
    });
    await box.commit('script');
    const held = Held.around(box, inject('stateRoot'));
    await held.start();
    await held.idea('two', 'landed');
    await held.idea('user', 'landed');
    await held.idea('last', 'running');
    const tip = await box.git('rev-parse', 'main');

    expect((await box.run('rollback', 'one')).code).toBe(0);
    await said(held, 'one stays landed');
    expect(await held.why('one')).toMatchObject({
      status: 'landed',
      reason: expect.stringMatching(/could not be undone: .*in shared\.txt\. Roll those back first.*git log main/),
    });
    expect((await box.run('rollback', 'lib')).code).toBe(0);
    await said(held, 'lib stays landed');
    expect(await held.why('lib')).toMatchObject({
      status: 'landed',
      reason: expect.stringMatching(
        /the gate is red \(links\)\. Roll back the ideas that need it first.*ralphctl rollback lib/,
      ),
    });
    expect(await box.git('rev-parse', 'main')).toBe(tip);
    expect(await box.git('status', '--porcelain')).toBe('');

    // As it says: first what stands on it, then it goes.
    await box.run('rollback', 'two');
    await said(held, 'two was taken off main');
    await box.run('rollback', 'one');
    await said(held, 'one was taken off main');
    expect(await box.git('ls-tree', '--name-only', 'main')).not.toContain('shared.txt');
    await held.go('last');
    await held.idea('last', 'landed');
    for (const idea of ['one', 'two']) await box.run('skip', idea);
    expect((await held.finish()).notLanded.map(({ idea }) => idea)).toEqual(['one', 'two']);
    expect(await box.git('show', 'main:lib.txt')).toBe('lib');

    const whyLib = async (): Promise<string> => (await held.box.run('why', 'lib')).stdout;
    // It was refused in the run, and something has landed since.
    expect(await whyLib()).toMatch(/ralphctl rollback lib \(takes/);
    const refused = await box.run('rollback', 'lib');
    expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('Roll back the ideas that need it')]);
    expect(await whyLib()).toMatch(/its rollback was refused \d\d:\d\d:\d\d: lib stays landed: .*need it first/);
    expect(await whyLib()).not.toMatch(/ralphctl rollback lib \(takes/);
    expect((await box.run('rollback', 'user')).code).toBe(0);
    expect(await whyLib()).toMatch(/ralphctl rollback lib \(takes/);
  });
});
