/** Save points for people: when, why, and their content. Reads only. */
import { IDEA_TRAILER } from '../landing/message.js';
import { git } from '../runner.js';
import { listSaves, type SavePoint } from './saves.js';

export interface SaveView extends SavePoint {
  /** The reason; absent where git's reflog of it has expired. */
  why?: string;
  /** Files that differ from its base on the target. */
  files: number;
  /** Subject of the last commit in it; empty where that is the landing of another idea, on which this one began. */
  subject: string;
  /** It also holds uncommitted work. */
  uncommitted: boolean;
}

/** `target`: the ref for counting files. `at` is the time of the save, not of its last commit. Oldest first. */
export async function viewSaves(repo: string, target: string, idea?: string): Promise<SaveView[]> {
  const saves = await listSaves(repo, idea);
  if (saves.length === 0) return [];
  const [made, subjects, files] = await Promise.all([
    readReflogs(repo),
    readSubjects(repo, saves),
    countFiles(repo, target, saves),
  ]);
  return saves.map((save, i) => {
    const { at = save.at, why } = made.get(save.ref) ?? {};
    const { idea: owner = save.idea, subject = '' } = subjects.get(save.head) ?? {};
    return {
      ...save,
      at,
      why: why || undefined,
      files: files[i] ?? 0,
      subject: owner === save.idea ? subject : '',
      uncommitted: save.head !== save.commit,
    };
  });
}

/** Time and reason of each; one process. */
export async function readReflogs(repo: string): Promise<Map<string, { at: number; why: string }>> {
  const args = ['log', '--walk-reflogs', '--date=unix', '--format=%gD%x00%gs', '--glob=refs/ralphctl/save/*', '--'];
  const text = await git(repo)
    .run(args, { read: true })
    .catch(() => '');
  const made = new Map<string, { at: number; why: string }>();
  for (const line of text.split('\n')) {
    const [, ref, at, why] = /^(.+)@\{(\d+)\}\0(?:ralphctl: )?(.*)$/s.exec(line) ?? [];
    if (ref) made.set(ref, { at: Number(at) * 1000, why: why ?? '' });
  }
  return made;
}

/** `idea`: which the commit names. */
async function readSubjects(
  repo: string,
  saves: readonly SavePoint[],
): Promise<Map<string, { idea?: string; subject: string }>> {
  const heads = [...new Set(saves.map((save) => save.head))];
  const format = `--format=%H%x00%(trailers:key=${IDEA_TRAILER},valueonly,separator=%x2C)%x00%s`;
  const text = await git(repo).run(['log', '--no-walk', '--stdin', format], {
    input: `${heads.join('\n')}\n`,
    read: true,
  });
  return new Map(
    text.split('\n').map((line) => {
      const [commit = '', idea = '', subject = ''] = line.split('\0');
      return [commit, { subject, ...(idea === '' ? {} : { idea }) }];
    }),
  );
}

/** Few at once, because each needs its own merge base. */
async function countFiles(repo: string, target: string, saves: readonly SavePoint[]): Promise<number[]> {
  const counts: number[] = [];
  const BATCH = 8;
  for (let from = 0; from < saves.length; from += BATCH) {
    const batch = saves.slice(from, from + BATCH).map(async ({ commit }) => {
      const args = ['diff', '--name-only', '--no-ext-diff', '-z', `${target}...${commit}`, '--'];
      const got = await git(repo).result(args, { ok: [0, 128], read: true });
      return got.stdout.split('\0').filter(Boolean).length;
    });
    counts.push(...(await Promise.all(batch)));
  }
  return counts;
}
