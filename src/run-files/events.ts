/** The run's events as JSON lines. The worker appends them, and commands follow them. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { appendOwn } from '../config/own-files.js';
import { runDir } from '../config/paths.js';
import { isEvent } from '../config/schema/events.js';
import { asSystemError } from '../config/system-errors.js';
import type { RunEvent, StampedEvent } from '../protocol/events.js';
import type { RunRef } from '../protocol/run-ref.js';
import { LineTail } from './tail.js';

export const eventsPath = (root: string, ref: RunRef): string =>
  join(runDir(root, ref.project, ref.runId), 'events.jsonl');

/** Appends in order. A failed write goes to the log and never to the workflow. */
export class EventWriter {
  readonly #root: string;
  readonly #failed: (error: unknown) => void;
  #queue: Promise<void> = Promise.resolve();

  constructor(root: string, failed: (error: unknown) => void) {
    this.#root = root;
    this.#failed = failed;
  }

  write(ref: RunRef, event: RunEvent, at: number): void {
    const path = eventsPath(this.#root, ref);
    const line = `${JSON.stringify({ at: new Date(at).toISOString(), ...event })}\n`;
    this.#queue = this.#queue
      .then(() => appendOwn(path, line))
      .catch(async () => {
        await mkdir(dirname(path), { recursive: true });
        await appendOwn(path, line);
      })
      .catch(this.#failed);
  }

  flush(): Promise<void> {
    return this.#queue;
  }
}

export interface FollowOptions {
  pollMs?: number;
  /** Called each time when all complete lines have been taken. */
  read?: () => void;
  /** Gets what keeps the file from being read, and `undefined` once it can be read. Absent: the generator throws it. */
  unreadable?: (problem: Error | undefined) => void;
}

/**
 * Yields the events in the file and then new ones, until the signal aborts. Waits for a half-written last line; skips
 * lines that are no event: half a line, JSON of another shape, or a line without an end in sight.
 * @throws StoredFileError or SystemError where something else is in the place of the file
 */
export async function* followEvents(
  path: string,
  signal: AbortSignal,
  { pollMs = 150, read, unreadable }: FollowOptions = {},
): AsyncGenerator<StampedEvent> {
  let failed = false;
  const tail = new LineTail(path);
  for (;;) {
    const ended = signal.aborted;
    try {
      for await (const line of tail.take()) {
        const event = parseEvent(line);
        if (event) yield event;
      }
      if (failed) unreadable?.(undefined);
      failed = false;
    } catch (error) {
      if (!unreadable) throw error;
      failed = true;
      unreadable(asSystemError(error, path) ?? (error as Error));
    }
    read?.();
    if (ended) return;
    await delay(pollMs, undefined, { signal }).catch(() => {});
  }
}

/** Undefined for a line that is no event. */
export function parseEvent(line: string): StampedEvent | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isEvent(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
