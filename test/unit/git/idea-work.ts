/** An idea's worktree, its landing and what takes that off again, with the settings that most tests use. */
import { type LandOptions, landIdea } from '../../../src/git/landing/land.js';
import { type UndoOptions, undoIdea } from '../../../src/git/landing/undo.js';
import { type EnsureInput, ensureWorktree } from '../../../src/git/worktrees/ensure.js';
import type { LandResult } from '../../../src/protocol/git-work.js';
import { GREEN, sh, type TestRepo } from './repo.js';

/** Its base is the target's tip. */
export const worktreeOf = async (repo: TestRepo, idea = 'i-1', more: Partial<EnsureInput> = {}) =>
  ensureWorktree({
    repo: repo.root,
    worktreesRoot: repo.worktreesRoot,
    agentName: 'ed-001',
    idea,
    base: more.base ?? (await sh(repo.root, 'rev-parse', 'main')),
    keep: [],
    recycle: true,
    ...more,
  });

/** Lands the tip of the idea's branch with a green gate. */
export const landWork = async (repo: TestRepo, idea = 'i-1', more: Partial<LandOptions> = {}): Promise<LandResult> =>
  landIdea({
    repo: repo.root,
    integrationRoot: repo.integrationRoot,
    target: 'main',
    idea,
    title: `Do ${idea}`,
    agentName: 'ed-001',
    branch: `ralph/${idea}`,
    head: more.head ?? (await sh(repo.root, 'rev-parse', `ralph/${idea}`)),
    strategy: 'rebase',
    keep: [],
    setup: async () => undefined,
    gate: async () => GREEN,
    ...more,
  });

/** Takes the idea's landing off, with a green gate. */
export const undoWork = (repo: TestRepo, idea = 'i-1', more: Partial<UndoOptions> = {}) =>
  undoIdea({
    repo: repo.root,
    integrationRoot: repo.integrationRoot,
    target: 'main',
    idea,
    title: `Do ${idea}`,
    agentName: 'ed-001',
    keep: [],
    setup: async () => undefined,
    gate: async () => GREEN,
    ...more,
  });
