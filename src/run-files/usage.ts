/**
 * The use of every agent run of a project, one line each, in a file per month. Totals of a day survive runs and
 * restarts.
 * Invariant: a run counts once however often it was written. An unreadable line is skipped.
 */
import { appendFile, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
  /** Answers of the model; without any, nothing was used. */
  turns: number;
  /** Of an attempt that was lost with its worker: another attempt of the same run follows, and both count. */
  attempt?: string;
}

const fileOf = (root: string, project: string, month: string): string =>
  join(projectDir(root, project), 'usage', `${month}.jsonl`);

export async function writeUsage(root: string, project: string, row: UsageRow): Promise<void> {
  const path = fileOf(root, project, row.at.slice(0, 7));
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, `${JSON.stringify(row)}\n`, { mode: 0o600 });
}

export const runKey = ({
  run,
  idea,
  serial,
  attempt,
}: Pick<UsageRow, 'run' | 'idea' | 'serial' | 'attempt'>): string =>
  attempt === undefined ? `${run}/${idea}/${serial}` : `${run}/${idea}/${serial}/${attempt}`;

/** Midnights of this host's clock around a time. */
const dayOf = (now: Date) => ({
  begin: new Date(now.getFullYear(), now.getMonth(), now.getDate()),
  end: new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1),
});

/** What was used since midnight of this host's clock. */
export async function dayTotal(root: string, project: string, now = new Date()): Promise<DayTotal> {
  const { begin, end } = dayOf(now);
  const rows = await rowsSince(root, project, begin, now);
  return { spent: sum([...rows.values()].filter(within(begin, end))), endsAt: end.getTime() };
}

/** The use of a run and its day, without agent runs that have a key in `except`. */
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

/** All rows since that month, each agent run once. Files are named by UTC months, so a local day may be in two. */
async function rowsSince(root: string, project: string, since: Date, now: Date): Promise<Map<string, UsageRow>> {
  const rows = new Map<string, UsageRow>();
  const last = now.toISOString().slice(0, 7);
  const month = new Date(Date.UTC(since.getUTCFullYear(), since.getUTCMonth()));
  for (let name = ''; name < last; month.setUTCMonth(month.getUTCMonth() + 1)) {
    name = month.toISOString().slice(0, 7);
    for (const row of await readRows(fileOf(root, project, name))) rows.set(runKey(row), row);
  }
  return rows;
}

/** Cached files: with a budget they are read every second, and change once per agent run. */
const known = new Map<string, { stamp: string; rows: UsageRow[] }>();
const MOST_KNOWN = 8;

async function readRows(path: string): Promise<UsageRow[]> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return [];
  const stamp = `${stats.size} ${stats.mtimeMs} ${stats.ino}`;
  const before = known.get(path);
  if (before?.stamp === stamp) return before.rows;
  const rows = parse(await readFile(path, 'utf8').catch(() => ''));
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(path, { stamp, rows });
  return rows;
}

function parse(text: string): UsageRow[] {
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as UsageRow];
    } catch {
      return [];
    }
  });
}

/** Outcomes that charge the idea an iteration, as the workflow decides it. */
const COSTS_ITERATION: ReadonlySet<string> = new Set(['ok', 'timeout', 'agent', 'context', 'budget']);

function sum(rows: readonly UsageRow[]): Spent {
  const total: Spent = { iterations: 0, ms: 0, tokens: 0, dollars: 0, unknownTokens: 0, unknownDollars: 0 };
  for (const { durationMs, turns, inputTokens, outputTokens, costUsd, outcome } of rows) {
    total.ms += durationMs;
    total.tokens += (inputTokens ?? 0) + (outputTokens ?? 0);
    total.dollars += costUsd ?? 0;
    if (COSTS_ITERATION.has(outcome)) total.iterations += 1;
    if (turns === 0 && !COSTS_ITERATION.has(outcome)) continue;
    if (inputTokens === undefined && outputTokens === undefined) total.unknownTokens += 1;
    if (costUsd === undefined) total.unknownDollars += 1;
  }
  return total;
}
