import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { listOf, objectOf, stringOf } from './json.js';

/**
 * The actions of a running agent, in the same terms for every CLI: one event per action.
 * Invariant: a view for people and for `status`. No decision uses it: outcome, signal and usage of a run come from the
 * reader's {@link Reading}. Fields are only ever added; a reader of the file skips unknown kinds.
 */
export type AgentEvent =
  /** The CLI began a conversation. */
  | { kind: 'session'; id?: string; model?: string }
  /** Text of the agent to its user. `sub`: of a subagent. */
  | { kind: 'message'; text: string; sub?: true }
  /** A tool starts. `subject` is its object: a path, a command, a pattern (see `toolSubject`). */
  | { kind: 'tool'; name: string; id?: string; subject?: string; sub?: true }
  /** A tool ended. `id` is that of its `tool` event; `note` a short error text, never its output. */
  | { kind: 'tool-result'; ok: boolean; id?: string; name?: string; exitCode?: number; note?: string }
  /** Totals of this run so far, not increments. Unknown amounts are absent, not zero. */
  | { kind: 'usage'; inputTokens?: number; outputTokens?: number; costUsd?: number }
  /** The CLI waits to retry by itself. */
  | { kind: 'retrying'; message: string; status?: number; attempt?: number; of?: number; delayMs?: number }
  /** A usage limit was hit. `resetAt` in epoch milliseconds. */
  | { kind: 'limit'; message: string; resetAt?: number }
  /** The CLI's own last event. */
  | { kind: 'end'; ok: boolean; message?: string };

/** Takes an event. Cheap, never throws; may drop events that arrive faster than a person could read. */
export type Emit = (event: AgentEvent) => void;

/** One line of `stream.jsonl`. `cut`: this many events before it are not in the file. */
export type StreamLine = { at: string } & (AgentEvent | { kind: 'cut'; events: number });

/*
 * Writes the events of a run to `stream.jsonl`, one JSON object a line.
 * Invariant: bounded on disk (this file and `.old` together at most the limit), in memory and in time, for any input. A
 * `cut` line counts omitted events. A failing disk loses the stream, never the run.
 */

const DEFAULT_LIMIT = 8 << 20;
/** Events that may wait for the disk. */
const QUEUE_LIMIT = 2000;
/** Size of a burst of events, and events per second after that: a person reads no more. */
const BURST = 2000;
const PER_SECOND = 200;
const LONGEST_TEXT = 4000;

export interface StreamFileOptions {
  /** Bytes on disk, both files together. */
  maxBytes?: number;
  /** Removes secrets from the output. */
  redact?: (text: string) => string;
}

/** Where the earlier half of a long stream is. */
export const olderStream = (path: string): string => `${path}.old`;

export class StreamFile {
  #file: FileHandle | undefined;
  #bytes = 0;
  #queue: string[] = [];
  #busy: Promise<void> | undefined;
  #cut = 0;
  #credit = BURST;
  #creditAt = performance.now();
  error: string | undefined;

  private constructor(
    private readonly path: string,
    private readonly options: StreamFileOptions,
  ) {}

  /** Replaces the file of an earlier attempt. Never rejects; see `error`. */
  static async open(path: string, options: StreamFileOptions = {}): Promise<StreamFile> {
    const stream = new StreamFile(path, options);
    try {
      await rm(olderStream(path), { force: true });
      // A new file, not an emptied one, so that a follower with the old one open sees the change.
      await rm(path, { force: true });
      stream.#file = await open(path, 'a', 0o600);
    } catch (error) {
      stream.error = error instanceof Error ? error.message : String(error);
    }
    return stream;
  }

  readonly emit: Emit = (event) => {
    if (this.error !== undefined) return;
    if (!this.#affordable() || this.#queue.length >= QUEUE_LIMIT) {
      this.#cut++;
      return;
    }
    this.#noteCut();
    this.#put(event);
    this.#busy ??= this.#pump();
  };

  #affordable(): boolean {
    if (this.#credit < 1) {
      // Reading the clock for each of a million dropped events would cost more than writing a few.
      if (this.#cut % 32 !== 31 && this.#cut > 0) return false;
      const now = performance.now();
      this.#credit = Math.min(BURST, this.#credit + ((now - this.#creditAt) * PER_SECOND) / 1000);
      this.#creditAt = now;
      if (this.#credit < 1) return false;
    }
    this.#credit--;
    return true;
  }

  #noteCut(): void {
    if (this.#cut === 0) return;
    this.#put({ kind: 'cut', events: this.#cut });
    this.#cut = 0;
  }

  #put(event: AgentEvent | { kind: 'cut'; events: number }): void {
    const { redact = (text: string) => text } = this.options;
    const line: Record<string, unknown> = { at: new Date().toISOString() };
    for (const [name, value] of Object.entries(event)) {
      line[name] = typeof value === 'string' && name !== 'kind' ? shortened(redact(value), name) : value;
    }
    this.#queue.push(`${JSON.stringify(line)}\n`);
  }

  async #pump(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        await this.#turn();
        const text = this.#take(this.#half - this.#bytes);
        await this.#file?.appendFile(text);
        this.#bytes += Buffer.byteLength(text);
      }
    } catch (error) {
      this.error = error instanceof Error ? error.message : String(error);
      this.#queue = [];
    }
    this.#busy = undefined;
  }

  /** The next lines, about as many characters as requested. */
  #take(room: number): string {
    let count = 0;
    for (let size = 0; count < this.#queue.length && size < room; count++) size += this.#queue[count]?.length ?? 0;
    return this.#queue.splice(0, count).join('');
  }

  get #half(): number {
    return (this.options.maxBytes ?? DEFAULT_LIMIT) / 2;
  }

  /** Half of the limit is full: it becomes the older half, and the previous one is deleted. */
  async #turn(): Promise<void> {
    if (this.#bytes < this.#half) return;
    await this.#file?.close();
    await rename(this.path, olderStream(this.path));
    this.#file = await open(this.path, 'a', 0o600);
    this.#bytes = 0;
  }

  /** Writes waiting events. Never rejects; see `error`. */
  async close(): Promise<void> {
    if (this.error === undefined && this.#cut > 0) {
      this.#noteCut();
      this.#busy ??= this.#pump();
    }
    while (this.#busy) await this.#busy;
    await this.#file?.close().catch(() => undefined);
  }
}

function shortened(text: string, name: string): string {
  if (name !== 'text') return oneLine(text) ?? '';
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
}

/* Describes a tool call in a few words, from its arguments, which CLIs name differently. */

/** Argument names by importance; the first present one wins. */
const TELLING = [
  ...['file_path', 'filePath', 'absolute_path', 'path', 'notebook_path', 'filename', 'file'],
  ...['command', 'cmd', 'script', 'pattern', 'query', 'url', 'description', 'prompt', 'dir_path', 'directory'],
];
const LONGEST = 300;

/** One line of at most 300 characters; undefined when no argument is informative. */
export function toolSubject(args: unknown): string | undefined {
  const text = stringOf(args);
  if (text !== undefined) return oneLine(text);
  const fields = objectOf(args);
  if (!fields) return undefined;
  for (const name of TELLING) {
    const value = fields[name];
    // A command may be an argument list.
    const said = stringOf(value) ?? (Array.isArray(value) ? listOf(value).filter(isText).join(' ') : undefined);
    if (said) return oneLine(said);
  }
  return oneLine(Object.values(fields).find(isText) ?? '');
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The text on one line, cut to `limit` characters; undefined when nothing is left. */
export function oneLine(text: string, limit = LONGEST): string | undefined {
  // Cut before replacing, because a subject may be a file of megabytes.
  const line = text
    .slice(0, limit * 2)
    .replace(/\s+/g, ' ')
    .trim();
  if (line === '') return undefined;
  return line.length > limit ? `${line.slice(0, limit - 1).replace(/[\ud800-\udbff]$/, '')}…` : line;
}
