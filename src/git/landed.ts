/** Which ideas a branch contains, by the trailers that landing leaves. Reads only. */
import { git } from './git.js';
import { IDEA_TRAILER, REVERTED_TRAILER } from './message.js';

/** Ids of landed ideas on `target`, newest first; an idea whose commits were taken back is not among them. One process. */
export async function landedIdeas(repo: string, target: string): Promise<string[]> {
  const value = (key: string): string => `%(trailers:key=${key},valueonly,separator=%x00)`;
  const text = await git(repo).run(
    [
      'log',
      `--grep=^${IDEA_TRAILER}: `,
      `--grep=^${REVERTED_TRAILER}: `,
      `--format=${value(IDEA_TRAILER)}%x01${value(REVERTED_TRAILER)}`,
      `refs/heads/${target}`,
      '--',
    ],
    { read: true },
  );
  const verdict = new Map<string, boolean>();
  for (const line of text.split('\n')) {
    const [landed = '', reverted = ''] = line.split('\x01');
    for (const id of ids(reverted)) if (!verdict.has(id)) verdict.set(id, false);
    for (const id of ids(landed)) if (!verdict.has(id)) verdict.set(id, true);
  }
  return [...verdict].filter(([, landed]) => landed).map(([id]) => id);
}

const ids = (field: string): string[] =>
  field
    .split('\0')
    .map((id) => id.trim())
    .filter(Boolean);
