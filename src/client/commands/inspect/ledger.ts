/**
 * `ralphctl ledger`: tells the story of ideas from the evidence ledger, verifies its chain, and exports it. Works without
 * a server.
 */

import { stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ledgerPath } from '../../../config/paths.js';
import { nearest } from '../../../config/problems.js';
import { asSystemError } from '../../../config/system-errors.js';
import { chainMs, chainsOf } from '../../../model/ledger.js';
import { FIRST_PREV, type LedgerRow } from '../../../protocol/ledger.js';
import { shellWord } from '../../../protocol/shell-words.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { ChainReader } from '../../../run-files/ledger.js';
import { type Context, findProjectId, print, printJson, say } from '../../context.js';
import { jsonText, writeAll } from '../../output.js';
import { timeOf } from '../../since.js';
import { chainLines, summaryLines } from '../../views/ledger-lines.js';
import { many } from '../../views/live-lines.js';

export interface LedgerOptions {
  since?: string;
}

interface Ledger {
  path: string;
  project: string;
  rows: LedgerRow[];
  chain: ChainReader;
}

async function readLedger(context: Context): Promise<Ledger> {
  const project = await findProjectId(context);
  const path = ledgerPath(context.root, project);
  const chain = new ChainReader();
  const rows: LedgerRow[] = [];
  for await (const row of chain.read(path)) rows.push(row);
  return { path, project, rows, chain };
}

export async function ledger(context: Context, idea: string | undefined, { since }: LedgerOptions): Promise<number> {
  const { path, rows, chain } = await readLedger(context);
  const own = idea === undefined ? rows : rows.filter((row) => row.idea === idea);
  if (idea !== undefined && own.length === 0) throw unknown(rows, idea);
  const from = since === undefined ? 0 : timeOf(since);
  const shown = own.filter(({ at }) => Date.parse(at) >= from);
  if (chain.faults.length > 0) say(`warning: ${path} is not whole. Look at it: ralphctl ledger verify`);
  if (context.json) {
    for (const row of shown) printJson(row);
    return EXIT.ok;
  }
  if (shown.length === 0)
    print(rows.length === 0 ? 'the ledger is empty: no run has worked here' : 'nothing since then');
  // Chains need the operations before that time, too.
  const chains = chainsOf(own).filter((one) => Date.parse(one.rows.at(-1)?.at ?? '') >= from);
  const numbers = new Map(rows.map(({ id, n }) => [id, n] as const));
  if (idea === undefined) for (const line of summaryLines(chains)) print(line);
  else for (const one of chains) for (const line of chainLines(one, numbers)) print(line);
  return EXIT.ok;
}

function unknown(rows: readonly LedgerRow[], idea: string): UserError {
  const near = nearest(idea, [...new Set(rows.map((row) => row.idea))]);
  const hint = near === undefined ? 'See them all: ralphctl ledger' : `Did you mean "${near}"? ralphctl ledger ${near}`;
  return new UserError(`the ledger has no idea "${idea}". ${hint}`, EXIT.usage, 'ralphctl ledger');
}

const HEAD = /^(\d+):([0-9a-f]{64})$/;

/** `--head` names an operation that somebody wrote down earlier: its line must still be there, unchanged. */
export async function verifyLedger(context: Context, { head }: { head?: string }): Promise<number> {
  const [, number, hash] = head === undefined ? [] : (HEAD.exec(head) ?? []);
  if (head !== undefined && hash === undefined)
    throw new UserError(`"${head}" is no head. ralphctl ledger verify prints one: NUMBER:HASH`);
  const path = ledgerPath(context.root, await findProjectId(context));
  const chain = new ChainReader();
  // Every ledger begins with the head of an empty one.
  let kept = head === undefined || (Number(number) === 0 && hash === FIRST_PREV);
  for await (const row of chain.read(path)) if (row.n === Number(number) && chain.hash === hash) kept = true;
  const { faults, n, torn } = chain;
  const now = `${n}:${chain.hash}`;
  const whole = faults.length === 0;
  if (context.json) printJson({ kind: 'ledger', file: path, operations: n, head: now, whole, kept, torn, faults });
  else {
    for (const { line, what } of faults) print(`line ${line}: ${what}`);
    if (torn) print('the last line is half written: a crash cut it off, or a run is writing now');
    print(`${path}: ${many(n, 'operation')}, ${whole ? 'the chain is whole' : 'the chain is broken'}`);
    if (!kept) for (const line of otherHead(Number(number), n)) print(line);
    print(`head ${now}`);
  }
  return whole && kept ? EXIT.ok : EXIT.refused;
}

/** Why the ledger does not contain a head, as far as it tells. */
const otherHead = (named: number, n: number): string[] => [
  named > n
    ? `it does not contain the head that you named: operation ${named} is missing, so operations at its end were removed`
    : `it does not contain the head that you named: operation ${named} has another hash, so it or one before it was changed`,
  'unless that head is of another project, or of another state folder',
];

async function notWritten(file: string, error: unknown): Promise<never> {
  const { code, message } = error as NodeJS.ErrnoException;
  const isFolder = (path: string): Promise<boolean> =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
  if (await isFolder(file))
    throw new UserError(`${file} is a folder. Name a file in it: --out ${shellWord(join(file, 'ledger.json'))}`);
  if (code === 'EEXIST') throw new UserError(`${file} exists already. Remove it, or name another file: --out FILE`);
  const dir = dirname(file);
  if (code === 'ENOENT' && !(await isFolder(dir)))
    throw new UserError(`there is no folder ${dir}. Create it: mkdir -p ${shellWord(dir)}`);
  throw (
    asSystemError(error, file) ??
    new UserError(`ralphctl cannot write ${file}: ${message}. Name another file: --out FILE`)
  );
}

/** The whole ledger as one JSON document. */
export async function exportLedger(context: Context, { out }: { out?: string }): Promise<number> {
  const { project, rows, chain } = await readLedger(context);
  const document = {
    ...{ version: 1, project, exportedAt: new Date().toISOString() },
    ...{ operations: rows.length, head: { n: chain.n, hash: chain.hash }, faults: chain.faults },
    chains: chainsOf(rows).map((one) => ({
      ...{ idea: one.idea, run: one.run, outcome: one.outcome, brokeAt: one.broke?.id, durationMs: chainMs(one) },
      operations: one.rows,
    })),
  };
  const text = `${jsonText(document, 2)}\n`;
  if (out === undefined) {
    // Evidence: times and signs stay as they were recorded, whatever the terminal and the locale are.
    await writeAll(process.stdout, text);
    return EXIT.ok;
  }
  const file = resolve(context.cwd, out);
  await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => notWritten(file, error));
  if (context.json) printJson({ kind: 'exported', file, operations: rows.length });
  else print(`${file}: ${many(rows.length, 'operation')}`);
  return EXIT.ok;
}
