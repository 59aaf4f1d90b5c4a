/** The run's events as JSON lines. The worker appends them, and commands follow them. */
import { appendFile, mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runDir } from '../config/paths.js';
import { isEvent } from '../model/event-shape.js';
import type { RunEvent, StampedEvent } from '../protocol/events.js';
import type { RunRef } from '../protocol/run-ref.js';

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
      .then(() => appendFile(path, line, { mode: 0o600 }))
      .catch(async () => {
        await mkdir(dirname(path), { recursive: true });
        await appendFile(path, line, { mode: 0o600 });
      })
      .catch(this.#failed);
  }

  flush(): Promise<void> {
    return this.#queue;
  }
}

/**
 * Yields the events in the file and then new ones, until the signal aborts. Waits for a half-written last line; skips
 * lines that are no event: half a line, or JSON of another shape. Calls `read` each time when all complete lines have
 * been taken.
 */
export async function* followEvents(
  path: string,
  signal: AbortSignal,
  pollMs = 150,
  read?: () => void,
): AsyncGenerator<StampedEvent> {
  let offset = 0;
  let rest = '';
  const chunk = Buffer.alloc(64 * 1024);
  for (;;) {
    const ended = signal.aborted;
    const file = await open(path).catch(() => undefined);
    if (file) {
      try {
        for (;;) {
          const { bytesRead } = await file.read(chunk, 0, chunk.length, offset);
          if (bytesRead === 0) break;
          offset += bytesRead;
          // Splitting on newline bytes is safe, because JSON.stringify never emits raw newlines. Each line is decoded
          // whole.
          rest += chunk.toString('latin1', 0, bytesRead);
        }
      } finally {
        await file.close();
      }
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        const event = parseEvent(Buffer.from(line, 'latin1').toString('utf8'));
        if (event) yield event;
      }
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
