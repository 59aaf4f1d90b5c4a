/**
 * Says how a run ended.
 * Invariant: structure first (our own stop, the launch, the CLI's last event, its typed errors), words last and only the
 * words of a failed run's error; never the agent's prose, never the exit code alone. A success that was landed beats
 * whatever errors came before it.
 */

import type { RunResult } from '../process/run.js';
import type { AgentOutcome } from '../protocol/activities.js';
import type { FailureKind } from '../protocol/failures.js';
import { kindOfStatus, kindOfText } from './patterns.js';
import { resetTimeIn } from './reset-time.js';
import { endOf } from './text-tail.js';
import type { AgentError, Reading } from './types.js';

/** A failed run without a turn that ended sooner than this never got to work. */
export const LAUNCH_LIMIT_MS = 20_000;
const MESSAGE_LIMIT = 1000;

export interface ClassifyOptions {
  /** Successful runs of this agent end with an event that says so. */
  hasTerminalEvent: boolean;
  /** Name of the agent, for messages. */
  name: string;
}

/** The outcome of a run, from what its process did and what its output said. */
export function classify(reading: Reading, run: RunResult, options: ClassifyOptions): AgentOutcome {
  if (run.launchError !== undefined) return failure(launchKind(run.launchCode), run.launchError);
  const resultStands = run.stopped === undefined || run.stopped === 'result-grace';
  const exitAgrees = run.exitCode === 0 || run.stopped === 'result-grace';
  if (resultStands && exitAgrees) {
    if (reading.terminal === 'success') return { kind: 'ok' };
    if (!options.hasTerminalEvent && reading.terminal === undefined) return { kind: 'ok' };
  }
  if (run.stopped === 'aborted') return failure('killed', `${options.name} was stopped on request.`);
  if (run.stopped === 'timeout' || run.stopped === 'idle') {
    // It was not working but waiting for its provider; the clock only noticed first.
    if (reading.retrying) return fromError(reading.retrying, 'transient');
    return { kind: 'timeout', why: run.stopped === 'idle' ? 'idle' : 'iteration' };
  }
  if (reading.terminal === 'error') return fromError(reading.error ?? { message: 'unknown error' }, 'agent');
  if (reading.error) return fromError(reading.error, 'agent');
  return withoutVerdict(reading, run, options.name);
}

/** No event of the CLI says how the run ended, or it says success and the process disagrees. */
function withoutVerdict(reading: Reading, run: RunResult, name: string): AgentOutcome {
  const said = reading.errorText.trim();
  const ending =
    run.signal === null ? `ended with exit code ${run.exitCode}` : `was killed from outside by ${run.signal}`;
  const message = said === '' ? `${name} ${ending} and said nothing about it.` : `${name} ${ending}: ${said}`;
  // 128 + signal: a wrapper reports that what it ran was killed.
  const killed = run.signal !== null || run.exitCode === 143 || run.exitCode === 137 || run.exitCode === 130;
  if (killed) return failure('killed', message);
  if (reading.retrying) return fromError(reading.retrying, 'transient');
  // Exit code 0 without the last event is how an interrupted CLI looks.
  if (run.exitCode === 0 && reading.turns > 0) {
    return failure('killed', `${name} ended with exit code 0 but without its result event, as when it is interrupted.`);
  }
  const kind = kindOfText(said);
  if (kind !== undefined) return failure(kind, message);
  if (reading.turns === 0 && run.durationMs < LAUNCH_LIMIT_MS) return failure('launch', message);
  return failure('agent', message);
}

function launchKind(code: string | undefined): FailureKind {
  // Waiting does not install a program; a machine that is out of processes or files recovers.
  if (code === 'ENOENT' || code === 'EACCES' || code === 'EINVAL') return 'config';
  if (code === 'EAGAIN' || code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM') return 'transient';
  return 'launch';
}

function fromError(error: AgentError, fallback: FailureKind): AgentOutcome {
  const status = error.status === undefined ? undefined : kindOfStatus(error.status);
  const kind = error.kind ?? status ?? kindOfText(error.message) ?? fallback;
  return failure(kind, error.message, error.resetAt);
}

/** What the CLI states as a number beats what its words say. */
function failure(kind: FailureKind, message: string, stated?: number): AgentOutcome {
  const resetAt = kind === 'limited' ? (stated ?? resetTimeIn(message)) : undefined;
  return {
    kind: 'failed',
    failure: kind,
    message: endOf(message.trim(), MESSAGE_LIMIT),
    ...(resetAt ? { resetAt } : {}),
  };
}
