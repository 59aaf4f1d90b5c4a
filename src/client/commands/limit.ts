/** `limits` and `limits retry`: the accounts of the open run, and trying one now. */
import { connect } from '../api/connection.js';
import { noRun, RunApi } from '../api/run.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { accountText, localTime } from '../live-lines.js';
import { findProject } from '../project.js';
import { UserError } from '../user-error.js';
import { tellRun } from './control.js';

export async function listLimits(context: Context): Promise<number> {
  const { id } = await findProject(context);
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

/** A plain Temporal signal: taken without a worker too, and harmless where nothing is closed. */
export async function retryLimit(context: Context, which?: string): Promise<number> {
  return tellRun(context, async (api) => {
    const accounts = (await api.status())?.accounts;
    if (
      accounts &&
      which !== undefined &&
      !accounts.some(({ key, agents }) => key === which || agents.includes(which))
    ) {
      const closed = accounts.flatMap(({ agents, key }) => (agents.length > 0 ? agents : key)).join(', ');
      throw new UserError(
        `no account or agent "${which}" waits; those that do: ${closed || 'none'}. See: ralphctl limits`,
      );
    }
    await api.retryLimit(which);
    return `${which ?? 'every account'} is tried now: one idea goes first, the others follow when it can work`;
  });
}
