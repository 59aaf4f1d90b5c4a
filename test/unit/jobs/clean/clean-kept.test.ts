/** Cleaning of what stands beside the worktrees, and of the copies of restored changes. Features: G9 B4. */
import { cp, mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wallDir, worktreesDir } from '../../../../src/config/paths.js';
import { DEFAULT_RETENTION } from '../../../../src/config/schema/retention.js';
import { copiesThatGo } from '../../../../src/decide/retention/what-goes.js';
import { listSaves, savePoint } from '../../../../src/git/saves/saves.js';
import { exists, privateGitDir } from '../../../../src/git/worktrees/list.js';
import { writeMark } from '../../../../src/git/worktrees/recycle.js';
import { putLinkBack } from '../../../../src/git/worktrees/relink.js';
import { type CleanOptions, clean } from '../../../../src/jobs/clean/clean.js';
import type { CleanedItem, Retention } from '../../../../src/protocol/retention.js';
import { shellWord } from '../../../../src/protocol/shell-words.js';
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
    ...{ root, project: PROJECT, rules: { ...DEFAULT_RETENTION, gateLogDays: 'never', ...rules } },
    ...{ place: { repo: repo.root, target: 'main' }, dryRun: false, byItself: false, now: NOW },
    ...{ stop: () => false, waitMs: 5000, ...options },
  });
const of = ({ items }: { items: CleanedItem[] }, what: string): string[] =>
  items
    .filter((item) => item.what === what)
    .map(({ name }) => name)
    .sort();
const place = (name: string): string => join(worktreesDir(root, PROJECT), name);

async function worktree(name: string, ...args: string[]): Promise<string> {
  const path = place(name);
  await sh(repo.root, 'worktree', 'add', '-q', ...args, path);
  await writeMark((await privateGitDir(path)) ?? '', 'idea', 'a-1');
  return path;
}

describe('repositories that an agent made in the place of the .git of its worktree', () => {
  const kept = async (): Promise<string[]> =>
    (await readdir(worktreesDir(root, PROJECT))).filter((name) => name.includes('.kept-')).sort();
  const made = async (path: string, text: string): Promise<string> => {
    await rm(join(path, '.git'));
    await sh(path, 'init', '-q', '-b', 'own', '.');
    await commitFiles(path, { 'own.txt': `${text}\n` }, text);
    return sh(path, 'rev-parse', 'HEAD');
  };

  it('the newest few stay, and saves have the commits of the older ones', async () => {
    const path = await worktree('ralph-tree-001', '-b', 'ralph/a-1');
    const commits: string[] = [];
    for (const text of ['one', 'two', 'three', 'four', 'five']) {
      commits.push(await made(path, text));
      expect(await putLinkBack(repo.root, path, 'a-1')).toMatchObject({ aside: expect.stringContaining('.kept-') });
    }
    expect(await kept()).toHaveLength(3);
    expect((await listSaves(repo.root, 'a-1')).map(({ commit }) => commit)).toEqual(commits.slice(0, 2));
    expect(await sh(repo.root, 'show', `${commits[0]}:own.txt`)).toBe('one');
    const { stays, items } = await cleaned();
    expect(stays).toEqual(
      expect.arrayContaining([expect.stringContaining('an agent made this repository in the place of the .git')]),
    );
    expect(of({ items }, 'kept')).toEqual([]);
  });

  it('the same content is kept once; one that names a program stays', async () => {
    const path = await worktree('ralph-tree-001', '-b', 'ralph/a-1');
    await made(path, 'one');
    for (const n of [1, 2, 3])
      await cp(join(path, '.git'), place(`ralph-tree-001.kept-${n}`), { recursive: true, verbatimSymlinks: true });
    await putLinkBack(repo.root, path, 'a-1');
    expect(await kept()).toHaveLength(1);
    await made(path, 'hostile');
    await sh(path, 'config', 'core.sshCommand', 'touch /tmp/never');
    await putLinkBack(repo.root, path, 'a-1');
    for (const text of ['three', 'four', 'five']) {
      await made(path, text);
      await putLinkBack(repo.root, path, 'a-1');
    }
    // The one with a program is the second oldest.
    expect(await kept()).toHaveLength(4);
    expect(await listSaves(repo.root, 'a-1')).toHaveLength(1);
  });

  it('clean bounds those of before, and a dry run changes nothing', async () => {
    const path = await worktree('ralph-tree-001', '-b', 'ralph/a-1');
    for (const [at, text] of ['one', 'two', 'three', 'four', 'five'].entries()) {
      await made(path, text);
      await rename(join(path, '.git'), place(`ralph-tree-001.kept-${at + 1}`));
      await writeFile(join(path, '.git'), `gitdir: ${join(repo.root, '.git/worktrees/ralph-tree-001')}\n`);
    }
    const gone = [place('ralph-tree-001.kept-1'), place('ralph-tree-001.kept-2')];
    expect(of(await cleaned({}, { dryRun: true }), 'kept')).toEqual(gone);
    expect(await kept()).toHaveLength(5);
    expect(of(await cleaned(), 'kept')).toEqual(gone);
    expect(await kept()).toHaveLength(3);
    expect(await listSaves(repo.root, 'a-1')).toHaveLength(2);
  });
});

describe('folders of worktrees that git no longer knows', () => {
  const forget = (name: string): Promise<void> => rm(join(repo.root, '.git/worktrees', name), { recursive: true });

  it('go where a commit has all of their files, with their link; others are named with the command', async () => {
    const branch = await worktree('ralph-tree-001', '-b', 'ralph/a-1');
    await commitFiles(branch, { 'w.txt': 'work\n', '.gitignore': 'node_modules/\n' }, 'work');
    await put(branch, { 'node_modules/x.js': 'x'.repeat(9000) });
    await symlink('ralph-tree-001', place('ed-001-a-1'));
    const saved = await worktree('ralph-tree-002', '-b', 'ralph/a-2');
    await put(saved, { 'a.txt': 'edited\n' });
    await savePoint({ worktree: saved, idea: 'a-2', why: 'its agent was interrupted' });
    const edited = await worktree('ralph-tree-003', '-b', 'ralph/a-3');
    await put(edited, { 'new.txt': 'nobody has it\n' });
    const pruned = await worktree('ralph-tree-004', '--detach');
    for (const n of [1, 2, 3]) await forget(`ralph-tree-00${n}`);
    await rm(join(pruned, '.git'));
    await sh(repo.root, 'worktree', 'prune');
    const there = await worktree('ralph-tree-005', '-b', 'ralph/a-5');
    await put(place('ralph-tree-mine'), { 'a.txt': 'one\n' });
    // Of another repository.
    await put(place('ralph-tree-006'), { '.git': 'gitdir: /elsewhere/.git/worktrees/x\n', 'a.txt': 'one\n' });
    const goes = [branch, saved, pruned];
    const rules = { unlandedSaveDays: 'never' } as const;
    expect(of(await cleaned({ ...rules }, { dryRun: true, now: new Date() }), 'worktree')).toEqual(goes);
    const done = await cleaned({ ...rules }, { now: new Date() });
    expect(of(done, 'worktree')).toEqual(goes);
    expect(done.stays).toEqual([expect.stringContaining(`${edited} stays: git has no such worktree any more`)]);
    expect(done.stays[0]).toContain(`rm -r ${shellWord(edited)}`);
    for (const path of [...goes, place('ed-001-a-1')]) expect(await exists(path), path).toBe(false);
    for (const path of [edited, there, place('ralph-tree-mine'), place('ralph-tree-006')])
      expect(await exists(path), path).toBe(true);
    expect(await readFile(join(edited, 'new.txt'), 'utf8')).toBe('nobody has it\n');
  });

  it('stay while a run is open', async () => {
    const path = await worktree('ralph-tree-001', '-b', 'ralph/a-1');
    await forget('ralph-tree-001');
    const done = await cleaned({}, { open: async () => true });
    expect(of(done, 'worktree')).toEqual([]);
    expect(await exists(path)).toBe(true);
  });
});

describe('copies of restored changes', () => {
  const copy = (name: string): string => join(wallDir(root, PROJECT), 'kept', name);

  it('go with the transcripts, and are told', async () => {
    await put(join(wallDir(root, PROJECT), 'kept'), { 'config-1': 'x'.repeat(9000), 'hooks-2/pre-commit': 'y\n' });
    await put(wallDir(root, PROJECT), { 'snapshot.json': '{}' });
    expect(of(await cleaned({ transcriptDays: 'never' }), 'restored')).toEqual([]);
    const all = [copy('config-1'), copy('hooks-2')];
    expect(of(await cleaned({}, { dryRun: true }), 'restored')).toEqual(all);
    expect(await exists(copy('config-1'))).toBe(true);
    const { items } = await cleaned();
    expect(of({ items }, 'restored')).toEqual(all);
    expect(items.find(({ name }) => name === all[0])?.bytes).toBeGreaterThan(0);
    expect(await readdir(join(wallDir(root, PROJECT), 'kept'))).toEqual([]);
    expect(await exists(join(wallDir(root, PROJECT), 'snapshot.json'))).toBe(true);
  });

  it('the oldest go first while all are too large, and no young one does', () => {
    const day = 86_400_000;
    const copies = [1, 10, 20, 30].map((days) => ({ path: `${days}`, at: -days * day, bytes: 40_000_000 }));
    const goes = (rules: Partial<Retention>) =>
      copiesThatGo(copies, { ...DEFAULT_RETENTION, ...rules }, 0).map(({ path }) => path);
    expect(goes({})).toEqual(['30', '20']);
    expect(goes({ keepDays: 25 })).toEqual(['30']);
    expect(goes({ maxMegabytes: 'never' })).toEqual([]);
    expect(goes({ transcriptDays: 9 })).toEqual(['30', '20', '10']);
  });
});
