/** `ralphctl why IDEA`: the score as a sum (A2), what it waits for, what became of it. Works without a run, too. */
import type { WhyView } from '../../protocol/views.js';
import { resolveConnection } from '../../server/connection.js';
import { runningServer } from '../../server/embedded.js';
import { runningWorker } from '../../worker/record.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { clean } from '../live-lines.js';
import { findProjectId } from '../project.js';

export async function why(context: Context, idea: string): Promise<number> {
  const id = await findProjectId(context);
  const view = (await fromRun(context, id, idea)) ?? (await offline(context, id, idea));
  if (context.json) printJson(view);
  else describe(view);
  return EXIT.ok;
}

/** Loaded only now: reading backlogs and configurations takes longer than asking a run. */
async function offline(context: Context, project: string, idea: string): Promise<WhyView> {
  const { whyFromBacklog } = await import('./why-offline.js');
  return whyFromBacklog(context, project, idea);
}

async function fromRun(context: Context, project: string, idea: string): Promise<WhyView | undefined> {
  const embedded = (await resolveConnection(context)).kind === 'embedded';
  // Only a worker answers, and asking when there is none costs the whole wait.
  if (embedded && !((await runningServer(context.root)) && (await runningWorker(context.root, project))))
    return undefined;
  const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, project);
    const facts = await api.facts();
    const view = facts ? await api.why(idea) : undefined;
    // Of a run that is over nothing can be told any more.
    if (view && !facts?.open) delete view.possible;
    return view;
  } finally {
    await connected.close();
  }
}

function describe(view: WhyView): void {
  print(`${view.idea}  ${clean(view.title)}`);
  print(`status ${view.status}${view.reason ? `: ${clean(view.reason)}` : ''}`);
  for (const part of view.parts) print(`${signed(part.value)}  ${part.label}`);
  print(`${signed(view.score)}  score${view.rank ? `, number ${view.rank} of the ready pool` : ''}`);
  for (const wait of view.waitsFor) print(`waits for ${wait}`);
  if (view.told) print(`you told it: ${view.told.verb}${view.told.reason ? ` (${clean(view.told.reason)})` : ''}`);
  if (view.possible && view.possible.length > 0) print(`possible now: ${view.possible.join(', ')}`);
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value}`.padStart(6);
