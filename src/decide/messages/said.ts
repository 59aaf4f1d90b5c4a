/**
 * Reads Temporal signals that people send: a text or nothing from the Web UI, an object from scripts.
 * Invariant: unreadable input is refused with an example that works, never half accepted. Nothing here throws.
 * May import protocol only.
 */
import { MAX_COMMAND_TEXT, TELLERS, type Teller } from '../../protocol/command.js';

export type Problem = { problem: string };

const EXAMPLE = 'the input is JSON: put a text in double quotes, e.g. "use port 8080"';
const tooLong = {
  problem: `the text is longer than ${MAX_COMMAND_TEXT} characters; put it into a file of the repository and name it`,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The text in the input, if any: plain, or as `text` or `reason` of an object. */
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
 * `stop`, and whether it drains: a stop that comes from the run's own stop lets finished work land. Otherwise the stop
 * is for the idea itself.
 */
export function readStop(args: readonly unknown[]): [reason: string | undefined, drain: boolean] | Problem {
  const said = readSaid(args);
  if ('problem' in said) return said;
  const [first] = args;
  return [said[0], isObject(first) && first.drain === true];
}

/** A signal that requires a text. */
export function readText([first]: readonly unknown[]): [string] | Problem {
  const text = textIn(first);
  if (typeof text === 'object') return text;
  return text === undefined ? { problem: EXAMPLE } : [text];
}

/** An answer to a question of an idea. */
export interface SaidAnswer {
  text: string;
  /** Id of its question; absent: the open one. */
  question?: string;
  /** Id of the command that brought it. */
  id?: string;
  by?: Teller;
  who?: string;
}

/** Longest id and name that come with an answer, in characters. */
const MAX_ID = 200;
const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_ID ? value : undefined;

/** An answer of a person, or one that the run passes on: that one has its command in a second value. */
export function readAnswer([first, sent]: readonly unknown[]): [SaidAnswer] | Problem {
  const said = readText([first]);
  if ('problem' in said) return said;
  const about = isObject(sent) ? sent : undefined;
  const question = idIn(about?.question ?? (isObject(first) ? first.question : undefined));
  const id = idIn(about?.id);
  const by = about ? TELLERS.find((one) => one === about.by) : 'signal';
  const who = idIn(about?.who);
  return [
    {
      text: said[0],
      ...(question ? { question } : {}),
      ...(id ? { id } : {}),
      ...(by ? { by } : {}),
      ...(who ? { who } : {}),
    },
  ];
}

/** Input of a verb of the run: a plain value, or the fields of a command. */
export type VerbInput = string | number | Record<string, unknown> | undefined;

/** A verb of the run. The check of the resulting command checks its fields. */
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

/** Any command, as the CLI queues it at the server while no worker runs. */
export const isCommandLike = (value: unknown): value is { verb: string } =>
  isObject(value) && typeof value.verb === 'string' && value.verb.length <= MAX_COMMAND_TEXT;
