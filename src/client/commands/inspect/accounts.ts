/** `limits` lists the accounts of the open run; `limits retry` retries one now. */

import { type Dimension, MOST_AMOUNT } from '../../../protocol/budget.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import type { RunStatus } from '../../../protocol/views.js';
import { noWorker } from '../../api/no-answer.js';
import { type Context, print, printJson } from '../../context.js';
import { accountText, budgetText } from '../../views/live-lines.js';
import { localTime } from '../../views/terminal.js';
import { tell, withRun } from '../steer/interventions.js';

export async function listLimits(context: Context): Promise<number> {
  const { accounts = [], resumesAt } = await openRunStatus(context);
  if (context.json) printJson({ accounts, resumesAt });
  else {
    if (accounts.length === 0) print('no account waits for a limit or a login');
    for (const account of accounts) print(accountText(account));
    if (resumesAt !== undefined) print(`the run is paused; it resumes at ${localTime(resumesAt)}`);
  }
  return EXIT.ok;
}

export const retryLimit = (context: Context, which?: string): Promise<number> =>
  tell(context, { verb: 'retry-limit', text: which });

/* `budget` shows the budgets and their use; `budget raise` raises one. */

export interface RaiseOptions {
  scope?: 'run' | 'day';
  dimension?: Dimension;
}

export async function showBudget(context: Context): Promise<number> {
  const { budget = [] } = await openRunStatus(context);
  if (context.json) printJson({ budget });
  else if (budget.length === 0)
    print('neither the run nor the day has a budget. Set budget.run or budget.day in ralphctl.yaml');
  else for (const line of budget) print(`${line.scope}: ${budgetText(line)}`);
  return EXIT.ok;
}

export async function raiseBudget(
  context: Context,
  amount: string | undefined,
  options: RaiseOptions,
): Promise<number> {
  const by = amount === undefined ? undefined : Number(amount.replace(/^\+/, ''));
  if (by !== undefined && !(by > 0 && by <= MOST_AMOUNT))
    throw new UserError(`"${amount}" is not an amount. Example: ralphctl budget raise +5`);
  return tell(context, { verb: 'raise-budget', ...options, n: by });
}

/** @throws UserError without an open run, or without a worker that answers */
const openRunStatus = (context: Context): Promise<RunStatus> =>
  withRun(context, async ({ api }) => {
    const status = await api.status();
    if (!status) throw noWorker();
    return status;
  });
