/** Turns an error of a command into one message and an exit code. */
import { EXIT, UserError } from './errors.js';

export function explain(error: unknown, json: boolean): number {
  const known = error instanceof UserError ? error : undefined;
  const exitCode = known?.exitCode ?? EXIT.internal;
  const message = error instanceof Error ? error.message : String(error);
  if (json) {
    const record = { kind: 'error', message, exitCode, fix: known?.fix, ...known?.details };
    process.stdout.write(`${JSON.stringify(record)}\n`);
  } else process.stderr.write(`ralphctl: ${message}\n`);
  if (!known && error instanceof Error && process.env.RALPHCTL_DEBUG) process.stderr.write(`${error.stack}\n`);
  return exitCode;
}
