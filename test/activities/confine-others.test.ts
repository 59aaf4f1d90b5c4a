/**
 * Confinement, what the agent's git does not show: files of the user's checkout that just change, and worktrees of other
 * ideas. Real git, real agents as shell scripts. Features: C5 (a person is asked), B6 (a warning), field pain E.
 */
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Guard, guard } from '../../src/jobs/confine/guard.js';
import { until } from '../support/program.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../unit/git/repo.js';
import { bench, idea, say } from './bench.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', 'b.txt': 'bee\n', '.gitignore': '*.log\n' });
  await mkdir(repo.worktreesRoot);
  await put(repo.root, { 'mine.txt': 'mine\n' });
  for (const [slot, id] of ['i-1', 'i-2', 'i-3'].entries()) {
    await sh(repo.root, 'worktree', 'add', '-q', '-b', `ralph/${id}`, worktreeOf(slot + 1, id));
  }
});
afterEach(() => repo.remove());
const worktreeOf = (slot: number, id: string): string => join(repo.worktreesRoot, `ed-00${slot}-${id}`);
const neighbour = () => worktreeOf(2, 'i-2');

interface Running extends Guard {
  dir: string;
  outputFile: string;
}
async function watched(slot: number, id: string): Promise<Running> {
  const dir = join(repo.scratch, `run-${id}`);
  await mkdir(dir, { recursive: true });
  const outputFile = join(dir, 'output.log');
  await writeFile(outputFile, '');
  const place = { repo: repo.root, worktree: worktreeOf(slot, id), branch: `ralph/${id}`, dir, outputFile };
  const watch = await guard({ ...place, idea: id, runId: repo.root, agentName: `ed-00${slot}` }, true);
  return { ...watch, dir, outputFile };
}
/** Runs `agent` in the worktree of i-1, and `others` beside it; what it says is its output. */
async function run(agent: string, others: () => Promise<unknown> = async () => undefined) {
  const watch = await watched(1, 'i-1');
  const env = { PATH: process.env.PATH, HOME: repo.scratch, ROOT: repo.root, OTHER: neighbour(), ...watch.env };
  const options = { cwd: worktreeOf(1, 'i-1'), env, extendEnv: false, all: true, reject: false } as const;
  const done = await execa('/bin/sh', ['-c', agent], options);
  await writeFile(watch.outputFile, `${done.all}\n`);
  await others();
  watch.ended();
  return { strayed: await watch.check(), noticed: await watch.notice(), dir: watch.dir };
}

describe('files of the checkout that just change', () => {
  it.each([
    ['an edit', 'echo x > "$ROOT/b.txt"', /b\.txt changed while i-1 \(ed-001\) ran/, '-bee'],
    ['a new file', 'echo secret-plan > "$ROOT/new file.txt"', /new file\.txt changed/, '+secret-plan'],
    [
      'a file that is gone and that git did not know',
      'rm "$ROOT/mine.txt"',
      /mine\.txt changed/,
      'mine.txt was deleted',
    ],
    ['a file that is gone', 'rm "$ROOT/a.txt"', /a\.txt changed/, 'deleted file'],
  ])('%s: a warning with the difference, and nothing stops', async (_, agent, told, shown) => {
    const { strayed, noticed, dir } = await run(agent);
    expect(strayed).toBeUndefined();
    expect(noticed).toMatch(told);
    expect(noticed).toContain(join(dir, 'checkout.diff'));
    expect(await readFile(join(dir, 'checkout.diff'), 'utf8')).toContain(shown);
  });

  it('is told once, by the first that ends, and names everybody who ran then', async () => {
    const [first, second] = [await watched(1, 'i-1'), await watched(2, 'i-2')];
    await put(repo.root, { 'b.txt': 'whose?\n' });
    for (const watch of [second, first]) watch.ended();
    // Clocks of file systems tick coarsely: only later is surely after it.
    const { ctimeMs } = await stat(join(repo.root, 'b.txt'));
    await until('a later moment', async () => Date.now() > ctimeMs + 30);
    const third = await watched(3, 'i-3');
    third.ended();
    expect(await second.check()).toBeUndefined();
    expect(await second.notice()).toMatch(/b\.txt changed while i-2 \(ed-002\), i-1 \(ed-001\) ran/);
    expect([await first.check(), await first.notice()]).toEqual([undefined, undefined]);
    expect([await third.check(), await third.notice()]).toEqual([undefined, undefined]);
  });

  it('what is certain is not told of again as a suspicion', async () => {
    const { strayed, noticed } = await run('echo x > "$ROOT/b.txt"; echo "edited $ROOT/b.txt"; echo y > "$ROOT/a.txt"');
    expect(strayed?.what).toEqual(['changed b.txt in your checkout']);
    expect(noticed).toMatch(/in your checkout a\.txt changed/);
  });

  it('says nothing of edits from before, ignored files and landings', async () => {
    await put(repo.root, { 'b.txt': 'mine, from before\n' });
    const { ctimeMs } = await stat(join(repo.root, 'b.txt'));
    await until('a later moment', async () => Date.now() > ctimeMs + 30);
    const { strayed, noticed } = await run('echo x > x.txt', async () => {
      await put(repo.root, { 'build.log': 'ignored\n' });
      const tip = await sh(repo.root, 'commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'x');
      await sh(repo.root, 'update-ref', '-m', 'ralphctl: land i-2', 'refs/heads/main', tip);
    });
    expect([strayed, noticed]).toEqual([undefined, undefined]);
  });
});

describe('the worktree of another idea', () => {
  it.each([
    ['deletes it, saying so', 'echo "rm -rf $OTHER"; rm -rf "$OTHER"', /deleted or broke the worktree of i-2/],
    [
      'deletes it by a relative path',
      'echo "rm -rf ../ed-002-i-2"; rm -rf ../ed-002-i-2',
      /deleted or broke the worktree of i-2/,
    ],
    ['removes it with git', 'git worktree remove --force "$OTHER"', /deleted or broke the worktree of i-2/],
    ['resets it', 'git -C "$OTHER" reset -q --hard', /ran git in the worktree of i-2: git -C .* reset/],
    [
      'commits in it',
      'cd "$OTHER" && git commit -q --allow-empty -m stray',
      /moved the branch ralph\/i-2|ran git in the worktree of i-2/,
    ],
    [
      'edits a file, saying its path',
      'echo x > "$OTHER/b.txt"; echo "sed -i s/bee/x/ $OTHER/b.txt"',
      /changed b\.txt in the worktree of i-2/,
    ],
    [
      'commits through its git directory',
      'git --git-dir="$ROOT/.git/worktrees/ed-002-i-2" commit -q --allow-empty -m stray',
      /moved the branch ralph\/i-2|ran git in the worktree of i-2/,
    ],
    [
      'commits from a folder below through its git directory, named by a variable and a relative path',
      'mkdir s && cd s && GIT_DIR=$(realpath --relative-to=. "$ROOT/.git/worktrees/ed-002-i-2") git commit -q --allow-empty -m stray',
      /moved the branch ralph\/i-2|ran git in the worktree of i-2/,
    ],
    [
      'commits through a .git file of its own that names its git directory',
      'mkdir s && cd s && echo "gitdir: $ROOT/.git/worktrees/ed-002-i-2" > .git && git commit -q --allow-empty -m stray',
      /moved the branch ralph\/i-2|ran git in the worktree of i-2/,
    ],
    [
      'moves its branch by name',
      'git commit -q --allow-empty -m x && git update-ref refs/heads/ralph/i-2 HEAD',
      /moved the branch ralph\/i-2/,
    ],
  ])('an agent that %s is caught', async (_, agent, what) => {
    const { strayed } = await run(agent);
    expect(strayed?.what.join('\n')).toMatch(what);
    expect(strayed?.question).toContain('look: ');
  });

  it('of an idea that began meanwhile counts, too', async () => {
    const watch = await watched(1, 'i-1');
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/i-4', worktreeOf(4, 'i-4'));
    const env = { ...process.env, ...watch.env };
    const commit = ['commit', '-q', '--allow-empty', '-m', 'stray'];
    await execa('git', [`--git-dir=${repo.root}/.git/worktrees/ed-004-i-4`, ...commit], {
      cwd: worktreeOf(1, 'i-1'),
      env,
    });
    watch.ended();
    expect((await watch.check())?.what.join('\n')).toMatch(/ran git in the worktree of i-4: git --git-dir=/);
  });

  it('the git directory of the checkout is the checkout, whatever the folder', async () => {
    const { strayed } = await run('git --git-dir="$ROOT/.git" commit -q --allow-empty -m stray');
    expect(strayed?.what).toEqual([expect.stringMatching(/^moved the branch main from .* \(commit: stray\)/)]);
  });

  it('reading there is no change', async () => {
    const read = await run('git --git-dir="$ROOT/.git" log -1; git -C "$OTHER" stash list; git -C "$OTHER" status');
    expect([read.strayed, read.noticed]).toEqual([undefined, undefined]);
  });

  it.each([
    ['is gone', () => rm(neighbour(), { recursive: true })],
    ['lost its link', () => rm(join(neighbour(), '.git'))],
    ['lost its registration', () => rm(join(repo.root, '.git/worktrees/ed-002-i-2'), { recursive: true })],
  ])('that %s, and nothing says by whom: a warning', async (_, others) => {
    const { strayed, noticed } = await run('echo hello', others);
    expect(strayed).toBeUndefined();
    expect(noticed).toMatch(/^the worktree of i-2 \(.*ed-002-i-2\) was deleted or broken while i-1 ran/);
  });

  it('that its own agent breaks: the others say nothing, for its own run tells it', async () => {
    const own = await watched(2, 'i-2');
    const { strayed, noticed } = await run('echo hello', async () => {
      own.ended();
      await rm(join(neighbour(), '.git'));
      await mkdir(join(neighbour(), '.git'));
    });
    expect([strayed, noticed]).toEqual([undefined, undefined]);
  });

  it('nothing is said of what ralphctl and the other idea do to it', async () => {
    const { strayed, noticed } = await run(`ls "$OTHER"; cat "$OTHER/b.txt"; echo "cat $OTHER/b.txt"`, async () => {
      await commitFiles(neighbour(), { 'b.txt': 'its own work\n' }, 'work');
      await sh(repo.root, 'worktree', 'remove', '--force', worktreeOf(3, 'i-3'));
      await sh(repo.root, 'worktree', 'move', neighbour(), worktreeOf(2, 'i-9'));
      await sh(repo.root, 'worktree', 'add', '-q', '--detach', worktreeOf(4, 'i-4'));
    });
    expect([strayed, noticed]).toEqual([undefined, undefined]);
  });

  it('a folder that is away for a moment is not broken', async () => {
    const away = join(repo.scratch, 'away');
    const watch = await watched(1, 'i-1');
    await rename(neighbour(), away);
    const checked = watch.check();
    setTimeout(() => void rename(away, neighbour()), 300);
    expect(await checked).toBeUndefined();
    expect(await watch.notice()).toBeUndefined();
  });
});

describe('runAgent', () => {
  it('warns of a file that changed in the checkout, lands nothing less for it, and names who else ran', async () => {
    const ideas = ['t-1', 't-2'].map((id) => idea(id));
    const b = await bench({
      ideas,
      agent: `cat > /dev/null; echo work >> "$RALPHCTL_IDEA.txt"
if [ "$RALPHCTL_IDEA" = t-2 ]; then touch "$MARKS/there"; while [ ! -e "$MARKS/go" ]; do sleep 0.1; done
else while [ ! -e "$MARKS/there" ]; do sleep 0.1; done; echo stray > ../../../../../repo/base.txt; fi
${say('COMPLETE')}`,
    });
    const at = await b.prepare('t-2', { agentName: 'ed-002' });
    const other = b.call(b.activities.runAgent, b.agentInput(at, { idea: 't-2', agentName: 'ed-002' }));
    await until('the other agent', async () =>
      readFile(join(b.marks, 'there')).then(
        () => true,
        () => false,
      ),
    );
    const result = await b.runAgent();
    expect(result).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' } });
    expect(result.strayed).toBeUndefined();
    expect(result.noticed).toMatch(/base\.txt changed while t-1 \(ed-001\), t-2 \(ed-002\) ran/);
    expect(await b.read(join(result.dir, 'checkout.diff'))).toContain('+stray');
    await writeFile(join(b.marks, 'go'), '');
    expect(await other.done).not.toHaveProperty('noticed', expect.anything());
  });
});
