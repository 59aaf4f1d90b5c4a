/** `limits` and `limits retry`: the accounts of the open run, and trying one now. */
import { connect } from '../api/connection.js';
import { noRun, RunApi } from '../api/run.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { accountText } from '../live-lines.js';
import { findProjectId } from '../project.js';
import { localTime } from '../terminal.js';
import { UserError } from '../user-error.js';
import { tell } from './control.js';

export async function listLimits(context: Context): Promise<number> {
  const id = await findProjectId(context);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, id);
    if (!(await api.facts())?.open) throw noRun();
    const status = await api.status();
    if (!status) throw new UserError('no worker answers. Start one with: ralphctl start', EXIT.unreachable);
    const { accounts = [], resumesAt } = status;
    if (context.json) printJson({ accounts, ...(resumesAt === undefined ? {} : { resumesAt }) });
    else {
      if (accounts.length === 0) print('every account is open');
      for (const account of accounts) print(accountText(account));
      if (resumesAt !== undefined) print(`the run stands still; it goes on at ${localTime(resumesAt)}`);
    }
    return EXIT.ok;
  } finally {
    await connected.close();
  }
}

export const retryLimit = (context: Context, which?: string): Promise<number> =>
  tell(context, { verb: 'retry-limit', ...(which === undefined ? {} : { text: which }) });
