/** `ralphctl server start|stop|status|logs`: the embedded Temporal server of this user. */

import type { Payload } from '@temporalio/common';
import { tailOfOwn } from '../../../config/own-files.js';
import { many } from '../../../protocol/many.js';
import { AUTOPILOT_WORKFLOW, autopilotId, IDEA_WORKFLOW } from '../../../protocol/names.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { listRuns, loadNewest } from '../../../run-files/run.js';
import { channel } from '../../../server/channel.js';
import { ensureServer } from '../../../server/embedded.js';
import { serverLogPath } from '../../../server/files.js';
import { serverStatus, stopServer } from '../../../server/stop.js';
import { confirmed } from '../../confirm.js';
import { type Context, print, printJson, say } from '../../context.js';
import { writeAll } from '../../output.js';
import { ensureStateFolder } from '../../state-folder.js';

export type ServerAction = 'start' | 'stop' | 'status' | 'logs';
const LOG_BYTES = 64 * 1024;
const ASK_MS = 10_000;

export interface ServerOptions {
  /** Of `stop`: stop while runs are open. */
  force?: boolean;
}

export async function server(context: Context, action: ServerAction, options: ServerOptions = {}): Promise<number> {
  switch (action) {
    case 'start': {
      await ensureStateFolder(context);
      const record = await ensureServer({ ...context, onProgress: say });
      if (context.json) printJson(record);
      else print(`Temporal ${record.version.server} at ${record.address}, Web UI ${record.uiUrl}`);
      return EXIT.ok;
    }
    case 'stop': {
      const open = options.force ? NOTHING : await openWork(context);
      if (
        open.runs.length + open.left.length > 0 &&
        !(await confirmed(context, `${standStill(open)}.\nStop the server?`))
      )
        throw stopRefused(open);
      const stopped = await stopServer(context.root);
      if (context.json) printJson({ stopped });
      else print(stopped ? 'server stopped; its data stays' : 'no server was running');
      return EXIT.ok;
    }
    case 'status': {
      const status = await serverStatus(context.root);
      if (context.json) printJson(status);
      else if (status.state !== 'running' || !status.record) print(`server ${status.state}`);
      else {
        const { record } = status;
        print(`server running (pid ${record.pid}), Temporal ${record.version.server} at ${record.address}`);
        print(`Web UI ${record.uiUrl}`);
        print(`database ${(status.dbBytes / 1024 / 1024).toFixed(1)} MB`);
      }
      return status.state === 'running' ? EXIT.ok : EXIT.unreachable;
    }
    case 'logs': {
      const path = serverLogPath(context.root);
      const tail = await tailOfOwn(path, LOG_BYTES);
      if (tail === undefined)
        throw new UserError('there is no server log yet. Start the server with: ralphctl server start');
      await writeAll(process.stdout, tail);
      return EXIT.ok;
    }
  }
}

interface OpenWork {
  /** Repositories with an open run. */
  runs: readonly string[];
  /** Open ideas of runs that somebody terminated: their agents may work. */
  left: readonly string[];
}

const NOTHING: OpenWork = { runs: [], left: [] };

/** Empty if the server does not answer, so that `stop` still works. */
async function openWork(context: Context): Promise<OpenWork> {
  const { runningServer } = await import('../../../server/embedded.js');
  const record = await runningServer(context.root);
  if (!record) return NOTHING;
  const sdk = await import('@temporalio/client');
  const runs = new Map<string, string>();
  const left: string[] = [];
  try {
    const { address } = record;
    const connection = await sdk.Connection.connect({
      ...{ address, connectTimeout: ASK_MS, ...channel(address, sdk) },
    });
    try {
      const running = (type: string) => ({ query: `WorkflowType = '${type}' AND ExecutionStatus = 'Running'` });
      // What it asks for is never encrypted; memos of a project may be.
      const client = new sdk.Client({ connection, namespace: record.namespace, dataConverter: WITHOUT_CONTENT });
      await connection.withDeadline(Date.now() + ASK_MS, async () => {
        for await (const { workflowId } of client.workflow.list(running(AUTOPILOT_WORKFLOW)))
          runs.set(workflowId, (await repositoryOf(context.root, workflowId)) ?? workflowId);
        for await (const { workflowId } of client.workflow.list(running(IDEA_WORKFLOW))) {
          const [, project = '', , ...idea] = workflowId.split(':');
          if (!runs.has(autopilotId(project))) left.push(idea.join(':'));
        }
      });
    } finally {
      await connection.close();
    }
  } catch (error) {
    say(`cannot ask the server for open runs: ${(error as Error).message}`);
  }
  return { runs: [...runs.values()], left };
}

/** Payloads of any project, with any key, become nothing. */
const WITHOUT_CONTENT = {
  payloadCodecs: [
    {
      encode: (payloads: Payload[]) => Promise.resolve(payloads),
      decode: (payloads: Payload[]) => Promise.resolve(payloads.map(() => NOTHING_IN_IT)),
    },
  ],
};
const NOTHING_IN_IT: Payload = { metadata: { encoding: Buffer.from('binary/null') } };

/** From the files of its newest run. */
async function repositoryOf(root: string, workflowId: string): Promise<string | undefined> {
  const [, project = ''] = workflowId.split(':');
  const [runId] = await listRuns(root, project).catch(() => []);
  if (runId === undefined) return undefined;
  return (await loadNewest(root, { project, runId }).catch(() => undefined))?.file.repo;
}

const MOST_NAMED = 20;

function standStill({ runs, left }: OpenWork): string {
  const open = `${runs.length === 1 ? 'a run is' : `${many(runs.length, 'run')} are`} open on this server (${runs.join(', ')}) and would stop moving until the next: ralphctl start`;
  const more = left.length > MOST_NAMED ? ` and ${left.length - MOST_NAMED} more` : '';
  const named = left.slice(0, MOST_NAMED).join(', ') + more;
  const ideas = `${many(left.length, 'idea')} of a run that somebody terminated ${left.length === 1 ? 'is' : 'are'} open on this server (${named}), and an agent may still work`;
  return [...(runs.length > 0 ? [open] : []), ...(left.length > 0 ? [ideas] : [])].join('. ');
}

function stopRefused(open: OpenWork): UserError {
  const first =
    open.runs.length > 0
      ? 'End the run first: ralphctl stop'
      : 'Take them over first: ralphctl start; or see how to end them: ralphctl status';
  return new UserError(
    `ralphctl did not stop the server: ${standStill(open)}. ${first}. Or stop the server anyway: ralphctl server stop --force`,
    EXIT.refused,
  );
}
