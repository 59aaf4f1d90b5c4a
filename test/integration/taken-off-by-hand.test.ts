/** What a person took off the target by hand stays taken off, whatever is rolled back below it. Features: C1, C3, D3. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import { roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

let box: Sandbox;
let held: Held;
afterEach(() => box?.dispose());

interface Writes {
  id: string;
  path: string;
  text: string;
  depends?: string;
}

/** Ideas that each write one file and are done. */
async function open(ideas: readonly Writes[], gate = 'true'): Promise<void> {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap(ideas.map(({ id, depends }) => ({ id, ...(depends ? { depends } : {}) }))),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: [gate] }),
    '.ralph-script.yaml': yaml({
      ideas: Object.fromEntries(
        ideas.map(({ id, path, text }) => [id, [{ do: [{ write: { path, text } }], signal: 'COMPLETE' }]]),
      ),
    }),
  });
  held = Held.around(box, inject('stateRoot'));
}

const run = (...args: string[]) => box.run(...args);
const said = async (...args: string[]): Promise<string> => {
  const { stdout, stderr } = await run(...args);
  return stdout + stderr;
};

it('C1 D3: an idea that a person reverted stays taken off when the idea below it is rolled back', async () => {
  await open(
    [
      { id: 'b-001', path: 'list.txt', text: 'b\n' },
      { id: 'a-001', path: 'list.txt', text: 'a\n', depends: 'b-001' },
    ],
    'test ! -e broken.txt',
  );
  expect((await run('start')).code).toBe(0);
  await box.git('revert', '--no-edit', 'HEAD');
  const by = (await box.git('rev-parse', 'HEAD')).slice(0, 8);

  // It is left, and its one advice is its retry.
  const nothing = await run('start');
  expect(nothing.code, nothing.stderr).toBe(3);
  expect(nothing.stdout).toContain('nothing to start: 1 of 2 ideas of roadmap.md landed or are ticked');
  expect(nothing.stdout).toMatch(
    new RegExp(
      `^a-001 waits for your retry, because ${by} \\(Revert .*\\) took it off main: ralphctl retry a-001$`,
      'm',
    ),
  );
  expect(nothing.stdout + nothing.stderr).not.toContain('--again');
  const [told] = (await run('start', '--json')).json;
  expect(told).toMatchObject({
    done: ['b-001'],
    left: [{ idea: 'a-001', status: 'pending', why: expect.stringContaining('ralphctl retry a-001') }],
  });
  expect(await run('start', '--dry-run')).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('a-001 waits for your retry'),
  });

  expect(await said('rollback', 'b-001')).toMatch(/b-001 was taken off main .*a-001 waits until b-001 lands again/);
  expect(await box.git('ls-tree', '--name-only', 'main', 'list.txt')).toBe('');
  const off = new RegExp(`a-001 landed as \\w{8}, and ${by} \\(Revert .*\\) took it off main again`);
  expect(await said('why', 'a-001')).toMatch(off);
  expect(await said('why', 'a-001')).toContain('status taken off');
  expect(await said('report')).toMatch(off);
  expect(await said('status')).toMatch(off);
  const dry = await said('start', '--dry-run');
  expect(dry).toMatch(off);
  expect(dry).not.toMatch(/landed already:.*a-001/);
  const refused = await run('rollback', 'a-001');
  expect([refused.code, refused.stderr]).toEqual([7, expect.stringMatching(/there is nothing to take back of a-001/)]);

  const queued = await run('retry', 'a-001');
  expect([queued.code, queued.stdout]).toEqual([
    0,
    expect.stringMatching(/a-001 is queued again.*waits for b-001.*ralphctl retry b-001/),
  ]);
  expect((await run('retry', 'b-001')).code).toBe(0);
  const again = await run('start');
  expect(again.code, again.stderr).toBe(0);
  expect(again.stderr).not.toMatch(off);
  expect(await readFile(join(box.repo, 'list.txt'), 'utf8')).toBe('a\n');
  expect(await said('start')).toContain('nothing to start: all 2 ideas of roadmap.md have landed or are ticked');
}, 480_000);

it('C1 C3: the retry of an idea that a person reverted counts beside that of the idea below it', async () => {
  await open([
    { id: 'two-001', path: 'list.js', text: 'two\n' },
    { id: 'one-001', path: 'list.js', text: 'one\n' },
  ]);
  expect((await run('start')).code).toBe(0);
  await box.git('revert', '--no-edit', 'HEAD');
  expect((await run('start')).code).toBe(3);
  expect((await run('rollback', 'two-001')).code).toBe(0);
  const refused = await run('rollback', 'one-001');
  expect([refused.code, refused.stderr]).toEqual([
    7,
    expect.stringMatching(/there is nothing to take back of one-001: .*took it off main again\. .*ralphctl retry one/),
  ]);
  expect((await run('retry', 'one-001', '--fresh')).code).toBe(0);
  const again = await run('retry', 'one-001');
  expect([again.code, again.stderr]).toEqual([7, expect.stringContaining('one-001 is queued again already')]);
  const status = await said('status');
  expect(status).toMatch(/^the next start carries over: retry one-001$/m);
  expect(await said('reset', '--all', '--dry-run')).toMatch(/^one-001: forgets retry$/m);
  expect((await run('retry', 'two-001')).code).toBe(0);
  const { code, stderr } = await run('start', '--detach');
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('2 ideas onto main');
  expect(stderr).not.toContain('took it off main again');
  await held.finish();
  expect(await box.git('log', '--format=%s', '--grep=^Ralph-Idea: one-001')).toMatch(/^.+\n.+$/);
  expect(await said('start')).toContain('nothing to start: all 2 ideas of roadmap.md have landed or are ticked');
}, 480_000);

it('C1: the note of a landing about the checkout stays in why until the checkout is level', async () => {
  await open([{ id: 'one-001', path: 'list.js', text: 'one\n' }]);
  await box.write({ 'list.js': 'mine\n' });
  expect((await run('start')).code).toBe(0);
  const left =
    /^status landed: untracked list\.js in .* blocks files that landed.*move it away, then run: ralphctl sync$/m;
  expect(await said('why', 'one-001')).toMatch(left);
  await rm(join(box.repo, 'list.js'));
  expect(await said('why', 'one-001')).toMatch(left);
  expect((await run('sync')).code).toBe(0);
  expect(await box.git('status', '--porcelain')).toBe('');
  expect(await said('why', 'one-001')).toMatch(/^status landed$/m);
  expect((await run('why', 'one-001', '--json')).json[0]).not.toHaveProperty('reason');
}, 240_000);

it('C3 D3: a rollback that is refused names the ideas to roll back first', async () => {
  await open(
    [
      { id: 'lib-001', path: 'lib.txt', text: 'lib\n' },
      { id: 'user-001', path: 'user.txt', text: 'user\n', depends: 'lib-001' },
      { id: 'same-001', path: 'user.txt', text: 'same\n', depends: 'user-001' },
    ],
    'test ! -e user.txt || test -e lib.txt',
  );
  expect((await run('start')).code).toBe(0);
  const red = await run('rollback', 'lib-001');
  expect([red.code, red.stderr]).toEqual([
    7,
    expect.stringMatching(/Roll back the ideas that need it first: user-001; then: ralphctl rollback lib-001/),
  ]);
  const below = await run('rollback', 'user-001');
  expect([below.code, below.stderr]).toEqual([
    7,
    expect.stringMatching(/build on it in user\.txt\. Roll those back first: same-001; or take it off by hand/),
  ]);
  for (const id of ['same-001', 'user-001', 'lib-001']) expect((await run('rollback', id)).code, id).toBe(0);
}, 240_000);

it('C2 D3: a rollback after a person deleted the file takes the tick back; after a reset it says what is so', async () => {
  await open([
    { id: 'file-001', path: 'ralphctl.md', text: 'landed\n' },
    { id: 'last-001', path: 'last.txt', text: 'last\n' },
  ]);
  await box.write({ 'ralphctl.md': 'as it was\n' });
  await box.commit('a file that the idea changes');
  expect((await run('start')).code).toBe(0);
  await box.git('rm', '-q', 'ralphctl.md');
  await box.git('commit', '-q', '-m', 'removed by hand');
  const by = (await box.git('rev-parse', 'HEAD')).slice(0, 8);
  expect(await said('why', 'file-001')).toMatch(
    new RegExp(`file-001 landed as \\w{8}, and ${by} \\(removed by hand\\)`),
  );
  const done = await run('rollback', 'file-001');
  expect([done.code, done.stdout]).toEqual([0, expect.stringMatching(/^file-001 was taken off main by \w{8}\./)]);
  expect(await box.git('diff', '--name-only', by, 'main')).toBe('roadmap.md');
  expect(await box.git('show', 'main:roadmap.md')).toMatch(/\[ \] \*\*file-001\*\*[\s\S]*\[x\] \*\*last-001\*\*/);
  // The two may have landed in either order.
  const landed = await box.git('log', '--format=%H', '--diff-filter=A', '--', 'last.txt');
  await box.git('reset', '-q', '--keep', `${landed.trim()}^`);
  const lost = await run('rollback', 'last-001');
  expect([lost.code, lost.stderr]).toEqual([
    7,
    expect.stringMatching(/there is nothing to take back of last-001: .* it was reset or rewritten\. .*ralphctl start/),
  ]);
}, 240_000);
