/** `ralphctl events`: the events of a run as JSON lines, for scripts (G6). */
import { eventsPath, followEvents } from '../../run-files/events.js';
import { listRuns } from '../../run-files/run.js';
import { type Context, findProjectId } from '../context.js';
import { EXIT, UserError } from '../errors.js';
import { writeAll } from '../output.js';
import { hasEnded } from './logs.js';

export interface EventsOptions {
  follow?: boolean;
  run?: string;
}

export async function events(context: Context, options: EventsOptions): Promise<number> {
  const project = await findProjectId(context);
  const runs = await listRuns(context.root, project);
  const runId = options.run ?? runs[0];
  if (!runId) throw new UserError('this repository has had no run yet. Start one with: ralphctl start', EXIT.noRun);
  if (!runs.includes(runId))
    throw new UserError(`there is no run ${runId}. List the runs: ralphctl logs --runs`, EXIT.noRun);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  if (!options.follow) stop.abort();
  for await (const event of followEvents(eventsPath(context.root, { project, runId }), stop.signal)) {
    await writeAll(process.stdout, `${JSON.stringify(event)}\n`);
    if (options.follow && hasEnded(event)) break;
  }
  return EXIT.ok;
}
