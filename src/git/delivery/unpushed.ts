/** The commits of the target that the remote lacks. Reads only, and asks no remote. */
import { namedIdeas, PINNED_LOG } from '../landing/first-parents.js';
import { git } from '../runner.js';
import { lastKnown } from './look.js';

export interface Unpushed {
  commits: number;
  /** Ideas that these commits land or undo, newest first. */
  ideas: string[];
  /** Of these, the ones that the newest of these commits undoes: the remote may still have their work. Absent: none. */
  undone?: string[];
  /** Of these commits, the newest that names no idea: somebody else's. */
  foreign?: { commit: string; subject: string };
  foreigners: number;
}

const MOST_READ = 2000;

/** `seen` undefined: the remote has nothing of it. Of very many commits only the newest are read. */
export async function unpushedSince(root: string, seen: string | undefined, tip: string): Promise<Unpushed> {
  const args = ['log', '--topo-order', '-n', String(MOST_READ), '-z', '--format=%H%x01%s%x01%B', tip];
  const { stdout } = await git(root).result([...args, ...(seen ? ['--not', seen] : []), '--'], {
    read: true,
    config: PINNED_LOG,
  });
  const ideas = new Set<string>();
  const undone: string[] = [];
  let foreign: Unpushed['foreign'];
  let foreigners = 0;
  const records = stdout.split('\0').filter(Boolean);
  for (const record of records) {
    const [commit = '', subject = '', ...message] = record.split('\x01');
    const { landed, reverted } = namedIdeas(message.join('\x01'));
    for (const id of reverted) if (!ideas.has(id)) undone.push(id);
    for (const id of [...landed, ...reverted]) ideas.add(id);
    if (landed.length + reverted.length > 0) continue;
    foreign ??= { commit, subject };
    foreigners += 1;
  }
  return {
    ...{ commits: records.length, ideas: [...ideas], foreigners },
    ...(undone.length > 0 ? { undone } : {}),
    ...(foreign ? { foreign } : {}),
  };
}

/** Landed work that the remote does not have, as far as this machine knows. Undefined: none. */
export async function notPushed(
  root: string,
  target: string,
  remote: { name: string; branch: string },
): Promise<Unpushed | undefined> {
  const seen = await lastKnown(root, remote, target);
  const all = await unpushedSince(root, seen, `refs/heads/${target}`);
  return all.ideas.length > 0 ? all : undefined;
}
