/**
 * Decides how a run ended.
 * Invariant: structure first (ralphctl's own stop, the launch, the CLI's last event, its typed errors). Texts come
 * last, and only those of a failed run's error; never the agent's prose, never the exit code alone. A reported success
 * overrides earlier errors.
 */

import type { FailureWords } from '../../config/agent-spec.js';
import type { RunResult } from '../../process/run.js';
import type { StopReason } from '../../process/stop.js';
import type { AgentOutcome } from '../../protocol/agent-run.js';
import type { FailureKind } from '../../protocol/failures.js';
import type { AgentError, ExitMeaning, Reading } from '../types.js';
import { kindOfStatus, patternOf, scopeOf } from './patterns.js';
import { resetTimeIn } from './reset-time.js';
import { endOf } from './tails.js';

/** A failed run without a turn that ended sooner than this never started to work. */
export const LAUNCH_LIMIT_MS = 20_000;
const MESSAGE_LIMIT = 1000;

export interface ClassifyOptions {
  /** Successful runs of this agent end with an event that reports it. */
  hasTerminalEvent: boolean;
  /** Name of the agent, for messages. */
  name: string;
  /** It was stopped because it retried by itself for too long. */
  gaveUp?: boolean;
  /** What this CLI's exit codes mean. */
  exitMeaning?: ((exitCode: number) => ExitMeaning | undefined) | undefined;
  /** The user's own patterns for failures. */
  words?: readonly FailureWords[] | undefined;
}

/** The outcome of a run, from its process and its output. */
export function classify(reading: Reading, run: RunResult, options: ClassifyOptions): AgentOutcome {
  if (run.launchError !== undefined) return failure({ message: run.launchError }, launchKind(run.launchCode));
  const resultStands = run.stopped === undefined || run.stopped === 'result-grace';
  const exitAgrees = run.exitCode === 0 || run.stopped === 'result-grace';
  if (resultStands && exitAgrees) {
    if (reading.terminal === 'success') return { kind: 'ok' };
    if (!options.hasTerminalEvent && reading.terminal === undefined) return { kind: 'ok' };
  }
  if (run.stopped !== undefined && run.stopped !== 'result-grace') return afterStop(reading, run.stopped, options);
  if (reading.terminal === 'turns') return { kind: 'timeout', why: 'turns' };
  const meaning = run.exitCode === null ? undefined : options.exitMeaning?.(run.exitCode);
  if (reading.terminal === 'error' || reading.error) {
    return failure(
      { ...kindOfExit(meaning), ...(reading.error ?? { message: 'unknown error' }) },
      'agent',
      options.words,
    );
  }
  return quoting(withoutVerdict(reading, run, meaning, options), reading, run);
}

/** Why ralphctl ended it. */
function afterStop(reading: Reading, stopped: StopReason, { name, gaveUp, words }: ClassifyOptions): AgentOutcome {
  if (gaveUp)
    return failure(reading.retrying ?? { message: `${name} waited too long for its model.` }, 'transient', words);
  if (stopped === 'aborted') return failure({ message: `${name} was stopped on request.`, kind: 'killed' });
  // It was waiting for its provider; only the clock noticed first.
  if (reading.retrying) return failure(reading.retrying, 'transient', words);
  const never = reading.awaitsModel && reading.turns === 0;
  if (stopped !== 'idle' && !never) return { kind: 'timeout', why: 'iteration' };
  // A CLI that retries silently, or a provider that holds the connection: no tool runs that could hang.
  if (reading.awaitsModel) {
    return failure({
      message: `${name} got no answer from its model within the time limit.`,
      kind: 'transient',
    });
  }
  return { kind: 'timeout', why: 'idle' };
}

const NO_WORD = ' and said nothing about it.';
const LONGEST_QUOTE = 300;
const MOST_LINES = 3;

/** The end of stdout is for people: a program may have said there why it ended. It is no evidence of the kind. */
function quoting(outcome: AgentOutcome, { finalMessage }: Reading, { tail }: RunResult): AgentOutcome {
  if (outcome.kind !== 'failed' || !outcome.message.includes(NO_WORD)) return outcome;
  const words = lastWords(finalMessage) || lastWords(tail);
  if (words === '') return outcome;
  const text = outcome.message.replace(NO_WORD, () => ` and told no error. Its last words: “${words}”`);
  return { ...outcome, message: text };
}

/** Without events and signals. */
function lastWords(text: string): string {
  const lines = text.split('\n').map((one) => one.trim());
  const said = lines.filter((one) => one !== '' && !/^(?:\{|<(?:ralph|chorus|promise)\b)/i.test(one));
  return endOf(said.slice(-MOST_LINES).join(' '), LONGEST_QUOTE);
}

/** No event of the CLI says how the run ended, or it reports success and the process disagrees. */
function withoutVerdict(
  reading: Reading,
  run: RunResult,
  meaning: ExitMeaning | undefined,
  { name, words }: ClassifyOptions,
): AgentOutcome {
  if (meaning?.turns) return { kind: 'timeout', why: 'turns' };
  const said = reading.errorText.trim();
  const ending = run.signal === null ? `ended with exit code ${run.exitCode}` : `was killed by ${run.signal}`;
  const message = said === '' ? `${name} ${ending}${NO_WORD}` : `${name} ${ending}: ${said}`;
  // 128 + signal: a wrapper reports that its program was killed.
  const killed = run.signal !== null || run.exitCode === 143 || run.exitCode === 137 || run.exitCode === 130;
  if (killed) return failure({ message, kind: 'killed' });
  if (meaning) return failure({ message, ...kindOfExit(meaning) }, 'agent', words);
  if (reading.retrying) return failure(reading.retrying, 'transient', words);
  // An interrupted CLI ends with exit code 0 and without the last event.
  if (run.exitCode === 0 && reading.turns > 0) {
    const why = `${name} ended with exit code 0 but without its result event, which means that it was interrupted.`;
    return failure({ message: why, kind: 'killed' });
  }
  const found = patternOf(said, words);
  if (found) return failure({ message: withHint(message, found.hint), kind: found.kind });
  const neverWorked = reading.turns === 0 && run.durationMs < LAUNCH_LIMIT_MS;
  return failure({ message, kind: neverWorked ? 'launch' : 'agent' });
}

const kindOfExit = (meaning: ExitMeaning | undefined): Pick<AgentError, 'kind' | 'status'> => ({
  kind: meaning?.kind,
  status: meaning?.status,
});

const withHint = (message: string, hint: string | undefined): string => {
  const text = endOf(message.trim(), MESSAGE_LIMIT);
  return hint === undefined ? text : `${text} ${hint}`;
};

function launchKind(code: string | undefined): FailureKind {
  // Waiting does not install a program, but a machine without free processes or files recovers.
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EINVAL') return 'config';
  if (code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') return 'transient';
  return 'launch';
}

/** A number or a type from the CLI overrides its texts. */
function failure(
  error: AgentError,
  fallback: FailureKind = 'agent',
  words: readonly FailureWords[] = [],
): AgentOutcome {
  const message = error.message.trim() || 'it failed and gave no reason';
  const status = error.status === undefined ? undefined : kindOfStatus(error.status);
  const found = (error.kind ?? status) === undefined ? patternOf(message, words) : undefined;
  const kind = error.kind ?? status ?? found?.kind ?? fallback;
  const limited = kind === 'limited';
  const resetAt = limited ? (error.resetAt ?? resetTimeIn(message)) : undefined;
  const scope = limited ? (error.scope ?? scopeOf(message)) : undefined;
  return {
    kind: 'failed',
    failure: kind,
    message: withHint(message, found?.hint),
    resetAt: resetAt || undefined,
    scope,
  };
}
