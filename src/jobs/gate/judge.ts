/**
 * Attributes a failed gate command: red before the work, flaky, or broken by the work.
 * Invariant: a failure counts as the work's own unless a run of the command shows the opposite.
 */

import { join } from 'node:path';
import { readOwn } from '../../config/own-files.js';
import { attribute, type CommandOutcome } from '../../gate/attribute.js';
import { cannotRunText } from '../../gate/cannot-run.js';
import { type Lost, lostTests } from '../../gate/outcomes/outcomes.js';
import { boundedTail, type FailedCommand, type Judgement } from '../../gate/run.js';
import { chosen, withRule } from '../../gate/tripwires/tripwires.js';
import type { GateFailure, GateResult, Tripwire } from '../../protocol/gate.js';
import { many } from '../../protocol/many.js';
import { TAIL_LIMIT } from '../../protocol/run-ref.js';
import { type LoadedRun, writeAtomically } from '../../run-files/run.js';
import type { WorkDeps } from '../job.js';
import { type BaseTestsInput, type Broken, baseTests } from './base-tests.js';
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
      // Tolerating this failure would land unchecked work. With strict, the agent has to fix a red gate.
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

/** The same tests failed after the last iteration. They are not flaky, and a third run adds nothing. */
async function sameAsBefore({ previousLogDir }: JudgeInput, { index, outcome }: FailedCommand): Promise<boolean> {
  if (previousLogDir === undefined || outcome.failing.length === 0) return false;
  try {
    const last = JSON.parse((await readOwn(join(previousLogDir, LAST_RED))) ?? '') as Red;
    return last.index === index && last.failing.join('\n') === outcome.failing.join('\n');
  } catch {
    return false;
  }
}

async function remember({ logDir }: JudgeInput, { index, outcome }: FailedCommand): Promise<void> {
  const { exitCode, failing } = outcome;
  await writeAtomically(join(logDir, LAST_RED), JSON.stringify({ index, exitCode, failing } satisfies Red));
}

/*
 * Checks a green gate: whether it ran as many tests as on the base, and whether the work passes the base's tests.
 * Invariant: a failed comparison stops nothing, and nothing counts as tested unless a run shows it.
 */

const MOST_SHOWN = 5;

/** Keeps a reader from overestimating a green gate. */
const NOT_COMPARED: Tripwire = {
  kind: 'base-test',
  subject: 'not known: the gate could not be run on the base',
  warn: true,
};

/** `outcomes`: of the gate's commands, in order. `found`: findings from the commits. */
export async function judgeGreen(
  deps: WorkDeps,
  run: LoadedRun,
  input: BaseTestsInput,
  gate: GateResult,
  outcomes: ReadonlyArray<CommandOutcome | undefined>,
  found: readonly Tripwire[],
): Promise<GateResult> {
  const { commands, tripwires: rules, baseTests: mode = 'off' } = run.file.config.gate;
  const wanted = rules && (rules.deletedTests !== 'off' || rules.newSkips !== 'off' || mode !== 'off');
  const before = wanted && (await baselineOutcomes(deps, run, { ...input, index: commands.length - 1 }));
  if (!wanted) return withTripwires(gate, found);
  if (!before) return withTripwires(gate, [...found, NOT_COMPARED]);
  const tripwires = [...found];
  for (const [n, { name }] of commands.entries()) {
    const [then, now] = [before[n]?.tested, outcomes[n]];
    if (!then || !now) continue;
    const lost = lostTests(then, now.tested);
    if (lost.nothing && rules.deletedTests === 'ask')
      return red(gate, nothingTested(name, now, then.counts.passed, join(input.logDir, `gate-${n + 1}.log`)));
    tripwires.push(...withRule(rules.deletedTests, gone(name, lost, then.counts.passed)));
    tripwires.push(...withRule(rules.newSkips, skipped(name, lost)));
  }
  if (mode === 'off') return withTripwires(gate, tripwires);
  const logDir = join(input.logDir, 'base-tests');
  const broken = await baseTests(deps, run, { ...input, logDir }, before).catch((error: unknown) => {
    input.signal.throwIfAborted();
    tripwires.push({ kind: 'base-test', subject: `not known: ${message(error)}`, warn: true });
    return undefined;
  });
  if (!broken) return withTripwires(gate, tripwires);
  if (mode === 'require') return red(gate, brokenFailure(broken));
  const subject = `${broken.command}${broken.tests.length > 0 ? `: ${few(broken.tests)}` : ''}`;
  return withTripwires(gate, [{ kind: 'base-test', subject }, ...tripwires]);
}

const withTripwires = (gate: GateResult, tripwires: readonly Tripwire[]): GateResult =>
  tripwires.length > 0 ? { ...gate, tripwires: chosen(tripwires) } : gate;

const red = (gate: GateResult, failure: GateFailure): GateResult => ({ ...gate, pass: false, failure });

function gone(command: string, { nothing, gone: names, fewer }: Lost, before: number): Tripwire[] {
  const say = (text: string): Tripwire[] => [{ kind: 'deleted-test', subject: `${command}: ${text}` }];
  if (nothing) return say(`no test is reported, ${before} passed on the base`);
  if (names.length > 0) return say(`${few(names)} no longer ${names.length === 1 ? 'runs' : 'run'}`);
  return fewer
    ? say(`${many(fewer.now, 'test')} ${fewer.now === 1 ? 'passes' : 'pass'}, ${fewer.before} on the base`)
    : [];
}

function skipped(command: string, { skipped: names, moreSkipped }: Lost): Tripwire[] {
  if (names.length > 0) return [{ kind: 'new-skip', subject: `${command}: ${few(names)}` }];
  if (!moreSkipped) return [];
  return [{ kind: 'new-skip', subject: `${command}: ${moreSkipped} more than on the base` }];
}

function nothingTested(command: string, now: CommandOutcome, before: number, log: string): GateFailure {
  const why = `ended with exit code ${now.exitCode}, but reports no test. On the commit that the work started from ${before} ${before === 1 ? 'test passes' : 'tests pass'}`;
  const tail = `[ralphctl: this command ${why}. Make it run and report the tests again. If there really should be none, ask a person with a NEEDS_HUMAN signal.]`;
  return { command, exitCode: now.exitCode, timedOut: false, why, tail, log };
}

/** Feedback for the agent when the base's tests must pass. */
function brokenFailure({ command, exitCode, timedOut, tests, tail, log }: Broken): GateFailure {
  const head = `[ralphctl: your tests pass, but the tests and gate files from before you began fail with your code${tests.length > 0 ? `: ${few(tests)}` : ''}. Keep the behaviour that was tested before. If the task requires it to change, ask a person with a NEEDS_HUMAN signal.]\n`;
  const room = TAIL_LIMIT - head.length;
  const rest = tail.length > room ? tail.slice(-room) : tail;
  const newTests = tests.slice(0, 10).map((name) => name.slice(0, 120));
  return {
    ...{ command, exitCode, timedOut, log },
    tail: boundedTail(`${head}${rest}`, log),
    newTests: newTests.length > 0 ? newTests : undefined,
    why: `fails with the tests and gate files from before the work began${tests.length > 0 ? `: ${few(tests)}` : ''}`,
  };
}

function few(names: readonly string[]): string {
  const shown = names.slice(0, MOST_SHOWN).map((name) => name.slice(0, 60));
  const more = names.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const message = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
