/**
 * Confinement: what an agent does outside its worktree stops its idea; what anybody else does there does not. Real git,
 * real agents as shell scripts. Features: C5 (a person is asked), field pain E.
 */
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guard } from '../../src/jobs/confine/guard.js';
import type { OutOfBoundsRun } from '../../src/protocol/agent-run.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../unit/git/repo.js';
import { bench, say } from './bench.js';

let repo: TestRepo;
let worktree: string;
let dir: string;
const RUN = { runId: '20260101-000000-aaaa', agentName: 'ed-001' };
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n', 'b.txt': 'bee\n', '.gitignore': '*.log\n' });
  worktree = join(repo.worktreesRoot, 'ed-001-i-1');
  dir = join(repo.scratch, 'run');
  await mkdir(dir);
  await mkdir(repo.worktreesRoot);
  await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/i-1', worktree);
  await sh(repo.root, 'branch', 'feature');
  await sh(repo.root, 'tag', 'v1');
  await put(repo.root, { 'c.txt': 'c\n' });
  await sh(repo.root, 'stash', '-q', '-u');
});
afterEach(() => repo.remove());

/** Runs `agent` in the worktree as an agent runs, and `others` beside it as everybody else does. */
async function run(
  agent: string,
  others: () => Promise<unknown> = async () => undefined,
): Promise<OutOfBoundsRun | undefined> {
  const outputFile = join(dir, 'output.log');
  const watch = await guard(
    { repo: repo.root, worktree, branch: 'ralph/i-1', idea: 'i-1', ...RUN, dir, outputFile },
    true,
  );
  const env = { PATH: process.env.PATH, HOME: repo.scratch, ROOT: repo.root, ...watch.env };
  const done = await execa('/bin/sh', ['-c', agent], {
    cwd: worktree,
    env,
    extendEnv: false,
    all: true,
    reject: false,
  });
  await appendFile(outputFile, `${done.all}\n`);
  await others();
  return watch.check();
}
const tip = (ref: string) => sh(repo.root, 'rev-parse', ref);

describe('an agent that leaves its worktree is caught', () => {
  it.each([
    [
      'commits on the target, in the checkout',
      'cd "$ROOT" && echo x > a.txt && git commit -qam stray',
      /moved the branch main/,
    ],
    [
      'moves another branch by name',
      'git commit -q --allow-empty -m x && git branch -qf feature',
      /moved the branch feature/,
    ],
    [
      'moves it with update-ref',
      'git commit -q --allow-empty -m x && git update-ref refs/heads/feature HEAD',
      /moved the branch feature/,
    ],
    ['pushes onto it', 'git commit -q --allow-empty -m x && git push -q . HEAD:feature', /moved the branch feature/],
    [
      'commits on it after a switch',
      'git switch -q feature && git commit -q --allow-empty -m stray && git switch -q ralph/i-1',
      /moved the branch feature.*stray/,
    ],
    [
      'moves the target with a git that leaves no trace',
      'git commit -q --allow-empty -m x && env -u GIT_TRACE2_EVENT git update-ref -m "ralphctl: land x" refs/heads/main HEAD',
      /moved the branch main/,
    ],
    [
      'moves it by writing its file',
      'git rev-parse "$(git commit-tree -m y HEAD^{tree})" > "$ROOT/.git/refs/heads/main"',
      /moved main from .* by writing its file/,
    ],
    ['deletes it', 'git branch -qD feature', /deleted feature/],
    ['moves a tag', 'git commit -q --allow-empty -m x && git tag -f v1', /moved v1/],
    ['switches the checkout', 'git -C "$ROOT" switch -q feature', /switched your checkout from main to feature/],
    ['stages in the checkout', 'git -C "$ROOT" rm -q --cached b.txt', /ran git in your checkout: git -C .* rm/],
    ['leaves a stash', 'echo x > a.txt && git stash -q', /left a stash/],
    ['drops a stash of the user', 'git stash drop -q', /took a stash of yours away/],
    [
      'pops a stash of the user, having had nothing to stash',
      'git stash -q; git stash pop -q',
      /took a stash of yours away/,
    ],
    ['changes the configuration', 'git config user.email agent@example.org', /changed the configuration.*user.email/],
    ['turns hooks off for everybody', 'git config core.hooksPath /dev/null', /changed the configuration.*hooksPath/],
    [
      'edits a file, saying its path',
      'echo x > "$ROOT/b.txt"; echo "edited $ROOT/b.txt"',
      /changed b.txt in your checkout/,
    ],
    [
      'adds a file, saying the folder',
      'echo "cd $ROOT && echo x > new.txt"; cd "$ROOT" && echo x > new.txt',
      /changed new.txt/,
    ],
    ['removes a file', 'echo "rm $ROOT/b.txt"; rm "$ROOT/b.txt"', /changed b.txt/],
  ])('%s', async (_, agent, what) => {
    const strayed = await run(agent);
    expect(strayed?.what.join('\n')).toMatch(what);
    expect(strayed?.question).toContain(strayed?.report);
    expect(await readFile(strayed?.report ?? '', 'utf8')).toMatch(what);
    expect(strayed?.question.length).toBeLessThanOrEqual(1500);
  });

  it('what it says takes it back, takes it back', async () => {
    const before = {
      main: await tip('main'),
      feature: await tip('feature'),
      config: await sh(repo.root, 'config', '-l'),
      stash: await tip('stash'),
    };
    const strayed = await run(
      [
        '(cd "$ROOT" && echo x > a.txt && git commit -qam stray)',
        'git commit -q --allow-empty -m x && git branch -qf feature',
        'git config user.email agent@example.org',
        'git stash drop -q',
      ].join('\n'),
    );
    const undo = [...(strayed?.question ?? '').matchAll(/^take back: (.+)$/gm)].map((found) => found[1] ?? '');
    expect(undo).toHaveLength(4);
    for (const line of undo) await execa('/bin/sh', ['-c', line], { cwd: '/' });
    expect(await tip('main')).toBe(before.main);
    expect(await tip('feature')).toBe(before.feature);
    expect(await sh(repo.root, 'config', '-l')).toBe(before.config);
    expect(await tip('stash')).toBe(before.stash);
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
  });

  it('also when the user works there at the same time: only what the agent did is named', async () => {
    const strayed = await run('git commit -q --allow-empty -m x && git branch -qf feature', async () => {
      await commitFiles(repo.root, { 'b.txt': 'mine\n' }, 'mine');
      await put(repo.root, { 'a.txt': 'my edit\n' });
    });
    expect(strayed?.what).toEqual([expect.stringMatching(/^moved the branch feature/)]);
  });

  it('by an attempt that was cut off, once the next one has run', async () => {
    const outputFile = join(dir, 'output.log');
    const watch = await guard(
      { repo: repo.root, worktree, branch: 'ralph/i-1', idea: 'i-1', ...RUN, dir, outputFile },
      true,
    );
    const env = { PATH: process.env.PATH, ...watch.env };
    await execa('git', ['branch', '-f', 'feature', 'HEAD~0'], { cwd: worktree, env, extendEnv: false });
    await execa('git', ['-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-q', '--allow-empty', '-m', 'x'], {
      cwd: worktree,
      env,
      extendEnv: false,
    });
    await execa('git', ['branch', '-f', 'feature'], { cwd: worktree, env, extendEnv: false });
    expect((await run('true'))?.what).toEqual([expect.stringMatching(/^moved the branch feature/)]);
  });
});

/** JSON as agent CLIs print it. */
const claude = (name: string, input: object): string =>
  JSON.stringify({ type: 'assistant', message: { content: [{ type: 'tool_use', name, input }] } });
const echo = (line: string): string => `printf '%s\\n' '${line.replaceAll("'", "'\\''")}'`;

describe('tool calls in the output of an agent', () => {
  it('writing a file of the checkout counts, reading it does not, whoever changed it', async () => {
    const path = join(repo.root, 'b.txt');
    const change = () => put(repo.root, { 'b.txt': 'changed\n' });
    expect(await run(echo(claude('Read', { file_path: path })), change)).toBeUndefined();
    const shown = JSON.stringify({
      type: 'user',
      message: { content: [{ type: 'tool_result', content: `${path}: bee` }] },
    });
    expect(await run(echo(shown), change)).toBeUndefined();
    expect((await run(echo(claude('Edit', { file_path: path, old_string: 'a' })), change))?.what).toEqual([
      'changed b.txt in your checkout',
    ]);
  });

  it('a shell command counts for the files that it names', async () => {
    const command = `cd '${repo.root}' && sed -i s/bee/x/ b.txt`;
    const strayed = await run(echo(claude('Bash', { command })), () =>
      put(repo.root, { 'a.txt': 'mine\n', 'b.txt': 'x\n' }),
    );
    expect(strayed?.what).toEqual(['changed b.txt in your checkout']);
  });
});

describe('nobody is held up by', () => {
  it.each([
    ['commits of the user on the target', () => commitFiles(repo.root, { 'b.txt': 'mine\n' }, 'mine')],
    ['edits of the user', () => put(repo.root, { 'b.txt': 'mine\n', 'fresh.txt': 'f\n' })],
    [
      'a switch, a new branch and a rebase of the user',
      async () => {
        await commitFiles(repo.root, { 'b.txt': 'mine\n' }, 'mine');
        await sh(repo.root, 'switch', '-q', '-c', 'topic', 'feature');
        await sh(repo.root, 'rebase', '-q', 'main');
        await sh(repo.root, 'branch', '-D', 'feature');
      },
    ],
    [
      'tags, stashes and settings of the user',
      async () => {
        await sh(repo.root, 'tag', '-d', 'v1');
        await sh(repo.root, 'stash', 'drop', '-q');
        await sh(repo.root, 'config', 'alias.x', 'status');
      },
    ],
    [
      'a fetch of the user',
      async () => {
        const other = join(repo.scratch, 'other');
        await sh(repo.scratch, 'clone', '-q', repo.root, other);
        await commitFiles(other, { 'b.txt': 'theirs\n' }, 'theirs').catch(() => undefined);
        await sh(repo.root, 'remote', 'add', 'other', other);
        await sh(repo.root, 'fetch', '-q', 'other');
        await sh(repo.root, 'fetch', '-q', 'other', 'main:feature');
      },
    ],
    [
      'landings of other ideas',
      async () => {
        await sh(
          repo.root,
          'update-ref',
          '-m',
          'ralphctl: land i-2',
          'refs/heads/feature',
          await sh(repo.root, 'commit-tree', 'HEAD^{tree}', '-p', 'HEAD', '-m', 'x'),
        );
        await sh(repo.root, 'branch', 'ralph/i-3');
        await sh(repo.root, 'update-ref', 'refs/ralphctl/save/i-3/1', 'HEAD');
        await sh(repo.root, 'worktree', 'add', '-q', join(repo.worktreesRoot, 'ed-002-i-3'), 'ralph/i-3');
      },
    ],
  ])('%s, while an agent works with git', async (_, others) => {
    const agent = [
      'echo work > a.txt && git add . && git commit -qm work',
      'git stash list; git status; git log --oneline main; git diff main',
      'echo x > b.txt && git stash -q && git stash pop -q',
      'git merge -q main; git rebase -q main',
      'git switch -q -c try && git commit -q --allow-empty -m try && git switch -q ralph/i-1 && git merge -q try',
      'git config user.name; git config --list',
      `cat "$ROOT/b.txt" > /dev/null; ls`,
      'd=$(mktemp -d) && cd $d && git init -q && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git branch -qf main && git config user.email z',
    ].join('\n');
    expect(await run(agent, others)).toBeUndefined();
  });

  it('a merge of what the user committed meanwhile, in the same second', async () => {
    const outputFile = join(dir, 'output.log');
    const watch = await guard(
      { repo: repo.root, worktree, branch: 'ralph/i-1', idea: 'i-1', ...RUN, dir, outputFile },
      true,
    );
    await writeFile(outputFile, '');
    await commitFiles(repo.root, { 'b.txt': 'mine\n' }, 'mine');
    const env = { PATH: process.env.PATH, ...watch.env };
    await execa('git', ['merge', '-q', '--ff-only', 'main'], { cwd: worktree, env, extendEnv: false });
    expect(await watch.check()).toBeUndefined();
  });

  it('leaves nothing behind, and starts no process, when nothing happened', async () => {
    expect(await run('echo hello')).toBeUndefined();
    expect(await readdir(dir)).toEqual(['output.log']);
  });
});

describe('the file that ralphctl writes for a tracker', () => {
  it("is nobody's change; a file beside it is", async () => {
    const ownFile = join(repo.root, 'data', 'reports.ralphctl.jsonl');
    const input = { repo: repo.root, worktree, branch: 'ralph/i-1', idea: 'i-1', ...RUN, dir, ownFile };
    const watch = await guard({ ...input, outputFile: join(dir, 'output.log') }, true);
    await put(repo.root, { 'data/reports.ralphctl.jsonl': 'x\n' });
    expect(await watch.check()).toBeUndefined();
    expect(await watch.notice()).toBeUndefined();
    await put(repo.root, { 'data/reports.ralphctl.jsonl': 'x\ny\n', 'reports.ralphctl.jsonl': 'z\n' });
    expect(await watch.notice()).toContain('in your checkout reports.ralphctl.jsonl changed');
  });
});

describe('runAgent', () => {
  it('says what strayed, and the idea is not lost', async () => {
    const b = await bench({
      agent: `echo work > work.txt\ngit config user.email agent@example.org\n${say('COMPLETE')}`,
    });
    const result = await b.runAgent();
    expect(result).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' }, commits: 1, changed: true });
    expect(result.strayed?.question).toContain('changed the configuration of your repository: git config user.email');
    expect(await b.read(join(result.dir, 'config.before'))).toContain('test@localhost');
  });

  it('confinement: off looks at nothing', async () => {
    const b = await bench({
      agent: `git config user.email agent@example.org\n${say('COMPLETE')}`,
      config: { confinement: 'off' },
    });
    expect(await b.runAgent()).not.toHaveProperty('strayed', expect.anything());
  });
});
