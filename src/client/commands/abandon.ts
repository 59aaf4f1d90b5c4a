/**
 * `ralphctl abandon IDEA` gives an idea up across runs; `ralphctl retry IDEA` reverses that. A run records abandoned ideas
 * at its end. These commands record them too, for a run that never reaches its end and for the time without a run.
 */
import { abandonedIdeas, noteAbandoned, takeBackAbandoned } from '../../run-files/carried.js';
import { listRuns } from '../../run-files/run.js';
import { type Context, findProjectId, print, printJson } from '../context.js';
import { EXIT, UserError } from '../errors.js';
import { recordedRun } from '../views/recorded.js';
import { tell } from './interventions.js';

export async function abandon(context: Context, idea: string, reason?: string): Promise<number> {
  const project = await findProjectId(context);
  try {
    const code = await tell(context, { verb: 'abandon', idea, reason: reason || undefined });
    if (code === EXIT.ok) await noteAbandoned(context.root, project, idea, reason);
    return code;
  } catch (error) {
    if (!isNoRun(error)) throw error;
    const [newest] = await listRuns(context.root, project);
    const recorded = newest === undefined ? undefined : await recordedRun(context.root, project, newest);
    // A run that cannot answer may still be open. It would overwrite the record at its end.
    if (error.exitCode === EXIT.unreachable && newest !== undefined && !recorded?.over) throw error;
    const { whyFromFiles } = await import('../plan/why-offline.js');
    if ((await whyFromFiles(context, idea, recorded)).status === 'landed') throw error;
  }
  await noteAbandoned(context.root, project, idea, reason);
  const done = `${idea} is abandoned. No run is open. Later runs leave it out until: ralphctl retry ${idea}`;
  if (context.json) printJson({ done, verb: 'abandon', idea, worker: false });
  else print(done);
  return EXIT.ok;
}

const isNoRun = (error: unknown): error is UserError =>
  error instanceof UserError && (error.exitCode === EXIT.noRun || error.exitCode === EXIT.unreachable);

export async function retry(
  context: Context,
  idea: string,
  { fresh, reason }: { fresh?: boolean; reason?: string },
): Promise<number> {
  const project = await findProjectId(context);
  try {
    const command = { verb: 'retry', idea, fresh: fresh || undefined, reason: reason || undefined } as const;
    const code = await tell(context, command);
    await takeBackAbandoned(context.root, project, idea);
    return code;
  } catch (error) {
    if (!isNoRun(error) || !(await abandonedIdeas(context.root, project)).has(idea)) throw error;
  }
  if (fresh) {
    const next = `ralphctl start, then ralphctl retry ${idea} --fresh`;
    throw new UserError(
      `no run is open, so nothing can drop the work of ${idea}. Leave out --fresh, or start a run first: ${next}`,
      EXIT.noRun,
    );
  }
  await takeBackAbandoned(context.root, project, idea);
  const done = `${idea} is no longer abandoned. No run is open. It starts with the next run: ralphctl start`;
  if (context.json) printJson({ done, verb: 'retry', idea, worker: false });
  else print(done);
  return EXIT.ok;
}
