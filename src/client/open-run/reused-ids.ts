/**
 * Landed ideas of a backlog that gets no ticks: nothing in the file shows that they do not run. An idea whose text is
 * another one than the run had that landed it may be new work with an old id.
 * Invariant: reads only, and says nothing where ralphctl ticks the backlog (`landed-report.ts` does there), nor for a
 * tracker, which has no ticks and tells by its own states what is over.
 */
import { landedCommits } from '../../git/landing/landed.js';
import { git } from '../../git/runner.js';
import { againCommand, startCommand } from '../../model/start-again.js';
import type { Idea } from '../../protocol/idea.js';
import { readable } from '../../run-files/readable.js';
import { listRuns } from '../../run-files/run.js';
import { startAgainOf } from '../../run-files/start-again.js';
import { repositoryPath } from '../../run-files/ticks.js';
import type { Context } from '../context.js';
import type { RunPlan } from '../plan/run-plan.js';
import { warnOnce } from '../report/summaries.js';
import { many } from '../views/live-lines.js';

/** Runs to look into, newest first. */
const MOST_RUNS = 50;
const MOST_NAMED = 5;

export async function reusedIdLines(context: Context, plan: RunPlan): Promise<string[]> {
  const { config, tick, project, target, again } = plan;
  // Parts of a split have no line that could show anything.
  const over = new Set([...again, ...plan.amended.parts]);
  if (plan.tracker || (tick && config.landing.tick)) return [];
  const { root } = project.repository;
  const start = startAgainOf(plan);
  const landed = await landedCommits(root, target, repositoryPath(root, plan.backlog.file));
  const open = plan.ideas.filter(({ id, done, blue }) => !done && !blue && landed.has(id) && !over.has(id));
  if (open.length === 0) return [];
  const times = await timesOf(
    root,
    open.map(({ id }) => landed.get(id) ?? ''),
  );
  const at = new Map(open.map(({ id }) => [id, times.get(landed.get(id) ?? '') ?? 0]));
  const other = await differing(context, project.id, open, at);
  const lines = other
    .slice(0, MOST_NAMED)
    .map(
      ({ id }) =>
        `warning: ${id} has another text than the idea that landed as ${landed.get(id)?.slice(0, 8)}, and does not run. ` +
        `Give new work another id; or run it again with: ${againCommand(id, start) ?? startCommand(start)}`,
    );
  if (other.length > MOST_NAMED) lines.push(`warning: and ${other.length - MOST_NAMED} more like the last one`);
  const names = open.slice(0, MOST_NAMED).map(({ id }) => id);
  const more = open.length > MOST_NAMED ? ` and ${open.length - MOST_NAMED} more` : '';
  const [they, have] = open.length === 1 ? ['it', 'has'] : ['they', 'have'];
  lines.push(
    `${many(open.length, 'idea')} landed before and ${open.length === 1 ? 'does' : 'do'} not run: ${names.join(', ')}${more}. Ticks are off, so ${they} ${have} none`,
  );
  return lines;
}

/** When each commit was made, epoch ms. */
async function timesOf(root: string, commits: readonly string[]): Promise<Map<string, number>> {
  const input = `${commits.join('\n')}\n`;
  const { stdout } = await git(root).result(['log', '--no-walk=unsorted', '--stdin', '--format=%H %ct'], {
    read: true,
    input,
  });
  const times = stdout.split('\n').map((line) => line.split(' ') as [string, string]);
  return new Map(times.map(([commit, seconds]) => [commit, Number(seconds) * 1000]));
}

/** Ideas whose text no run had that was made before their landing. Ideas without such a run are unknown, and left out. */
async function differing(
  { root }: Context,
  project: string,
  ideas: readonly Idea[],
  times: ReadonlyMap<string, number>,
): Promise<Idea[]> {
  const left = new Map(ideas.map((idea) => [idea.id, idea]));
  const known = new Set<string>();
  for (const runId of (await listRuns(root, project)).slice(0, MOST_RUNS)) {
    const run = await readable(root, { project, runId }, warnOnce);
    if (!run) continue;
    const began = Date.parse(run.file.createdAt);
    for (const [id, idea] of left) {
      const then = run.ideas.get(id);
      if (!then || began > (times.get(id) ?? 0)) continue;
      known.add(id);
      if (then.title === idea.title && then.text === idea.text) left.delete(id);
    }
    if (left.size === 0) break;
  }
  return [...left.values()].filter(({ id }) => known.has(id));
}
