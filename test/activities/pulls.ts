/** A bench whose ideas land as pull requests of a forge on this machine, with the real `gh`. */
import { dirname } from 'node:path';
import type { LandInput } from '../../src/protocol/git-work.js';
import type { LookResult, Pull as Shown } from '../../src/protocol/review.js';
import { type Forge, startForge } from '../support/forge/forge.js';
import { type Pull, withGit } from '../support/forge/pulls.js';
import type { Repo } from '../support/forge/world.js';
import type { BenchOptions } from './bench.js';
import { type Pushing, pushing } from './pushing.js';

export interface OnGithub {
  /** To be closed. */
  forge: Forge;
  at: Pushing;
  /** `me` owns it, and `ann` is a member. */
  repo: Repo;
  pulls: Map<number, Pull>;
}

interface Options extends Pick<BenchOptions, 'output' | 'ideas' | 'files'> {
  gate?: readonly string[];
  landing?: object;
  pr?: object;
}

/** `program`: the path of `gh`. `landing`, `pr`: besides what makes it one of pull requests. */
export async function onGithub(
  program: string | undefined,
  { gate = ['true'], landing = {}, pr = {}, ...options }: Options = {},
): Promise<OnGithub> {
  const forge = await startForge();
  try {
    const config = { gate, landing: { mode: 'pr', pr: { repo: 'github.localhost/me/shop', ...pr }, ...landing } };
    const at = await pushing({ config, ...options });
    const repo = forge.world.repo('me', 'shop', { me: 'OWNER', ann: 'MEMBER' });
    const { pulls } = withGit(repo, at.bare);
    Object.assign(at.b.env, forge.env('me', at.b.base), { PATH: `${dirname(program ?? '')}:${at.b.env.PATH}` });
    return { forge, at, repo, pulls };
  } catch (error) {
    await forge.close();
    throw error;
  }
}

/** Lands finished work into a review. `look`: what one look at its pull request finds. */
export async function reviewOf(
  { b, land }: Pushing,
  input: LandInput,
): Promise<{ pull: Shown; look: (seen?: string[]) => Promise<LookResult> }> {
  const result = await land(input);
  if (result.kind !== 'in-review') throw new Error(JSON.stringify(result));
  const { pull } = result;
  const { runId, idea, worktree, branch, base, head, agentName } = input;
  const look = (seen: string[] = []): Promise<LookResult> =>
    b.call(b.activities.lookAtPull, {
      ...{ ...b.ref, runId, idea, pull, seen },
      work: { worktree, branch, base, head, agentName },
    }).done;
  return { pull, look };
}
