/** `limits` lists the accounts of the open run; `limits retry` retries one now. */

import { type Dimension, MOST_AMOUNT } from '../../../protocol/budget.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { connect } from '../../api/connection.js';
import { noWorker } from '../../api/no-answer.js';
import { noRun, RunApi } from '../../api/run.js';
import { type Context, findProjectId, print, printJson } from '../../context.js';
import { accountText, budgetText } from '../../views/live-lines.js';
import { localTime } from '../../views/terminal.js';
import { tell } from '../steer/interventions.js';

export async function listLimits(context: Context): Promise<number> {
  const id = await findProjectId(context);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, id);
    if (!(await api.facts())?.open) throw noRun();
    const status = await api.status();
    if (!status) throw noWorker();
    const { accounts = [], resumesAt } = status;
    if (context.json) printJson({ accounts, resumesAt });
    else {
      if (accounts.length === 0) print('no account waits for a limit or a login');
      for (const account of accounts) print(accountText(account));
      if (resumesAt !== undefined) print(`the run is paused; it resumes at ${localTime(resumesAt)}`);
    }
    return EXIT.ok;
  } finally {
    await connected.close();
  }
}

export const retryLimit = (context: Context, which?: string): Promise<number> =>
  tell(context, { verb: 'retry-limit', text: which });

/* `budget` shows the budgets and their use; `budget raise` raises one. */

export interface RaiseOptions {
  scope?: 'run' | 'day';
  dimension?: Dimension;
}

export async function showBudget(context: Context): Promise<number> {
  const id = await findProjectId(context);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, id);
    if (!(await api.facts())?.open) throw noRun();
    const status = await api.status();
    if (!status) throw noWorker();
    const lines = status.budget ?? [];
    if (context.json) printJson({ budget: lines });
    else if (lines.length === 0)
      print('neither the run nor the day has a budget. Set budget.run or budget.day in ralphctl.yaml');
    else for (const line of lines) print(`${line.scope}: ${budgetText(line)}`);
    return EXIT.ok;
  } finally {
    await connected.close();
  }
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
