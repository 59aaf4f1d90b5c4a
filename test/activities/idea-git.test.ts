/** Rollback, stash, undo and clean-up as activities: run by run, with the tick, and alone in the worktree. Features: B4 C2. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findByToken } from '../../src/process/tokens.js';
import { hasMark } from '../../src/run-files/attempts.js';
import { roadmap, until } from '../support/program.js';
import { bench, say } from './bench.js';

const tasks = roadmap([{ id: 't-1' }, { id: 't-2' }]);
const agent = `echo work > work.txt\n${say('COMPLETE')}`;

describe('C2 undoIdea', () => {
  it('takes the landed work and its tick off the target, gated, and the idea can be done again', async () => {
    const b = await bench({
      files: { 'base.txt': 'base\n', 'roadmap.md': tasks },
      agent,
      config: { gate: ['grep -q base base.txt'] },
    });
    const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    const once = async (serial: number) => {
      const { worktree, branch, base } = await b.prepare();
      const input = b.agentInput({ worktree, branch, base, origin: 'created', limits: {} as never }, { serial });
      const { head } = await b.call(b.activities.runAgent, input).done;
      return b.call(b.activities.landIdea, { ...names, worktree, branch, base, head }).done;
    };
    expect(await once(1)).toMatchObject({ kind: 'landed' });
    const undone = await b.call(b.activities.undoIdea, names).done;
    expect(undone).toMatchObject({ kind: 'undone', commits: 1, commit: await b.git('rev-parse', 'main') });
    expect(await b.git('show', 'main:roadmap.md')).toBe(tasks.trimEnd());
    expect(await b.git('ls-tree', '--name-only', 'main')).not.toContain('work.txt');
    expect(await b.git('status', '--porcelain')).toBe('');
    expect((await b.call(b.activities.openRun, b.ref).done).landed).toEqual([]);
    expect(await once(2)).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await b.git('show', 'main:roadmap.md')).toContain('- [x] **t-1**');
  });

  it('takes the tick out of a backlog that git does not track', async () => {
    const b = await bench({ files: { 'base.txt': 'base\n', '.gitignore': 'roadmap.md\n' }, agent });
    await b.write({ 'roadmap.md': tasks });
    const { worktree, branch, base } = await b.prepare();
    const { head } = await b.runAgent();
    const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    await b.call(b.activities.landIdea, { ...names, worktree, branch, base, head }).done;
    expect(await readFile(join(b.repo, 'roadmap.md'), 'utf8')).toContain('- [x] **t-1**');
    expect(await b.call(b.activities.undoIdea, names).done).toMatchObject({ kind: 'undone' });
    expect(await readFile(join(b.repo, 'roadmap.md'), 'utf8')).toBe(tasks);
  });

  it('an idea that never landed is nothing to undo', async () => {
    const b = await bench();
    const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    expect(await b.call(b.activities.undoIdea, names).done).toEqual({ kind: 'nothing' });
  });
});

describe('C2 B4 rollbackIdea, stashIdea, cleanupIdea', () => {
  it('end an agent that still runs, save, take back, and leave no mark', async () => {
    const b = await bench({
      agent: 'echo half > half.txt; git add .; git commit -qm half; echo x > $MARKS/on; sleep 600',
    });
    const at = await b.prepare();
    const running = b.call(b.activities.runAgent, b.agentInput(at));
    await until('the agent to run', () =>
      readFile(join(b.marks, 'on'), 'utf8').then(
        () => true,
        () => false,
      ),
    );
    const rolled = await b.call(b.activities.rollbackIdea, { ...b.ref, idea: 't-1', agentName: 'ed-001' }).done;
    expect(rolled).toEqual({ commits: 1, saved: 'refs/ralphctl/save/t-1/1' });
    await expect(running.done).rejects.toMatchObject({ type: 'ralph.WorkerLost' });
    expect(await findByToken(b.project)).toEqual([]);
    expect(await hasMark(b.root, b.project, 't-1')).toBe(false);
    expect(await b.git('rev-parse', 'ralph/t-1')).toBe(at.base);
    expect(await b.gitIn(at.worktree, 'status', '--porcelain')).toBe('');
    expect(await b.git('show', `${rolled.saved}:half.txt`)).toBe('half');
  });

  it('stash keeps commits and saves the rest; clean-up removes the worktree', async () => {
    const b = await bench();
    const at = await b.prepare();
    await b.write({ 'half.txt': 'half\n' }, at.worktree);
    const stashed = await b.call(b.activities.stashIdea, { ...b.ref, idea: 't-1' }).done;
    expect(await b.git('show', `${stashed.saved}:half.txt`)).toBe('half');
    expect(await b.gitIn(at.worktree, 'status', '--porcelain')).toBe('');
    await b.write({ 'more.txt': 'more\n' }, at.worktree);
    const cleaned = await b.call(b.activities.cleanupIdea, { ...b.ref, idea: 't-1' }).done;
    expect(cleaned).toMatchObject({ removed: true, saved: 'refs/ralphctl/save/t-1/2' });
    expect(await b.git('worktree', 'list')).not.toContain('ralph/t-1');
  });

  it('names that leave the state folder are refused', async () => {
    const b = await bench();
    for (const bad of [{ idea: '../x' }, { idea: 'nope' }, { project: '../..' }]) {
      const input = { ...b.ref, idea: 't-1', agentName: 'ed-001', title: 'x', ...bad };
      await expect(b.call(b.activities.rollbackIdea, input).done).rejects.toMatchObject({ type: 'ralph.BadInput' });
      await expect(b.call(b.activities.undoIdea, input).done).rejects.toMatchObject({ type: 'ralph.BadInput' });
    }
  });
});
