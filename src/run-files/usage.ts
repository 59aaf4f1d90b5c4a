/**
 * The usage of every agent run of a project, one line each, in a file per month. A day's total survives runs and
 * restarts.
 * Invariant: an agent run counts once, however often its line occurs. Readers skip an unreadable line.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { appendOwn, readOwn } from '../config/own-files.js';
import { projectDir } from '../config/paths.js';
import type { Usage } from '../protocol/agent-run.js';
import type { DayTotal, Spent } from '../protocol/budget.js';

export interface UsageRow extends Usage {
  /** ISO time of its end. */
  at: string;
  run: string;
  idea: string;
  serial: number;
  agent: string;
  account: string;
  outcome: string;
  durationMs: number;
  /** Number of the model's replies; 0 means no usage. */
  turns: number;
  /** Names a lost attempt whose worker died. Another attempt of the same run follows, and both count. */
  attempt?: string;
}

const fileOf = (root: string, project: string, month: string): string =>
  join(projectDir(root, project), 'usage', `${month}.jsonl`);

/** The files with all rows since that time, oldest first. Files follow UTC months. */
export function usageFiles(root: string, project: string, since: Date, now = new Date()): string[] {
  const paths: string[] = [];
  const last = now.toISOString().slice(0, 7);
  const month = new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth()));
  for (let name = ''; name < last; month.setUTCMonth(month.getUTCMonth() + 1)) {
    name = month.toISOString().slice(0, 7);
    paths.push(fileOf(root, project, name));
  }
  return paths;
}

export async function writeUsage(root: string, project: string, row: UsageRow): Promise<void> {
  const path = fileOf(root, project, row.at.slice(0, 7));
  await mkdir(dirname(path), { recursive: true });
  await appendOwn(path, `${JSON.stringify(row)}\n`);
}

export const runKey = ({
  run,
  idea,
  serial,
  attempt,
}: Pick<UsageRow, 'run' | 'idea' | 'serial' | 'attempt'>): string =>
  attempt === undefined ? `${run}/${idea}/${serial}` : `${run}/${idea}/${serial}/${attempt}`;

/** The midnights around a time, by this host's clock. */
const dayOf = (now: Date) => ({
  begin: new Date(now.getFullYear(), now.getMonth(), now.getDate()),
  end: new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1),
});

/** Usage since midnight, by this host's clock. */
export async function dayTotal(root: string, project: string, now = new Date()): Promise<DayTotal> {
  const { begin, end } = dayOf(now);
  const rows = await rowsSince(root, project, begin, now);
  return { spent: sum([...rows.values()].filter(within(begin, end))), endsAt: end.getTime() };
}

/** The usage of a run and its day, without agent runs that have a key in `except`. */
export async function usedSoFar(
  root: string,
  project: string,
  run: { id: string; createdAt: Date },
  except: ReadonlySet<string>,
  now = new Date(),
): Promise<{ run: Spent; day: Spent }> {
  const { begin, end } = dayOf(now);
  const rows = await rowsSince(root, project, new Date(Math.min(run.createdAt.getTime(), begin.getTime())), now);
  const counted = [...rows].flatMap(([key, row]) => (except.has(key) ? [] : [row]));
  return { run: sum(counted.filter((row) => row.run === run.id)), day: sum(counted.filter(within(begin, end))) };
}

const within = (begin: Date, end: Date) => {
  const [from, to] = [begin.toISOString(), end.toISOString()];
  return ({ at }: UsageRow): boolean => at >= from && at < to;
};

/** All rows since that month, each agent run once. A local day may span two files. */
async function rowsSince(root: string, project: string, since: Date, now: Date): Promise<Map<string, UsageRow>> {
  const rows = new Map<string, UsageRow>();
  for (const path of usageFiles(root, project, since, now))
    for (const row of await readRows(path)) rows.set(runKey(row), row);
  return rows;
}

/** Caches files: a budget reads them every second, and they change once per agent run. */
const known = new Map<string, { stamp: string; rows: UsageRow[] }>();
const MOST_KNOWN = 8;

async function readRows(path: string): Promise<UsageRow[]> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return [];
  const stamp = `${stats.size} ${stats.mtimeMs} ${stats.ino}`;
  const before = known.get(path);
  if (before?.stamp === stamp) return before.rows;
  const rows = parse((await readOwn(path).catch(() => undefined)) ?? '');
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(path, { stamp, rows });
  return rows;
}

/** Undefined for a line that is no row. */
export function parseUsage(line: string): UsageRow | undefined {
  try {
    return line === '' ? undefined : (JSON.parse(line) as UsageRow);
  } catch {
    return undefined;
  }
}

const parse = (text: string): UsageRow[] => text.split('\n').flatMap((line) => parseUsage(line) ?? []);

/** Outcomes that charge the idea an iteration; the workflow uses the same list. */
const COSTS_ITERATION: ReadonlySet<string> = new Set(['ok', 'timeout', 'agent', 'context', 'budget']);

/** Outcomes that end an agent run from outside: nobody knows what it had used. The workflow counts them, too. */
const CUT_OFF: ReadonlySet<string> = new Set(['killed', 'lost']);

function sum(rows: readonly UsageRow[]): Spent {
  const total: Spent = { iterations: 0, ms: 0, tokens: 0, dollars: 0, unknownTokens: 0, unknownDollars: 0 };
  for (const { durationMs, turns, inputTokens, outputTokens, costUsd, outcome } of rows) {
    total.ms += durationMs;
    total.tokens += (inputTokens ?? 0) + (outputTokens ?? 0);
    total.dollars += costUsd ?? 0;
    if (COSTS_ITERATION.has(outcome)) total.iterations += 1;
    if (turns === 0 && !COSTS_ITERATION.has(outcome) && !CUT_OFF.has(outcome)) continue;
    if (inputTokens === undefined && outputTokens === undefined) total.unknownTokens += 1;
    if (costUsd === undefined) total.unknownDollars += 1;
  }
  return total;
}
