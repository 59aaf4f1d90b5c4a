/**
 * Red checks of a pull request for its agent: the ends of their logs, which share the room of one tail.
 * Invariant: a check counts as told only where its log went along. A log that the forge cannot give now is no empty log.
 */
import type { LookResult } from '../../protocol/review.js';
import { TAIL_LIMIT } from '../../protocol/run-ref.js';
import type { Forge, Seen } from './forge.js';

const MOST_LOGS = 3;
const MOST_NAME = 100;
/** Read of a log before secrets go: a cut in one of them would hide it. */
const MOST_READ = 64 * 1024;
const NONE = '(no output)';

interface Log {
  name: string;
  text: string;
}

/** Undefined: none is red that is not `known`, or a log is still on its way. */
export async function redChecks(
  forge: Forge,
  pull: Seen,
  known: readonly string[],
  redact: (text: string) => string,
): Promise<LookResult | undefined> {
  const red = await forge.redChecks(pull, known);
  const told = red.slice(0, MOST_LOGS);
  const [first] = told;
  if (!first) return undefined;
  const logs: Log[] = [];
  for (const one of told) {
    const text = await one.log();
    if (text === undefined) return undefined;
    logs.push({ name: one.name, text: redact(text.slice(-MOST_READ)).trimEnd() });
  }
  return {
    ...{ kind: 'back', about: 'checks', tail: together(logs), seen: told.map(({ key }) => key) },
    what: `${red.map(({ name }) => name).join(', ')}${first.url ? ` (${first.url})` : ''}`.slice(0, 500),
  };
}

/** The ends of all logs, each under its name. What a short one leaves goes to the others. */
function together(logs: readonly Log[]): string {
  const [only] = logs;
  if (only && logs.length === 1) return only.text.slice(-TAIL_LIMIT);
  const parts = logs.map(({ name, text }) => ({ head: `${name.slice(0, MOST_NAME)}:\n`, text: text || NONE }));
  const between = '\n\n';
  let room = TAIL_LIMIT - between.length * (parts.length - 1);
  for (const { head } of parts) room -= head.length;
  const ends = new Map<(typeof parts)[number], string>();
  for (const [at, part] of [...parts].sort((a, b) => a.text.length - b.text.length).entries()) {
    const end = part.text.slice(-Math.floor(room / (parts.length - at)));
    ends.set(part, end);
    room -= end.length;
  }
  return parts.map((part) => part.head + (ends.get(part) ?? '')).join(between);
}
