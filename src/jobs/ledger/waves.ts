/**
 * What the ledger says of waves (E1, E5): the plan of a wave, the reports that it rejects, and how it ended.
 * Invariant: the same wave gives the same keys, so that a repeated job adds nothing.
 */
import { createHash } from 'node:crypto';
import type { WaveModel } from '../../model/model.js';
import type { Draft } from '../../protocol/ledger.js';
import type { PlanWaveInput, PlanWaveResult } from '../../protocol/waves.js';

const RALPHCTL = { kind: 'ralphctl' } as const;
const waveOf = (wave: number): string => `wave-${wave}`;

export function waveDrafts({ runId: run, wave }: PlanWaveInput, result: PlanWaveResult): Draft[] {
  if (result.kind !== 'planned') return [];
  const at = new Date().toISOString();
  const { taken, open, left, rejected, leftOut, fresh } = result;
  const idea = waveOf(wave);
  const about = { at, run, actor: RALPHCTL };
  const plan: Draft = {
    ...{ ...about, key: `${run}/${idea}/planned`, op: 'commit', idea },
    data: { title: `wave ${wave}`, taken, open, left, rejected, leftOut },
  };
  const refused = fresh.map(({ report, gate, reason, quote, duplicateOf, as }): Draft => {
    const said = createHash('sha256')
      .update(JSON.stringify([gate, reason, quote]))
      .digest('hex')
      .slice(0, 20);
    return {
      ...{ ...about, key: `${run}/${as}/triage/${said}`, op: 'evidence', kind: 'triage', idea: as, pass: false },
      data: { report, wave, gate, why: reason, quote, ...(duplicateOf === undefined ? {} : { duplicateOf }) },
    };
  });
  return [plan, ...refused];
}

/** Waves that ended. */
export const endedWaves = (run: string, waves: readonly WaveModel[]): Draft[] =>
  waves.flatMap(({ wave, endedAt, summary }) => {
    if (endedAt === undefined || summary === undefined) return [];
    const { attempted, passed, failed, skipped, waiting, ms, dollars } = summary;
    const idea = waveOf(wave);
    return {
      ...{ key: `${run}/${idea}/ended`, at: new Date(endedAt).toISOString(), op: 'submit', idea, run },
      ...{ actor: RALPHCTL, durationMs: ms, pass: passed > 0 },
      data: { attempted, passed, failed, skipped, waiting, dollars },
    };
  });
