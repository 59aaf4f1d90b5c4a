/** Gate and landing as activities: what lands carries its tick, a red gate is a result. Features: B3 D1 F1. */
import { readFile, readlink, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LandInput, LandResult } from '../../src/protocol/git-work.js';
import { roadmap } from '../support/program.js';
import { type Bench, type BenchOptions, bench, idea, say } from './bench.js';

const tasks = roadmap([{ id: 't-1' }, { id: 't-2' }]);
const agent = `echo work > work.txt\n${say('COMPLETE')}`;

/** A bench with finished work of t-1, ready to land. */
async function finished(options: BenchOptions = {}): Promise<{ b: Bench; input: LandInput }> {
  const b = await bench({ files: { 'base.txt': 'base\n', 'roadmap.md': tasks }, agent, ...options });
  const { worktree, branch, base } = await b.prepare();
  const { head } = await b.call(b.activities.runAgent, b.agentInput(await b.prepare())).done;
  const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
  return { b, input: { ...names, worktree, branch, base, head } };
}

const land = (b: Bench, input: LandInput): Promise<LandResult> => b.call(b.activities.landIdea, input).done;

describe('landIdea', () => {
  it('lands gated work with the tick in the same commit, and leaves the checkout clean and up to date', async () => {
    const { b, input } = await finished({ config: { gate: ['grep -q work work.txt'] } });
    const result = await land(b, input);
    expect(result).toMatchObject({ kind: 'landed', commit: await b.git('rev-parse', 'main'), commits: 1 });
    expect(await b.git('show', '--name-only', '--format=%s', 'main')).toBe(
      'feat: do t-1 #t-1@ed-001\n\nroadmap.md\nwork.txt',
    );
    expect(await b.git('show', 'main:roadmap.md')).toContain('- [x] **t-1**');
    expect(await b.git('show', 'main:roadmap.md')).toContain('- [ ] **t-2**');
    expect(await b.git('status', '--porcelain')).toBe('');
    expect(await readFile(join(b.repo, 'work.txt'), 'utf8')).toBe('work\n');
  });

  it('A4: ticks the Blues that it completes in the same commit, and undoing it takes those ticks back', async () => {
    const nested = '- [ ] **e-1** An epic\n  - [ ] **t-1** Do t-1\n- [ ] **t-2** Do t-2\n';
    const { b, input } = await finished({ files: { 'base.txt': 'base\n', 'roadmap.md': nested } });
    expect(await land(b, { ...input, blues: ['e-1', 'unknown'] })).toMatchObject({ kind: 'landed', commits: 1 });
    const done = nested.replace('[ ] **e-1**', '[x] **e-1**').replace('[ ] **t-1**', '[x] **t-1**');
    expect(await b.git('show', 'main:roadmap.md')).toBe(done.trimEnd());
    const { idea: id, title, agentName } = input;
    const undo = { ...b.ref, idea: id, title, agentName, blues: ['e-1', 'unknown'] };
    expect(await b.call(b.activities.undoIdea, undo).done).toMatchObject({ kind: 'undone' });
    expect(await b.git('show', 'main:roadmap.md')).toBe(nested.trimEnd());
  });

  it('B2: a tag named HEAD changes nothing', async () => {
    const tagged = await bench({ files: { 'base.txt': 'base\n', 'roadmap.md': tasks }, agent });
    await tagged.git('tag', 'HEAD');
    const { worktree, branch, base } = await tagged.prepare();
    const { head } = await tagged.call(tagged.activities.runAgent, tagged.agentInput(await tagged.prepare())).done;
    const names = { ...tagged.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    expect(await land(tagged, { ...names, worktree, branch, base, head })).toMatchObject({
      kind: 'landed',
      commits: 1,
    });
    expect(await tagged.git('status', '--porcelain')).toBe('');
  });

  it('C1 says which ideas a person took off the target since the landing before it', async () => {
    const { b, input } = await finished();
    await b.write({ 'other.txt': 'other\n' });
    await b.commit('feat: other\n\nRalph-Idea: t-2');
    await b.git('rm', '-q', 'other.txt');
    const by = await b.commit('my edit');
    expect(await land(b, input)).toMatchObject({
      reverted: [{ idea: 't-2', by: by.slice(0, 8), subject: 'my edit' }],
    });
  });

  it('C1 says which part of an idea a commit in a checkout that lags took back', async () => {
    const { b, input } = await finished();
    await b.write({ 'base.txt': 'base\nlanded\n', 'other.txt': 'other\n' });
    await b.commit('feat: other\n\nRalph-Idea: t-2');
    await b.write({ 'base.txt': 'mine\nbase\n' });
    const by = await b.commit('my edit');
    expect(await land(b, input)).toMatchObject({
      reverted: [{ idea: 't-2', by: by.slice(0, 8), subject: 'my edit', files: ['base.txt'] }],
    });
  });

  it('C1 does not name what this run has again', async () => {
    const { b, input } = await finished({ run: { again: ['t-2'] } });
    await b.write({ 'other.txt': 'other\n' });
    await b.commit('feat: other\n\nRalph-Idea: t-2');
    await b.git('rm', '-q', 'other.txt');
    await b.commit('my edit');
    const result = await land(b, input);
    expect(result).not.toHaveProperty('note', expect.anything());
    expect(result).not.toHaveProperty('reverted');
  });

  it('is done once, however often it is asked to', async () => {
    const { b, input } = await finished();
    const first = await land(b, input);
    const again = await land(b, input);
    expect(again).toMatchObject({ kind: 'landed', commit: 'commit' in first ? first.commit : '' });
    const trailers = await b.git('log', '--format=%(trailers:key=Ralph-Idea,valueonly)', 'main');
    expect(trailers.split('\n').filter((line) => line === 't-1')).toHaveLength(1);
  });

  it('a red gate is a result: nothing moves, the candidate is kept for the agent', async () => {
    const { b, input } = await finished({ config: { gate: ['echo "3 tests failed"; exit 9'] } });
    const before = await b.git('rev-parse', 'main');
    const result = await land(b, input);
    if (result.kind !== 'red') throw new Error(`expected red, got ${result.kind}`);
    expect(result.onto).toBe(before);
    expect(result.gate).toMatchObject({ pass: false, failure: { exitCode: 9, timedOut: false } });
    expect(result.gate.failure?.tail).toContain('3 tests failed');
    expect(await readFile(result.gate.failure?.log ?? '', 'utf8')).toContain('3 tests failed');
    expect(await b.git('rev-parse', 'main')).toBe(before);
    expect(await b.git('cat-file', '-t', result.candidate)).toBe('commit');
    expect(await b.git('show', 'main:roadmap.md')).not.toContain('[x]');
  });

  it('a conflict is a result that names the files', async () => {
    const { b, input } = await finished({ agent: `echo mine > base.txt\n${say('COMPLETE')}` });
    await b.write({ 'base.txt': 'theirs\n' });
    const onto = await b.commit('theirs');
    expect(await land(b, input)).toMatchObject({ kind: 'conflict', onto, files: ['base.txt'] });
    expect(await b.git('rev-parse', 'main')).toBe(onto);
  });

  it('--no-tick and landing.tick: false leave the backlog alone', async () => {
    for (const options of [{ run: { tick: false } }, { config: { landing: { tick: false } } }]) {
      const { b, input } = await finished(options);
      expect(await land(b, input)).toMatchObject({ kind: 'landed' });
      expect(await b.git('show', 'main:roadmap.md')).toBe(tasks.trimEnd());
      expect(await b.git('status', '--porcelain')).toBe('');
    }
  });

  it('a backlog that git does not track is ticked where it stands, inside the repository or not', async () => {
    const inside = await finished({ files: { 'base.txt': 'base\n', '.gitignore': 'roadmap.md\n' } });
    await inside.b.write({ 'roadmap.md': tasks });
    await land(inside.b, inside.input);
    expect(await readFile(join(inside.b.repo, 'roadmap.md'), 'utf8')).toBe(tasks.replace('[ ] **t-1**', '[x] **t-1**'));
    expect(await inside.b.git('ls-tree', '--name-only', 'main')).not.toContain('roadmap.md');

    const outside = await bench({ agent });
    const place = join(outside.base, 'plans', 'roadmap.md');
    await outside.write({ 'plans/roadmap.md': tasks }, outside.base);
    outside.file.backlog.file = place;
    const { writeRun } = await import('../../src/run-files/run.js');
    await writeRun(outside.root, { ...outside.file, runId: 'run-9' }, outside.ideas);
    const at = await outside.prepare('t-1', { runId: 'run-9' });
    const { head } = await outside.call(outside.activities.runAgent, outside.agentInput(at, { runId: 'run-9' })).done;
    const names = { ...outside.ref, runId: 'run-9', idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    await land(outside, { ...names, worktree: at.worktree, branch: at.branch, base: at.base, head });
    expect(await readFile(place, 'utf8')).toContain('- [x] **t-1**');
    expect(await readFile(place, 'utf8')).toContain('- [ ] **t-2**');
  });

  it('a backlog that is a link stays one: the file behind it gets the tick, where git does not track it', async () => {
    const { b, input } = await finished({ files: { 'base.txt': 'base\n', '.gitignore': 'roadmap.md\n' } });
    const real = join(b.base, 'plans', 'roadmap.md');
    await b.write({ 'plans/roadmap.md': tasks }, b.base);
    await symlink(real, join(b.repo, 'roadmap.md'));
    await land(b, input);
    expect(await readlink(join(b.repo, 'roadmap.md'))).toBe(real);
    expect(await readFile(real, 'utf8')).toBe(tasks.replace('[ ] **t-1**', '[x] **t-1**'));
    const { idea: id, title, agentName } = input;
    await b.call(b.activities.undoIdea, { ...b.ref, idea: id, title, agentName }).done;
    expect(await readlink(join(b.repo, 'roadmap.md'))).toBe(real);
    expect(await readFile(real, 'utf8')).toBe(tasks);
  });

  it('behind a link to a file that git tracks, the landing commit has the tick', async () => {
    const files = { 'base.txt': 'base\n', 'docs/plan.md': tasks, '.gitignore': 'roadmap.md\n' };
    const { b, input } = await finished({ files });
    await symlink('docs/plan.md', join(b.repo, 'roadmap.md'));
    await land(b, input);
    expect(await b.git('show', 'main:docs/plan.md')).toBe(tasks.replace('[ ] **t-1**', '[x] **t-1**').trimEnd());
    expect(await readFile(join(b.repo, 'docs/plan.md'), 'utf8')).toContain('- [x] **t-1**');
    expect(await b.git('status', '--porcelain')).toBe('');
  });
});

describe('runGate', () => {
  it('green and red are results; its log lies with the iteration', async () => {
    const b = await bench({
      config: { gate: { commands: ['echo "1..2"; echo "ok 1"; echo "ok 2"', 'test -e good'] } },
    });
    const { worktree } = await b.prepare();
    const gate = (serial: number) => b.call(b.activities.runGate, { ...b.ref, idea: 't-1', serial, worktree }).done;
    const red = await gate(1);
    expect(red).toMatchObject({ pass: false, failure: { command: 'test -e good', exitCode: 1, timedOut: false } });
    expect(red.failure?.log).toContain(join('t-1', '001'));
    expect(red.commands.map((one) => one.exitCode)).toEqual([0, 1]);
    await b.write({ good: '' }, worktree);
    expect(await gate(2)).toMatchObject({ pass: true, tests: { passed: 2, failed: 0, skipped: 0, total: 2 } });
    expect(await gate(2)).not.toHaveProperty('failure', expect.anything());
  });

  it('a command that takes too long is red and leaves nothing running', async () => {
    const b = await bench({
      config: { gate: { commands: ['sleep 600 & echo started; sleep 600'], timeoutMinutes: 0.01 } },
      ideas: [idea('t-1')],
    });
    const { worktree } = await b.prepare();
    const slow = await b.call(b.activities.runGate, { ...b.ref, idea: 't-1', serial: 1, worktree }).done;
    expect(slow).toMatchObject({ pass: false, failure: { exitCode: null, timedOut: true } });
    const { findByToken } = await import('../../src/process/tokens.js');
    expect(await findByToken(b.project)).toEqual([]);
  });
});
