/** Lists for a start which interventions of earlier runs apply to the new run, and which do not. Reads files only. */
import type { Idea } from '../../protocol/idea.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { abandonedIdeas } from '../../run-files/carried.js';
import { keptForNext, keptWords } from '../../run-files/kept.js';
import { knownIdeas, listRuns, loadIdea, loadRun } from '../../run-files/run.js';

const MOST_NAMED = 10;

/** Interventions of earlier runs that apply to this run, or to the next one. `again`: ideas that a person wants again. */
export async function carriedLines(
  root: string,
  { project, runId }: { project: string; runId?: string },
  open: ReadonlySet<string>,
  again: readonly string[],
): Promise<string[]> {
  const [given, next] = await Promise.all([abandonedIdeas(root, project), keptForNext(root, project, runId)]);
  const out = [...given].filter(([idea]) => open.has(idea) && !again.includes(idea));
  const lines = out
    .slice(0, MOST_NAMED)
    .map(
      ([idea, { at, reason }]) =>
        `the run leaves out ${idea}: you abandoned it (${at.slice(0, 16).replace('T', ' ')} UTC)${reason ? `: ${reason}` : ''}; to try it again: ralphctl retry ${idea}`,
    );
  if (out.length > MOST_NAMED) lines.push(`and ${out.length - MOST_NAMED} more that were abandoned`);
  const words = next.filter(({ idea }) => open.has(idea)).flatMap(keptWords);
  if (words.length > 0) {
    const more = words.length > MOST_NAMED ? ` and ${words.length - MOST_NAMED} more` : '';
    lines.push(`carries over: ${words.slice(0, MOST_NAMED).join(', ')}${more}`);
  }
  return lines;
}

/** `ideas` of the new run; `landed`: ids that need no more work. */
export async function leftBehind(
  root: string,
  project: string,
  runId: string,
  ideas: readonly Idea[],
  landed: ReadonlySet<string>,
): Promise<string[]> {
  const last = (await listRuns(root, project)).find((id) => id < runId);
  if (last === undefined) return [];
  const ref = { project, runId: last };
  const known = new Set(ideas.map((idea) => idea.id));
  const added = await addedBy(root, ref, (id) => known.has(id) || landed.has(id)).catch(() => []);
  if (added.length === 0) return [];
  const names = added.slice(0, MOST_NAMED).join(', ');
  return [
    `the last run also had ${names}. They have not landed and are not in this backlog. Add them with: ralphctl enqueue FILE`,
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
