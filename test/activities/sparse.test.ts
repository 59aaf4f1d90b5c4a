/** A sparse checkout: ideas work and land outside its cone, and the checkout keeps its cone. Real git. Features: C1 D1. */
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { roadmap } from '../support/program.js';
import { bench, say } from './bench.js';

const files = { 'd1/a.txt': 'a\n', 'd2/b.txt': 'b\n', 'top.txt': 't\n', 'roadmap.md': roadmap([{ id: 't-1' }]) };

it.each([
  ['in cone mode with a sparse index', ['--cone', '--sparse-index', 'd1']],
  ['by patterns', ['--no-cone', '/*', '!/d2/']],
])('%s: worktrees have the whole tree, and the landing keeps to the cone', async (_, cone) => {
  const b = await bench({
    files,
    config: { gate: ['grep -q new d2/t-1.txt', 'grep -q more d2/b.txt'] },
    agent: `cat > /dev/null; echo new > d2/t-1.txt; echo more >> d2/b.txt; echo here > d1/t-1.txt; ${say('COMPLETE')}`,
  });
  await b.git('sparse-checkout', 'set', ...cone);
  const patterns = await b.git('sparse-checkout', 'list');
  const at = await b.prepare();
  expect(await b.read(`${at.worktree}/d2/b.txt`)).toBe('b\n');
  const done = await b.call(b.activities.runAgent, b.agentInput(at)).done;
  expect(done).toMatchObject({ outcome: { kind: 'ok' }, commits: 1 });
  const { worktree, branch, base } = at;
  const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
  const landed = await b.call(b.activities.landIdea, { ...names, worktree, branch, base, head: done.head }).done;
  expect(landed).toMatchObject({ kind: 'landed' });
  expect(await b.git('show', 'main:d2/t-1.txt')).toBe('new');
  expect(await b.git('status', '--porcelain')).toBe('');
  expect(await b.read(`${b.repo}/d1/t-1.txt`)).toBe('here\n');
  expect((await execa('ls', [b.repo])).stdout.split('\n')).not.toContain('d2');
  expect(await b.git('sparse-checkout', 'list')).toBe(patterns);
});

it('a worktree from before that is sparse becomes whole, and keeps its edits', async () => {
  const b = await bench({ files });
  await b.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'd1');
  const at = await b.prepare();
  await b.gitIn(at.worktree, 'sparse-checkout', 'set', '--cone', 'd1');
  await b.write({ 'd1/a.txt': 'edited\n', 'd2/mine.txt': 'mine\n' }, at.worktree);
  expect((await b.prepare()).origin).toBe('adopted');
  expect(await b.read(`${at.worktree}/d2/b.txt`)).toBe('b\n');
  expect(await b.read(`${at.worktree}/d1/a.txt`)).toBe('edited\n');
  expect(await b.read(`${at.worktree}/d2/mine.txt`)).toBe('mine\n');
});
