/**
 * Finds other host names whose queues hold open workflows of this project. Versions that did not store the name in the
 * state folder used the host's own name. When that name has changed, a run of such a version would wait for ever.
 * Invariant: considers only runs with files in this state folder, so that it takes no work of another machine.
 * Optional: a worker also starts when it fails.
 */
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { runDir } from '../config/paths.js';
import { AUTOPILOT_WORKFLOW, agentsQueue, gitQueue } from '../protocol/names.js';
import type { RunRef } from '../protocol/run-ref.js';

/** The result of `openRun` is among the first events of a run; other workflows have their queues in their input. */
const FIRST_EVENTS = 50;
const AT_ONCE = 20;

interface Queues {
  agents: string;
  git: string;
}

/** Host names, without `own`. */
export async function otherHosts(
  client: Client,
  { root, project, own }: { root: string; project: string; own: string },
): Promise<string[]> {
  const hosts = new Set<string>();
  const here = new Map<string, Promise<boolean>>();
  const isHere = (runId: string): Promise<boolean> => {
    const known = here.get(runId) ?? exists(join(runDir(root, project, runId), 'run.json'));
    here.set(runId, known);
    return known;
  };
  const look = async (info: WorkflowExecutionInfo): Promise<void> => {
    const { ref, queues } = await begun(client, info);
    const host = queues && hostOf(project, queues);
    if (host === undefined || host === own || !ref || ref.project !== project) return;
    if (await isHere(ref.runId)) hosts.add(host);
  };
  const query = `WorkflowId STARTS_WITH 'ralph:${project}:' AND ExecutionStatus = 'Running'`;
  let batch: WorkflowExecutionInfo[] = [];
  const lookAtBatch = async (): Promise<void> => {
    await Promise.all(batch.map(look));
    batch = [];
  };
  for await (const info of client.workflow.list({ query })) {
    batch.push(info);
    if (batch.length === AT_ONCE) await lookAtBatch();
  }
  await lookAtBatch();
  return [...hosts].sort();
}

async function begun(client: Client, info: WorkflowExecutionInfo): Promise<{ ref?: RunRef; queues?: Queues }> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId: info.workflowId, runId: info.runId },
    maximumPageSize: info.type === AUTOPILOT_WORKFLOW ? FIRST_EVENTS : 1,
  });
  const events = history?.events ?? [];
  const read = async (payloads: Parameters<typeof decodeArrayFromPayloads>[1]): Promise<unknown> =>
    (await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads))[0];
  const started = events[0]?.workflowExecutionStartedEventAttributes?.input?.payloads;
  const input = (await read(started)) as RunRef & { queues?: Queues; state?: { queues?: Queues } };
  const said = input?.queues ?? input?.state?.queues;
  if (said) return { ref: input, queues: said };
  for (const { activityTaskCompletedEventAttributes: done } of events) {
    if (!done) continue;
    const opened = (await read(done.result?.payloads)) as { agentsQueue?: string; gitQueue?: string } | undefined;
    if (opened?.agentsQueue && opened.gitQueue)
      return { ref: input, queues: { agents: opened.agentsQueue, git: opened.gitQueue } };
  }
  return { ref: input };
}

/** Undefined when the queues belong to another project. */
function hostOf(project: string, { agents, git }: Queues): string | undefined {
  const prefix = agentsQueue(project, '');
  if (!agents.startsWith(prefix)) return undefined;
  const host = agents.slice(prefix.length);
  return host !== '' && git === gitQueue(project, host) ? host : undefined;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
