/**
 * What every agent run of a project used, one line each, in a file a month. Totals of a day survive runs and restarts.
 * Invariant: a run is counted once however often it was written down; a line that cannot be read is left out.
 */
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { projectDir } from '../config/paths.js';
import type { Usage } from '../protocol/activities.js';
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
  /** Answers of the model; without any there was nothing to use. */
  turns: number;
}

const fileOf = (root: string, project: string, month: string): string =>
  join(projectDir(root, project), 'usage', `${month}.jsonl`);

export async function writeUsage(root: string, project: string, row: UsageRow): Promise<void> {
  const path = fileOf(root, project, row.at.slice(0, 7));
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, `${JSON.stringify(row)}\n`);
}

/** What was used since midnight of this host's clock. */
export async function dayTotal(root: string, project: string, now = new Date()): Promise<DayTotal> {
  const begin = new Date(now.getFullYear(), now.getMonth(), now.getDate());
  const end = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  // Files are named by UTC months: a local day may lie in two.
  const months = new Set([begin, now].map((date) => date.toISOString().slice(0, 7)));
  const rows = new Map<string, UsageRow>();
  for (const month of months) {
    for (const row of await readRows(fileOf(root, project, month))) {
      const at = Date.parse(row.at);
      if (at >= begin.getTime() && at < end.getTime()) rows.set(`${row.run}/${row.idea}/${row.serial}`, row);
    }
  }
  return { spent: sum([...rows.values()]), endsAt: end.getTime() };
}

async function readRows(path: string): Promise<UsageRow[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    try {
      return line === '' ? [] : [JSON.parse(line) as UsageRow];
    } catch {
      return [];
    }
  });
}

function sum(rows: readonly UsageRow[]): Spent {
  const total: Spent = { iterations: 0, ms: 0, tokens: 0, dollars: 0, unknownTokens: 0, unknownDollars: 0 };
  for (const { durationMs, turns, inputTokens, outputTokens, costUsd } of rows) {
    total.ms += durationMs;
    total.tokens += (inputTokens ?? 0) + (outputTokens ?? 0);
    total.dollars += costUsd ?? 0;
    if (turns === 0) continue;
    total.iterations += 1;
    if (inputTokens === undefined && outputTokens === undefined) total.unknownTokens += 1;
    if (costUsd === undefined) total.unknownDollars += 1;
  }
  return total;
}
