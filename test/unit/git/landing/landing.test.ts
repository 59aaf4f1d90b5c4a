import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../../../src/git/landing/behind.js';
import type { LandOptions } from '../../../../src/git/landing/land.js';
import { landedIdeas } from '../../../../src/git/landing/landed.js';
import { hasMarkOf, isNormal } from '../../../../src/git/landing/message.js';
import { syncCheckout } from '../../../../src/git/landing/sync.js';
import { listSaves } from '../../../../src/git/saves/saves.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, GREEN, makeRepo, put, RED, read, sh, shell, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({
    'a.txt': 'one\n',
    'b.txt': 'bee\n',
    '.gitignore': 'node_modules/\n*.log\n',
    'roadmap.md': '- [ ] i-1\n- [ ] i-2\n',
  });
});
afterEach(() => repo.remove());

const tip = (ref = 'main') => sh(repo.root, 'rev-parse', ref);

/** The idea's worktree, with one commit per given set of files. */
async function work(idea: string, ...commits: Array<Record<string, string>>): Promise<string> {
  const { path } = await worktreeOf(repo, idea, { keep: ['node_modules'], recycle: false });
  for (const [n, files] of commits.entries()) await commitFiles(path, files, `step ${n + 1}\n\nBody ${n + 1}.`);
  return path;
}
const land = (idea: string, more: Partial<LandOptions> = {}) =>
  landWork(repo, idea, { keep: ['node_modules'], ...more });
const subjects = async (range = 'main'): Promise<string[]> =>
  (await sh(repo.root, 'log', '--format=%s', range)).split('\n');
/** Everything about a checkout that a person could notice, byte for byte. */
async function fingerprint(dir: string): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(dir, { recursive: true })).sort()) {
    if (name.startsWith('.git/') || name === '.git') continue;
    hash.update(name).update(await readFile(join(dir, name)).catch(() => 'dir'));
  }
  hash.update(await readFile(join(dir, '.git/index'))).update(await readFile(join(dir, '.git/HEAD')));
  return hash.digest('hex');
}

describe('landing on a clean checkout', () => {
  it('fast-forwards branch, index and files together', async () => {
    const path = await work('i-1', { 'a.txt': 'two\n' });
    const seen: string[] = [];
    const got = await land('i-1', {
      gate: async (dir) => {
        seen.push(await read(dir, 'a.txt'));
        return GREEN;
      },
    });
    expect(got).toEqual({ kind: 'landed', commit: await tip(), commits: 1, durationMs: expect.any(Number) });
    expect(seen).toEqual(['two\n']);
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
    expect(await sh(repo.root, 'log', '-1', '--format=%B')).toBe(
      'step 1 #i-1@ed-001\n\nBody 1.\n\nRalph-Idea: i-1\nRalph-Slot: ed-001',
    );
    expect(await sh(repo.root, 'branch', '--list', 'ralph/*')).toBe('');
    expect(await sh(path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('HEAD');
    expect(await sh(path, 'status', '--porcelain')).toBe('');
    expect(await landedIdeas(repo.root, 'main')).toEqual(['i-1']);
  });

  it('keeps the very commit when it already says what it should', async () => {
    const path = await work('i-1');
    const message = 'feat: x #i-1@ed-001\n\nRalph-Idea: i-1\nRalph-Slot: ed-001\n';
    const head = await commitFiles(path, { 'a.txt': 'two\n' }, message);
    expect(await land('i-1')).toMatchObject({ commit: head });
  });

  it('recycles the worktree for the next idea', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await land('i-1');
    const next = await worktreeOf(repo, 'i-2');
    expect(next.origin).toBe('recycled');
  });

  it.each([
    ['rebase', ['step 2 #i-2@ed-001', 'step 1 #i-2@ed-001', 'step 1 #i-1@ed-001', 'Start'], 2],
    ['squash', ['feat: do i-2 #i-2@ed-001', 'step 1 #i-1@ed-001', 'Start'], 1],
  ] as const)('%s puts the work on the current tip', async (strategy, expected, commits) => {
    await work('i-2', { 'a.txt': 'mine\n' }, { 'new.txt': 'n\n', 'a.txt': 'mine again\n' });
    await work('i-1', { 'b.txt': 'changed\n' });
    await land('i-1');
    expect(await land('i-2', { strategy })).toMatchObject({ kind: 'landed', commits });
    expect(await subjects()).toEqual(expected);
    expect(await read(repo.root, 'a.txt')).toBe('mine again\n');
    expect(await read(repo.root, 'b.txt')).toBe('changed\n');
    expect(await sh(repo.root, 'rev-list', '--merges', 'main')).toBe('');
    expect(await sh(repo.root, 'log', '--format=%an', '-1')).toBe('Ada');
  });

  it('merge keeps the commits and adds one', async () => {
    await work('i-2', { 'a.txt': 'mine\n' }, { 'new.txt': 'n\n' });
    await work('i-1', { 'b.txt': 'changed\n' });
    await land('i-1', { strategy: 'merge' });
    expect(await land('i-2', { strategy: 'merge' })).toMatchObject({ kind: 'landed', commits: 3 });
    expect(await subjects('main^1..main')).toEqual([
      'feat: do i-2 #i-2@ed-001',
      'step 2 #i-2@ed-001',
      'step 1 #i-2@ed-001',
    ]);
  });

  it('lands a branch into which the target was merged as one commit', async () => {
    const path = await work('i-2', { 'a.txt': 'mine\n' });
    await commitFiles(repo.root, { 'a.txt': 'theirs\n' }, 'theirs');
    await shell(path, 'git merge main');
    await commitFiles(path, { 'a.txt': 'both\n' }, 'resolved');
    expect(await land('i-2')).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await read(repo.root, 'a.txt')).toBe('both\n');
    expect(await sh(repo.root, 'rev-list', '--merges', 'main')).toBe('');
  });

  it('C7 lands iterations that were committed with one message as one commit', async () => {
    const path = await work('i-1');
    const leftovers = 'feat: do i-1 #i-1@ed-001\n\nRalph-Idea: i-1\nRalph-Slot: ed-001\n';
    for (const n of [1, 2, 3]) await commitFiles(path, { 'a.txt': `${n}\n` }, leftovers);
    await commitFiles(path, { 'b.txt': 'own\n' }, 'own words');
    await commitFiles(path, { 'a.txt': '4\n' }, leftovers);
    expect(await land('i-1')).toMatchObject({ kind: 'landed', commits: 3 });
    const [mine, second] = ['feat: do i-1 #i-1@ed-001', 'feat: do i-1 (2) #i-1@ed-001'];
    expect(await subjects()).toEqual([second, 'own words #i-1@ed-001', mine, 'Start']);
    expect(await landedIdeas(repo.root, 'main')).toEqual(['i-1']);
    expect(await sh(repo.root, 'show', 'main~2:a.txt')).toBe('3');
    expect(await read(repo.root, 'a.txt')).toBe('4\n');
  });

  it.each(['rebase', 'merge'] as const)(
    'C7 with %s, commits of one message that do not follow each other get numbers, which a second landing keeps',
    async (strategy) => {
      const path = await work('i-1');
      const said = 'feat: do i-1 #i-1@ed-001\n\nRalph-Idea: i-1\nRalph-Slot: ed-001\n';
      const own = { rebase: said, merge: said.replaceAll('feat', 'fix') }[strategy];
      for (const n of [1, 2, 3]) {
        await commitFiles(path, { 'a.txt': `${n}\n` }, own);
        await commitFiles(path, { 'b.txt': `${n}\n` }, `own words ${n}`);
      }
      await commitFiles(path, { 'a.txt': '4\n' }, own.replace(' #', ' (2) #'));
      await work('i-2', { 'c.txt': 'other\n' });
      await land('i-2');
      expect(await land('i-1', { strategy })).toMatchObject({ kind: 'landed', commits: strategy === 'merge' ? 8 : 7 });
      const word = strategy === 'merge' ? 'fix' : 'feat';
      const numbers = ['', ' (2)', ' (3)', ' (4)'].map((n) => `${word}: do i-1${n} #i-1@ed-001`);
      const range = strategy === 'merge' ? 'main^1..main' : 'main~7..main';
      const mine = (await subjects(range)).filter((subject) => subject.startsWith(word));
      expect(mine.sort()).toEqual(numbers.sort());
      expect(await landedIdeas(repo.root, 'main')).toEqual(['i-1', 'i-2']);
      // They bear the form of a landed commit: it lands again as it is.
      const messages = (await sh(repo.root, 'log', '-z', '--format=%B', range))
        .split('\0')
        .filter((one) => one.trim() !== '');
      const parts = { idea: 'i-1', agentName: 'ed-001', title: 'Do i-1' };
      for (const message of messages) {
        expect(isNormal(message, parts)).toBe(true);
        expect(hasMarkOf(message.split('\n', 1)[0] ?? '', 'i-1')).toBe(true);
      }
    },
  );

  it('C7 a merge does not repeat the subject of the commit that it brings', async () => {
    const path = await work('i-1');
    const said = 'feat: do i-1 #i-1@ed-001\n\nRalph-Idea: i-1\nRalph-Slot: ed-001\n';
    const head = await commitFiles(path, { 'a.txt': '1\n' }, said);
    expect(await land('i-1', { strategy: 'merge' })).toMatchObject({ kind: 'landed', commits: 2 });
    expect(await subjects('main^1..main')).toEqual(['feat: do i-1 (2) #i-1@ed-001', 'feat: do i-1 #i-1@ed-001']);
    expect(await sh(repo.root, 'rev-parse', 'main^2')).toBe(head);
  });

  it('drops commits that the target already has', async () => {
    const path = await work('i-2', { 'a.txt': 'same\n' }, { 'new.txt': 'n\n' });
    await sh(repo.root, 'cherry-pick', await sh(path, 'rev-parse', 'HEAD~1'));
    expect(await land('i-2')).toMatchObject({ kind: 'landed', commits: 1 });
  });

  it('lands the sum where single commits conflict but the whole does not', async () => {
    await work('i-2', { 'a.txt': 'detour\n' }, { 'a.txt': 'one\n', 'new.txt': 'n\n' });
    await commitFiles(repo.root, { 'a.txt': 'theirs\n' }, 'theirs');
    expect(await land('i-2')).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await read(repo.root, 'a.txt')).toBe('theirs\n');
  });

  it('lands nothing when there is nothing', async () => {
    await work('i-1');
    const before = await tip();
    expect(await land('i-1', { gate: async () => RED })).toMatchObject({ kind: 'landed', commits: 0, commit: before });
    expect(await sh(repo.root, 'branch', '--list', 'ralph/*')).toBe('');
  });

  it('ticks the backlog in the last commit', async () => {
    await work('i-1', { 'a.txt': 'x\n' }, { 'a.txt': 'y\n' });
    const tick: LandOptions['tick'] = async (readText) => {
      expect(await readText('missing.md')).toBeUndefined();
      const text = await readText('roadmap.md');
      return text === undefined ? undefined : { path: 'roadmap.md', text: text.replace('[ ] i-1', '[x] i-1') };
    };
    await land('i-1', { tick });
    expect(await read(repo.root, 'roadmap.md')).toBe('- [x] i-1\n- [ ] i-2\n');
    expect(await sh(repo.root, 'show', '--name-only', '--format=', 'HEAD')).toBe('a.txt\nroadmap.md');
    expect(await sh(repo.root, 'show', '--name-only', '--format=', 'HEAD~1')).toBe('a.txt');
    await work('i-2');
    await land('i-2', {
      tick: async (readText) => ({
        path: 'roadmap.md',
        text: ((await readText('roadmap.md')) ?? '').replace('[ ] i-2', '[x] i-2'),
      }),
    });
    expect((await subjects())[0]).toBe('chore: do i-2 #i-2@ed-001');
    expect(await landedIdeas(repo.root, 'main')).toEqual(['i-2', 'i-1']);
  });

  it('the integration worktree starts clean each time, dependencies aside', async () => {
    const seen: string[][] = [];
    const gate: LandOptions['gate'] = async (dir) => {
      seen.push((await readdir(dir)).sort());
      await put(dir, { 'a.txt': 'gate was here\n', 'report.xml': 'r', 'x.log': 'l', 'node_modules/d': 'd' });
      await sh(dir, 'checkout', '-q', '-b', `stray-${seen.length}`);
      return GREEN;
    };
    await work('i-1', { 'n1.txt': '1' });
    await land('i-1', { gate });
    await work('i-2', { 'n2.txt': '2' });
    await land('i-2', { gate });
    expect(seen[1]).toEqual(['.git', '.gitignore', 'a.txt', 'b.txt', 'n1.txt', 'n2.txt', 'node_modules', 'roadmap.md']);
    expect(await read(repo.root, 'a.txt')).toBe('one\n');
    expect(await tip('stray-1')).toBe(await tip('main~1'));
  });
});

describe('landing that does not go through', () => {
  it('reports a conflict and leaves everything as it was', async () => {
    await work('i-2', { 'a.txt': 'mine\n' }, { 'c.txt': 'c\n' });
    const onto = await commitFiles(repo.root, { 'a.txt': 'theirs\n' }, 'theirs');
    const [before, head] = [await fingerprint(repo.root), await tip('ralph/i-2')];
    const got = await land('i-2');
    expect(got).toMatchObject({ kind: 'conflict', onto, files: ['a.txt'] });
    if (got.kind !== 'conflict') throw new Error('unreachable');
    expect(got.detail).toContain('CONFLICT (content)');
    expect(got.detail).toMatch(/The target changed:[\s\S]*\+theirs[\s\S]*This idea changed:[\s\S]*\+mine/);
    expect(got.detail.length).toBeLessThanOrEqual(2000);
    expect(await fingerprint(repo.root)).toBe(before);
    expect(await tip('ralph/i-2')).toBe(head);
    expect(await tip()).toBe(onto);
  });

  it('bounds the detail', async () => {
    const many = (word: string) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}.txt`, `${word} ${n}\n`.repeat(50)]));
    await work('i-2', many('mine'));
    await commitFiles(repo.root, many('theirs'), 'theirs');
    const got = await land('i-2');
    if (got.kind !== 'conflict') throw new Error(got.kind);
    expect(got.files).toHaveLength(30);
    expect(got.detail.length).toBeLessThanOrEqual(2000);
    expect(got.detail).toContain('+mine 0');
    expect(got.detail).toContain('+theirs 0');
  });

  it('keeps the candidate of a red gate alive', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    const before = await tip();
    const got = await land('i-1', { gate: async () => RED });
    expect(got).toMatchObject({ kind: 'red', onto: before, gate: RED });
    if (got.kind !== 'red') throw new Error('unreachable');
    expect(await tip('refs/ralphctl/candidate/i-1')).toBe(got.candidate);
    expect(await tip()).toBe(before);
    expect(await land('i-1')).toMatchObject({ kind: 'landed' });
    expect((await shell(repo.root, 'git rev-parse -q --verify refs/ralphctl/candidate/i-1')).code).toBe(1);
  });

  it('starts over when the target moves during the gate, and gives up after five', async () => {
    const path = await work('i-1', { 'a.txt': 'two\n' });
    let gated = 0;
    const meddle: LandOptions['gate'] = async () => {
      await commitFiles(repo.root, { [`user-${++gated}.txt`]: 'u' }, 'user');
      return GREEN;
    };
    await expect(land('i-1', { gate: meddle })).rejects.toThrow(/moved 5 times/);
    expect(gated).toBe(5);
    expect((await sh(path, 'status', '--porcelain', '--branch')).trim()).toBe('## ralph/i-1');
    const got = await land('i-1', { gate: async () => (gated++ === 5 ? meddle('', '') : GREEN) });
    expect(got).toMatchObject({ kind: 'landed', commits: 1, commit: await tip() });
    expect((await subjects()).filter((one) => one.includes('#i-1'))).toHaveLength(1);
  });

  it('D1: gates a tree once, also when the target moves without a change of its files', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    let gated = 0;
    const got = await land('i-1', {
      gate: async () => {
        if (gated++ === 0) await sh(repo.root, 'commit', '-q', '--allow-empty', '-m', 'empty');
        return GREEN;
      },
    });
    expect(got).toMatchObject({ kind: 'landed', commits: 1, commit: await tip() });
    expect(gated).toBe(1);
    expect((await subjects()).slice(0, 2)).toEqual([expect.stringContaining('#i-1'), 'empty']);
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
  });

  it('stops between steps when aborted', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    const stop = new AbortController();
    const landing = land('i-1', {
      signal: stop.signal,
      gate: async () => {
        stop.abort(new Error('stop'));
        return GREEN;
      },
    });
    await expect(landing).rejects.toThrow('stop');
    expect(await tip()).toBe(repo.base);
  });

  it('keeps a worktree that has uncommitted files, saved, and its branch', async () => {
    const path = await work('i-1', { 'a.txt': 'two\n' });
    await put(path, { 'late.txt': 'late' });
    const got = await land('i-1');
    expect(got).toMatchObject({ kind: 'landed', note: expect.stringContaining('uncommitted files') });
    expect(await read(path, 'late.txt')).toBe('late');
    expect(await sh(path, 'rev-parse', '--abbrev-ref', 'HEAD')).toBe('ralph/i-1');
    const saves = await listSaves(repo.root, 'i-1');
    expect(await sh(repo.root, 'show', `${saves.at(-1)?.ref}:late.txt`)).toBe('late');
  });

  it('keeps a branch that has moved past what was landed', async () => {
    const path = await work('i-1', { 'a.txt': 'two\n' });
    const head = await tip('ralph/i-1');
    const newer = await commitFiles(path, { 'c.txt': 'c' }, 'late');
    expect(await land('i-1', { head })).toMatchObject({
      kind: 'landed',
      note: expect.stringContaining('newer commits'),
    });
    expect(await tip('ralph/i-1')).toBe(newer);
  });

  it('names a missing target', async () => {
    await work('i-1', { 'a.txt': 'x' });
    await expect(land('i-1', { target: 'nope' })).rejects.toThrow(/no branch nope/);
  });
});

describe('the user has the target checked out with edits', () => {
  it('C1 brings the files along where no edited or staged path is among those that landed', async () => {
    await work('i-1', { 'a.txt': 'two\n', 'fresh.txt': 'f\n' });
    await put(repo.root, { 'b.txt': 'my edit\n', '.gitignore': 'x\n', 'mine.txt': 'untracked\n' });
    await sh(repo.root, 'add', 'b.txt');
    const got = await land('i-1');
    expect(got).toMatchObject({ kind: 'landed', commit: await tip() });
    expect(got).not.toHaveProperty('note', expect.anything());
    expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M .gitignore\nM  b.txt\n?? mine.txt');
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
    expect(await read(repo.root, 'b.txt')).toBe('my edit\n');
    expect(await read(repo.root, 'fresh.txt')).toBe('f\n');
    await sh(repo.root, 'commit', '-q', '-a', '-m', 'my edit');
    expect(await sh(repo.root, 'show', 'main:a.txt')).toBe('two');
  });

  it.each([
    ['edited', async () => put(repo.root, { 'a.txt': 'my edit\n' })],
    [
      'staged, and put back since',
      async () => {
        await put(repo.root, { 'a.txt': 'my edit\n' });
        await sh(repo.root, 'add', 'a.txt');
        await put(repo.root, { 'a.txt': 'one\n' });
      },
    ],
    ['deleted', async () => rm(join(repo.root, 'a.txt'))],
    ['moved', async () => sh(repo.root, 'mv', 'a.txt', 'z.txt')],
  ])('C1 leaves files and index byte for byte where a path that landed is %s', async (_name, edit) => {
    await work('i-1', { 'a.txt': 'two\n', 'fresh.txt': 'f\n' });
    await edit();
    const before = await fingerprint(repo.root);
    const got = await land('i-1');
    expect(await fingerprint(repo.root)).toBe(before);
    expect(got).toMatchObject({
      note: expect.stringMatching(/^landed work changes a\.txt, which you have edited in .* run: ralphctl sync$/),
    });
    expect(await tip('refs/ralphctl/checkout-base/main')).toBe(repo.base);
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([
      expect.stringMatching(/still has the old a\.txt and 1 more, .* ralphctl sync/),
    ]);
  });

  it('C1 brings the checkout up to date at the next landing, once the edits are gone', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await put(repo.root, { 'a.txt': 'my edit\n' });
    await land('i-1');
    await work('i-2', { 'c.txt': 'c\n' });
    await put(repo.root, { 'a.txt': 'one\n', 'b.txt': 'edited\n', 'mine.txt': 'untracked\n' });
    const got = await land('i-2');
    expect(got).toMatchObject({ kind: 'landed' });
    expect(got).not.toHaveProperty('note', expect.anything());
    expect(await sh(repo.root, 'status', '--porcelain')).toBe(' M b.txt\n?? mine.txt');
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
    expect(await read(repo.root, 'c.txt')).toBe('c\n');
    expect((await shell(repo.root, 'git rev-parse -q --verify refs/ralphctl/checkout-base/main')).code).toBe(1);
  });

  it('C1 remembers the oldest commit over several landings; the warning ends when the user has caught up', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    await work('i-2', { 'c.txt': 'c\n' });
    await put(repo.root, { 'a.txt': 'my edit\n' });
    await land('i-1');
    await land('i-2');
    expect(await tip('refs/ralphctl/checkout-base/main')).toBe(repo.base);
    expect(await checkoutsBehind(repo.root, 'main')).toHaveLength(1);
    await sh(repo.root, 'checkout', '-q', 'main', '--', '.');
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([]);
    const caughtUp = await tip();
    await work('i-3', { 'a.txt': 'three\n' });
    await put(repo.root, { 'a.txt': 'other edit\n' });
    expect(await land('i-3')).toMatchObject({ note: expect.stringContaining('ralphctl sync') });
    expect(await tip('refs/ralphctl/checkout-base/main')).toBe(caughtUp);
  });

  it('C1 only the backlog stays behind where only the backlog has edits', async () => {
    const tick: LandOptions['tick'] = async (before) => ({
      path: 'roadmap.md',
      text: (await before('roadmap.md'))?.replace('[ ]', '[x]') ?? '',
    });
    const more = { tick, backlogPath: 'roadmap.md' };
    await work('i-1', { 'a.txt': 'two\n' });
    await work('i-2', { 'c.txt': 'c\n' });
    await put(repo.root, { 'roadmap.md': '- [ ] i-1\n- [ ] i-2\n- [ ] i-3\n' });
    for (const idea of ['i-1', 'i-2']) expect(await land(idea, more)).not.toHaveProperty('note', expect.anything());
    expect(await read(repo.root, 'a.txt')).toBe('two\n');
    expect(await read(repo.root, 'c.txt')).toBe('c\n');
    expect(await read(repo.root, 'roadmap.md')).toBe('- [ ] i-1\n- [ ] i-2\n- [ ] i-3\n');
    expect(await sh(repo.root, 'show', 'main:roadmap.md')).toBe('- [x] i-1\n- [x] i-2');
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('MM roadmap.md');
    expect(await checkoutsBehind(repo.root, 'main')).toEqual([expect.stringMatching(/has the old roadmap\.md,/)]);
    expect(await syncCheckout(repo.root, 'main', { conflicts: true })).toMatchObject({
      paths: ['roadmap.md'],
      merged: ['roadmap.md'],
    });
  });

  it('C1 lands again what a crash cut off between the files and the branch', async () => {
    await work('i-1', { 'a.txt': 'two\n', 'fresh.txt': 'f\n' });
    await put(repo.root, { 'a.txt': 'two\n', 'fresh.txt': 'f\n' });
    await sh(repo.root, 'add', 'a.txt', 'fresh.txt');
    expect(await land('i-1')).not.toHaveProperty('note', expect.anything());
    expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
  });

  it.each([
    ['an untracked file', 'fresh.txt'],
    ['an ignored file', 'fresh.log'],
  ])('%s in the way is not overwritten', async (_name, file) => {
    const path = await work('i-1');
    await put(path, { [file]: 'theirs\n' });
    await sh(path, 'add', '-f', file);
    await sh(path, 'commit', '-q', '-m', 'adds it');
    await put(repo.root, { [file]: 'mine\n' });
    const before = await fingerprint(repo.root);
    const got = await land('i-1');
    expect(got).toMatchObject({ kind: 'landed', note: expect.stringContaining(`untracked ${file} in `) });
    expect(await fingerprint(repo.root)).toBe(before);
    expect(await read(repo.root, file)).toBe('mine\n');
  });

  it('does the same in a linked worktree of the user, and leaves other checkouts alone', async () => {
    const other = join(repo.scratch, 'other');
    await sh(repo.root, 'switch', '-q', '-c', 'feature');
    await sh(repo.root, 'worktree', 'add', '-q', other, 'main');
    await work('i-1', { 'a.txt': 'two\n' });
    const before = await fingerprint(repo.root);
    await land('i-1');
    expect(await read(other, 'a.txt')).toBe('two\n');
    expect(await sh(other, 'status', '--porcelain')).toBe('');
    expect(await fingerprint(repo.root)).toBe(before);
  });

  it('moves a branch that nobody has checked out', async () => {
    await sh(repo.root, 'branch', 'release/1.0');
    await work('i-1', { 'a.txt': 'two\n' });
    const before = await fingerprint(repo.root);
    const got = await land('i-1', { target: 'release/1.0' });
    expect(got).toMatchObject({ kind: 'landed', commit: await tip('release/1.0') });
    expect(await fingerprint(repo.root)).toBe(before);
    expect(await tip()).toBe(repo.base);
  });

  it("does not run the user's hooks", async () => {
    for (const hook of ['post-merge', 'post-checkout', 'reference-transaction', 'pre-merge-commit', 'post-commit'])
      await put(repo.root, { [`.git/hooks/${hook}`]: `#!/bin/sh\ntouch '${repo.scratch}/hooked'\n` });
    await shell(repo.root, 'chmod +x .git/hooks/*');
    const { exists } = await import('../../../../src/git/worktrees/list.js');
    const head = await sh(
      repo.root,
      'commit-tree',
      '-p',
      'HEAD',
      '-m',
      'x',
      await sh(repo.root, 'rev-parse', 'HEAD^{tree}'),
    );
    expect(await land('i-1', { head })).toMatchObject({ kind: 'landed' });
    expect(await exists(`${repo.scratch}/hooked`)).toBe(false);
  });
});

describe('crashes', () => {
  it('after the swap: the second try only tidies up', async () => {
    const path = await work('i-1', { 'a.txt': 'x\n' }, { 'a.txt': 'y\n' });
    const head = await tip('ralph/i-1');
    await land('i-1');
    const commit = await tip();
    // As it was just after the swap: branch and worktree still there.
    await sh(path, 'checkout', '-q', '-B', 'ralph/i-1', head);
    await commitFiles(repo.root, { 'later.txt': 'l' }, 'later');
    const gate: LandOptions['gate'] = async () => {
      throw new Error('must not gate again');
    };
    expect(await land('i-1', { head, gate })).toMatchObject({ kind: 'landed', commit, commits: 2 });
    expect(await sh(repo.root, 'branch', '--list', 'ralph/*')).toBe('');
    expect(await land('i-1', { head, gate })).toMatchObject({ kind: 'landed', commit, commits: 2 });
    expect((await subjects()).filter((one) => one.includes('#i-1'))).toHaveLength(2);
  });

  it('between claim and swap: lands', async () => {
    await work('i-1', { 'a.txt': 'x\n' });
    const head = await tip('ralph/i-1');
    const claim = await sh(repo.root, 'commit-tree', '-p', 'main', '-m', 'candidate', `${head}^{tree}`);
    await sh(repo.root, 'update-ref', 'refs/ralphctl/landing/i-1', claim);
    await sh(repo.root, 'update-ref', 'refs/ralphctl/landing-head/i-1', head);
    expect(await land('i-1')).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await subjects()).toEqual(['step 1 #i-1@ed-001', 'Start']);
  });

  it('an idea that was rolled back can land again with new work', async () => {
    await work('i-1', { 'a.txt': 'x\n' });
    await land('i-1');
    await sh(repo.root, 'revert', '--no-edit', 'HEAD');
    await work('i-1', { 'a.txt': 'better\n' });
    expect(await land('i-1')).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await read(repo.root, 'a.txt')).toBe('better\n');
  });
});

describe('a target that was rewound', () => {
  it('is not given back, in the name of an idea, what somebody took away', async () => {
    const secret = await commitFiles(repo.root, { 'secret.txt': 'key\n' }, 'user: add secret');
    await work('i-1', { 'a.txt': 'two\n' });
    await sh(repo.root, 'reset', '-q', '--hard', 'HEAD~1');
    const before = await tip();
    const refused = await land('i-1', { base: secret }).catch((error: Error) => error);
    const { message } = refused as Error;
    expect(message).toMatch(/main was rewound: it no longer contains/);
    expect(await tip()).toBe(before);
    // The command names the worktree, and works as it is.
    const command = /\((git -C .*)\)\.$/.exec(message)?.[1] ?? 'false';
    await promisify(execFile)('sh', ['-c', command]);
    expect(await land('i-1', { base: before })).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await sh(repo.root, 'log', '--format=%s', 'main')).not.toContain('add secret');
  });
});

describe('D1 places in the landing queue', () => {
  const places = [{ idea: 'i-9', files: ['b.txt', 'a.txt'] }];

  it('does not pass the place of an idea in the same files: no gate runs, and nothing moves', async () => {
    await work('i-1', { 'a.txt': 'two\n' });
    const before = await tip();
    let gated = 0;
    const gate: LandOptions['gate'] = async () => {
      gated += 1;
      return GREEN;
    };
    expect(await land('i-1', { places, gate })).toMatchObject({
      ...{ kind: 'waits-place', behind: 'i-9', files: ['a.txt'] },
    });
    expect([await tip(), gated]).toEqual([before, 0]);
    expect(await land('i-1', { gate })).toMatchObject({ kind: 'landed' });
  });

  it('passes it with other files, and the backlog, which every landing ticks, is none', async () => {
    await work('i-1', { 'c.txt': 'sea\n', 'roadmap.md': '- [x] i-1\n- [ ] i-2\n' });
    const kept = [...places, { idea: 'i-8', files: ['roadmap.md'] }];
    expect(await land('i-1', { places: kept, backlogPath: 'roadmap.md' })).toMatchObject({ kind: 'landed' });
  });

  it('counts a file that is renamed away', async () => {
    const path = await work('i-1');
    await sh(path, 'mv', 'a.txt', 'z.txt');
    await sh(path, 'commit', '-q', '-m', 'rename');
    expect(await land('i-1', { places })).toMatchObject({ kind: 'waits-place', files: ['a.txt'] });
  });
});
