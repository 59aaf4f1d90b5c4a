/**
 * Whether an open run can move at all, as far as the files and processes of this machine tell: `why`, `report` and `runs`
 * say the same.
 * Invariant: reads only, in milliseconds. A busy machine looks like a silent server, so that only a refused connection or
 * a process that is gone counts as stopped, and a worker that ends again and again. Nobody knows here of workers of a
 * server elsewhere.
 */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { isAlive } from '../../process/identity.js';
import { resolveConnection } from '../../server/connection.js';
import { readRecord, recordPath } from '../../server/files.js';
import type { Context } from '../context.js';
import { workerNow } from './worker-ends.js';

export interface NothingMoves {
  outcome: 'no server' | 'no worker';
  /** A sentence without its end, and the command that helps. */
  text: string;
}

const CONTINUE = 'so nothing moves. Continue with: ralphctl start';

/** Undefined: it may move. */
export async function nothingMoves(
  context: Pick<Context, 'root' | 'env'>,
  project: string,
): Promise<NothingMoves | undefined> {
  // A configuration that cannot be read names no server.
  const connection = await resolveConnection(context).catch(() => undefined);
  if (connection?.kind !== 'embedded') return undefined;
  const server = await stoppedServer(context.root);
  if (server) return { outcome: 'no server', text: `${server}, ${CONTINUE}` };
  const { worker, crashes } = await workerNow(context.root, project).catch(() => ({
    worker: true,
    crashes: undefined,
  }));
  if (crashes !== undefined) return { outcome: 'no worker', text: `nothing moves: ${crashes}` };
  return worker ? undefined : { outcome: 'no worker', text: `no worker runs, ${CONTINUE}` };
}

/** Of an open run whose server has not answered: a server that lives and is silent has other work. */
export async function strandedText(root: string, runId: string): Promise<string> {
  const server = await stoppedServer(root);
  if (server) return `run ${runId} is open, but ${server}, ${CONTINUE}`;
  return `run ${runId} is open, and the Temporal server runs but does not answer: the machine may be busy. Try again: ralphctl status`;
}

async function stoppedServer(root: string): Promise<string | undefined> {
  const record = await readRecord(root).catch(() => undefined);
  // With a record that cannot be read, only its command line tells of the server.
  if (!record) return existsSync(recordPath(root)) ? undefined : 'the Temporal server is not running';
  const { address } = record;
  const stopped = !(await isAlive(record)) || (await refuses(address));
  return stopped ? `the Temporal server does not answer at ${address}` : undefined;
}

/** A server that is there and silent is busy. */
function refuses(address: string): Promise<boolean> {
  const at = address.lastIndexOf(':');
  const socket = connect({ host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) });
  socket.setTimeout(1000);
  return new Promise((resolve) => {
    const end = (refused: boolean): void => {
      socket.destroy();
      resolve(refused);
    };
    socket.once('connect', () => end(false));
    socket.once('timeout', () => end(false));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code === 'ECONNREFUSED'));
  });
}
