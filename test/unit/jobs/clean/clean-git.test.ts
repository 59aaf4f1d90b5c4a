/** Cleaning of worktrees and saves, on real git. Features: G9 B4. */
import { mkdir, readFile, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { projectDir, worktreesDir } from '../../../../src/config/paths.js';
import { DEFAULT_RETENTION } from '../../../../src/config/schema/retention.js';
import { listSaves, savePoint } from '../../../../src/git/saves/saves.js';
import { exists, privateGitDir } from '../../../../src/git/worktrees/list.js';
import { writeMark } from '../../../../src/git/worktrees/recycle.js';
import { type CleanOptions, clean } from '../../../../src/jobs/clean/clean.js';
import { acquireLock } from '../../../../src/process/lock.js';
import type { CleanedItem, Retention } from '../../../../src/protocol/retention.js';
import { daysBefore, oldRun } from '../../../support/old-runs.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../../git/repo.js';

const PROJECT = 'mine-11111111';
/** What git makes now is old by then. */
const NOW = new Date(Date.now() + 100 * 86_400_000);
let repo: TestRepo;
let root: string;

beforeEach(async () => {
  repo = await makeRepo();
  root = join(repo.scratch, 'state');
  await oldRun(root, { project: PROJECT, repo: repo.root, at: daysBefore(NOW.getTime(), 99) });
  await mkdir(worktreesDir(root, PROJECT), { recursive: true });
});
afterEach(() => repo.remove());

const cleaned = (rules: Partial<Retention> = {}, options: Partial<CleanOptions> = {}) =>
  clean({
    ...{
      root,
      project: PROJECT,
      rules: { ...DEFAULT_RETENTION, transcriptDays: 'never', gateLogDays: 'never', ...rules },
    },
    ...{ place: { repo: repo.root, target: 'main' }, dryRun: false, byItself: false, now: NOW },
    ...{ stop: () => false, waitMs: 5000, ...options },
  });
const of = ({ items }: { items: CleanedItem[] }, what: string): string[] =>
  items.filter((item) => item.what === what).map(({ name }) => name);

async function worktree(name: string, ...args: string[]): Promise<string> {
  const path = join(worktreesDir(root, PROJECT), name);
  await sh(repo.root, 'worktree', 'add', '-q', ...args, path);
  await writeMark((await privateGitDir(path)) ?? '', 'idea', 'a-1');
  return path;
}

describe('worktrees', () => {
  it('what was moved out of their places: an old link goes, a folder is named with its command', async () => {
    const place = (name: string): string => join(worktreesDir(root, PROJECT), name);
    await symlink('/nowhere', place('ralph-tree-001.kept-1'));
    await put(place('ralph-tree-001.kept-2'), { 'a.txt': 'perhaps work\n' });
    await put(place('mine.kept-1'), { 'a.txt': 'of a person\n' });
    expect(of(await cleaned({}, { dryRun: true }), 'leftover')).toEqual([place('ralph-tree-001.kept-1')]);
    const done = await cleaned();
    expect(of(done, 'leftover')).toEqual([place('ralph-tree-001.kept-1')]);
    expect(await exists(place('ralph-tree-001.kept-1'))).toBe(false);
    expect(done.stays).toEqual([expect.stringContaining(`${place('ralph-tree-001.kept-2')} stays: `)]);
    expect(done.stays[0]).toContain('rm -r ');
    expect(await exists(place('ralph-tree-001.kept-2'))).toBe(true);
    const young = await cleaned({ worktreeDays: 'never' });
    expect(young.stays).toEqual([]);
  });

  it('go where a branch has their commits; what holds work stays and is told', async () => {
    const onBranch = await worktree('ralph-tree-001', '-b', 'ralph/a-1');
    await commitFiles(onBranch, { 'w.txt': 'work\n' }, 'work');
    await mkdir(join(onBranch, 'node_modules'));
    await writeFile(join(onBranch, 'node_modules', 'x.js'), 'x'.repeat(50_000));
    const detached = await worktree('ralph-tree-002', '--detach');
    const edited = await worktree('ralph-tree-003', '-b', 'ralph/a-3');
    await put(edited, { 'a.txt': 'edited\n' });
    const fresh = await worktree('ralph-tree-004', '-b', 'ralph/a-4');
    await put(fresh, { 'new.txt': 'not committed\n' });
    const lost = await worktree('ralph-tree-005', '--detach');
    await commitFiles(lost, { 'lost.txt': 'only here\n' }, 'nobody has it');
    const locked = await worktree('ralph-tree-006', '--detach');
    await sh(repo.root, 'worktree', 'lock', locked);
    const flagged = await worktree('ralph-tree-007', '--detach');
    await sh(flagged, 'update-index', '--assume-unchanged', 'a.txt');
    await put(flagged, { 'a.txt': 'hidden edit\n' });
    const nested = await worktree('ralph-tree-008', '--detach');
    await mkdir(join(nested, 'inner'));
    await sh(join(nested, 'inner'), 'init', '-q');
    await commitFiles(join(nested, 'inner'), { 'x.txt': 'x\n' }, 'inner');
    const users = join(repo.scratch, 'users own');
    await sh(repo.root, 'worktree', 'add', '-q', '--detach', users);

    const dry = await cleaned({}, { dryRun: true });
    expect(await exists(onBranch)).toBe(true);
    const done = await cleaned();
    expect({ ...done, bytes: 0 }).toEqual({ ...dry, bytes: 0 });
    expect(of(done, 'worktree').sort()).toEqual([onBranch, detached]);
    expect(done.bytes).toBeGreaterThan(50_000);
    for (const path of [edited, fresh, lost, locked, flagged, nested, users]) expect(await exists(path)).toBe(true);
    for (const path of [onBranch, detached]) expect(await exists(path)).toBe(false);
    const listed = await sh(repo.root, 'worktree', 'list', '--porcelain');
    expect(listed).not.toContain('ralph-tree-001');
    expect(listed).toContain('ralph-tree-003');
    // The work is on its branch.
    expect(await sh(repo.root, 'show', 'ralph/a-1:w.txt')).toBe('work');
    expect(done.stays.sort()).toEqual([
      `${edited} stays: it holds files that are not committed`,
      `${fresh} stays: it holds files that are not committed`,
      `${lost} stays: no branch has its commits`,
      `${locked} stays: it is locked`,
      `${flagged} stays: it holds files that are not committed`,
      `${nested} stays: it holds files that are not committed`,
    ]);
  });

  it('stay while a run may be open, while a command works on the project, and while they are young', async () => {
    const tree = await worktree('ralph-tree-001', '--detach');
    const release = await acquireLock(join(projectDir(root, PROJECT), 'closed.lock'), { waitMs: 0 });
    expect(of(await cleaned(), 'worktree')).toEqual([]);
    await release();
    const gitDir = (await privateGitDir(tree)) ?? '';
    const lately = new Date(NOW.getTime() - 29 * 86_400_000);
    await utimes(join(gitDir, 'HEAD'), lately, lately);
    expect(of(await cleaned(), 'worktree')).toEqual([]);
    const before = new Date(NOW.getTime() - 31 * 86_400_000);
    await utimes(join(gitDir, 'HEAD'), before, before);
    await oldRun(root, { project: PROJECT, repo: repo.root, at: NOW.getTime(), open: true });
    expect(of(await cleaned(), 'worktree')).toEqual([]);
    expect(await exists(tree)).toBe(true);
  });

  it('stay where the server tells of an open run that the files do not, and so do saves', async () => {
    const tree = await worktree('ralph-tree-001', '--detach');
    await sh(repo.root, 'update-ref', '--create-reflog', 'refs/ralphctl/save/a-1/1', 'main');
    expect((await cleaned({}, { open: async () => true })).items).toEqual([]);
    expect(await exists(tree)).toBe(true);
    expect(await listSaves(repo.root)).toHaveLength(1);
  });

  it('one in which somebody begins to work between the look and the lock stays', async () => {
    const tree = await worktree('ralph-tree-001', '--detach');
    let asked = 0;
    // The second question comes under the lock, before the folder leaves its place.
    const open = async (): Promise<boolean> => {
      if (++asked === 2) await put(tree, { 'new.txt': 'just begun\n' });
      return false;
    };
    expect(of(await cleaned({}, { open }), 'worktree')).toEqual([]);
    expect(asked).toBeGreaterThan(1);
    expect(await readFile(join(tree, 'new.txt'), 'utf8')).toBe('just begun\n');
  });

  it('one whose folder had left its place before a kill is swept', async () => {
    const tree = await worktree('ralph-tree-001', '--detach');
    await rename(tree, join(worktreesDir(root, PROJECT), '.cleaning-999999999-0123abcd'));
    const done = await cleaned();
    expect(of(done, 'leftover')).toEqual([worktreesDir(root, PROJECT)]);
    expect(await exists(join(worktreesDir(root, PROJECT), '.cleaning-999999999-0123abcd'))).toBe(false);
  });
});

describe('saves', () => {
  /** A save of an idea with this content; its commit is made now. */
  async function save(idea: string, files: Record<string, string>): Promise<string> {
    const path = join(repo.scratch, `tree ${idea}`);
    if (!(await exists(path))) await sh(repo.root, 'worktree', 'add', '-q', '-b', `ralph/${idea}`, path, repo.base);
    await put(path, files);
    return (await savePoint({ worktree: path, idea, why: 'before landing' })) ?? '';
  }
  const land = (idea: string, files: Record<string, string>): Promise<string> =>
    commitFiles(repo.root, files, `feat: ${idea}\n\nRalph-Idea: ${idea}`);

  it('of landed work go after their age; others after a year, named first, and only when somebody asks', async () => {
    const landed = await save('a-1', { 'one.txt': 'one\n' });
    const half = await save('a-2', { 'two.txt': 'draft\n' });
    const never = await save('a-3', { 'three.txt': 'three\n' });
    const again = await save('a-4', { 'four.txt': 'an earlier try\n' });
    await land('a-1', { 'one.txt': 'one\n', 'more.txt': 'more\n' });
    await land('a-2', { 'two.txt': 'another text\n' });
    await land('a-4', { 'other.txt': 'landed in another way\n' });
    await commitFiles(repo.root, { 'one.txt': 'changed since\n' }, 'later');
    expect(of(await cleaned({ saveDays: 101 }), 'save')).toEqual([]);
    expect(of(await cleaned(), 'save')).toEqual([landed]);
    expect((await listSaves(repo.root)).map(({ ref }) => ref)).toEqual([half, never, again]);

    const later = new Date(NOW.getTime() + 300 * 86_400_000);
    const alone = await cleaned({}, { now: later, byItself: true });
    expect(of(alone, 'save')).toEqual([]);
    expect(alone.stays).toContain(
      '3 saves older than 365 days with work that is not on the target wait for: ralphctl clean',
    );
    const named: string[] = [];
    const announce = ({ name }: CleanedItem): void => {
      named.push(name);
    };
    const dry = await cleaned({}, { now: later, dryRun: true, announce });
    expect(of(dry, 'save')).toEqual([half, never, again]);
    expect(named.splice(0)).toEqual([half, never, again]);
    expect(await listSaves(repo.root)).toHaveLength(3);
    const asked = await cleaned({}, { now: later, announce });
    expect(named).toEqual([half, never, again]);
    expect(await listSaves(repo.root)).toEqual([]);
    // Until git collects garbage, its commit brings it back.
    const [first] = asked.items;
    await sh(repo.root, 'branch', 'back', first?.commit ?? '');
    expect(await sh(repo.root, 'show', 'back:two.txt')).toBe('draft');
  });

  it('are judged one after another: those go whose turn came before the time was up', async () => {
    for (const idea of ['a-1', 'a-2']) {
      await save(idea, { [`${idea}.txt`]: 'text\n' });
      await land(idea, { [`${idea}.txt`]: 'text\n' });
    }
    const left = new Set<number>();
    for (let most = 0; !left.has(0) && most < 50; most++) {
      let asked = 0;
      const { more } = await cleaned({}, { stop: () => ++asked > most });
      left.add((await listSaves(repo.root)).length);
      expect(more ?? left.has(0)).toBe(true);
    }
    expect([...left]).toEqual([2, 1, 0]);
  });

  it('what was staged apart counts as work', async () => {
    const path = join(repo.scratch, 'tree s-1');
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/s-1', path, repo.base);
    await put(path, { 'a.txt': 'staged\n' });
    await sh(path, 'add', 'a.txt');
    await put(path, { 'a.txt': 'landed\n' });
    await savePoint({ worktree: path, idea: 's-1', why: 'before landing' });
    await land('s-1', { 'a.txt': 'landed\n' });
    expect(of(await cleaned(), 'save')).toEqual([]);
  });

  it('an old commit that was saved lately is young, also after git forgot when that was', async () => {
    const tree = await sh(repo.root, 'rev-parse', 'main^{tree}');
    const commit = await sh(repo.root, 'commit-tree', tree, '-m', 'old', '-p', 'main');
    // Without a reflog, as after git gc.
    await sh(repo.root, 'update-ref', '--no-deref', 'refs/ralphctl/save/o-1/1', commit);
    const rules = { saveDays: 1, unlandedSaveDays: 1, keepDays: 1 };
    expect(of(await cleaned(rules), 'save')).toEqual([]);
    const seen = JSON.parse(await readFile(join(projectDir(root, PROJECT), 'saves-seen.json'), 'utf8'));
    expect(seen.saves['refs/ralphctl/save/o-1/1']).toEqual({ commit, at: NOW.getTime() });
    const next = new Date(NOW.getTime() + 2 * 86_400_000);
    expect(of(await cleaned(rules, { now: next }), 'save')).toEqual(['refs/ralphctl/save/o-1/1']);
  });

  it('stay while a run may be open', async () => {
    await save('a-1', { 'one.txt': 'one\n' });
    await land('a-1', { 'one.txt': 'one\n' });
    await oldRun(root, { project: PROJECT, repo: repo.root, at: NOW.getTime(), open: true });
    expect(of(await cleaned(), 'save')).toEqual([]);
  });
});
