/**
 * The files of a run's waves: what triage said each time.
 * Invariant: nothing is decided from them but whether a rejection has been told before. They can be deleted at any time:
 * the ledger has what is needed to write them again.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readOwn } from '../../config/own-files.js';
import { runDir } from '../../config/paths.js';
import { readNote } from '../../config/stored.js';
import type { Reading } from '../../protocol/triage.js';
import type { PlanWaveInput, TakenReport, WaveRejection } from '../../protocol/waves.js';
import { type LedgerWaves, type ToldRejection, wavesInLedger } from '../../run-files/rejections.js';
import { writeAtomically } from '../../run-files/run.js';
import type { AcceptedReport, SaidByPlan } from '../ledger/waves.js';

interface WaveFile {
  version: 1;
  wave: number;
  /** ISO time. */
  at: string;
  taken: string[];
  survivors: TakenReport[];
  rejected: ToldRejection[];
  /** By idea of the wave: what an agent said of its report. */
  readings?: [idea: string, reading: Reading][];
  /** Reports of the wave that a person has accepted. */
  accepted?: AcceptedReport[];
  /** Written again from the ledger, which names only those survivors that the wave took. */
  rebuilt?: true;
}

const shape = z.looseObject({
  rejected: z.array(z.looseObject({ report: z.string(), gate: z.string() })),
}) as unknown as z.ZodType<Pick<WaveFile, 'rejected' | 'readings' | 'accepted'>>;

const dirOf = (root: string, { project, runId }: PlanWaveInput): string => join(runDir(root, project, runId), 'waves');
export const wavePath = (root: string, input: PlanWaveInput, wave = input.wave): string =>
  join(dirOf(root, input), `${String(wave).padStart(3, '0')}.json`);

/** What is there already stays as it is, with its time: the ledger has its hash. */
async function write(root: string, input: PlanWaveInput, file: Omit<WaveFile, 'version' | 'at'>): Promise<void> {
  const path = wavePath(root, input, file.wave);
  const text = (at: unknown): string => JSON.stringify({ version: 1, at, ...file }, null, 2);
  const kept = (await readOwn(path).catch(() => undefined)) ?? '';
  const at = /"at": "([^"]+)"/.exec(kept)?.[1];
  if (at !== undefined && kept === text(at)) return;
  await mkdir(dirOf(root, input), { recursive: true, mode: 0o700 });
  await writeAtomically(path, text(new Date().toISOString()));
}

const readWave = (root: string, input: PlanWaveInput, wave: number) =>
  readNote(wavePath(root, input, wave), shape, 'skip');

/** Of a plan: the first one of a wave has the number 0. */
const planOf = ({ again = 0 }: PlanWaveInput): number => again;

/** Writes what this plan says. @returns the rejections that no plan before it has told */
export async function writeWave(
  root: string,
  input: PlanWaveInput,
  {
    rejected,
    ...said
  }: Pick<WaveFile, 'taken' | 'survivors' | 'readings' | 'accepted'> & { rejected: readonly WaveRejection[] },
): Promise<ToldRejection[]> {
  const before = await toldBefore(root, input);
  const here = { wave: input.wave, plan: planOf(input) };
  const all = rejected.map((one): ToldRejection => {
    const told = before.get(one.report);
    return { ...one, ...(told?.gate === one.gate ? { wave: told.wave, plan: told.plan } : here) };
  });
  await write(root, input, { wave: input.wave, ...said, rejected: all });
  return toldBy(input, all);
}

const toldBy = (input: PlanWaveInput, all: readonly ToldRejection[]): ToldRejection[] =>
  all.filter(({ wave, plan }) => wave === input.wave && plan === planOf(input));

/** What this plan has for the ledger: all rejections that it has told first, and what was said of its ideas. */
export async function saidBy(root: string, input: PlanWaveInput): Promise<SaidByPlan> {
  const { rejected = [], readings = [], accepted = [] } = (await readWave(root, input, input.wave)) ?? {};
  return { fresh: toldBy(input, rejected), readings, accepted };
}

/** By report: its last rejection, and the plan that told it. */
async function toldBefore(root: string, input: PlanWaveInput): Promise<Map<string, ToldRejection>> {
  const told = new Map<string, ToldRejection>();
  let ledger: LedgerWaves | undefined;
  // A file of an older version does not say which plan has told a rejection.
  const take = (rejected: readonly ToldRejection[], wave: number): void => {
    for (const one of rejected) told.set(one.report, { ...one, wave: one.wave ?? wave, plan: one.plan ?? 0 });
  };
  for (let wave = 1; wave < input.wave; wave++) {
    const file = await readWave(root, input, wave);
    ledger ??= file ? undefined : await wavesInLedger(root, input);
    if (file) take(file.rejected, wave);
    else if (ledger) {
      take(
        ledger.rejected.filter((one) => one.wave === wave),
        wave,
      );
      const survivors = ledger.taken.get(wave) ?? [];
      const taken = survivors.map(({ idea }) => idea);
      await write(root, input, { wave, taken, survivors, rejected: [...told.values()], rebuilt: true });
    }
  }
  if (planOf(input) === 0) return told;
  const own =
    (await readWave(root, input, input.wave))?.rejected ?? (ledger ?? (await wavesInLedger(root, input))).rejected;
  take(
    own.filter(({ wave = input.wave, plan = 0 }) => wave === input.wave && plan < planOf(input)),
    input.wave,
  );
  return told;
}
