/** What the user's git settings, and refs that anybody may write, must not change about what has landed (D1, D3). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { landIdea } from '../../../../src/git/landing/land.js';
import { ideaHistory, landedIdeas } from '../../../../src/git/landing/landed.js';
import { inspectRepository, targetTip } from '../../../../src/git/repository.js';
import { ensureWorktree } from '../../../../src/git/worktrees/ensure.js';
import { commitFiles, GREEN, makeRepo, sh, type TestRepo } from '../repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const tip = (ref = 'main') => sh(repo.root, 'rev-parse', ref);

async function landed(idea: string, files: Record<string, string>) {
  const place = { repo: repo.root, worktreesRoot: repo.worktreesRoot, agentName: 'ed-001', idea };
  const { path } = await ensureWorktree({ ...place, base: await tip(), keep: [], recycle: false });
  await commitFiles(path, files, 'step\n\nWork.');
  return land(idea, await sh(path, 'rev-parse', 'HEAD'));
}
const land = (idea: string, head: string) =>
  landIdea({
    ...{ repo: repo.root, integrationRoot: repo.integrationRoot, target: 'main', idea, title: `Do ${idea}` },
    ...{ agentName: 'ed-001', branch: `ralph/${idea}`, head, strategy: 'rebase', keep: [] },
    setup: async () => undefined,
    gate: async () => GREEN,
  });

describe.each([
  ['grep.patternType', 'fixed'],
  ['grep.patternType', 'perl'],
  ['grep.extendedRegexp', 'true'],
  ['trailer.separators', '='],
  ['trailer.ralph-idea.key', 'Ralph-Idea='],
  ['i18n.logOutputEncoding', 'UTF-16'],
  ['i18n.commitEncoding', 'ISO-8859-1'],
  ['core.commentChar', 'R'],
  ['log.showSignature', 'true'],
  ['format.pretty', 'oneline'],
  ['core.preferSymlinkRefs', 'true'],
])('with %s = %s', (key, value) => {
  it('D3 what has landed is known, and taken back whole', async () => {
    await sh(repo.root, 'config', key, value);
    const got = await landed('a.1', { 'a.txt': 'two\n' });
    expect(await landedIdeas(repo.root, 'main')).toEqual(['a.1']);
    expect(await ideaHistory({ repo: repo.root, target: 'main' }, 'a.1')).toMatchObject({
      landings: [{ commits: [await tip()] }],
    });
    expect(await sh(repo.root, '-c', 'i18n.logOutputEncoding=UTF-8', 'log', '-1', '--format=%s')).toMatch(/^step/);
    expect(got).toMatchObject({ kind: 'landed', commits: 1 });
  });
});

describe('claim refs that an agent wrote', () => {
  it('D1 count only where the target has this idea’s name and its work', async () => {
    const place = { repo: repo.root, worktreesRoot: repo.worktreesRoot, agentName: 'ed-001', idea: 'a1' };
    const { path } = await ensureWorktree({ ...place, base: await tip(), keep: [], recycle: false });
    const head = await commitFiles(path, { 'work.txt': 'w\n' }, 'Work');
    await sh(path, 'update-ref', 'refs/ralphctl/landing/a1', 'refs/heads/main');
    await sh(path, 'update-ref', 'refs/ralphctl/landing-head/a1', 'HEAD');
    expect(await land('a1', head)).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await sh(repo.root, 'show', 'main:work.txt')).toBe('w');
    expect(await landedIdeas(repo.root, 'main')).toEqual(['a1']);
  });

  it('D1 nor does an earlier landing of the idea stand for other work', async () => {
    await landed('a1', { 'a.txt': 'two\n' });
    const earlier = await tip();
    const place = { repo: repo.root, worktreesRoot: repo.worktreesRoot, agentName: 'ed-001', idea: 'a1' };
    const { path } = await ensureWorktree({ ...place, base: await tip(), keep: [], recycle: false });
    const head = await commitFiles(path, { 'more.txt': 'm\n' }, 'More');
    await sh(path, 'update-ref', 'refs/ralphctl/landing/a1', earlier);
    await sh(path, 'update-ref', 'refs/ralphctl/landing-head/a1', head);
    expect(await land('a1', head)).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await sh(repo.root, 'show', 'main:more.txt')).toBe('m');
  });
});

it('C6 a branch and a tag of one name: the branch is the target', async () => {
  await sh(repo.root, 'switch', '-q', '-c', 'v2');
  await sh(repo.root, 'tag', 'v2');
  const commit = await commitFiles(repo.root, { 'a.txt': 'two\n' }, 'more');
  expect(await targetTip(repo.root, 'v2')).toBe(commit);
  expect(await inspectRepository(repo.root)).toMatchObject({ branch: 'v2', head: commit });
  await sh(repo.root, 'tag', 'ralph/a1');
  const got = await ensureWorktree({
    ...{ repo: repo.root, worktreesRoot: repo.worktreesRoot, agentName: 'ed-001', idea: 'a1' },
    ...{ base: commit, keep: [], recycle: false },
  });
  expect(await sh(got.path, 'symbolic-ref', 'HEAD')).toBe('refs/heads/ralph/a1');
});
