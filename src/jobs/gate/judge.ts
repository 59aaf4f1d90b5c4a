/**
 * Checks a failed gate command: was it red before the work, is it flaky, or is the work at fault?
 * Invariant: a failure counts as the work's own unless a run of the command shows the opposite.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { attribute, type CommandOutcome } from '../../gate/attribute.js';
import { cannotRunText } from '../../gate/cannot-run.js';
import type { FailedCommand, Judgement } from '../../gate/run.js';
import { type LoadedRun, writeAtomically } from '../../run-files/run.js';
import type { WorkDeps } from '../deps.js';
import { type BaselineInput, baselineOutcomes } from './baseline.js';

export interface JudgeInput extends Omit<BaselineInput, 'index' | 'base'> {
  /** Absent: no base to compare with. */
  base?: string | undefined;
  logDir: string;
  /** Log folder of the previous gate on the same work. */
  previousLogDir?: string | undefined;
}

const LAST_RED = 'red.json';

export function judgeWith(
  deps: WorkDeps,
  run: LoadedRun,
  input: JudgeInput,
): (failed: FailedCommand) => Promise<Judgement> {
  const { baseline, rerun } = run.file.config.gate;
  return async (failed) => {
    const { base } = input;
    const before =
      base === undefined
        ? undefined
        : (await baselineOutcomes(deps, run, { ...input, base, index: failed.index }))?.at(-1);
    const attribution = attribute(failed.outcome, before);
    if (attribution.kind === 'cannot-run') {
      // Tolerating it would land unchecked work. With strict, the agent has to fix a red gate.
      if (baseline === 'strict') return { kind: 'red' };
      return { kind: 'cannot-run', text: cannotRunText(attribution.program, run.file.config.setup) };
    }
    if (attribution.kind === 'already-red') {
      if (baseline === 'tolerate') return { kind: 'tolerated' };
      return baseline === 'strict' ? { kind: 'red' } : { kind: 'red', attribution };
    }
    if (rerun && !failed.timedOut && !(await sameAsBefore(input, failed))) {
      const again = await failed.again();
      if (again.exitCode === 0) return { kind: 'flaky', outcome: again };
    }
    await remember(input, failed);
    return { kind: 'red', attribution };
  };
}

interface Red extends CommandOutcome {
  index: number;
}

/** The same tests failed after the last iteration: that is not flaky, and a third run shows nothing new. */
async function sameAsBefore({ previousLogDir }: JudgeInput, { index, outcome }: FailedCommand): Promise<boolean> {
  if (previousLogDir === undefined || outcome.failing.length === 0) return false;
  try {
    const last = JSON.parse(await readFile(join(previousLogDir, LAST_RED), 'utf8')) as Red;
    return last.index === index && last.failing.join('\n') === outcome.failing.join('\n');
  } catch {
    return false;
  }
}

async function remember({ logDir }: JudgeInput, { index, outcome }: FailedCommand): Promise<void> {
  const { exitCode, failing } = outcome;
  await writeAtomically(join(logDir, LAST_RED), JSON.stringify({ index, exitCode, failing } satisfies Red));
}
