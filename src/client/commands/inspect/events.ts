/** `ralphctl events`: the events of a run as JSON lines, for scripts (G6). */
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { eventsPath, followEvents } from '../../../run-files/events.js';
import { listRuns } from '../../../run-files/run.js';
import { type Context, findProjectId } from '../../context.js';
import { endFollowing, newestTold, warnOfLost } from '../../model/log-of.js';
import { jsonText, writeAll } from '../../output.js';
import { hasEnded } from './logs.js';

export interface EventsOptions {
  follow?: boolean;
  run?: string;
}

export async function events(context: Context, options: EventsOptions): Promise<number> {
  const project = await findProjectId(context);
  const runs = await listRuns(context.root, project);
  const runId = options.run ?? (await newestTold(context.root, project, runs));
  if (!runId) throw new UserError('this repository has had no run yet. Start one with: ralphctl start', EXIT.noRun);
  if (!runs.includes(runId)) throw new UserError(`there is no run ${runId}. List the runs: ralphctl runs`, EXIT.noRun);
  const stop = new AbortController();
  let ended = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  if (options.follow) await endFollowing(context.root, { project, runId }, stop);
  else stop.abort();
  for await (const event of followEvents(eventsPath(context.root, { project, runId }), stop.signal)) {
    await writeAll(process.stdout, `${jsonText(event)}\n`);
    ended ||= hasEnded(event);
    if (options.follow && hasEnded(event)) break;
  }
  if (!ended) await warnOfLost(context.root, { project, runId });
  return EXIT.ok;
}
