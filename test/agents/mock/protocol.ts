/**
 * What one model API looks like on the wire.
 * Invariant: a protocol only translates: it reads a request into an Ask and writes a Turn or a Fault in its own words.
 * What is answered is decided in scenario.ts; sockets are handled in server.ts.
 */

/** A tool that the CLI offers to the model. */
export interface ToolOffer {
  name: string;
  properties: string[];
  /** Takes free text instead of JSON arguments. */
  freeform: boolean;
}

export interface Ask {
  model: string;
  stream: boolean;
  tools: ToolOffer[];
  /** Tool results since the last words of the user: how far the conversation is. */
  results: number;
}

export interface ToolCall {
  name: string;
  args: Record<string, unknown>;
  /** For tools that take free text. */
  freeform?: string;
}

/** One answer of the model. */
export interface Turn {
  text: string;
  call?: ToolCall;
}

/** Ways in which a provider refuses. */
export type Fault =
  | 'rate'
  | 'usage-subscription'
  | 'usage-key'
  | '500'
  | '503'
  | '529'
  | '401'
  | '403'
  | '404'
  | 'context';

export interface Refusal {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** An answer ready to be sent. */
export interface Answer {
  /** For requests that do not stream. */
  whole: unknown;
  /** Server-sent events, in order. */
  frames: string[];
  /** How many of them a stream that breaks off gets through: half of the text, never the end. */
  half: number;
  headers?: Record<string, string>;
}

export interface Protocol {
  name: 'anthropic' | 'responses' | 'chat' | 'gemini';
  matches(path: string): boolean;
  ask(body: Json, path: string): Ask;
  answer(turn: Turn, ask: Ask): Answer;
  /** `retryAfter` in seconds; absent: the provider does not say. */
  refuse(fault: Fault, retryAfter?: number): Refusal;
}

export type Json = Record<string, unknown>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const objects = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const keysOf = (value: unknown): string[] => (isObject(value) ? Object.keys(value) : []);

/** Same figures for every answer, so that what a CLI adds up can be checked. */
export const USAGE = { input: 1200, cached: 100, output: 34 };

let count = 0;
export const newId = (prefix: string): string => `${prefix}_mock${String(++count).padStart(6, '0')}`;

/** Seconds from now at which the mock's usage limits end. */
export const LIMIT_ENDS_IN = 3600;
export const limitEnd = (): number => Math.floor(Date.now() / 1000) + LIMIT_ENDS_IN;

export const halves = (text: string): [string, string] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};

/** The tail of a conversation: what came after the last thing that `isUser` says is the user's own. */
export function sinceUser<T>(items: T[], isUser: (item: T) => boolean): T[] {
  return items.slice(items.findLastIndex(isUser) + 1);
}
