/** Three-way merges in the object database: no worktree, no index, nothing to abort. Invariant: moves no ref. */

import { TAIL_LIMIT } from '../../protocol/run-ref.js';
import { type Git, git } from '../runner.js';

export type Merged =
  | { kind: 'clean'; tree: string }
  /** `tree` has conflict markers in it. */
  | { kind: 'conflict'; tree: string; files: string[]; messages: string[] };

/** Merges two commits over their merge base; one process. */
export async function mergeTrees(repo: Git, ours: string, theirs: string): Promise<Merged> {
  const args = ['merge-tree', '--write-tree', '-z', '--name-only', '--messages', ours, theirs];
  const got = await repo.result(args, { ok: [0, 1] });
  return parseMergeTree(got.code, got.stdout);
}

export function parseMergeTree(code: number, text: string): Merged {
  const fields = text.split('\0');
  const tree = fields[0] ?? '';
  if (code === 0) return { kind: 'clean', tree };
  const end = fields.indexOf('', 1);
  const files = [...new Set(fields.slice(1, end))];
  const messages: string[] = [];
  // Each message: number of paths, the paths, the type, the text.
  for (let at = end + 1; at < fields.length && fields[at] !== ''; ) {
    const paths = Number(fields[at]);
    const type = fields[at + paths + 1] ?? '';
    if (type.startsWith('CONFLICT')) messages.push((fields[at + paths + 2] ?? '').trim());
    at += paths + 3;
  }
  return { kind: 'conflict', tree, files, messages };
}

const clip = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, Math.max(0, limit - 2))}\n…`;

/**
 * Explains a conflict in at most {@link TAIL_LIMIT} characters: git's messages, then the changes of target and idea in
 * those files.
 */
export async function conflictDetail(
  dir: string,
  sides: {
    onto: string;
    head: string;
    /** Where both begin, if not at their merge base. */
    after?: string | undefined;
    files: readonly string[];
    messages: readonly string[];
    ours?: string;
  },
): Promise<string> {
  const files = sides.files.slice(0, 20).map((file) => `:(top,literal)${file}`);
  const diff = (from: string, to: string): Promise<string> => {
    const range = sides.after === undefined ? `${from}...${to}` : `${sides.after}..${to}`;
    return git(dir)
      .run(['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--unified=1', range, '--', ...files], {
        read: true,
      })
      .catch(() => '');
  };
  const [theirs, ours] = await Promise.all([diff(sides.head, sides.onto), diff(sides.onto, sides.head)]);
  const intro = clip(sides.messages.join('\n'), 500);
  const heads = ['\n\nThe target changed:\n', `\n\n${sides.ours ?? 'This idea changed'}:\n`] as const;
  const room = TAIL_LIMIT - intro.length - heads[0].length - heads[1].length;
  const first = clip(body(theirs), Math.max(Math.floor(room / 2), room - body(ours).length));
  return `${intro}${heads[0]}${first}${heads[1]}${clip(body(ours), room - first.length)}`;
}

/** Without lines that only name blobs. */
const body = (diff: string): string =>
  diff
    .split('\n')
    .filter((line) => !/^(diff --git|index [0-9a-f]+\.\.|--- a\/)/.test(line))
    .join('\n');
