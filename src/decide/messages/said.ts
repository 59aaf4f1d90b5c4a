/**
 * What people send as Temporal signals: from the Web UI a text or nothing, from scripts an object.
 * Invariant: what cannot be read is refused with what would do; it is never half taken. Nothing here throws.
 * May import protocol only.
 */
import { MAX_COMMAND_TEXT } from '../../protocol/command.js';

export type Problem = { problem: string };

const EXAMPLE = 'the input is JSON: put a text in double quotes, e.g. "use port 8080"';
const tooLong = {
  problem: `the text is longer than ${MAX_COMMAND_TEXT} characters; put it into a file of the repository and name it`,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text that was sent, if any: plain, or as `text` or `reason` of an object. */
function textIn(value: unknown): string | undefined | Problem {
  const text = isObject(value) ? (value.text ?? value.reason) : value;
  if (text === undefined || text === null) return undefined;
  if (typeof text !== 'string') return { problem: EXAMPLE };
  if (text.length > MAX_COMMAND_TEXT) return tooLong;
  return text.trim() || undefined;
}

/** A signal that may carry a reason. */
export function readSaid([first]: readonly unknown[]): [string | undefined] | Problem {
  const text = textIn(first);
  return typeof text === 'object' ? text : [text];
}

/**
 * `stop`, and whether it only drains: sent with the run's own stop, it lets work that is finished land. Without it the idea
 * itself is meant.
 */
export function readStop(args: readonly unknown[]): [reason: string | undefined, drain: boolean] | Problem {
  const said = readSaid(args);
  if ('problem' in said) return said;
  const [first] = args;
  return [said[0], isObject(first) && first.drain === true];
}

/** A signal that is nothing without a text. */
export function readText([first]: readonly unknown[]): [string] | Problem {
  const text = textIn(first);
  if (typeof text === 'object') return text;
  return text === undefined ? { problem: EXAMPLE } : [text];
}

/** Input of a verb of the run: a plain value, or the fields of a command. */
export type VerbInput = string | number | Record<string, unknown> | undefined;

/** A verb of the run, whose fields are checked with the command that comes of it. */
export function readVerb([first, second]: readonly unknown[]): [VerbInput, string | number | undefined] | Problem {
  const input = isObject(first) ? first : plain(first);
  const more = plain(second);
  if (input === null || more === null) return { problem: EXAMPLE };
  return [input, more];
}

/** Null: neither absent nor a text or a number. */
function plain(value: unknown): string | number | undefined | null {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return null;
}

/** Any command, as the CLI leaves it with the server while no worker runs. */
export const isCommandLike = (value: unknown): value is { verb: string } =>
  isObject(value) && typeof value.verb === 'string' && value.verb.length <= MAX_COMMAND_TEXT;
