/** Where an agent run works, and how it is brought back when the agent leaves that place. Features: B11 D1. */
import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { worktreesDir } from '../../src/config/paths.js';
import { FAILURE } from '../../src/protocol/failures.js';
import { bench, say } from './bench.js';

const COMMIT = 'git add -A && git commit -q -m';

describe('an agent that leaves its branch', () => {
  it('checks another branch out and works there: the work comes onto the branch of the idea', async () => {
    const b = await bench({
      agent: `git switch -q -c side && echo a > a.txt && ${COMMIT} "on the side" && echo b > b.txt\n${say('COMPLETE')}`,
    });
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result).toMatchObject({ signal: { kind: 'complete' }, commits: 2, changed: true });
    expect(result.repaired).toEqual(['moved ralph/t-1 to the tip of branch side']);
    expect(await b.gitIn(at.worktree, 'symbolic-ref', '--short', 'HEAD')).toBe('ralph/t-1');
    expect(await b.git('show', 'ralph/t-1:a.txt')).toBe('a');
    expect(await b.git('show', 'ralph/t-1:b.txt')).toBe('b');
    expect(result.head).toBe(await b.git('rev-parse', 'ralph/t-1'));
  });

  it('detaches HEAD and commits: the commits come onto the branch', async () => {
    const b = await bench({
      agent: `git checkout -q --detach && echo a > a.txt && ${COMMIT} detached\n${say('PROGRESS:50')}`,
    });
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result).toMatchObject({ commits: 1, changed: true });
    expect(await b.gitIn(at.worktree, 'symbolic-ref', '--short', 'HEAD')).toBe('ralph/t-1');
    expect(await b.git('log', '-1', '--format=%s', 'ralph/t-1')).toContain('detached');
  });

  it('leaves a rebase open: it is ended, the branch is as before and its state is saved', async () => {
    const b = await bench({
      agent: `echo mine > base.txt && ${COMMIT} mine
git switch -q -c other HEAD~1 && echo other > base.txt && ${COMMIT} other && git switch -q ralph/t-1
git rebase -q other; echo notes > notes.txt
${say('PROGRESS:50')}`,
    });
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result.outcome).toEqual({ kind: 'ok' });
    expect(await b.gitIn(at.worktree, 'symbolic-ref', '--short', 'HEAD')).toBe('ralph/t-1');
    expect(await b.gitIn(at.worktree, 'status')).not.toMatch(/rebase/);
    expect(await b.git('show', 'ralph/t-1:base.txt')).toBe('mine');
    expect(await b.git('show', 'refs/ralphctl/save/t-1/1:notes.txt')).toBe('notes');
  });

  it.each(['--assume-unchanged', '--skip-worktree'])('edits of files that it marked with %s count', async (flag) => {
    const hides = `git update-index ${flag} base.txt && echo hidden > base.txt; test -z "$(git status --porcelain)"`;
    const b = await bench({ agent: `${hides} || exit 9\n${say('COMPLETE')}` });
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result).toMatchObject({ outcome: { kind: 'ok' }, commits: 1, changed: true });
    expect(await b.git('show', 'ralph/t-1:base.txt')).toBe('hidden');
  });

  it('never touches the checkout of the user, wherever the agent goes', async () => {
    const b = await bench({ agent: `git switch -q -c side; echo a > a.txt; ${COMMIT} x\n${say('COMPLETE')}` });
    const before = await b.git('rev-parse', 'HEAD');
    await b.runAgent();
    expect(await b.git('rev-parse', 'HEAD')).toBe(before);
    expect(await b.git('symbolic-ref', '--short', 'HEAD')).toBe('main');
    expect(await b.git('status', '--porcelain')).toBe('');
  });

  it.each(['index.lock', 'HEAD.lock', 'refs/heads/ralph/t-1.lock'])(
    'is killed in the middle of a git command: %s, which it leaves, stops nobody',
    async (lock) => {
      const b = await bench({
        agent: `echo a > a.txt; touch "$(git rev-parse --git-path ${lock})"\n${say('PROGRESS:50')}`,
      });
      const at = await b.prepare();
      const first = await b.call(b.activities.runAgent, b.agentInput(at)).done;
      expect(first).toMatchObject({ commits: 1, changed: true });
      const gitDir = await b.gitIn(at.worktree, 'rev-parse', '--absolute-git-dir');
      await b.write({ [lock]: '' }, lock.startsWith('refs/') ? join(b.repo, '.git') : gitDir);
      await b.setAgent(`echo b > b.txt && ${COMMIT} by-hand || exit 1\n${say('COMPLETE')}`);
      const second = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2 })).done;
      expect(second).toMatchObject({ outcome: { kind: 'ok' }, commits: 1, signal: { kind: 'complete' } });
    },
  );
});

describe('a worktree that is not ours', () => {
  const refusal = { type: FAILURE.repository, nonRetryable: true };

  it('is refused: the checkout itself, a folder outside, and a link that leads outside', async () => {
    const b = await bench({ agent: `touch "$MARKS/ran"\n${say('COMPLETE')}` });
    const at = await b.prepare();
    const link = join(worktreesDir(b.root, b.project), 'link');
    await symlink(b.repo, link);
    const outside = `${worktreesDir(b.root, b.project)}-other`;
    await mkdir(outside);
    for (const worktree of [b.repo, b.base, link, outside, `${at.worktree}/../..`]) {
      const call = b.call(b.activities.runAgent, b.agentInput(at, { worktree }));
      await expect(call.done, worktree).rejects.toMatchObject(refusal);
    }
    expect(existsSync(join(b.marks, 'ran'))).toBe(false);
  });
});

describe('a run that does not exist', () => {
  it('is refused by name, before anything is touched', async () => {
    const b = await bench();
    const at = await b.prepare();
    const bad = { type: FAILURE.badInput, nonRetryable: true };
    for (const more of [{ project: '../x' }, { runId: 'a/b' }, { idea: '../../t-1' }, { idea: 'none' }]) {
      await expect(b.call(b.activities.runAgent, b.agentInput(at, more)).done).rejects.toMatchObject(bad);
    }
    const missing = b.call(b.activities.runAgent, b.agentInput(at, { runId: '20260102-000000-aaaa' })).done;
    await expect(missing).rejects.toMatchObject({ type: FAILURE.runFilesMissing, nonRetryable: true });
    await expect(missing).rejects.toThrow(/testhost/);
  });
});
