/** Whether a run is open. Invariant: starts nothing. */
import type { RunRef } from '../../protocol/run-ref.js';
import { resolveConnection } from '../../server/connection.js';
import { runningServer } from '../../server/embedded.js';
import type { Context } from '../context.js';

/** A run without a recorded end counts as open when no server answers. */
export async function isOpen(context: Context, { project, runId }: RunRef): Promise<boolean> {
  const embedded = (await resolveConnection(context)).kind === 'embedded';
  if (embedded && !(await runningServer(context.root))) return true;
  const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
  try {
    const connected = await connect(context, { start: false });
    try {
      const facts = await new RunApi(connected.client, project).facts();
      return facts === undefined || (facts.open && facts.runId === runId);
    } finally {
      await connected.close();
    }
  } catch {
    return true;
  }
}
