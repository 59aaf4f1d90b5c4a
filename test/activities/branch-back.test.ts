/** A person deletes or renames the branch of an idea that waits for an answer. It goes on where it was. Features: C2 C3 C5. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { privateGitDir } from '../../src/git/worktrees/list.js';
import { eventsPath } from '../../src/run-files/events.js';
import { until } from '../support/program.js';
import { bench, say } from './bench.js';

const TIME = { timeout: 60_000 };

/** `t-1` has a commit and a question, and the target goes on. */
async function asking() {
  const b = await bench({ agent: `cat > /dev/null\necho work > work.txt\n${say('NEEDS_HUMAN: go on?')}` });
  const at = await b.prepare();
  expect(await b.runAgent()).toMatchObject({ signal: { kind: 'needs-human' }, commits: 1 });
  const tip = await b.git('rev-parse', 'ralph/t-1');
  await b.write({ 'other.txt': 'x' });
  await b.commit('main goes on');
  await b.setAgent(`cat > /dev/null\necho more > more.txt\n${say('COMPLETE')}`);
  const told = async (text: string): Promise<void> => {
    const has = async () => (await b.read(eventsPath(b.root, b.ref)).catch(() => '')).includes(text);
    expect(await until(`the event ${text}`, has)).toBe(true);
  };
  return { b, at, tip, told };
}

it('C3: the branch is deleted: it is back at its last commit, and the agent goes on', TIME, async () => {
  const { b, at, tip, told } = await asking();
  await b.git('update-ref', '-d', 'refs/heads/ralph/t-1');
  const result = await b.runAgent({ serial: 2, iteration: 2 });
  expect(result).toMatchObject({ signal: { kind: 'complete' }, commits: 1, changed: true });
  expect([result.strayed, result.noticed]).toEqual([undefined, undefined]);
  expect(await b.git('rev-parse', 'ralph/t-1~1')).toBe(tip);
  expect(await b.prepare()).toMatchObject({ worktree: at.worktree, base: at.base });
  await told(`its branch ralph/t-1 did not exist any more; ralphctl made ralph/t-1 again at ${tip.slice(0, 10)}`);
});

it('C3: the branch is renamed: it is made again, and the other one stays', TIME, async () => {
  const { b, at, tip, told } = await asking();
  await b.git('branch', '-m', 'ralph/t-1', 'renamed');
  const result = await b.runAgent({ serial: 2, iteration: 2 });
  expect(result).toMatchObject({ signal: { kind: 'complete' }, commits: 1, changed: true });
  expect([result.strayed, result.noticed]).toEqual([undefined, undefined]);
  expect([await b.git('rev-parse', 'ralph/t-1~1'), await b.git('rev-parse', 'renamed')]).toEqual([tip, tip]);
  expect(await b.prepare()).toMatchObject({ worktree: at.worktree, base: at.base });
  await told('its worktree was on renamed, which stays as it is');
});

it('C5: a commit that a person made on the renamed branch goes along, with a warning', TIME, async () => {
  const { b, at } = await asking();
  await b.git('branch', '-m', 'ralph/t-1', 'renamed');
  await b.gitIn(at.worktree, 'commit', '-q', '--allow-empty', '-m', 'fixed');
  const result = await b.runAgent({ serial: 2, iteration: 2 });
  expect(result.strayed).toBeUndefined();
  expect(result.noticed).toMatch(/^ralph\/t-1 moved from .* in its worktree before t-1 went on/);
  expect(await b.git('log', '--format=%s', 'ralph/t-1')).toContain('fixed');
});

it('C3: no reflog has its commits: it begins where it was made, with its files', TIME, async () => {
  const { b, at, told } = await asking();
  await b.git('update-ref', '-d', 'refs/heads/ralph/t-1');
  await rm(join((await privateGitDir(at.worktree)) ?? '', 'logs'), { recursive: true });
  const result = await b.runAgent({ serial: 2, iteration: 2 });
  expect(result).toMatchObject({ signal: { kind: 'complete' }, changed: true });
  expect(result.strayed).toBeUndefined();
  expect(await b.git('diff', '--name-only', at.base, 'ralph/t-1')).toBe('more.txt\nwork.txt');
  await told('because its commits are lost; the files of its worktree are as they were');
});
