/** Where agents work, and which ignored folders stay there. Imports zod only. */
import { z } from 'zod';
import { repoPath, text } from './common.js';

/** Folders of package managers and build tools that are slow to rebuild. */
const DEPENDENCY_FOLDERS = [
  'node_modules',
  '.pnpm-store',
  '.yarn/cache',
  '.venv',
  'venv',
  'vendor/bundle',
  '.bundle',
  'vendor',
  'target',
  '.gradle',
  '.m2',
  'Pods',
  '.build',
  'deps',
  '_build',
  '.dart_tool',
  '.stack-work',
  'dist-newstyle',
  '.tox',
];

export const worktrees = z
  .strictObject({
    root: text
      .optional()
      .describe('Folder for worktrees. Default: inside ralphctl’s state folder, outside the repository.'),
    keep: z
      .array(repoPath)
      .default(DEPENDENCY_FOLDERS)
      .describe(
        'Ignored folders, such as node_modules, that stay as set-up left them when ralphctl reuses a worktree. Replaces the default list.',
      ),
    cache: z
      .array(repoPath)
      .default([])
      .describe(
        'Folders of `keep` that stay as the last gate left them: build caches, such as target. This is faster, but files that one idea’s tests write there can turn another idea’s gate green.',
      ),
    recycle: z.boolean().default(true).describe('Reuse a worktree once its idea has landed and it is clean.'),
  })
  .prefault({})
  .describe('Where agents work.');
