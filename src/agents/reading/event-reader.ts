/**
 * Reads a CLI that prints one JSON object a line: all adapters turn lines into events here.
 * Invariant: a line that is not an object, is too long or has an unknown type is skipped, never fatal; memory is
 * bounded. stderr is kept for errors and never read as events.
 */

import type { Usage } from '../../protocol/agent-run.js';
import { withoutEscapes } from '../../protocol/escapes.js';
import type { AgentReader, Reading } from '../types.js';
import { type Json, parseObject } from './json.js';
import type { RunNotes } from './run-notes.js';
import { TextTail } from './tails.js';

/** An adapter's handlers for the events of its CLI. Must not throw for any shape of event. */
export interface EventHandler {
  event(event: Json): void;
  /** A line of stderr, without colours. */
  stderr?(line: string): void;
  /** A line of stderr without information about an error. */
  chatter?(line: string): boolean;
  /** An event that was too long to read; only its type is known. */
  cut?(type: string): void;
  /** The output has ended. */
  end?(): void;
}

const NONE: ReadonlySet<string> = new Set();

export class EventReader implements AgentReader {
  readonly #stderr = new TextTail(16 << 10);

  /** `skip`: types that repeat other events and need no parsing. */
  constructor(
    private readonly notes: RunNotes,
    private readonly handler: EventHandler,
    private readonly skip: ReadonlySet<string> = NONE,
  ) {}

  get usage(): Usage | undefined {
    return this.notes.usage;
  }

  get conversation(): { id: string | undefined } | undefined {
    return this.notes.conversation;
  }

  get retrying(): boolean {
    return this.notes.retrying;
  }

  line(line: string, stream: 'stdout' | 'stderr', truncated: boolean): { terminal?: true } | undefined {
    if (stream === 'stderr') this.#complaint(line);
    else this.#event(line, truncated);
    return this.notes.takeFinal() ? { terminal: true } : undefined;
  }

  #complaint(line: string): void {
    const plain = withoutEscapes(line);
    if (!this.handler.chatter?.(plain)) this.#stderr.add(plain);
    this.handler.stderr?.(plain);
  }

  #event(line: string, truncated: boolean): void {
    if (truncated || this.skip.size > 0) {
      const type = leadingType(line);
      if (truncated) {
        if (type !== undefined) this.handler.cut?.(type);
        return;
      }
      if (type !== undefined && this.skip.has(type)) return;
    }
    const event = parseObject(line);
    if (event) this.handler.event(event);
  }

  finish(): Reading {
    this.handler.end?.();
    return this.notes.reading(this.#stderr.toString());
  }
}

/** The type of an event that starts with it, without reading the rest. */
const leadingType = (line: string): string | undefined =>
  /^\s*\{\s*"type"\s*:\s*"([\w./-]{1,80})"/.exec(line.slice(0, 200))?.[1];
