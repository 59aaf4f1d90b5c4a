/** `budget` and `budget raise`: what the run may use, what it used, and more of it. */
import { type Dimension, MOST_AMOUNT } from '../../protocol/budget.js';
import { connect } from '../api/connection.js';
import { noRun, RunApi } from '../api/run.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { budgetText } from '../live-lines.js';
import { findProject } from '../project.js';
import { UserError } from '../user-error.js';
import { tellRun } from './control.js';

export interface RaiseOptions {
  scope?: 'run' | 'day';
  dimension?: Dimension;
}

export async function showBudget(context: Context): Promise<number> {
  const { id } = await findProject(context);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, id);
    if (!(await api.facts())?.open) throw noRun();
    const status = await api.status();
    if (!status) throw new UserError('no worker answers. Start one with: ralphctl start', EXIT.unreachable);
    const lines = status.budget ?? [];
    if (context.json) printJson({ budget: lines });
    else if (lines.length === 0)
      print('neither the run nor the day has a budget; set budget.run or budget.day in ralphctl.yaml');
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
    throw new UserError(`"${amount}" is no amount; e.g.: ralphctl budget raise +5`);
  return tellRun(context, async (api) => {
    const status = await api.status();
    const lines = status && (status.budget ?? []);
    const { scope, dimension } = options;
    const meant = lines?.filter(
      (line) => (!scope || line.scope === scope) && (!dimension || line.dimension === dimension),
    );
    if (lines && meant?.length === 0) throw new UserError('the run has no such budget. See: ralphctl budget');
    if (meant && meant.length > 1 && !meant.some(({ used, most }) => used >= most)) {
      throw new UserError(
        'several budgets could be meant; say --scope run|day and --of iterations|minutes|tokens|dollars',
      );
    }
    await api.raiseBudget({ ...options, ...(by === undefined ? {} : { by }) });
    return by === undefined ? 'raised by as much again' : `raised by ${by}`;
  });
}
