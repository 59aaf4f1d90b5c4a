/**
 * The waves of a run as the evidence ledger has them: what each one took, and every report that it rejected.
 * Invariant: reads only. A row that does not have what is needed is left out.
 */
import { z } from 'zod';
import { ledgerPath } from '../config/paths.js';
import type { RunRef } from '../protocol/run-ref.js';
import { TIERS, TRIAGE_GATES } from '../protocol/triage.js';
import type { TakenReport, WaveRejection } from '../protocol/waves.js';
import { ChainReader } from './ledger.js';

/** A rejection, and the plan that told it first. */
export interface ToldRejection extends WaveRejection {
  wave: number;
  /** Plans of the same wave before it. */
  plan: number;
}

const rejection = z.looseObject({
  report: z.string(),
  wave: z.number(),
  plan: z.number().default(0),
  title: z.string().default(''),
  gate: z.enum([...TRIAGE_GATES, 'person']),
  why: z.string(),
  quote: z.string().default(''),
  duplicateOf: z.string().optional(),
});

const reader = z.looseObject({ kind: z.literal('agent'), name: z.string() });

const planned = z.looseObject({
  taken: z.array(z.looseObject({ idea: z.string(), tier: z.enum(TIERS), score: z.number() })),
});

export interface LedgerWaves {
  /** In the order in which they were told. */
  rejected: ToldRejection[];
  /** By number of the wave. */
  taken: Map<number, TakenReport[]>;
}

export async function wavesInLedger(root: string, { project, runId }: RunRef): Promise<LedgerWaves> {
  const waves: LedgerWaves = { rejected: [], taken: new Map() };
  for await (const { run, kind, op, idea, data, actor, pass } of new ChainReader().read(ledgerPath(root, project))) {
    if (run !== runId) continue;
    if (kind === 'triage' && pass !== true) {
      const { data: said } = rejection.safeParse(data);
      if (!said) continue;
      const { report, wave, plan, title, gate, why: reason, quote, duplicateOf } = said;
      const by = reader.safeParse(actor).data;
      const about = { report, as: idea, title, gate, reason, quote, wave, plan, ...(by ? { judgedBy: by.name } : {}) };
      waves.rejected.push(duplicateOf === undefined ? about : { ...about, duplicateOf });
    }
    const wave = op === 'commit' ? /^wave-(\d{1,6})$/.exec(idea)?.[1] : undefined;
    const { data: plan } = wave === undefined ? {} : planned.safeParse(data);
    if (plan)
      waves.taken.set(
        Number(wave),
        plan.taken.map(({ idea: id, tier, score }) => ({ idea: id, tier, score })),
      );
  }
  return waves;
}
