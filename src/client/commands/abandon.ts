/**
 * `ralphctl abandon IDEA` and `ralphctl retry IDEA`: an idea is given up for good, across runs, and taken back. The run
 * writes down at its end what it knows; this is for a run that does not come to its end, and for the time without one.
 */
import { abandonedIdeas, noteAbandoned, takeBackAbandoned } from '../../run-files/carried.js';
import { type Context, findProjectId, print, printJson } from '../context.js';
import { EXIT, UserError } from '../errors.js';
import { tell } from './interventions.js';

export async function abandon(context: Context, idea: string, reason?: string): Promise<number> {
  const code = await tell(context, { verb: 'abandon', idea, ...(reason ? { reason } : {}) });
  if (code === EXIT.ok) await noteAbandoned(context.root, await findProjectId(context), idea, reason);
  return code;
}

export async function retry(
  context: Context,
  idea: string,
  { fresh, reason }: { fresh?: boolean; reason?: string },
): Promise<number> {
  const project = await findProjectId(context);
  try {
    const command = { verb: 'retry', idea, ...(fresh ? { fresh } : {}), ...(reason ? { reason } : {}) } as const;
    const code = await tell(context, command);
    await takeBackAbandoned(context.root, project, idea);
    return code;
  } catch (error) {
    const noRun = error instanceof UserError && (error.exitCode === EXIT.noRun || error.exitCode === EXIT.unreachable);
    if (!noRun || !(await abandonedIdeas(context.root, project)).has(idea)) throw error;
  }
  if (fresh) {
    const next = `ralphctl start, and then ralphctl retry ${idea} --fresh`;
    throw new UserError(
      `no run is open that could drop the work of ${idea}; leave out --fresh, or: ${next}`,
      EXIT.noRun,
    );
  }
  await takeBackAbandoned(context.root, project, idea);
  const done = `${idea} is not abandoned any more; no run is open, so it starts with the next one: ralphctl start`;
  if (context.json) printJson({ done, verb: 'retry', idea, worker: false });
  else print(done);
  return EXIT.ok;
}
