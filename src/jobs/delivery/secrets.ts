/** Looks for secrets in the commits that are about to leave this machine. Reads only. */

import { PINNED_LOG } from '../../git/landing/first-parents.js';
import { git } from '../../git/runner.js';
import type { FindSecret } from '../../process/redact.js';

export interface Leak {
  commit: string;
  path: string;
  /** The kind of secret. */
  what: string;
}

/** Commits in one call of git. Their texts are in memory together. */
const AT_ONCE = 50;
const SHOWN = [
  // Whatever attributes and contents say.
  '--text',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--unified=0',
  '--diff-merges=first-parent',
];

export interface LookInput {
  /** Where git runs. */
  dir: string;
  /** Undefined: the remote has nothing yet. */
  from: string | undefined;
  to: string;
  find: FindSecret;
  /** Globs of files in which such texts are allowed. */
  allowed: readonly string[];
}

/** The first one, oldest commit first. Each commit counts, also where a later one takes the text away. */
export async function findLeak({ dir, from, to, find, allowed }: LookInput): Promise<Leak | undefined> {
  const repo = git(dir);
  const listed = await repo.run(['rev-list', '--reverse', to, ...(from ? ['--not', from] : []), '--'], { read: true });
  const commits = listed.split('\n').filter(Boolean);
  const paths = ['.', ...allowed.map((glob) => `:(exclude,top,glob)${glob}`)];
  for (let at = 0; at < commits.length; at += AT_ONCE) {
    const some = commits.slice(at, at + AT_ONCE);
    const args = [
      'log',
      '--no-walk=unsorted',
      '--stdin',
      '--format=%x02%H%n%an <%ae>%n%cn <%ce>%n%B',
      '-p',
      ...SHOWN,
      '--',
      ...paths,
    ];
    const { stdout } = await repo.result(args, { read: true, config: PINNED_LOG, input: `${some.join('\n')}\n` });
    const leak = firstIn(stdout, find);
    if (leak) return leak;
  }
  return undefined;
}

function firstIn(text: string, find: FindSecret): Leak | undefined {
  let commit = '';
  let path = '';
  let inside = false;
  // Author and message come before the first difference.
  let message = false;
  for (const line of text.split('\n')) {
    let said: string | undefined;
    if (line.startsWith('\x02')) {
      commit = line.slice(1);
      path = 'the message';
      message = true;
      inside = false;
    } else if (line.startsWith('diff --git ')) {
      inside = false;
      message = false;
      said = line;
    } else if (message) said = line;
    else if (line.startsWith('@@')) inside = true;
    else if (!inside && line.startsWith('+++ '))
      path = line
        .slice(4)
        .replace(/^"?b\//, '')
        .replace(/"?\t?$/, '');
    else if (inside && line.startsWith('+')) said = line.slice(1);
    // Without the zero bytes of UTF-16.
    const what = said === undefined ? undefined : find(said.replaceAll('\0', ''));
    if (what !== undefined) return { commit, path, what };
  }
  return undefined;
}

export const leakText = ({ commit, path, what }: Leak): string =>
  `${path} in commit ${commit.slice(0, 10)} has a text that looks like ${what}`;
