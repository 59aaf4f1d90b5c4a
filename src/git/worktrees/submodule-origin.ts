/**
 * Asks the origin of a submodule whether it has a commit. The agent's own clone proves nothing, because the agent can
 * write tags, remote-tracking refs, settings and objects there.
 * Invariant: uses nothing of the agent's clone, and changes no repository.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporary } from '../../process/temporary.js';
import { git } from '../runner.js';
import { exists } from './list.js';

/** `silent`: nothing answers there. */
export type Answer = 'has' | 'lacks' | 'silent';

export interface Question {
  /** Git runs here, with the settings of the repository. */
  worktree: string;
  commonDir: string;
  address: string;
  commit: string;
  /** Git directory of the checkout's copy: its commits need not be fetched. */
  copy: string;
}

const LISTING_MS = 2 * 60_000;
const FETCH_MS = 10 * 60_000;
const FAILED = { read: true, ok: [0, 1, 2, 128] } as const;

export async function askOrigin(question: Question): Promise<Answer> {
  const { worktree, address, commit } = question;
  const args = ['ls-remote', '--', address];
  const listed = await git(worktree)
    .result(args, { ...FAILED, signal: AbortSignal.timeout(LISTING_MS) })
    .catch(() => undefined);
  if (listed?.code !== 0) return 'silent';
  if (listed.stdout.split('\n').some((line) => line.split('\t')[0] === commit)) return 'has';
  return listed.stdout === '' ? 'lacks' : fetchAndLook(question);
}

/** Whether a branch or tag of the origin contains the commit. Fetches commits without their files. */
async function fetchAndLook({ worktree, commonDir, address, commit, copy }: Question): Promise<Answer> {
  const scratch = await makeTemporary('origin');
  try {
    const repo = git(worktree);
    await repo.run(['init', '-q', '--bare', '--template=', scratch]);
    // For credentials and rewritten addresses. Its own settings come later in the file, so they hold.
    const config = join(scratch, 'config');
    const include = `[include]\n\tpath = ${JSON.stringify(join(commonDir, 'config'))}\n`;
    await writeFile(config, include + (await readFile(config, 'utf8')));
    const known = join(copy, 'objects');
    const env: Record<string, string> = (await exists(known)) ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: known } : {};
    const here = ['--git-dir', scratch];
    const options = ['--no-tags', '--no-recurse-submodules', '--no-write-fetch-head', '--filter=tree:0'];
    const refs = ['+refs/heads/*:refs/origin/heads/*', '+refs/tags/*:refs/origin/tags/*'];
    const fetched = await repo.result([...here, 'fetch', '-q', ...options, '--', address, ...refs], {
      ...FAILED,
      env,
      signal: AbortSignal.timeout(FETCH_MS),
    });
    if (fetched.code !== 0) return 'silent';
    const look = [...here, 'for-each-ref', '--count=1', `--contains=${commit}`, '--format=%(refname)'];
    const found = await repo.result(look, { read: true, ok: [0, 128, 129], env });
    return found.code === 0 && found.stdout !== '' ? 'has' : 'lacks';
  } catch {
    return 'silent';
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
