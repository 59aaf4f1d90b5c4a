/** Landed ideas whose change is gone are named with what took them back (C1, D3). */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { goneOf, rewound } from '../../../../src/git/landing/gone.js';
import { newestOf } from '../../../../src/git/landing/lost-branch.js';
import { takenBack } from '../../../../src/git/landing/taken-back.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../repo.js';

const TEN = 'l1\nl2\nl3\nl4\nl5\nl6\nl7\nl8\nl9\n';
let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': TEN, 'b.txt': 'bee\n', 'roadmap.md': '- [ ] i-1\n- [ ] i-2\n' });
});
afterEach(() => repo.remove());

const landed = (idea: string, files: Record<string, string>) =>
  commitFiles(repo.root, files, `feat: ${idea}\n\nRalph-Idea: ${idea}\nRalph-Agent: scripted`);
const look = (more: object = {}) => takenBack({ repo: repo.root, target: 'main', backlogPath: 'roadmap.md', ...more });
/** As in a checkout that lags: all files as they were before the landings, one edit on top. */
async function commitOld(files: Record<string, string>): Promise<string> {
  await sh(repo.root, 'read-tree', '-u', '--reset', repo.base);
  return commitFiles(repo.root, files, 'my edit');
}

describe('a commit that takes landed work back', () => {
  it('C1 is named with every idea that it took back', async () => {
    const first = await landed('i-1', { 'a.txt': TEN.replace('l9', 'new'), 'roadmap.md': '- [x] i-1\n- [ ] i-2\n' });
    const second = await landed('i-2', { 'a.txt': TEN.replace('l9', 'newer'), 'c.txt': 'c\n' });
    const by = { commit: await commitOld({ 'b.txt': 'mine\n' }), subject: 'my edit' };
    expect(await look()).toMatchObject([
      { idea: 'i-2', landed: second, by },
      { idea: 'i-1', landed: first, by },
    ]);
  });

  it('C1 is seen where it edited the same file', async () => {
    await landed('i-1', { 'a.txt': TEN.replace('l9', 'new') });
    await commitOld({ 'a.txt': TEN.replace('l1', 'mine') });
    expect(await look()).toMatchObject([{ idea: 'i-1', by: { subject: 'my edit' } }]);
  });

  it('C1 is a revert by hand, too, and the one commit among others', async () => {
    await landed('i-1', { 'a.txt': TEN.replace('l9', 'new'), 'c.txt': 'c\n' });
    await commitFiles(repo.root, { 'a.txt': TEN.replace('l9', 'new').replace('l1', 'x') }, 'an edit');
    await sh(repo.root, 'revert', '--no-edit', 'HEAD~1');
    await commitFiles(repo.root, { 'd.txt': 'd\n', 'a.txt': TEN.replace('l2', 'y') }, 'later');
    expect(await look()).toMatchObject([{ idea: 'i-1', by: { subject: 'Revert "feat: i-1"' } }]);
  });
});

describe('ideas that landed again in one merge', () => {
  it('C1 are named one by one', async () => {
    await landed('i-1', { 'a.txt': TEN.replace('l9', 'new') });
    const side = await landed('i-2', { 'c.txt': 'c\n' });
    await sh(repo.root, 'reset', '-q', '--hard', repo.base);
    await commitFiles(repo.root, { 'd.txt': 'd\n' }, 'theirs');
    await sh(repo.root, 'merge', '-q', '--no-ff', '-m', 'both\n\nRalph-Idea: i-1\nRalph-Idea: i-2', side);
    expect(await look()).toEqual([]);
    await commitFiles(repo.root, { 'a.txt': TEN }, 'without it');
    for (const whole of [true, false]) {
      const [first, ...more] = await look({ whole });
      expect(first).toMatchObject({ idea: 'i-1', by: { subject: 'without it' } });
      expect(first).not.toHaveProperty('part');
      expect(more).toEqual([]);
    }
  });
});

describe('a commit that takes a part of landed work back', () => {
  const files = { 'a.txt': TEN.replace('l9', 'new'), 'b.txt': 'bee\nnew\n', 'c.txt': 'c\n' };
  const half = (more: object) => [{ idea: 'i-1', by: { subject: 'half' }, ...more }];

  it.each([
    ['to its former version', { 'a.txt': TEN }, ['a.txt']],
    ['with an edit beside', { 'a.txt': TEN.replace('l1', 'mine') }, ['a.txt']],
    ['in two files', { 'a.txt': TEN, 'b.txt': 'bee\n' }, ['a.txt', 'b.txt']],
  ])('C1 is named with the files, %s', async (_, old, part) => {
    await landed('i-1', files);
    await commitFiles(repo.root, old, 'half');
    expect(await look()).toMatchObject(half({ part }));
    expect((await look())[0]?.part).toEqual(part);
  });

  it('C1 is named by the next landing, and not again after it', async () => {
    await landed('i-1', files);
    await commitFiles(repo.root, { 'a.txt': TEN }, 'half');
    await landed('i-2', { 'd.txt': 'd\n' });
    expect(await look({ before: 'i-2' })).toMatchObject(half({ part: ['a.txt'] }));
    expect(await look()).toEqual([]);
    await landed('i-3', { 'e.txt': 'e\n' });
    expect(await look({ before: 'i-3' })).toEqual([]);
  });
});

describe('a file with landed changes that a person deleted', () => {
  const remove = async (message: string, more: Record<string, string> = {}): Promise<string> => {
    await sh(repo.root, 'rm', '-q', 'a.txt');
    return commitFiles(repo.root, more, message);
  };

  it('C1 has nothing of them any more', async () => {
    const commit = await landed('i-1', { 'a.txt': TEN.replace('l9', 'new') });
    const by = { commit: await remove('removed', { 'b.txt': 'mine\n' }), subject: 'removed' };
    for (const whole of [true, false])
      expect(await look({ whole })).toMatchObject([{ idea: 'i-1', landed: commit, by, stays: true }]);
    await landed('i-2', { 'a.txt': 'another\n' });
    expect(await look()).toMatchObject([{ idea: 'i-1', by }]);
  });

  it('C1 is a part, where the idea has others', async () => {
    await landed('i-1', { 'a.txt': TEN.replace('l9', 'new'), 'c.txt': 'c\n' });
    const commit = await remove('removed', { 'b.txt': 'mine\n' });
    expect(await look()).toMatchObject([{ idea: 'i-1', by: { commit }, part: ['a.txt'] }]);
  });

  it('C1 is no loss where an idea deleted it, or where the commit made another file of it', async () => {
    const first = await landed('i-1', { 'a.txt': TEN.replace('l9', 'new') });
    await remove('feat: i-2\n\nRalph-Idea: i-2', { 'b.txt': 'two\n' });
    await commitFiles(repo.root, { 'b.txt': 'later\n' }, 'later');
    expect(await look()).toEqual([]);
    await sh(repo.root, 'reset', '-q', '--hard', first);
    await remove('rewritten', { 'z.txt': 'all new\n' });
    expect(await look()).toEqual([]);
  });
});

describe('nothing is named', () => {
  it.each([
    ['when people went on from it', async () => commitFiles(repo.root, { 'a.txt': TEN.replace('l9', 'newest') }, 'on')],
    [
      'when a file of it was moved',
      async () => {
        await sh(repo.root, 'mv', 'c.txt', 'moved.txt');
        return commitFiles(repo.root, {}, 'move');
      },
    ],
    ['when only its tick is gone', async () => commitFiles(repo.root, { 'roadmap.md': '- [ ] i-1\n' }, 'untick')],
    ['when another idea removed it', async () => landed('i-2', { 'a.txt': TEN, 'c.txt': 'other\n' })],
  ])('C1 %s', async (_name, next) => {
    await landed('i-1', { 'a.txt': TEN.replace('l9', 'new'), 'c.txt': 'c\n', 'roadmap.md': '- [x] i-1\n' });
    await next();
    expect(await look()).toEqual([]);
  });

  it('C1 when another idea removed it, and people went on from there', async () => {
    await landed('i-1', { 'a.txt': TEN.replace('l9', 'new') });
    await landed('i-2', { 'a.txt': TEN });
    await commitFiles(repo.root, { 'a.txt': TEN.replace('l1', 'mine') }, 'on');
    expect(await look()).toEqual([]);
  });

  it('C1 once it has landed again, or was taken back in its name', async () => {
    const files = { 'a.txt': TEN.replace('l9', 'new'), 'c.txt': 'c\n' };
    await landed('i-1', files);
    await commitOld({ 'b.txt': 'mine\n' });
    expect(await look()).toHaveLength(1);
    await landed('i-1', files);
    expect(await look()).toEqual([]);
    await commitFiles(repo.root, { 'a.txt': TEN }, 'revert: i-1\n\nRalph-Reverted: i-1');
    expect(await look()).toEqual([]);
  });
});

describe('what a person took back stays taken back', () => {
  const byHand = async () => {
    await sh(repo.root, 'revert', '--no-edit', 'HEAD');
    return { stays: true, by: { subject: expect.stringContaining('Revert') } };
  };
  const rollBack = (idea: string, files: Record<string, string>) =>
    commitFiles(repo.root, files, `revert: ${idea}\n\nRalph-Reverted: ${idea}`);

  it('C1 D3 when an idea below it in the same file is rolled back, and when that lands again', async () => {
    await landed('i-1', { 'list.txt': 'b\n' });
    const second = await landed('i-2', { 'list.txt': 'a\n' });
    const gone = await byHand();
    const named = [{ idea: 'i-2', landed: second, ...gone }];
    await sh(repo.root, 'rm', '-q', 'list.txt');
    await rollBack('i-1', {});
    for (const whole of [true, false]) expect(await look({ whole })).toMatchObject(named);
    expect(await goneOf({ repo: repo.root, target: 'main' }, new Map(), { others: ['i-2'] })).toMatchObject(named);
    await landed('i-1', { 'list.txt': 'other\n' });
    for (const whole of [true, false]) expect(await look({ whole })).toMatchObject(named);
    await landed('i-2', { 'list.txt': 'other\na\n' });
    expect(await look()).toEqual([]);
  });

  it('C1 D3 when a later idea lands, or is rolled back, in the same place', async () => {
    const second = await landed('i-2', { 'a.txt': TEN.replace('l9', 'new') });
    const gone = await byHand();
    const named = [{ idea: 'i-2', landed: second, ...gone }];
    await landed('i-3', { 'a.txt': TEN.replace('l9', 'third') });
    expect(await look()).toMatchObject(named);
    await rollBack('i-3', { 'a.txt': TEN });
    expect(await look()).toMatchObject(named);
    // A person who goes on there may have made it anew.
    await commitFiles(repo.root, { 'a.txt': TEN.replace('l9', 'new, and more') }, 'by hand');
    expect(await look()).toEqual([]);
  });

  it('C1 D3 but not when a rollback brings it back', async () => {
    await landed('i-2', { 'a.txt': TEN.replace('l9', 'new') });
    await landed('i-3', { 'a.txt': TEN });
    await commitFiles(repo.root, { 'a.txt': TEN.replace('l1', 'mine') }, 'on');
    await rollBack('i-3', { 'a.txt': TEN.replace('l1', 'mine').replace('l9', 'new') });
    expect(await look()).toEqual([]);
  });
});

const recorded = (...ids: string[]) => new Map(ids.map((id) => [id, undefined] as const));

it('C1 G4 what has left the target is named by idea: reverted by hand, rolled back, and in part', async () => {
  const about = { repo: repo.root, target: 'main', backlogPath: 'roadmap.md' };
  await landed('i-1', { 'c.txt': 'c\n' });
  await landed('i-2', { 'd.txt': 'd\n', 'e.txt': 'e\n' });
  const third = await landed('i-3', { 'f.txt': 'f\n' });
  await sh(repo.root, 'rm', '-q', 'c.txt');
  const byHand = await commitFiles(repo.root, {}, 'not wanted');
  await sh(repo.root, 'rm', '-q', 'd.txt');
  await commitFiles(repo.root, {}, 'half');
  await sh(repo.root, 'rm', '-q', 'f.txt');
  const back = await commitFiles(repo.root, {}, 'revert: i-3\n\nRalph-Reverted: i-3');
  const ideas = recorded('i-1', 'i-2', 'i-3');
  const whole = [
    { idea: 'i-3', landed: third, by: { commit: back, subject: 'revert: i-3' }, rolledBack: true },
    { idea: 'i-1', by: { commit: byHand }, stays: true },
  ];
  expect(await goneOf({ ...about, whole: true }, ideas)).toMatchObject(whole);
  expect(await goneOf(about, ideas)).toMatchObject([whole[0], { idea: 'i-2', part: ['d.txt'] }, whole[1]]);
  expect(await goneOf(about, recorded('i-2'))).toHaveLength(1);
  expect(await goneOf(about, recorded())).toEqual([]);
  // Also without a record that they landed.
  expect(await goneOf({ ...about, whole: true }, recorded(), { others: [...ideas.keys(), 'i-9'] })).toMatchObject(
    whole,
  );
});

it('C1 a landing names what was taken back since the landing before it, and nothing twice', async () => {
  await landed('i-1', { 'c.txt': 'c\n' });
  await commitOld({ 'b.txt': 'mine\n' });
  await landed('i-2', { 'd.txt': 'd\n' });
  expect(await look({ before: 'i-2' })).toMatchObject([{ idea: 'i-1' }]);
  await landed('i-3', { 'e.txt': 'e\n' });
  expect(await look({ before: 'i-3' })).toEqual([]);
  expect(await look()).toMatchObject([{ idea: 'i-1' }]);
});

it('C1 ideas that a reset took off the target are known by their claims', async () => {
  const commit = await landed('i-1', { 'c.txt': 'c\n' });
  await sh(repo.root, 'update-ref', 'refs/ralphctl/landing/i-1', commit);
  // Claimed, and cut off before it moved the branch.
  const never = await sh(repo.root, 'commit-tree', '-p', 'main', '-m', 'candidate', 'main^{tree}');
  await sh(repo.root, 'update-ref', 'refs/ralphctl/landing/i-2', never);
  expect(await rewound(repo.root, 'main', ['i-1', 'i-2'])).toEqual([]);
  await sh(repo.root, 'reset', '-q', '--hard', repo.base);
  await put(repo.root, { 'b.txt': 'on\n' });
  expect(await rewound(repo.root, 'main', ['i-1', 'i-2', 'i-3'])).toEqual([{ idea: 'i-1', landed: commit }]);
});

describe('without a reflog of the target', () => {
  const about = () => ({ repo: repo.root, target: 'main', backlogPath: 'roadmap.md' });
  beforeEach(async () => {
    await sh(repo.root, 'config', 'core.logAllRefUpdates', 'false');
    await rm(join(repo.root, '.git/logs'), { recursive: true, force: true });
  });

  it('C1 work that a reset took off is known by the record of its run, and by a claim whose landing was finished', async () => {
    const commit = await landed('i-1', { 'c.txt': 'c\n' });
    await sh(repo.root, 'update-ref', 'refs/ralphctl/landing/i-1', commit);
    // Claimed by a try that another one replaced: its branch is still there.
    const tree = await sh(repo.root, 'rev-parse', 'main^{tree}');
    const never = await sh(repo.root, 'commit-tree', '-p', 'main', '-m', 'feat: i-2\n\nRalph-Idea: i-2', tree);
    await sh(repo.root, 'update-ref', 'refs/ralphctl/landing/i-2', never);
    await sh(repo.root, 'branch', 'ralph/i-2', never);
    expect(await rewound(repo.root, 'main', ['i-1', 'i-2'])).toEqual([]);
    await sh(repo.root, 'reset', '-q', '--hard', repo.base);
    expect(await rewound(repo.root, 'main', ['i-1', 'i-2', 'i-3'])).toEqual([{ idea: 'i-1', landed: commit }]);
    expect(await goneOf(about(), new Map([['i-3', 'abc']]), { others: ['i-1', 'i-2'] })).toEqual([
      { idea: 'i-3', landed: 'abc' },
      { idea: 'i-1', landed: commit },
    ]);
    // On another branch, it is not lost.
    await sh(repo.root, 'branch', 'elsewhere', commit);
    expect(await rewound(repo.root, 'main', ['i-1'])).toEqual([]);
  });
});

it('C1 D2 a squash merge without the name of its idea is not lost, until a reset takes it off', async () => {
  const squashed = await commitFiles(repo.root, { 'c.txt': 'c\n' }, 'Add c (#4)');
  const other = await commitFiles(repo.root, { 'd.txt': 'd\n' }, 'Add d (#5)');
  const about = { repo: repo.root, target: 'main', backlogPath: 'roadmap.md', whole: true };
  const recorded = new Map([
    ['i-1', squashed],
    ['i-2', other],
    ['i-3', 'f'.repeat(40)],
  ]);
  const never = { idea: 'i-3', landed: 'f'.repeat(40) };
  expect(await goneOf(about, recorded)).toEqual([never]);
  await sh(repo.root, 'reset', '-q', '--hard', squashed);
  expect(await goneOf(about, recorded)).toEqual([{ idea: 'i-2', landed: other }, never]);
});

it('C1 a target that was deleted has lost all that landed on it, and can begin again at its newest landing', async () => {
  const first = await landed('i-1', { 'c.txt': 'c\n' });
  const second = await landed('i-2', { 'd.txt': 'd\n' });
  await sh(repo.root, 'checkout', '-q', '--detach');
  await sh(repo.root, 'branch', '-q', '-D', 'main');
  const gone = await goneOf(
    { repo: repo.root, target: 'main' },
    new Map([
      ['i-1', first],
      ['i-2', second],
    ]),
  );
  expect(gone).toEqual([
    { idea: 'i-1', landed: first, noBranch: true },
    { idea: 'i-2', landed: second, noBranch: true },
  ]);
  expect(await newestOf(repo.root, [first, second, 'f'.repeat(40)])).toBe(second);
});
