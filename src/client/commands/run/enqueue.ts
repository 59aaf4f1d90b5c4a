/**
 * `ralphctl enqueue [backlog]`: adds ideas to the open run that a person wrote after its start. It reads and checks the
 * whole backlog as a start does, and leaves the run's known ideas as they are.
 */

import { toCard } from '../../../backlog/cards.js';
import { readBacklog } from '../../../backlog/index.js';
import type { FormatName } from '../../../protocol/backlog-formats.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { addIdeas, dropIdeas, knownIdeas, loadRun } from '../../../run-files/run.js';
import { trackerOfRun } from '../../../run-files/settings.js';
import { type Context, print, printJson, say } from '../../context.js';
import { notCommitted, notCommittedLines } from '../../open-run/not-committed.js';
import { readTracker } from '../../plan/source.js';
import { withRun } from '../steer/interventions.js';

export function enqueue(context: Context, file: string | undefined, named?: FormatName): Promise<number> {
  return withRun(context, async ({ api, project, runId }) => {
    const ref = { project, runId };
    const run = await loadRun(context.root, ref);
    const tracker = file === undefined ? trackerOfRun(run.file) : undefined;
    const format = named ?? (file === undefined ? run.file.backlog.format : undefined);
    const { ideas } = tracker
      ? await readTracker(context, { project, root: run.file.repo }, tracker)
      : await readBacklog(file ?? run.file.backlog.file, { format, command: 'ralphctl enqueue <file>' });
    const known = await knownIdeas(context.root, ref);
    const fresh = ideas.filter((idea) => !known.has(idea.id) && !idea.done);
    if (fresh.length === 0) throw new UserError('there is no idea in the backlog that the run does not have already');
    // Texts first: an added idea may start at once.
    await addIdeas(context.root, ref, fresh);
    try {
      await api.enqueue(fresh.map(toCard));
    } catch (error) {
      await dropIdeas(context.root, ref, fresh);
      throw error;
    }
    const ids = fresh.map((idea) => idea.id);
    const backlog = { root: run.file.repo, target: run.file.target, file: file ?? run.file.backlog.file, format };
    const unticked = run.file.tick && run.file.config.landing.tick ? await notCommitted(backlog, fresh) : { ids: [] };
    if (context.json) printJson({ enqueued: ids, notCommitted: unticked.ids.length > 0 ? unticked.ids : undefined });
    else {
      print(`taken into the run: ${ids.join(', ')}`);
      for (const line of notCommittedLines(backlog, unticked)) say(`warning: ${line}`);
    }
    return EXIT.ok;
  });
}
