/** `ralphctl version`. */
import { createRequire } from 'node:module';
import { EXIT } from '../../../protocol/user-error.js';
import { readRecord } from '../../../server/files.js';
import { PINNED_CLI } from '../../../server/install/version.js';
import { version } from '../../../worker/build-id.js';
import { type Context, print, printJson } from '../../context.js';

export async function showVersion(context: Context): Promise<number> {
  const require = createRequire(import.meta.url);
  const sdk = (require('@temporalio/client/package.json') as { version: string }).version;
  const server = (await readRecord(context.root))?.version;
  const facts = { ralphctl: version(), node: process.version, temporalSdk: sdk, temporalCli: PINNED_CLI, server };
  if (context.json) printJson(facts);
  else {
    print(`ralphctl ${facts.ralphctl} (node ${facts.node}, Temporal SDK ${sdk})`);
    print(
      server ? `server ${server.server}, CLI ${server.cli}` : `server: not started yet; it will use CLI ${PINNED_CLI}`,
    );
  }
  return EXIT.ok;
}
