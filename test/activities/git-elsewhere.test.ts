/**
 * The git directory of the checkout is in another folder, which `git worktree list` names in its place. Real git
 * throughout. Features: B2 C1 D1.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutsBehind } from '../../src/git/landing/behind.js';
import { syncCheckout } from '../../src/git/landing/sync.js';
import { listWorktrees } from '../../src/git/worktrees/list.js';
import type { LandInput } from '../../src/protocol/git-work.js';
import { type Bench, bench, idea, say } from './bench.js';

const agent = `cat > /dev/null\necho "$RALPHCTL_IDEA" > "$RALPHCTL_IDEA.txt"\n${say('COMPLETE')}`;

/** The git directory of `repo` moves away; the result is its new place. */
const LAYOUTS: ReadonlyArray<readonly [string, (b: Bench) => Promise<string>]> = [
  [
    'a separate git directory',
    async (b) => {
      await b.git('init', '-q', '--separate-git-dir', join(b.base, 'sep.git'));
      return join(b.base, 'sep.git');
    },
  ],
  [
    'a separate git directory with the usual name',
    async (b) => {
      await mkdir(join(b.base, 'elsewhere'));
      await b.git('init', '-q', '--separate-git-dir', join(b.base, 'elsewhere/.git'));
      return join(b.base, 'elsewhere/.git');
    },
  ],
  [
    'a checkout that is a submodule',
    async (b) => {
      await b.gitIn(b.base, 'init', '-q', '-b', 'main');
      await b.gitIn(b.base, 'submodule', 'add', './repo', 'repo');
      await b.gitIn(b.base, 'submodule', 'absorbgitdirs');
      return join(b.base, '.git/modules/repo');
    },
  ],
];

async function finished(b: Bench, id: string): Promise<LandInput> {
  const at = await b.prepare(id);
  const { head } = await b.call(b.activities.runAgent, b.agentInput(at, { idea: id })).done;
  const { worktree, branch, base } = at;
  return { ...b.ref, idea: id, title: `Do ${id}`, agentName: 'ed-001', worktree, branch, base, head };
}

describe.each(LAYOUTS)('C1: %s', (_name, moveAway) => {
  const begin = async () => {
    const b = await bench({ agent, ideas: ['t-1', 't-2'].map((id) => idea(id)) });
    return { b, gitDir: await moveAway(b) };
  };

  it('lands, and the clean checkout comes along', async () => {
    const { b } = await begin();
    const result = await b.call(b.activities.landIdea, await finished(b, 't-1')).done;
    expect(result).toMatchObject({ kind: 'landed', commit: await b.git('rev-parse', 'refs/heads/main') });
    expect(result).not.toHaveProperty('note', expect.anything());
    expect(await b.git('status', '--porcelain')).toBe('');
    expect(await b.read(join(b.repo, 't-1.txt'))).toBe('t-1\n');
  });

  it('is listed as the main worktree, also from a linked one where git knows it', async () => {
    const { b, gitDir } = await begin();
    const { worktree } = await b.prepare();
    expect((await listWorktrees(b.repo)).map(({ path }) => path)).toEqual([b.repo, worktree]);
    if (gitDir.includes('modules')) expect((await listWorktrees(worktree))[0]?.path).toBe(b.repo);
  });

  it('stays behind where the user has edits or a lock, and sync brings it along', async () => {
    const { b, gitDir } = await begin();
    const [one, two] = [await finished(b, 't-1'), await finished(b, 't-2')];
    await writeFile(join(gitDir, 'index.lock'), '');
    expect(await b.call(b.activities.landIdea, one).done).toMatchObject({
      kind: 'landed',
      note: expect.stringContaining(`rm '${join(gitDir, 'index.lock')}'`),
    });
    await rm(join(gitDir, 'index.lock'));
    expect(await checkoutsBehind(b.repo, 'main')).toEqual([expect.stringContaining('t-1.txt')]);
    expect(await syncCheckout(b.repo, 'main')).toMatchObject({ checkout: b.repo, paths: ['t-1.txt'] });
    await b.write({ 't-2.txt': 'mine\n' });
    expect(await b.call(b.activities.landIdea, two).done).toMatchObject({
      kind: 'landed',
      note: expect.stringContaining('untracked t-2.txt in '),
    });
    expect(await b.read(join(b.repo, 't-2.txt'))).toBe('mine\n');
  }, 60_000);
});
