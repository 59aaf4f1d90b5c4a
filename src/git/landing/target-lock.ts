/**
 * One change of the target at a time: shared by landing and undo.
 * Invariant: changes of one target never run concurrently in this process. When somebody else moves the target
 * meanwhile, ralphctl starts over a limited number of times. Each time it gates the new tree.
 */
import type { GateResult } from '../../protocol/gate.js';
import { RepositoryError } from '../errors.js';
import { exclusive } from '../locks.js';
import { candidateRef } from '../refs.js';
import { sharedGitDir } from '../repository.js';
import { git } from '../runner.js';
import { integrationWorktree, resetIntegration } from './integration.js';

export interface LandingContext {
  /** A checkout of the repository without a branch of its own. */
  repo: string;
  integrationRoot: string;
  target: string;
  idea: string;
  /** Ignored folders that stay in the integration worktree. */
  keep: readonly string[];
  /** Prepares the integration worktree (dependencies). */
  setup: (dir: string) => Promise<void>;
  /** Gates the files in `dir`, which would land on the commit `onto`. */
  gate: (dir: string, onto: string) => Promise<GateResult>;
  /** The green gate of a tree, where one is remembered: the tree is not gated again. */
  recall?: (candidate: Recalled) => Promise<{ gate: GateResult } | undefined>;
  /** Where the target is also a branch of a remote. */
  upstream?: Upstream;
  signal?: AbortSignal;
  /** Of an earlier try. */
  known?: { trees: string; gate: GateResult };
}

/** What would land: `commit` with its tree, on `onto`. `dir`: where git runs. */
export interface Recalled {
  dir: string;
  tree: string;
  commit: string;
  onto: string;
}

/** The remote's part in a change of the target. */
export interface Upstream {
  /** Before each round: takes over commits that only the remote has. `dir`: an integration worktree. */
  follow(dir: string): Promise<void>;
  /**
   * Before the target moves: false when the remote moved meanwhile, and the round starts over. Throws when the commits
   * must not leave this machine.
   */
  admits(move: { dir: string; from: string; to: string }): Promise<boolean>;
}
export interface Located {
  commonDir: string;
  green: LastGreen;
}

/** The last green gate of this landing. The same tree on the same target is not gated again. */
interface LastGreen {
  trees?: string;
  gate?: GateResult;
}

/** How often ralphctl starts over when the target moves. */
const MAX_ROUNDS = 5;

/** Repeats `round` until it has an outcome; undefined means that the target moved meanwhile. Adds the duration. */
export async function withTargetLock<O extends LandingContext, R>(
  options: O,
  round: (options: O & Located) => Promise<R | undefined>,
): Promise<R & { durationMs: number }> {
  const startedAt = performance.now();
  const commonDir = await sharedGitDir(options.repo);
  const green: LastGreen = { ...options.known };
  const outcome = await exclusive(`land:${commonDir}:${options.target}`, async () => {
    for (let n = 1; n <= MAX_ROUNDS; n++) {
      options.signal?.throwIfAborted();
      const here = { ...options, commonDir, green };
      await options.upstream?.follow(await integrationOf(here, `refs/heads/${options.target}`));
      const got = await round(here);
      if (got) return got;
    }
    throw new RepositoryError(
      `The branch ${options.target} moved ${MAX_ROUNDS} times while ${options.idea} was being gated.`,
      'Leave the target unchanged for the length of one gate run, then retry.',
    );
  });
  return { ...outcome, durationMs: Math.round(performance.now() - startedAt) };
}

/** The integration worktree of the target; its files may be those of any commit. */
export const integrationOf = (options: LandingContext & Located, commit: string): Promise<string> =>
  integrationWorktree({ ...options, commit });

/** The gate on the exact commit that would become the target; a red one is kept under a ref. */
export async function gateCandidate(
  options: LandingContext & Located,
  dir: string,
  { commit, onto }: { commit: string; onto: string },
): Promise<GateResult> {
  const { signal, green } = options;
  // The target may have moved without a change of its files.
  const trees = await git(dir).run(['rev-parse', `${commit}^{tree}`, `${onto}^{tree}`], { read: true });
  if (green.gate && green.trees === trees) return green.gate;
  const known = await options.recall?.({ dir, commit, onto, tree: trees.split('\n', 1)[0] ?? '' });
  if (known) {
    Object.assign(green, { trees, gate: known.gate });
    return known.gate;
  }
  signal?.throwIfAborted();
  await resetIntegration(dir, commit, options.keep);
  signal?.throwIfAborted();
  await options.setup(dir);
  signal?.throwIfAborted();
  const gate = await options.gate(dir, onto);
  signal?.throwIfAborted();
  if (gate.pass) Object.assign(green, { trees, gate });
  else await git(dir).run(['update-ref', candidateRef(options.idea), commit]);
  return gate;
}
