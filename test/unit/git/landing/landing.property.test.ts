import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { landedIdeas } from '../../../../src/git/landing/landed.js';
import { landWork, worktreeOf } from '../idea-work.js';
import { commitFiles, GREEN, makeRepo, put, RED, read, sh } from '../repo.js';

const FILES = ['f0', 'f1', 'f2', 'dir/f3'];
const MINE = { 'mine/notes.txt': 'never touch this\n', f9: 'edited by the user\n' };

const ideaPlan = fc.record({
  /** Files written by each commit. */
  commits: fc.array(fc.uniqueArray(fc.constantFrom(...FILES), { minLength: 1, maxLength: 2 }), { maxLength: 3 }),
  pass: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  /** Branches from the tip before anything else landed, or only when its turn comes. */
  early: fc.boolean(),
  retry: fc.boolean(),
});

it('every landed idea is on the target exactly once, and the user’s edits stay', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(ideaPlan, { minLength: 2, maxLength: 5 }),
      fc.constantFrom('rebase', 'merge', 'squash'),
      fc.boolean(),
      async (plans, strategy, dirty) => {
        const repo = await makeRepo({ ...Object.fromEntries(FILES.map((file) => [file, 'start\n'])), f9: 'nine\n' });
        try {
          if (dirty) await put(repo.root, MINE);
          const make = async (n: number) => {
            const base = await sh(repo.root, 'rev-parse', 'main');
            const tree = await worktreeOf(repo, `p-${n}`, { base });
            for (const [c, files] of (plans[n]?.commits ?? []).entries())
              await commitFiles(
                tree.path,
                Object.fromEntries(files.map((file) => [file, `idea ${n} commit ${c}\n`])),
                `c${c}\n\nRalph-Idea: p-0`,
              );
            return { path: tree.path, head: await sh(tree.path, 'rev-parse', 'HEAD') };
          };
          const ready = new Map<number, Awaited<ReturnType<typeof make>>>();
          for (const [n, plan] of plans.entries()) if (plan.early) ready.set(n, await make(n));
          const expected: string[] = [];
          for (const [n, plan] of plans.entries()) {
            const { head } = ready.get(n) ?? (await make(n));
            const before = await sh(repo.root, 'rev-parse', 'main');
            const land = () =>
              landWork(repo, `p-${n}`, {
                title: `P ${n}`,
                head,
                strategy,
                gate: async () => (plan.pass ? GREEN : RED),
              });
            const got = await land();
            if (plan.retry && got.kind === 'landed' && got.commits > 0)
              expect(await land()).toMatchObject({ kind: 'landed', commit: got.commit, commits: got.commits });
            const after = await sh(repo.root, 'rev-parse', 'main');
            if (got.kind !== 'landed') expect(after).toBe(before);
            else if (got.commits > 0) {
              expected.push(`p-${n}`);
              expect(got.commit).toBe(after);
              const added = (
                await sh(
                  repo.root,
                  'log',
                  '--format=%(trailers:key=Ralph-Idea,valueonly,separator=%x2C)',
                  `${before}..main`,
                )
              ).split('\n');
              expect(added).toEqual(Array(got.commits).fill(`p-${n}`));
            }
          }
          expect((await landedIdeas(repo.root, 'main')).sort()).toEqual(expected.sort());
          if (strategy !== 'merge') expect(await sh(repo.root, 'rev-list', '--merges', 'main')).toBe('');
          if (dirty) for (const [path, text] of Object.entries(MINE)) expect(await read(repo.root, path)).toBe(text);
          else expect(await sh(repo.root, 'status', '--porcelain')).toBe('');
          expect(await sh(repo.root, 'worktree', 'list')).toContain(join(repo.integrationRoot, 'main'));
          await sh(repo.root, 'fsck', '--connectivity-only');
        } finally {
          await repo.remove();
        }
      },
    ),
    { numRuns: 8 },
  );
});
