/** Pipes that an agent leaves in its worktree: no iteration waits for ever, and no idea fails. Features: B11 C5 C6. */
import { existsSync } from 'node:fs';
import { lstat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GIT_LIMITS } from '../../src/git/watched.js';
import { until } from '../support/program.js';
import { shell } from '../unit/git/repo.js';
import { bench, idea, say } from './bench.js';

const usual = { ...GIT_LIMITS };
beforeEach(() => {
  GIT_LIMITS.firstLook = 300;
});
afterEach(() => void Object.assign(GIT_LIMITS, usual));

const HIDDEN = 'mkdir sub; mkfifo sub/.gitignore; echo y > sub/y';

it('an ignore file that is a pipe: the claim is turned down with the reason, and the work is there', async () => {
  const b = await bench({ agent: `${HIDDEN}\n${say('COMPLETE')}` });
  const at = await b.prepare();
  const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
  expect(result).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' }, changed: true });
  expect(result.unfinished).toContain('sub/.gitignore');
  expect(result.warnings?.join()).toContain('sub/.gitignore');
  expect(await b.git('show', 'ralph/t-1:sub/y')).toBe('y');
  expect(existsSync(join(at.worktree, 'sub/.gitignore'))).toBe(false);
});

it('a tracked file that is a pipe is restored, and the next prompt says so', async () => {
  const b = await bench({ agent: `rm base.txt; mkfifo base.txt; echo w > w.txt\n${say('COMPLETE')}` });
  const at = await b.prepare();
  const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
  expect(result.unfinished).toContain('base.txt');
  expect(await b.gitIn(at.worktree, 'status', '--porcelain')).toBe('');
  expect(await b.git('diff', '--name-only', 'main', 'ralph/t-1')).toBe('w.txt');
});

it('an idea of one agent run does not fail for it: its gate judges', async () => {
  const agent = `rm base.txt; mkfifo base.txt; echo w > w.txt\n${say('COMPLETE')}`;
  const b = await bench({ agent, ideas: [idea('t-1', { ralph: false })] });
  const at = await b.prepare();
  const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
  expect(result.unfinished).toBeUndefined();
  expect(result.warnings?.join()).toContain('base.txt');
});

it('an agent that is cancelled after it made one: its work is saved and the call ends', async () => {
  const b = await bench({ agent: `${HIDDEN}; : > "$MARKS/made"; exec sleep 600` });
  const at = await b.prepare();
  const call = b.call(b.activities.runAgent, b.agentInput(at));
  call.done.catch(() => undefined);
  await until('the agent to make it', async () => existsSync(join(b.marks, 'made')));
  await writeFile(join(at.worktree, 'more.txt'), 'more\n');
  call.env.cancel('CANCELLED');
  await expect(call.done).rejects.toThrow();
  expect(await b.git('show', 'refs/ralphctl/save/t-1/1:sub/y')).toBe('y');
});

describe('C5: an agent that puts one in place of loose objects: its run ends, it is told, and no git waits', () => {
  const pipe = (object: string) =>
    `o=$(git rev-parse ${object}); p="$GITDIR/objects/$(echo $o | cut -c1-2)/$(echo $o | cut -c3-)"; rm -f "$p"; mkfifo "$p"`;

  async function replaced(work: string) {
    const b = await bench({ files: { 'base.txt': 'base\n', 'other.txt': 'other\n' } });
    await b.setAgent(
      `cat > /dev/null; GITDIR='${b.repo}/.git'; ${pipe('HEAD:other.txt')}; ${work}\n${say('COMPLETE')}`,
    );
    const blob = await b.git('rev-parse', 'HEAD:other.txt');
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    const name = `.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`;
    const told = result.strayed?.what.join() ?? '';
    expect(told).toContain(`put a named pipe at ${name}; ralphctl removed it`);
    return { b, blob, result, told, path: join(b.repo, name) };
  }

  it('the lost object is named with the command that makes it again', async () => {
    const { b, blob, result, told, path } = await replaced(':');
    expect(existsSync(path)).toBe(false);
    expect(told).toContain(`the object ${blob} that was there was lost`);
    expect(told).toContain('other.txt has its content');
    const [, back = ''] = /^take back: (git .* hash-object -w .*)$/m.exec(result.strayed?.question ?? '') ?? [];
    expect(await shell(b.repo, back)).toMatchObject({ code: 0 });
    expect(await b.git('cat-file', '-p', blob)).toBe('other');
  });

  it('the commit of its work makes the object again from the file of the worktree', async () => {
    const { b, blob, path } = await replaced('echo w > w.txt');
    expect((await lstat(path)).isFile()).toBe(true);
    expect(await b.git('show', 'ralph/t-1:w.txt')).toBe('w');
    expect(await b.git('cat-file', '-p', blob)).toBe('other');
  });
});
