/** Which ideas a branch contains, by the trailers that landing leaves. Reads only. */
import { git } from './git.js';
import { IDEA_TRAILER, REVERTED_TRAILER } from './message.js';
import { namedIdeas, PINNED_LOG } from './trailers.js';

/**
 * Landed ideas on `target` and the newest commit of each, newest first; an idea whose commits were taken back in its name
 * is not among them. One process.
 */
export async function landedCommits(repo: string, target: string): Promise<Map<string, string>> {
  const args = [
    'log',
    '--topo-order',
    `--grep=^${IDEA_TRAILER}: `,
    `--grep=^${REVERTED_TRAILER}: `,
    '-z',
    '--format=%H%n%B',
  ];
  const { stdout } = await git(repo).result([...args, `refs/heads/${target}`, '--'], {
    read: true,
    config: PINNED_LOG,
  });
  const verdict = new Map<string, string | undefined>();
  for (const record of stdout.split('\0')) {
    const end = record.indexOf('\n');
    const { landed, reverted } = namedIdeas(record.slice(end + 1));
    for (const id of reverted) if (!verdict.has(id)) verdict.set(id, undefined);
    for (const id of landed) if (!verdict.has(id)) verdict.set(id, record.slice(0, end));
  }
  return new Map([...verdict].flatMap(([id, commit]) => (commit === undefined ? [] : [[id, commit] as const])));
}

/** Ids of landed ideas on `target`, newest first. */
export const landedIdeas = async (repo: string, target: string): Promise<string[]> => [
  ...(await landedCommits(repo, target)).keys(),
];
