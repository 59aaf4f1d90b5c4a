/** Ideas that a run landed and that are not on the target at its end. Invariant: reads only. */
import { rewound } from '../../git/landing/gone.js';
import { landedOnce } from '../../git/landing/landed.js';
import { whereLanded } from '../../git/landing/lost-branch.js';
import { takenBack } from '../../git/landing/taken-back.js';
import type { Idea } from '../../protocol/idea.js';
import type { RunSummary } from '../../protocol/run.js';
import { fixSentence, lostText } from '../../report/gone-text.js';
import { splitIdeas } from '../../run-files/amendments.js';
import { knownIdeas, loadRun } from '../../run-files/run.js';
import type { Context } from '../context.js';
import { fixOf, lookAt, takenBackText } from '../open-run/landed-report.js';
import { openInBacklog } from '../open-run/open-in-backlog.js';
import { renamedOf, startOnto } from './renamed.js';

/** Of a damaged file of a split, commands tell; it must not hide what else is gone. */
async function groupsIn(
  root: string,
  project: string,
  { ideas, known }: { ideas: ReadonlyMap<string, Idea>; known: ReadonlySet<string> },
): Promise<string[]> {
  const splits = await splitIdeas(root, project).catch(() => []);
  return [
    ...[...ideas.values()].flatMap(({ id, blue }) => (blue ? [id] : [])),
    ...splits.flatMap(({ idea, parts }) => (parts.some((part) => known.has(part)) ? [idea] : [])),
  ];
}

/** As sentences. */
export async function goneAtEnd(
  context: Context,
  project: string,
  runId: string,
  summary: RunSummary,
): Promise<string[]> {
  const { file, ideas } = await loadRun(context.root, { project, runId });
  const { repo, target, backlog, createdAt } = file;
  // Those that a wave took or a person added, too.
  const known = await knownIdeas(context.root, { project, runId });
  // What agents did for an idea before it was split is not landed work.
  for (const group of await groupsIn(context.root, project, { ideas, known })) known.delete(group);
  const notLanded = new Set(summary.notLanded.map(({ idea }) => idea));
  const landed = [...known].filter((id) => !notLanded.has(id));
  const where = await whereLanded(repo, target, new Map(landed.map((id) => [id, undefined])));
  const start = startOnto(file, where.branch);
  if (where.branch === undefined) {
    const fix = fixOf({ idea: '', landed: '', noBranch: true }, start, { target, lost: where.newest });
    return landed.length === 0 ? [] : [`${lostText(target, landed)}. ${fixSentence(fix)}`];
  }
  const look = lookAt(repo, where.branch, backlog.file);
  const read = landedOnce(repo, where.branch, look.backlogPath);
  const [gone, off] = await Promise.all([takenBack(look, read), rewound(repo, where.branch, [...known], read)]);
  const open = off.length > 0 ? await openInBacklog(backlog) : undefined;
  const since = Date.parse(createdAt);
  const renamed = renamedOf(file, where);
  return [
    ...(renamed ? [`${renamed.text}. ${renamed.fix}`] : []),
    ...[...gone.filter(({ by, part }) => by && !part && (by.at ?? since) >= since), ...off]
      .filter(({ idea }) => known.has(idea) && !notLanded.has(idea))
      .map(
        (one) =>
          `${takenBackText(one, look.target)}. ${fixSentence(fixOf(one, start, open === undefined ? {} : { open }))}`,
      ),
  ];
}
