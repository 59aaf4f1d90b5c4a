/**
 * Prepares a started server: retention of closed workflows and our search attributes.
 * Invariant: runs before the first workflow and again at every start, and never lowers a value that a person raised.
 * The SDK's client is slow to load, so functions here load it by `import()`: a bundler would hoist a static import to
 * the start of the program.
 */
import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../protocol/names.js';
import { NAMESPACE } from './files.js';

/** With the default of 24 hours, the ideas of a night leave the Web UI by the evening. */
export const RETENTION = '30 days';
/** Wire values of `temporal.api.enums.v1.IndexedValueType`. */
const WIRE_TYPE = { Keyword: 2, Int: 3 } as const;
const DEADLINE_MS = 20_000;

/** Loads the modules of bootstrap() early, while the server boots. */
export async function loadSdk(): Promise<{
  client: typeof import('@temporalio/client');
  time: typeof import('@temporalio/common/lib/time.js');
}> {
  const [client, time] = await Promise.all([import('@temporalio/client'), import('@temporalio/common/lib/time.js')]);
  return { client, time };
}

async function raiseRetention({ workflowService }: Connection): Promise<void> {
  const { msToTs, tsToMs } = (await loadSdk()).time;
  const wanted = msToTs(RETENTION);
  const { config } = await workflowService.describeNamespace({ namespace: NAMESPACE });
  if (tsToMs(config?.workflowExecutionRetentionTtl ?? undefined) >= tsToMs(wanted)) return;
  await workflowService.updateNamespace({
    namespace: NAMESPACE,
    config: { workflowExecutionRetentionTtl: wanted },
  });
}

/** `--search-attribute` only acts when the namespace is created, so a database made without them gets them here. */
async function addSearchAttributes({ operatorService }: Connection): Promise<void> {
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace: NAMESPACE });
  const missing = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => !(name in (customAttributes ?? {})));
  if (missing.length === 0) return;
  await operatorService.addSearchAttributes({
    namespace: NAMESPACE,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, WIRE_TYPE[type]])),
  });
}

/** Prepares the namespace of the server at `address`. @throws when the server does not answer within 20 s. */
export async function bootstrap(address: string): Promise<void> {
  const { client } = await loadSdk();
  const connection = await client.Connection.connect({ address, connectTimeout: DEADLINE_MS });
  try {
    await connection.withDeadline(Date.now() + DEADLINE_MS, async () => {
      await raiseRetention(connection);
      await addSearchAttributes(connection);
    });
  } finally {
    await connection.close();
  }
}
