/**
 * The files of a run's waves: what triage said each time, for people.
 * Invariant: nothing is decided from them but whether a rejection has been told before; without them it is told again.
 */
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { runDir } from '../../config/paths.js';
import { readNote } from '../../config/stored.js';
import type { PlanWaveInput, TakenReport, WaveRejection } from '../../protocol/waves.js';
import { writeAtomically } from '../../run-files/run.js';

interface WaveFile {
  version: 1;
  wave: number;
  /** ISO time. */
  at: string;
  taken: string[];
  survivors: TakenReport[];
  rejected: WaveRejection[];
}

const shape = z.looseObject({ rejected: z.array(z.looseObject({ report: z.string(), gate: z.string() })) });

const dirOf = (root: string, { project, runId }: PlanWaveInput): string => join(runDir(root, project, runId), 'waves');
const nameOf = (wave: number): string => `${String(wave).padStart(3, '0')}.json`;

export async function writeWave(root: string, input: PlanWaveInput, said: Omit<WaveFile, 'version' | 'wave' | 'at'>) {
  const file: WaveFile = { version: 1, wave: input.wave, at: new Date().toISOString(), ...said };
  await mkdir(dirOf(root, input), { recursive: true, mode: 0o700 });
  await writeAtomically(join(dirOf(root, input), nameOf(input.wave)), JSON.stringify(file, null, 2));
}

/** Gate of each report that an earlier wave rejected. */
export async function namedBefore(root: string, input: PlanWaveInput): Promise<Map<string, string>> {
  const dir = dirOf(root, input);
  const names = (await readdir(dir).catch(() => [])).filter((name) => name < nameOf(input.wave)).sort();
  const named = new Map<string, string>();
  for (const name of names)
    for (const { report, gate } of (await readNote(join(dir, name), shape, 'skip'))?.rejected ?? [])
      named.set(report, gate);
  return named;
}
