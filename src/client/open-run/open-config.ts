/** The configuration of the run that is open, for commands that only look. Starts nothing. */
import type { Context, Project } from '../context.js';
import { configOfRun, type RunConfig } from '../plan/run-config.js';

/** Without a server no run is open, or none that could be told anything. */
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
