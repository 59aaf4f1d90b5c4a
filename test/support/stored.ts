/** What the server stores of a run, looked at without any codec: as whoever reads its database sees it. */
import { Client, Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { autopilotId, ideaWorkflowId } from '../../src/protocol/names.js';

export interface Stored {
  /** Every byte of the histories and descriptions, as text. */
  text: string;
  /** Ids of the keys of its payloads. */
  keys: Set<string>;
  /** Places of payloads that are not encrypted. */
  clear: Set<string>;
  /** Why steps of its workflows failed. */
  failed: string[];
}

export async function storedOf(address: string, project: string, ...ideas: string[]): Promise<Stored> {
  const connection = await Connection.connect({ address });
  try {
    // No codec, and a list and a description decode memos: the raw answers only.
    const { workflowService, options } = new Client({ connection });
    const { namespace } = options;
    const found: Stored = { text: '', keys: new Set(), clear: new Set(), failed: [] };
    for (const workflowId of [autopilotId(project), ...ideas.map((id) => ideaWorkflowId(project, id))]) {
      const execution = { workflowId };
      let nextPageToken: Uint8Array = Buffer.alloc(0);
      do {
        const page = await workflowService.getWorkflowExecutionHistory({ namespace, execution, nextPageToken });
        for (const event of page.history?.events ?? []) {
          const { message } = event.workflowTaskFailedEventAttributes?.failure ?? {};
          // A message during a step makes the server repeat the step; that is no failure.
          if (message && message !== 'UnhandledCommand') found.failed.push(message);
          look(event, '', found);
        }
        nextPageToken = page.nextPageToken ?? Buffer.alloc(0);
      } while (nextPageToken.length > 0);
      look(await workflowService.describeWorkflowExecution({ namespace, execution }), '', found);
    }
    const query = `RalphProject = '${project}'`;
    look(await workflowService.listWorkflowExecutions({ namespace, query }), '', found);
    return found;
  } finally {
    await connection.close();
  }
}

const text = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('latin1');

function look(value: unknown, place: string, found: Stored): void {
  if (typeof value === 'string') found.text += `${value}\n`;
  if (value instanceof Uint8Array) found.text += `${text(value)}\n`;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  if ('metadata' in value && value.metadata && 'encoding' in (value.metadata as object)) {
    const { metadata } = value as Payload;
    if (text(metadata?.encoding) === 'binary/encrypted') found.keys.add(text(metadata?.['encryption-key-id']));
    else found.clear.add(place);
  }
  for (const [name, one] of Object.entries(value)) look(one, Array.isArray(value) ? place : `${place}.${name}`, found);
}
