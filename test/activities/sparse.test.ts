/** A sparse checkout: ideas work and land outside its cone, and the checkout keeps its cone. Real git. Features: C1 D1 F1. */
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { roadmap, until } from '../support/program.js';
import { shell } from '../unit/git/repo.js';
import { type Bench, bench, say } from './bench.js';

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

describe('F1: the patterns of the checkout, changed while an agent runs', () => {
  async function coned(script: string): Promise<Bench> {
    const b = await bench({ files });
    await b.git('sparse-checkout', 'set', '--no-cone', '/*', '!/d2/');
    await b.setAgent(
      `cat > /dev/null; FILE='${b.repo}/.git/info/sparse-checkout'; ${script}; echo work > work.txt; ${say('COMPLETE')}`,
    );
    return b;
  }
  const patterns = (b: Bench): Promise<string> => b.read(join(b.repo, '.git/info/sparse-checkout'));
  const WRITE = `printf '/*\\n!/d1/\\n' > "$FILE"`;

  it('by a plain write without a trace: a warning names it, and its command undoes it', async () => {
    const b = await coned(WRITE);
    const before = await patterns(b);
    const result = await b.runAgent();
    expect(await patterns(b)).toBe('/*\n!/d1/\n');
    expect(result.strayed).toBeUndefined();
    expect(result.noticed).toMatch(/^while t-1 \(ed-001\) ran, the patterns of your sparse checkout changed /);
    const [, undo = ''] = /\n(cp .*)\n$/.exec(await b.read(join(result.dir, 'outside.txt'))) ?? [];
    expect(result.noticed).toContain(`(undo: ${undo})`);
    expect(await shell(b.repo, undo)).toMatchObject({ code: 0 });
    expect(await patterns(b)).toBe(before);
    expect(await b.git('status', '--porcelain')).toBe('');
    expect((await execa('ls', [b.repo])).stdout.split('\n')).toEqual(['d1', 'roadmap.md', 'top.txt']);
  });

  it('a long pattern file comes back whole: the command copies what ralphctl kept', async () => {
    const b = await coned(WRITE);
    const before = `/*\n!/d2/\n${Array.from({ length: 80 }, (_, at) => `!/folder-${at}/it's "äö"/`).join('\n')}\n`;
    await b.write({ '.git/info/sparse-checkout': before });
    const result = await b.runAgent();
    const [, undo = ''] = /\(undo: (.*?)\)/.exec(result.noticed ?? '') ?? [];
    expect(await shell(b.repo, undo)).toMatchObject({ code: 0 });
    expect(await patterns(b)).toBe(before);
  });

  it('by an agent whose output shows the write: its idea stops and asks', async () => {
    const b = await coned(`echo "printf x > $FILE"; ${WRITE}`);
    const result = await b.runAgent();
    expect(result.strayed?.what.join()).toContain('changed .git/info/sparse-checkout');
    expect(result.strayed?.question).toMatch(
      /^take back: cp '?[^ ]*\/wall\/kept\/sparse-checkout-[^ ]+ [^ ]*\/info\/sparse-checkout'? && git -C [^ ]+ sparse-checkout reapply$/m,
    );
    expect(result.noticed ?? '').not.toContain('sparse checkout changed');
  });

  it('by a person with git: nobody stops, and the landing keeps to the new ones', async () => {
    const b = await coned('touch "$MARKS/began"; until [ -e "$MARKS/go" ]; do sleep 0.05; done; echo x > d2/new.txt');
    const at = await b.prepare();
    const running = b.call(b.activities.runAgent, b.agentInput(at)).done;
    await until('the agent', () =>
      b.read(join(b.marks, 'began')).then(
        () => true,
        () => false,
      ),
    );
    await b.git('sparse-checkout', 'set', '--no-cone', '/*', '!/d1/');
    const mine = await patterns(b);
    await b.write({ go: '' }, b.marks);
    const { strayed, noticed, head } = await running;
    expect(strayed).toBeUndefined();
    expect(noticed).toContain('the patterns of your sparse checkout changed');
    const { worktree, branch, base } = at;
    const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    const landed = await b.call(b.activities.landIdea, { ...names, worktree, branch, base, head }).done;
    expect(landed).toMatchObject({ kind: 'landed' });
    expect(await patterns(b)).toBe(mine);
    expect(await b.read(`${b.repo}/d2/new.txt`)).toBe('x\n');
    expect((await execa('ls', [b.repo])).stdout.split('\n')).not.toContain('d1');
    expect(await b.git('status', '--porcelain')).toBe('');
  });
});
