/** Red checks of a commit on GitHub: check runs, and the commit statuses of other systems such as Jenkins. */
import { actionsLog, logOf } from './check-log.js';
import { ForgeError, type RedCheck } from './forge.js';
import type { Gh } from './gh.js';

interface CheckJson {
  id: number;
  name: string;
  status: string;
  conclusion: string | null;
  html_url: string | null;
  completed_at?: string | null;
  output?: { title: string | null; summary: string | null; text: string | null };
}
export interface StatusJson {
  id: number;
  context: string;
  state: 'error' | 'failure' | 'pending' | 'success';
  description: string | null;
  target_url: string | null;
}

const RED = new Set(['failure', 'timed_out', 'action_required', 'startup_failure']);

/** A check that still runs is waited for; one that is red counts at once. */
export async function redOnGitHub(gh: Gh, head: string, known: readonly string[]): Promise<RedCheck[]> {
  const checks = await gh.list(
    `commits/${head}/check-runs`,
    (answer) => (answer as { check_runs: CheckJson[] }).check_runs,
  );
  const red = checks
    .filter(({ status, conclusion }) => status === 'completed' && RED.has(conclusion ?? ''))
    .map((check) => asRed(gh, check));
  return [...red, ...redStatuses(await statusesOf(gh, head))].filter(({ key }) => !known.includes(key));
}

/** A fine-grained token may have a right of its own for them: without it there are none, as before. `doctor` says so. */
export async function statusesOf(gh: Gh, commit: string): Promise<StatusJson[]> {
  try {
    return await gh.list(`commits/${commit}/status`, (answer) => (answer as { statuses: StatusJson[] }).statuses);
  } catch (error) {
    if (mayNotRead(error)) return [];
    throw error;
  }
}

export const mayNotRead = (error: unknown): boolean =>
  error instanceof ForgeError && error.status === 403 && !error.later;

/** The newest of each context counts. There is no log: description and address are all that the other system says. */
export function redStatuses(all: readonly StatusJson[]): RedCheck[] {
  const newest = new Map<string, StatusJson>();
  for (const one of all) if ((newest.get(one.context)?.id ?? -1) < one.id) newest.set(one.context, one);
  return [...newest.values()]
    .filter(({ state }) => state === 'failure' || state === 'error')
    .map(({ id, context, description, target_url: url, state }) => ({
      ...{ key: `status ${id}`, name: context, ...(url ? { url } : {}) },
      log: () => Promise.resolve([`${context}: ${description?.trim() || state}`, ...(url ? [url] : [])].join('\n')),
    }));
}

/** Only those of Actions have a log there. */
const asRed = (gh: Gh, { id, name, html_url: url, completed_at: endedAt, output }: CheckJson): RedCheck => ({
  ...{ key: `check ${id}`, name },
  ...(url ? { url } : {}),
  log: async () => {
    const said = [output?.title, output?.summary, output?.text].filter(Boolean).join('\n');
    const log = await logOf(gh, `actions/jobs/${id}/logs`, endedAt, said);
    return log === undefined ? undefined : actionsLog(log);
  },
});
