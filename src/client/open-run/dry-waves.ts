/**
 * `run --dry-run`: what the first wave would take, by the same triage as the wave itself, and what it rejects.
 * Invariant: reads only; the source is read anew, as a wave does.
 */
import { chooseFrom } from '../../jobs/waves/plan.js';
import { readWaveSource } from '../../jobs/waves/source.js';
import type { Tier } from '../../protocol/triage.js';
import type { WaveRejection, WaveSettings } from '../../protocol/waves.js';
import { repositoryPath } from '../../run-files/ticks.js';
import type { Context } from '../context.js';
import { type RunPlan, runFile } from '../plan/run-plan.js';
import { clean, many } from '../views/live-lines.js';
import { rejectionLines } from '../views/triage-lines.js';

export interface FirstWave {
  taken: { idea: string; title: string; tier: Tier; score: number }[];
  /** Reports for later waves. */
  left: number;
  /** Open items that the configuration leaves out. */
  leftOut: number;
  rejected: WaveRejection[];
  /** A sentence for each run whose work triage does not know. */
  problems: string[];
  /** An agent would read this many reports first, at most; a dry run asks none. */
  reader?: { agent: string; most: number };
}

/** @throws where the source cannot be read */
export async function firstWave(context: Context, plan: RunPlan, { batchSize }: WaveSettings): Promise<FirstWave> {
  const ref = { project: plan.project.id, runId: 'dry-run' };
  const file = runFile(plan, ref.runId);
  const source = await readWaveSource({ env: context.env }, { file }, ref, new AbortController().signal);
  const { repo, target, backlog, config } = file;
  const { agent, most } = config.triage;
  const backlogPath = repositoryPath(repo, backlog.file);
  const place = { root: context.root, project: ref.project, repo, target, backlogPath };
  const { chosen, taken, left, judged } = await chooseFrom(place, source, { known: [], most: batchSize });
  const titles = new Map(chosen.map(({ id, title }) => [id, title]));
  return {
    taken: taken.map(({ id, tier, score }) => ({ idea: id, title: titles.get(id) ?? id, tier, score })),
    ...{ left, leftOut: source.leftOut, rejected: judged.rejected, problems: judged.problems },
    ...(source.reports && agent !== 'off' ? { reader: { agent, most } } : {}),
  };
}

/** Rejections that it lists. */
const MOST_REJECTED = 20;

export function firstWaveLines(
  { taken, left, leftOut, rejected, problems, reader }: FirstWave,
  { maxWaves, batchSize }: WaveSettings,
): string[] {
  const beside = [
    `${left} for later waves`,
    `${rejected.length} rejected`,
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
  ];
  const more = rejected.length - MOST_REJECTED;
  return [
    `wave 1 of ${many(maxWaves, 'wave')} of up to ${batchSize} would take ${taken.length === 0 ? 'nothing' : many(taken.length, 'report')}; ${beside.join(', ')}`,
    ...problems.map((problem) => clean(problem, 1000)),
    ...(reader
      ? [
          `before that, ${clean(reader.agent, 60)} would read up to ${many(reader.most, 'report')}, which costs agent runs; here rules judge those that no agent has read: triage.agent`,
        ]
      : []),
    ...taken.map(
      ({ idea, title, tier, score }, at) =>
        `${String(at + 1).padStart(3)}  ${clean(`${idea}  ${tier}  score ${score}  ${title}`, 2000)}`,
    ),
    ...(rejected.length > 0 ? ['rejected:'] : []),
    ...rejected.slice(0, MOST_REJECTED).flatMap((one) => rejectionLines({ ...one, id: one.report })),
    ...(more > 0 ? [`  and ${more} more; all of them: ralphctl run --dry-run --json`] : []),
  ];
}
