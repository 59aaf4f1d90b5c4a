/**
 * What the ledger says of waves (E1, E5): the plan of a wave, the reports that it rejects, and how it ended.
 * Invariant: the same wave gives the same keys, so that a repeated job adds nothing.
 */
import { createHash } from 'node:crypto';
import type { WaveModel } from '../../model/model.js';
import type { Draft } from '../../protocol/ledger.js';
import type { Reading } from '../../protocol/triage.js';
import type { PlanWaveInput, PlanWaveResult } from '../../protocol/waves.js';
import type { ToldRejection } from '../../run-files/rejections.js';

/** A report that a person has accepted, and the idea that it is. */
export interface AcceptedReport {
  report: string;
  as: string;
  title: string;
  reason: string;
}

/** What a plan says, for the ledger. */
export interface SaidByPlan {
  fresh: readonly ToldRejection[];
  readings: readonly (readonly [idea: string, reading: Reading])[];
  accepted: readonly AcceptedReport[];
}

const RALPHCTL = { kind: 'ralphctl' } as const;
const PERSON = { kind: 'person' } as const;
const MOST_TITLE = 200;
const MOST_NOTES = 1000;
const short = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 20);
const waveOf = (wave: number): string => `wave-${wave}`;

/**
 * `fresh`: all rejections that this plan tells first. `readings`, `accepted`: what an agent and people said of the ideas
 * that it takes.
 */
export function waveDrafts(
  { runId: run, wave, again = 0 }: PlanWaveInput,
  result: PlanWaveResult,
  { fresh, readings, accepted }: SaidByPlan,
): Draft[] {
  if (result.kind !== 'planned') return [];
  const at = new Date().toISOString();
  const { taken, open, left, rejected, leftOut } = result;
  const idea = waveOf(wave);
  const about = { at, run, actor: RALPHCTL };
  const planned: Draft = {
    // A plan whose reports all waited took nothing; the next plan of the wave has its own row.
    ...{ ...about, key: `${run}/${idea}/planned${again === 0 ? '' : `/${again}`}`, op: 'commit', idea },
    data: { title: `wave ${wave}`, taken, open, left, rejected, leftOut },
  };
  const refused = fresh.map(({ report, title, gate, reason, quote, duplicateOf, as, plan, judgedBy }): Draft => {
    const said = short([wave, plan, gate, reason, quote]);
    return {
      ...{ ...about, key: `${run}/${as}/triage/${said}`, op: 'evidence', kind: 'triage', idea: as, pass: false },
      ...(gate === 'person' ? { actor: PERSON } : {}),
      ...(judgedBy === undefined ? {} : { actor: { kind: 'agent', name: judgedBy } }),
      data: {
        ...{
          report,
          title: title.slice(0, MOST_TITLE),
          wave,
          ...(plan === 0 ? {} : { plan }),
          gate,
          why: reason,
          quote,
        },
        ...(duplicateOf === undefined ? {} : { duplicateOf }),
      },
    };
  });
  const read = readings.map(([id, { agent, model, at: when, minutes, notes, files }]): Draft => {
    const actor = { kind: 'agent', name: agent, ...(model === undefined ? {} : { model }) } as const;
    return {
      ...{ key: `${run}/${id}/investigation/${when}`, at: when, run, op: 'evidence', kind: 'investigation', idea: id },
      ...{ actor, data: { wave, minutes, notes: notes.slice(0, MOST_NOTES), files } },
    };
  });
  const letIn = accepted.map(({ report, as, title, reason }): Draft => {
    // One line for one verdict, whichever plan takes the idea.
    const said = short([report, title, reason]);
    return {
      ...{ at, run, key: `${run}/${as}/accepted/${said}`, op: 'evidence', kind: 'triage', idea: as, pass: true },
      ...{ actor: PERSON, data: { report, title: title.slice(0, MOST_TITLE), wave, why: reason } },
    };
  });
  return [planned, ...refused, ...letIn, ...read];
}

/** Waves that ended. */
export const endedWaves = (run: string, waves: readonly WaveModel[]): Draft[] =>
  waves.flatMap(({ wave, endedAt, summary }) => {
    if (endedAt === undefined || summary === undefined) return [];
    const { ms, wave: _, ...counts } = summary;
    const idea = waveOf(wave);
    return {
      ...{ key: `${run}/${idea}/ended`, at: new Date(endedAt).toISOString(), op: 'submit', idea, run },
      ...{ actor: RALPHCTL, durationMs: ms, pass: counts.passed > 0 },
      data: counts,
    };
  });
