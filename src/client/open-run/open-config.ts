/** The configuration of the open run, for commands that only read. Starts nothing. */
import type { Context, Project } from '../context.js';
import { configOfRun, type RunConfig } from '../plan/run-config.js';

/** Undefined without a server: no command could reach a run. */
export async function openRunConfig(context: Context, project: Project): Promise<RunConfig | undefined> {
  const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
  const connected = await connect(context, { start: false }).catch(() => undefined);
  if (!connected) return undefined;
  try {
    const facts = await new RunApi(connected.client, project.id).facts().catch(() => undefined);
    if (!facts?.open || !facts.runId) return undefined;
    return await configOfRun(context.root, { project: project.id, runId: facts.runId }).catch(() => undefined);
  } finally {
    await connected.close();
  }
}
