/**
 * What a `ralphctl sync` is about to write, recorded before the first file. A kill or a full disk leaves the record, and
 * the next sync ends what it names (sync-end.ts).
 * Invariant: at most one record for each checkout, made by one process. It keeps all objects that an undo needs.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Identity, isAlive, ownIdentity } from '../../process/identity.js';
import { findMarkedGit } from '../../process/marked.js';
import { shellQuoted } from '../../protocol/shell-words.js';
import { identityEnv, slotAuthor, writeCommit } from '../commits.js';
import { RepositoryError } from '../errors.js';
import { CHECKOUT_SYNCS, checkoutSyncRef } from '../refs.js';
import { git } from '../runner.js';

export interface SyncRecord {
  target: string;
  /** Where it was. The ref of its base tells where it is now. */
  checkout: string;
  ref: string;
  /** Where it was on something else than the target: that branch, or an empty text. */
  branch?: string;
  /** Commits: of the files before, edits aside, and of the target. */
  base: string;
  tip: string;
  /** Trees: of the files before and after, and of the index before and after. */
  files: string;
  next: string;
  staged: string;
  index: string;
  /** What the result says. */
  merged: string[];
  conflicts: string[];
  beside: string[];
  /** Ref of the save of the state before. */
  save?: string;
  /** In the environment of each git that writes, and the process that starts them. */
  mark: string;
  owner: Identity;
}

export interface OpenSync {
  /** The commit that holds it. */
  id: string;
  record: SyncRecord;
}

/** Milliseconds. Tests shorten them. */
export const SYNC_LIMITS = { leftGit: 30_000, look: 100 };

const MARK = 'RALPHCTL_SYNC';
const WRITERS = ['read-tree', 'update-index', 'checkout-index', 'checkout--worker'];
export const markOf = ({ mark }: Pick<SyncRecord, 'mark'>): Record<string, string> => ({ [MARK]: mark });

/** Without those that cannot be read: the next sync of that checkout takes their place. */
export async function unfinishedSyncs(repo: string): Promise<OpenSync[]> {
  const args = ['for-each-ref', '--format=%(objectname)%00%(contents:body)%01', CHECKOUT_SYNCS];
  const text = await git(repo).run(args, { read: true });
  return text.split('\x01').flatMap((one): OpenSync[] => {
    const [id = '', body = ''] = one.trim().split('\0');
    try {
      return id === '' ? [] : [{ id, record: JSON.parse(body) as SyncRecord }];
    } catch {
      return [];
    }
  });
}

/** Targets with a sync that has not ended. */
export async function unfinishedTargets(repo: string): Promise<string[]> {
  return [...new Set((await unfinishedSyncs(repo)).map(({ record }) => record.target))];
}

/** @throws RepositoryError when another process was first */
export async function openSync(repo: string, plan: Omit<SyncRecord, 'owner'>): Promise<OpenSync> {
  const record: SyncRecord = { ...plan, owner: await ownIdentity() };
  const run = git(repo);
  const who = await identityEnv(repo);
  const author = slotAuthor('ralphctl');
  const commit = (tree: string, parents: string[], message: string): Promise<string> =>
    writeCommit(run, { tree, parents, author, message }, { who });
  const parents = [record.tip];
  for (const tree of [record.files, record.staged, record.index])
    parents.push(await commit(tree, [record.tip], `state of a checkout: ${tree}\n`));
  const id = await commit(record.next, parents, `sync of a checkout\n\n${asciiJson(record)}\n`);
  const args = ['update-ref', checkoutSyncRef(record.ref), id];
  const made = await run.result([...args, '0'.repeat(id.length)], { ok: [0, 128] });
  if (made.code === 0) return { id, record };
  const other = (await unfinishedSyncs(repo)).find((one) => one.record.ref === record.ref);
  if (other) throw busy(other.record, other.record.owner.pid);
  await run.run(args);
  return { id, record };
}

/** The user's encoding of log messages does not change it. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

export async function closeSync(repo: string, { id, record }: OpenSync): Promise<void> {
  await git(repo).run(['update-ref', '-d', checkoutSyncRef(record.ref), id]);
}

/**
 * Returns once nothing of an earlier sync writes any more: where only its node was killed, its git goes on.
 * @throws RepositoryError with the process, when that takes long
 */
export async function untilWritersEnd({ record }: OpenSync): Promise<void> {
  const until = performance.now() + SYNC_LIMITS.leftGit;
  for (;;) {
    const pid = await writerOf(record);
    if (pid === undefined) return;
    if (performance.now() >= until) throw busy(record, pid);
    await wait(SYNC_LIMITS.look);
  }
}

const busy = ({ checkout }: SyncRecord, pid: number): RepositoryError =>
  new RepositoryError(
    `Another sync still writes to ${checkout}: process ${pid} (ps -fp ${pid}).`,
    'Wait for its end, then run: ralphctl sync',
  );

async function writerOf({ owner, mark }: SyncRecord): Promise<number | undefined> {
  if (owner.pid !== process.pid && (await isAlive(owner))) return owner.pid;
  return findMarkedGit(`${MARK}=${mark}`, WRITERS);
}

/** The save in words, for messages. */
export function saveName({ save }: Pick<SyncRecord, 'save'>): string {
  const [idea = '', n = ''] = save?.split('/').slice(-2) ?? [];
  return `${idea} ${n} (as a branch: ralphctl saves restore ${shellQuoted(idea)} ${n})`;
}
