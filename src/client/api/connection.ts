/** Connects a client, or throws one sentence that names the cause. */
import * as sdk from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { keysOfProject } from '../../run-files/payload-keys.js';
import { channel } from '../../server/channel.js';
import { dataConverter } from '../../server/codec.js';
import { ProjectPayloads } from '../../server/payloads/project.js';
import { connectTarget, type Target } from '../../server/target.js';
import { type Context, say } from '../context.js';

/** The embedded server runs, so only a busy machine delays its answer. */
const CONNECT_TIMEOUT = { embedded: '20s', external: '5s' } as const;

export interface Connected {
  client: sdk.Client;
  target: Target;
  close(): Promise<void>;
}

/**
 * `start`: start the embedded server first if it does not run. `project`: whose payloads the
 * client reads and writes.
 */
export async function connect(
  context: Context,
  { start, project }: { start: boolean; project?: string },
): Promise<Connected> {
  const target = await connectTarget(context, { start, onProgress: say });
  if (!target.known) {
    throw new UserError(
      'the Temporal server is not running. Start it with: ralphctl start, or ralphctl server start',
      EXIT.unreachable,
    );
  }
  try {
    const connection = await sdk.Connection.connect({
      ...target.options,
      connectTimeout: CONNECT_TIMEOUT[target.kind],
      ...channel(target.options.address, sdk),
    });
    const client = new sdk.Client({
      connection,
      namespace: target.namespace,
      dataConverter: converterOf(context, project),
    });
    return { client, target, close: () => connection.close() };
  } catch (error) {
    throw new UserError(unreachable(target, error as Error), EXIT.unreachable);
  }
}

function converterOf({ root, env }: Context, project: string | undefined): DataConverter {
  if (project === undefined) return dataConverter;
  return new ProjectPayloads({ keys: keysOfProject(root, project), env }).dataConverter;
}

function unreachable(target: Target, error: Error): string {
  const fix =
    target.kind === 'embedded'
      ? 'Start it with: ralphctl server start'
      : 'Check the server and its address: temporal operator cluster health';
  return `cannot reach ${target.description}: ${error.message.split('\n')[0]}. ${fix}`;
}

/* Classifies errors of the Temporal client. */

/** The server does not query a workflow whose last task has failed, until the retry of that task. */
export function isBetweenSteps(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ((at as { code?: unknown }).code === 9 && /task in failed state/i.test(at.message)) return true;
  }
  return false;
}

/** A deadline, or the server's message that no worker polls: nobody answers now. */
export function isDeadline(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    // It names a key, and a path that may be called anything.
    if (at instanceof UserError) return false;
    const code = (at as { code?: unknown }).code;
    if (code === 4 || code === 1 || /no poller|deadline|timeout|cancell?ed/i.test(at.message)) return true;
  }
  return false;
}
