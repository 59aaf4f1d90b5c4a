/** Landed commits that a person amended, reworded, rebased or picked: their contents decide, not their names (C1, D3). */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { goneOf, rewound } from '../../../../src/git/landing/gone.js';
import { landedCommits } from '../../../../src/git/landing/landed.js';
import { takenBack } from '../../../../src/git/landing/taken-back.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../repo.js';

const TEN = 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n';
let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': TEN, 'b.txt': 'bee\n', 'roadmap.md': '- [ ] i-1\n- [ ] i-2\n' });
});
afterEach(() => repo.remove());

/** As ralphctl lands: the author is the slot, and a ref claims the commit. */
async function land(idea: string, files: Record<string, string>): Promise<string> {
  await put(repo.root, files);
  await sh(repo.root, 'add', '-A');
  const author = `--author=ed-001 <${idea}@ralphctl.invalid>`;
  await sh(repo.root, 'commit', '-q', author, '-m', `feat: ${idea} #${idea}@ed-001\n\nRalph-Idea: ${idea}`);
  const commit = await tip();
  await sh(repo.root, 'update-ref', `refs/ralphctl/landing/${idea}`, commit);
  return commit;
}
const tip = (): Promise<string> => sh(repo.root, 'rev-parse', 'HEAD');
const about = () => ({ repo: repo.root, target: 'main', backlogPath: 'roadmap.md' });
const look = (more: object = {}) => takenBack({ ...about(), ...more });
/** `git commit -a --amend` in a checkout whose files are older than both landings. */
async function amendOld(files: Record<string, string>, words: readonly string[] = ['--no-edit']): Promise<string> {
  await sh(repo.root, 'read-tree', '-u', '--reset', repo.base);
  await put(repo.root, files);
  await sh(repo.root, 'commit', '-q', '-a', '--amend', ...words);
  return tip();
}
const noReflog = async () => {
  await sh(repo.root, 'config', 'core.logAllRefUpdates', 'false');
  await rm(join(repo.root, '.git/logs'), { recursive: true, force: true });
};
const noClaims = async () => {
  for (const idea of ['i-1', 'i-2']) await sh(repo.root, 'update-ref', '-d', `refs/ralphctl/landing/${idea}`);
};
const both = async () => ({
  first: await land('i-1', {
    'a.txt': TEN.replace('l9', 'new'),
    'c.txt': 'c\n',
    'roadmap.md': '- [x] i-1\n- [ ] i-2\n',
  }),
  second: await land('i-2', { 'd.txt': 'd\n', 'roadmap.md': '- [x] i-1\n- [x] i-2\n' }),
});

describe('an amended commit of a checkout that lags', () => {
  it.each([
    ['by the claims, without a reflog', noReflog],
    ['by the reflog, without claims', noClaims],
  ])('C1 took off what it removed, its own idea, too: known %s', async (_, lose) => {
    const { first, second } = await both();
    const commit = await amendOld({ 'a.txt': TEN.replace('l1', 'mine') });
    await lose();
    const by = { commit, subject: 'feat: i-2 #i-2@ed-001' };
    const gone = [
      { idea: 'i-2', landed: second, by, stays: true },
      { idea: 'i-1', landed: first, by, stays: true },
    ];
    for (const whole of [true, false]) {
      const found = await look({ whole });
      expect(found).toMatchObject(gone);
      expect(found.every(({ part }) => part === undefined)).toBe(true);
    }
    expect(await look({ only: new Set(['i-2']) })).toMatchObject(gone.slice(0, 1));
    expect(await look({ only: new Set(['i-1']) })).toMatchObject(gone.slice(1));
    const recorded = new Map([
      ['i-1', first],
      ['i-2', second],
    ]);
    expect(await goneOf(about(), recorded)).toMatchObject(gone);
  });

  it.each([
    ['by the claims, without a reflog', noReflog, []],
    ['by the reflog, without claims', noClaims, []],
    ['by the reflog, with another author', async () => undefined, ['--reset-author']],
  ])('C1 took off the same with a person’s own words: known %s', async (_, lose, more) => {
    const { first, second } = await both();
    const commit = await amendOld({ 'a.txt': TEN.replace('l1', 'mine') }, ['-m', 'my own words', ...more]);
    await lose();
    const by = { commit, subject: 'my own words' };
    const gone = [
      { idea: 'i-2', landed: second, by, stays: true },
      { idea: 'i-1', landed: first, by, stays: true },
    ];
    for (const whole of [true, false]) expect(await look({ whole })).toMatchObject(gone);
    // As with its trailer: what a person took off does not run again by itself.
    expect((await landedCommits(repo.root, 'main', 'roadmap.md')).get('i-2')).toBe(commit);
    expect(await rewound(repo.root, 'main', ['i-1', 'i-2'])).toEqual([]);
    expect(await goneOf(about(), new Map([['i-1', first]]), { others: ['i-2'] })).toMatchObject(gone);
    // The next landing tells it.
    await land('i-3', { 'e.txt': 'e\n' });
    expect(await look({ before: 'i-3' })).toMatchObject(gone);
    await sh(repo.root, 'reset', '-q', '--hard', repo.base);
    expect(await landedCommits(repo.root, 'main', 'roadmap.md')).toEqual(new Map());
  });

  it('C1 keeps the work with own words and more edits: nothing is named, and what a commit takes off then is', async () => {
    const { second } = await both();
    await put(repo.root, { 'd.txt': 'mine\nd\n' });
    await sh(repo.root, 'commit', '-q', '-a', '--amend', '-m', 'my own words');
    const mine = await tip();
    expect((await landedCommits(repo.root, 'main', 'roadmap.md')).get('i-2')).toBe(mine);
    expect(await look()).toEqual([]);
    await sh(repo.root, 'revert', '--no-edit', mine);
    expect(await look()).toMatchObject([{ idea: 'i-2', landed: second, by: { commit: await tip() } }]);
  });

  it('C1 is named by the next landing, and what landed again on it is no longer named', async () => {
    await both();
    await amendOld({ 'a.txt': TEN.replace('l1', 'mine') });
    await land('i-3', { 'e.txt': 'e\n' });
    expect(await look({ before: 'i-3' })).toMatchObject([{ idea: 'i-2' }, { idea: 'i-1' }]);
    await land('i-4', { 'f.txt': 'f\n' });
    expect(await look({ before: 'i-4' })).toEqual([]);
    expect(await look()).toHaveLength(2);
    await land('i-2', { 'd.txt': 'd\n' });
    expect(await look()).toMatchObject([{ idea: 'i-1' }]);
  });

  it('C1 took a part, where the rest of the idea is still there', async () => {
    await land('i-1', { 'c.txt': 'c\n' });
    const commit = await land('i-2', { 'd.txt': 'd\n', 'e.txt': 'e\n' });
    await sh(repo.root, 'rm', '-q', 'd.txt');
    await sh(repo.root, 'commit', '-q', '--amend', '--no-edit');
    const [only, ...more] = await look();
    expect(only).toMatchObject({ idea: 'i-2', landed: commit, part: ['d.txt'] });
    expect(more).toEqual([]);
    expect(await look({ whole: true })).toEqual([]);
  });

  it('C1 a picked commit of which nothing was kept is no landing', async () => {
    const { second } = await both();
    await sh(repo.root, 'revert', '--no-edit', second);
    const reverted = await tip();
    expect(await look()).toMatchObject([{ idea: 'i-2', by: { commit: reverted } }]);
    await put(repo.root, { 'b.txt': 'mine\n' });
    await sh(repo.root, 'commit', '-q', '-a', '-C', second);
    expect(await look()).toMatchObject([{ idea: 'i-2', landed: second }]);
  });
});

describe('nothing is named', () => {
  const reads = async () => {
    expect(await look()).toEqual([]);
    await noReflog();
    expect(await look()).toEqual([]);
  };
  it('C1 after an amend that keeps the work: other words, an edit more, another author', async () => {
    await both();
    await sh(repo.root, 'commit', '-q', '--amend', '-m', 'my words\n\nRalph-Idea: i-2');
    expect(await look()).toEqual([]);
    await put(repo.root, { 'b.txt': 'mine\n' });
    await sh(repo.root, 'commit', '-q', '-a', '--amend', '--no-edit');
    expect(await look()).toEqual([]);
    await sh(repo.root, 'commit', '-q', '--amend', '--no-edit', '--reset-author');
    await reads();
  });

  it('C1 after the whole branch was rewritten, also where one idea had removed the work of another', async () => {
    await land('i-1', { 'a.txt': TEN.replace('l9', 'new'), 'c.txt': 'c\n' });
    await sh(repo.root, 'rm', '-q', 'c.txt');
    await land('i-2', { 'a.txt': TEN, 'd.txt': 'd\n' });
    await sh(repo.root, 'checkout', '-q', '-b', 'below', repo.base);
    await commitFiles(repo.root, { 'a.txt': TEN.replace('l1', 'below') }, 'below');
    await sh(repo.root, 'checkout', '-q', 'main');
    await sh(repo.root, 'rebase', '-q', 'below');
    expect(await look()).toEqual([]);
    expect((await goneOf(about(), new Map([['i-1', undefined]]))).length).toBe(0);
    await reads();
  });

  it('C1 after a revert was taken back by picking the commit again', async () => {
    const { second } = await both();
    await sh(repo.root, 'revert', '--no-edit', second);
    await sh(repo.root, 'cherry-pick', second);
    await reads();
  });

  it('C1 on a clone without records, and for a landing that another machine made', async () => {
    await both();
    await sh(repo.root, 'reset', '-q', '--hard', 'HEAD~1');
    // The same idea, by another agent.
    await commitFiles(repo.root, { 'other.txt': 'o\n' }, 'feat: i-2\n\nRalph-Idea: i-2');
    await reads();
    await noClaims();
    await reads();
  });
});

describe('a landed commit with a person’s own words', () => {
  it('C1 counts as the landing of its idea', async () => {
    const { first } = await both();
    await sh(repo.root, 'commit', '-q', '--amend', '-m', 'my own words');
    const mine = await tip();
    const isLanded = async () => {
      expect(Object.fromEntries(await landedCommits(repo.root, 'main', 'roadmap.md'))).toEqual({
        'i-1': first,
        'i-2': mine,
      });
      expect(await rewound(repo.root, 'main', ['i-1', 'i-2'])).toEqual([]);
      expect(await goneOf(about(), new Map([['i-2', undefined]]), { others: ['i-1'] })).toEqual([]);
    };
    await isLanded();
    await commitFiles(repo.root, { 'b.txt': 'later\n' }, 'later');
    await isLanded();
    await noReflog();
    await isLanded();
  });

  it('C1 also when other ideas went on from it, and until a commit takes it off', async () => {
    await both();
    await sh(repo.root, 'commit', '-q', '--amend', '-m', 'my own words');
    const mine = await tip();
    await land('i-3', { 'd.txt': 'other\n' });
    expect((await landedCommits(repo.root, 'main', 'roadmap.md')).get('i-2')).toBe(mine);
    expect(await look()).toEqual([]);
    await sh(repo.root, 'reset', '-q', '--hard', mine);
    await sh(repo.root, 'revert', '--no-edit', mine);
    expect(await look()).toMatchObject([{ idea: 'i-2', landed: mine, by: { commit: await tip() } }]);
  });

  it('C1 or as one commit of several ideas; not where a reset took one of them', async () => {
    const { first } = await both();
    await sh(repo.root, 'reset', '-q', '--soft', repo.base);
    await sh(repo.root, 'commit', '-q', '-m', 'all in one');
    const mine = await tip();
    const landed = () => landedCommits(repo.root, 'main', 'roadmap.md');
    expect(Object.fromEntries(await landed())).toEqual({ 'i-1': mine, 'i-2': mine });
    await commitFiles(repo.root, { 'b.txt': 'later\n', 'a.txt': TEN.replace('l9', 'new').replace('l1', 'x') }, 'later');
    expect([...(await landed()).keys()].sort()).toEqual(['i-1', 'i-2']);
    await sh(repo.root, 'reset', '-q', '--hard', first);
    expect(Object.fromEntries(await landed())).toEqual({ 'i-1': first });
    expect(await rewound(repo.root, 'main', ['i-1', 'i-2'])).toMatchObject([{ idea: 'i-2' }]);
    await sh(repo.root, 'reset', '-q', '--hard', repo.base);
    expect(await landed()).toEqual(new Map());
    // A file that another idea made as well is no proof.
    await commitFiles(repo.root, { 'c.txt': 'c\n' }, 'c, too');
    expect(await landed()).toEqual(new Map());
  });
});
