/**
 * `pause`, `resume`, `stop`, `answer`, `slots`: what a person tells a run. All but `slots` are plain Temporal signals, so
 * they are taken while no worker runs and carried out when one is back.
 */

import { runningWorker } from '../../worker/record.js';
import { connect } from '../api/connection.js';
import { noRun, RunApi } from '../api/run.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { findProject } from '../project.js';
import { UserError } from '../user-error.js';

export async function pause(context: Context, reason?: string): Promise<number> {
  return withRun(context, async (api) => {
    await api.pause(reason);
    return 'pausing: running iterations finish first. Go on with: ralphctl resume';
  });
}

export async function resume(context: Context): Promise<number> {
  return withRun(context, async (api) => {
    await api.resume();
    return 'resumed';
  });
}

export async function stop(context: Context, reason?: string): Promise<number> {
  return withRun(context, async (api) => {
    await api.stop(reason);
    return 'stopping: running iterations finish first, finished work still lands; the rest stays on its branches';
  });
}

export async function answer(context: Context, idea: string, text: string): Promise<number> {
  if (text.trim() === '') throw new UserError(`the answer is empty. Usage: ralphctl answer ${idea} "your answer"`);
  return withRun(context, async (api) => {
    await api.answer(idea, text);
    return `${idea} has your answer; it goes into its next prompt`;
  });
}

export async function slots(context: Context, count: number): Promise<number> {
  return withRun(context, async (api) => {
    const now = await api.setSlots(count);
    return `${now} slots`;
  });
}

async function withRun(context: Context, act: (api: RunApi) => Promise<string>): Promise<number> {
  const { id } = await findProject(context);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, id);
    const facts = await api.facts();
    if (!facts?.open) throw noRun();
    const done = await act(api);
    const worker = connected.target.kind === 'external' || (await runningWorker(context.root, id)) !== undefined;
    if (context.json) printJson({ done, worker });
    else {
      print(done);
      if (!worker) print('no worker runs; this is carried out once one does: ralphctl start');
    }
    return EXIT.ok;
  } finally {
    await connected.close();
  }
}
