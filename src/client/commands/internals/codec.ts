/** `ralphctl codec serve`: the codec server in the foreground, for histories of a project without a worker. */
import { configFolder } from '../../../config/load.js';
import { isLoopback, type Place, placeOf } from '../../../config/schema/metrics.js';
import type { Payloads } from '../../../config/schema/payloads.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { keysOfProject, newestPayloads } from '../../../run-files/payload-keys.js';
import { ProjectPayloads } from '../../../server/payloads/project.js';
import { answerCodec, originsFor } from '../../../worker/served/codec.js';
import { baseAddress, Endpoint } from '../../../worker/served/endpoint.js';
import { whyNotListening } from '../../../worker/served/served.js';
import { type Context, findProject, findProjectId, printJson, say } from '../../context.js';
import { readConfig } from '../../plan/run-config.js';

interface CodecOptions {
  listen?: string;
}

export async function serveCodec(context: Context, options: CodecOptions): Promise<number> {
  const project = await findProjectId(context);
  // A project without a run has only its file.
  const current = async (): Promise<Payloads> =>
    (await newestPayloads(context.root, project)) ?? (await ofFile(context));
  const { codecServer } = await current();
  const place = placeFor(options.listen ?? codecServer.listen, codecServer.loopbackOnly);
  const { older, damage, encrypted } = keysOfProject(context.root, project);
  const newest = async () => (await current()).encryption;
  const payloads = new ProjectPayloads({ keys: { newest, older, damage, encrypted }, env: context.env });
  await payloads.check();
  const origins = async () => originsFor(context.root, (await current()).codecServer);
  const endpoint = await Endpoint.open(place, answerCodec(payloads.codecs, origins)).catch((error: Error) => {
    const listen = `${place.host}:${place.port}`;
    throw new UserError(
      `the codec server does not start: ${whyNotListening(listen, error)}. The worker of this project may serve it there already: ralphctl doctor. Or name another address: ralphctl codec serve --listen 127.0.0.1:8766`,
    );
  });
  const address = baseAddress(place);
  if (context.json) printJson({ kind: 'serving', project, address });
  else say(`codec server of ${project} at ${address}. In the Web UI, set it as the codec server. End it with Ctrl-C`);
  await untilStopped();
  await endpoint.close();
  return EXIT.ok;
}

async function ofFile(context: Context): Promise<Payloads> {
  const { root } = (await findProject(context)).repository;
  return (await readConfig(await configFolder(context.cwd, root))).config.payloads;
}

/** @throws UserError without an address, or where it is no loopback address and the configuration wants one */
function placeFor(listen: string | undefined, loopbackOnly: boolean): Place {
  const example = '127.0.0.1:8765';
  if (listen === undefined)
    throw new UserError(
      `the codec server has no address. Set payloads.codecServer.listen in ralphctl.yaml, or name it: ralphctl codec serve --listen ${example}`,
    );
  const place = placeOf(listen);
  if (!place) throw new UserError(`--listen ${listen}: must be an address and a port, such as ${example}`);
  if (loopbackOnly && !isLoopback(place.host))
    throw new UserError(
      `--listen ${listen} is no loopback address; everyone who reaches it could decrypt. Use 127.0.0.1:${place.port}, or allow it with payloads.codecServer.loopbackOnly: false`,
    );
  return place;
}

/** Resolves on SIGINT and SIGTERM. The server alone keeps no process alive. */
function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const alive = setInterval(() => {}, 3_600_000);
    const end = (): void => {
      clearInterval(alive);
      resolve();
    };
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, end);
  });
}
