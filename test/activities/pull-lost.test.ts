/**
 * What the remote lost after a merge of a pull request (decision 040), with the real `gh` against a forge on this
 * machine: the next idea does not bring it back, both ways out work, and what is off the target is told as gone.
 * Features: D2.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { goneOf } from '../../src/git/landing/gone.js';
import type { LandInput } from '../../src/protocol/git-work.js';
import type { Forge } from '../support/forge/forge.js';
import { ghProgram, leftOut } from '../support/forge/programs.js';
import { mergePull, type Pull } from '../support/forge/pulls.js';
import type { Repo } from '../support/forge/world.js';
import { onGithub, reviewOf } from './pulls.js';
import type { Pushing } from './pushing.js';

const gh = await ghProgram();

describe.skipIf(gh.path === undefined)(`D2 a merge that the remote lost${leftOut(gh)}`, { timeout: 240_000 }, () => {
  let forge: Forge;
  let repo: Repo;
  let pulls: Map<number, Pull>;
  let at: Pushing;
  afterEach(() => forge?.close());

  /** t-1 is merged there and here; then somebody sets the branch of the remote back, and t-2 is ready to land. */
  async function lost(how: 'merge' | 'squash') {
    ({ forge, at, repo, pulls } = await onGithub(gh.path));
    const start = await at.inBare('rev-parse', 'main');
    const { pull, look } = await reviewOf(at, await at.works('t-1'));
    const merged = mergePull(repo, pull.number, 'ann', { how, deletes: true });
    expect(await look()).toMatchObject({ kind: 'merged', commit: merged });
    expect(await gone(merged)).toEqual([]);
    await at.inBare('update-ref', 'refs/heads/main', start);
    return { merged, next: await at.works('t-2') };
  }
  const gone = async (commit: string) =>
    (await goneOf({ repo: at.b.repo, target: 'main' }, new Map([['t-1', commit]]))).map(({ idea }) => idea);
  async function refused(input: LandInput): Promise<string> {
    const error = await at.land(input).then(
      ({ kind }) => new Error(`it was not refused: ${kind}`),
      (one: unknown) => one as Error,
    );
    return error.message;
  }
  /** The commands that a message prints between two of its words. */
  async function carryOut(why: string, after: string): Promise<void> {
    const [, command = ''] = new RegExp(`${after}: (git [^.]*?)(?:\\.|$)`, 'm').exec(why) ?? [];
    expect(command, why).not.toBe('');
    await at.b.git(...command.split(' ').slice(1));
  }

  it.each(['merge', 'squash'] as const)(
    'taken off here, too, after a %s: the next one goes without it',
    async (how) => {
      const { merged, next } = await lost(how);
      const why = await refused(next);
      expect(why).toContain('off origin/main');
      expect([pulls.size, await at.inBare('for-each-ref', '--format=%(refname)')]).toEqual([1, 'refs/heads/main']);
      await carryOut(why, 'To take (?:it|them) off here, too');
      expect(await gone(merged)).toEqual(['t-1']);
      // It began on what was taken off, so it asks, and says how to go on.
      const [, command = ''] = /\(git -C '[^']+' (rebase --onto \S+ [0-9a-f]+)\)/.exec(await refused(next)) ?? [];
      await at.b.gitIn(next.worktree, ...command.split(' '));
      const head = await at.b.gitIn(next.worktree, 'rev-parse', 'HEAD');
      const base = await at.b.git('rev-parse', 'main');
      expect(await at.land({ ...next, base, head })).toMatchObject({ kind: 'in-review' });
      expect(await at.inBare('ls-tree', '-r', '--name-only', 'ralph/t-2')).not.toContain('t-1.txt');
      expect(pulls.size).toBe(2);
    },
  );

  it('put back, the next one stands on it, and nothing is gone', async () => {
    const { merged, next } = await lost('merge');
    await carryOut(await refused(next), 'To put (?:it|them) back');
    expect(await gone(merged)).toEqual([]);
    expect(await at.land(next)).toMatchObject({ kind: 'in-review' });
    expect(await at.inBare('ls-tree', '-r', '--name-only', 'ralph/t-2')).toContain('t-1.txt');
  });
});
