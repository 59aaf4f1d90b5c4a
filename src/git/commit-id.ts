/** Names of commits, and whether the repository has one. Reads only. */
import { git } from './runner.js';

/** A whole name, and nothing else: of SHA-1 or SHA-256. */
export const isCommitId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** Whether the repository has the commit. @throws GitError where git cannot tell */
export const hasCommit = async (dir: string, commit: string): Promise<boolean> =>
  (await git(dir).result(['cat-file', '-e', `${commit}^{commit}`], { ok: [0, 1, 128], read: true })).code === 0;
