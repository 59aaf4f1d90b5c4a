/**
 * Appends operations to the evidence ledger (E5).
 * Invariant: a key is written once, whoever repeats it and however a process ended before. Lines are only ever added,
 * one writer at a time, and are on the disk when this returns.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { openToAppend } from '../../config/own-files.js';
import { ledgerPath } from '../../config/paths.js';
import { isLedgerRow } from '../../config/schema/ledger.js';
import { at } from '../../config/system-errors.js';
import { withLock } from '../../process/lock.js';
import type { Draft, LedgerRow } from '../../protocol/ledger.js';
import { ChainReader, hashOfLine } from '../../run-files/ledger.js';

const MOST_WAIT_MS = 30_000;
const MOST_REFS = 200;

export const operationId = (key: string): string => createHash('sha256').update(key).digest('hex').slice(0, 20);

/** What a writer knows of a ledger: reading it anew for each line would take longer with each line. */
class Known {
  readonly chain = new ChainReader();
  readonly #commits = new Map<string, string>();
  /** By run and idea: the claim, and the evidence since then. */
  readonly #open = new Map<string, { claim?: string; evidence: string[] }>();
  ino = 0;

  async catchUp(path: string): Promise<void> {
    for await (const row of this.chain.read(path)) this.#take(row);
  }

  #take({ op, id, idea, run }: Pick<LedgerRow, 'op' | 'id' | 'idea' | 'run'>): void {
    if (op === 'commit') this.#commits.set(idea, id);
    const about = this.#about(run, idea);
    if (op === 'claim') about.claim = id;
    if (op === 'evidence') about.evidence.push(id);
    if (op === 'submit') about.evidence.length = 0;
  }

  #about(run: string | undefined, idea: string) {
    const key = `${run}/${idea}`;
    const found = this.#open.get(key) ?? { evidence: [] };
    this.#open.set(key, found);
    return found;
  }

  refs({ op, idea, run }: Draft): string[] {
    const { claim, evidence } = this.#about(run, idea);
    const commit = this.#commits.get(idea);
    if (op === 'commit') return [];
    if (op === 'claim') return commit === undefined ? [] : [commit];
    const begin = claim ?? commit;
    const first = begin === undefined ? [] : [begin];
    if (op === 'submit') return [...first, ...evidence.slice(-MOST_REFS)];
    const last = evidence.at(-1);
    return last === undefined ? first : [...first, last];
  }

  /** The line for a draft; undefined where the ledger has it already, or cannot hold it. */
  line(draft: Draft): string | undefined {
    const { key, ...rest } = draft;
    const id = operationId(key);
    if (this.chain.ids.has(id)) return undefined;
    const { chain } = this;
    const row: LedgerRow = { v: 1, n: chain.n + 1, id, ...rest, refs: this.refs(draft), prev: chain.hash };
    const line = JSON.stringify(row);
    // Text from outside may give a value that no reader accepts: it must not break the chain.
    if (!isLedgerRow(JSON.parse(line))) return undefined;
    chain.n = row.n;
    chain.hash = hashOfLine(line);
    chain.ids.add(id);
    chain.offset += Buffer.byteLength(line) + 1;
    chain.lines += 1;
    this.#take(row);
    return `${line}\n`;
  }
}

const known = new Map<string, Known>();
const queues = new Map<string, Promise<unknown>>();

/** Returns the number of operations that were new. @throws LockTimeoutError, or why the file cannot be written */
export function appendOperations(root: string, project: string, drafts: readonly Draft[]): Promise<number> {
  const path = ledgerPath(root, project);
  const before = queues.get(path) ?? Promise.resolve();
  const mine = before.then(() => append(path, drafts));
  queues.set(
    path,
    mine.catch(() => undefined),
  );
  return mine;
}

async function append(path: string, drafts: readonly Draft[]): Promise<number> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return withLock(`${path}.lock`, () => appendLocked(path, drafts), { waitMs: MOST_WAIT_MS });
}

async function appendLocked(path: string, drafts: readonly Draft[]): Promise<number> {
  const there = await stat(path).catch(() => undefined);
  const kept = known.get(path);
  const same = kept && there && kept.ino === there.ino && kept.chain.offset <= there.size;
  const ledger = same ? kept : new Known();
  // After a failed write, the next one reads the file anew.
  known.delete(path);
  await ledger.catchUp(path);
  const file = await openToAppend(path);
  try {
    if (ledger.chain.torn) {
      // Half a line from a crash becomes a line of its own, which readers report and skip.
      await file.appendFile('\n').catch(at(path));
      await ledger.catchUp(path);
    }
    const lines = drafts.flatMap((draft) => ledger.line(draft) ?? []);
    if (lines.length > 0) await writeWhole(file, path, lines.join(''));
    ledger.ino = (await file.stat()).ino;
    known.set(path, ledger);
    return lines.length;
  } finally {
    await file.close();
  }
}

/** All of it or nothing: after a full disk, half a line would look like one that somebody changed. */
async function writeWhole(file: FileHandle, path: string, text: string): Promise<void> {
  const { size } = await file.stat();
  try {
    await file.appendFile(text);
    await file.datasync();
  } catch (error) {
    // What a kill leaves in this moment becomes a line of its own, as ever.
    await file.truncate(size).catch(() => undefined);
    at(path)(error);
  }
}
