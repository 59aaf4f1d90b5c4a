/** Turns whatever a command threw into one clear message and an exit code. */
import { BacklogError } from '../backlog/detect.js';
import { EXIT, UserError } from './errors.js';

/** Errors whose message is meant for the person as it stands. */
const FOR_PEOPLE = new Set(['UserError', 'RepositoryError', 'ConfigError', 'BacklogError', 'TemplateError']);

export function explain(error: unknown, json: boolean): number {
  const known = error instanceof Error && FOR_PEOPLE.has(error.name);
  const exitCode = error instanceof UserError ? error.exitCode : known ? EXIT.usage : EXIT.internal;
  const message = error instanceof Error ? error.message : String(error);
  if (json) {
    const problems = error instanceof BacklogError ? { problems: error.problems } : {};
    process.stdout.write(`${JSON.stringify({ kind: 'error', message, exitCode, ...problems })}\n`);
  } else process.stderr.write(`ralphctl: ${message}\n`);
  if (!known && error instanceof Error && process.env.RALPHCTL_DEBUG) process.stderr.write(`${error.stack}\n`);
  return exitCode;
}
