/**
 * `ralphctl retry IDEA --take-over`: takes the claim of another ralphctl off the idea's issue, so that a run here can
 * claim it. For a machine that is gone.
 */
import { configFolder, loadConfig } from '../../../config/load.js';
import { type TrackerConfig, trackerOf } from '../../../config/schema/tracker.js';
import { ownerHere } from '../../../jobs/tracker/owner.js';
import { inOneLine } from '../../../protocol/escapes.js';
import { UserError } from '../../../protocol/user-error.js';
import { newestRun } from '../../../run-files/readable.js';
import { knownIdeas } from '../../../run-files/run.js';
import { trackerOfRun } from '../../../run-files/settings.js';
import { ideasOf } from '../../../trackers/ideas.js';
import { TrackerError } from '../../../trackers/tracker.js';
import { type Context, findProject, say } from '../../context.js';
import { trackerHere } from '../../plan/source.js';
import { warnOnce } from '../../report/summaries.js';

/** @throws UserError without an idea: every claim is another machine's, and a person names the one that is gone */
export async function takeOver(context: Context, id: string | undefined): Promise<void> {
  if (id === undefined)
    throw new UserError('--take-over needs one idea: ralphctl retry IDEA --take-over. It does not work with several');
  const project = await findProject(context);
  const { root } = project.repository;
  const { config } = await loadConfig(await configFolder(context.cwd, root));
  const given = (await trackerOfLast(context, project.id, id)) ?? trackerOf(config);
  if (!given) throw new UserError('--take-over is for ideas from a tracker, and the backlog is a file');
  const { tracker, config: pinned } = await trackerHere(context, root, given);
  try {
    const { ideas } = ideasOf(await tracker.list(), pinned, tracker.where);
    const ref = ideas.find((idea) => idea.id === id)?.origin?.ref;
    if (ref === undefined) throw new UserError(`${id} is not among the open ${tracker.where}. See: ralphctl backlog`);
    const owner = await ownerHere(context.root, project.id);
    const had = await tracker.free(ref, { owner });
    say(had.length === 0 ? `no other ralphctl has ${id}` : `${id} was taken from ${inOneLine(had.join(' and '))}`);
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error;
    throw new UserError(`${id} cannot be taken over: ${error.message}`);
  }
}

/** A run may have another source than the configuration. Undefined: the newest run did not have the idea. */
async function trackerOfLast({ root }: Context, project: string, idea: string): Promise<TrackerConfig | undefined> {
  const run = await newestRun(root, project, warnOnce);
  if (!run) return undefined;
  const known = await knownIdeas(root, { project, runId: run.file.runId }).catch(() => undefined);
  return known?.has(idea) ? trackerOfRun(run.file) : undefined;
}
