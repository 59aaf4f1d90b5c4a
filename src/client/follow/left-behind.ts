/** Lists for a start which interventions of earlier runs apply to the new run, and which do not. Reads files only. */
import type { Idea } from '../../protocol/idea.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { abandonedIdeas } from '../../run-files/carried.js';
import { keptForNext, leftOutOf } from '../../run-files/kept.js';
import { readableRuns } from '../../run-files/readable.js';
import { knownIdeas, type LoadedRun, loadIdea, loadRun } from '../../run-files/run.js';
import { sourceName } from '../../run-files/start-again.js';
import type { RunPlan } from '../plan/run-plan.js';
import { targetNow } from '../report/gone.js';
import { warnOnce } from '../report/summaries.js';
import { carriedText, isRolledBack, leftOutLine, rolledBackLine, waitingLine } from '../views/left-out.js';

const MOST_NAMED = 10;

type Planned = Pick<RunPlan, 'ideas' | 'leftOut' | 'backlog' | 'project' | 'tracker'>;

/** Interventions of earlier runs that apply to this run, or to the next one. What a tracker does not list may be closed. */
export async function carriedLines(
  root: string,
  { project, runId }: { project: string; runId?: string },
  open: ReadonlySet<string>,
  again: readonly string[],
  plan?: Planned,
): Promise<string[]> {
  const [given, next] = await Promise.all([abandonedIdeas(root, project), keptForNext(root, project, runId)]);
  const out = [...given].filter(([idea]) => open.has(idea) && !again.includes(idea));
  const lines = out
    .slice(0, MOST_NAMED)
    .map(
      ([idea, { at, reason }]) =>
        `the run leaves out ${idea}: you abandoned it (${at.slice(0, 16).replace('T', ' ')} UTC)${reason ? `: ${reason}` : ''}; to try it again: ralphctl retry ${idea}`,
    );
  const kept = next.filter(({ idea }) => open.has(idea));
  const back = new Set(kept.flatMap((one) => (isRolledBack(one) ? [one.idea] : [])));
  // The line of the one abandoned idea says all, and so does the line of those that were rolled back.
  const left = leftOutOf(next, open, again);
  const isTold = left.every((id) => back.has(id)) || (left.length === 1 && out.length === 1);
  if (!isTold) lines.push(...leftOutLine(left));
  lines.push(...rolledBackLine(kept), ...carriedText(kept));
  return [...lines, ...(plan && !plan.tracker ? waitingLine(next, inBacklog(plan)) : [])];
}

const inBacklog = ({ ideas, leftOut, backlog, project }: Planned) => ({
  name: sourceName(project.repository.root, backlog.file),
  ids: new Set([...ideas, ...leftOut].map(({ id }) => id)),
});

/** `ideas` of the new run; `landed`: ids that need no more work. */
export async function leftBehind(
  root: string,
  project: string,
  runId: string,
  ideas: readonly Idea[],
  landed: ReadonlySet<string>,
): Promise<string[]> {
  let last: LoadedRun | undefined;
  for await (const run of readableRuns(root, project, warnOnce)) {
    if (run.file.runId >= runId) continue;
    last = run;
    break;
  }
  if (last === undefined) return [];
  const ref = { project, runId: last.file.runId };
  const known = new Set(ideas.map((idea) => idea.id));
  const added = await addedBy(root, ref, (id) => known.has(id) || landed.has(id)).catch(() => []);
  if (added.length === 0) return [];
  // What has landed and left the target since is no idea that somebody forgot.
  const { gone } = await targetNow(last.file, new Map(), { whole: true, others: added });
  const off = added.flatMap((id) => gone.get(id) ?? []);
  const never = added.filter((id) => !gone.has(id));
  const names = never.slice(0, MOST_NAMED).join(', ');
  return [
    ...off.slice(0, MOST_NAMED).map((one) => `${one.text}. This backlog does not have it any more`),
    ...(off.length > MOST_NAMED ? [`and ${off.length - MOST_NAMED} more like the last one`] : []),
    ...(never.length > 0
      ? [
          `the last run also had ${names}. They have not landed and are not in this backlog. Add them with: ralphctl enqueue FILE`,
        ]
      : []),
  ];
}

/** Ideas that a person added to the run. Its waves take theirs from its source, and the next run reads that again. */
async function addedBy(root: string, ref: RunRef, settled: (id: string) => boolean): Promise<string[]> {
  const { file, ideas } = await loadRun(root, ref);
  const added = [...(await knownIdeas(root, ref))].filter((id) => !ideas.has(id) && !settled(id));
  if (!file.waves) return added;
  const found = await Promise.all(added.map((id) => loadIdea(root, ref, id)));
  return found.flatMap((idea) => (!idea || idea.origin || idea.source.file === file.backlog.file ? [] : idea.id));
}
