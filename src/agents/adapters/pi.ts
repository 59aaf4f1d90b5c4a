/**
 * pi, headless: `pi -p --mode json`.
 * Invariant: the stop reason of the last assistant message decides; the exit code is always 0. Every failed attempt
 * ends with its own `agent_end`, so only a success is certain to be the last event.
 */

import { type EventHandler, EventReader } from '../reading/event-reader.js';
import { clean, type Json, listOf, numberOf, objectOf, stringOf, sumOf } from '../reading/json.js';
import { statusIn } from '../reading/patterns.js';
import { RunNotes } from '../reading/run-notes.js';
import type { AgentAdapter, AgentError } from '../types.js';

/** Each of these repeats the whole answer so far. */
const REPEATS: ReadonlySet<string> = new Set(['message_update', 'message_start', 'turn_end']);

class PiEvents implements EventHandler {
  #stopReason: string | undefined;
  #error: AgentError | undefined;

  constructor(private readonly notes: RunNotes) {}

  event(event: Json): void {
    const { notes } = this;
    switch (event.type) {
      case 'session':
        notes.session(stringOf(event.id));
        return;
      case 'agent_start':
        notes.reopened();
        return;
      case 'message_end':
        this.#message(objectOf(event.message));
        return;
      case 'tool_execution_start':
        notes.tool({
          name: stringOf(event.toolName) ?? 'tool',
          id: stringOf(event.toolCallId),
          args: event.args,
        });
        return;
      case 'tool_execution_end':
        notes.toolEnded({ ok: event.isError !== true, id: stringOf(event.toolCallId) });
        return;
      case 'auto_retry_start':
        this.#retry(event);
        return;
      case 'agent_end':
        this.#end();
        return;
    }
  }

  /** It contains the whole conversation and may be too long to read; the messages came before. */
  cut(type: string): void {
    if (type === 'agent_end') this.#end();
  }

  #message(message: Json | undefined): void {
    if (message?.role !== 'assistant') return;
    this.#stopReason = stringOf(message.stopReason);
    this.#error = undefined;
    this.#count(objectOf(message.usage));
    if (this.#stopReason === 'error' || this.#stopReason === 'aborted') {
      const text = stringOf(message.errorMessage) ?? this.#stopReason;
      const kind = this.#stopReason === 'aborted' ? ('killed' as const) : undefined;
      this.#error = clean({ message: text, status: statusIn(text), kind });
      return;
    }
    this.notes.turn();
    const text = listOf(message.content)
      .map(objectOf)
      .filter((block) => block?.type === 'text')
      .map((block) => stringOf(block?.text) ?? '')
      .join('');
    if (text !== '' || this.#stopReason === 'stop') this.notes.say(text);
  }

  #count(usage: Json | undefined): void {
    const inputTokens = sumOf(usage?.input, usage?.cacheRead, usage?.cacheWrite);
    const outputTokens = numberOf(usage?.output);
    if (!inputTokens && !outputTokens) return;
    const costUsd = numberOf(objectOf(usage?.cost)?.total);
    this.notes.addUsage(clean({ inputTokens, outputTokens, costUsd }));
  }

  #retry(event: Json): void {
    const message = stringOf(event.errorMessage) ?? 'unknown error';
    this.notes.retry(clean({ message, status: statusIn(message) }), {
      attempt: numberOf(event.attempt),
      of: numberOf(event.maxAttempts),
      delayMs: numberOf(event.delayMs),
    });
  }

  #end(): void {
    if (this.#error) this.notes.failed(this.#error);
    else if (this.#stopReason === 'stop') this.notes.ended('success');
    else this.notes.failed({ message: `the answer ended with "${this.#stopReason ?? 'no stop reason'}"` });
  }
}

export const pi: AgentAdapter = {
  id: 'pi',
  resumes: true,
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => ({
    argv: [
      ...(spec.command ?? ['pi']),
      ...['-p', '--mode', 'json'],
      ...(spec.model ? ['--model', spec.model] : []),
      ...(spec.effort ? ['--thinking', spec.effort] : []),
      ...(ctx.resume ? ['--session', ctx.resume] : []),
      ...spec.args,
    ],
    stdin: ctx.prompt,
    env: { PI_OFFLINE: '1', PI_TELEMETRY: '0', PI_SKIP_VERSION_CHECK: '1' },
  }),
  reader: (_spec, emit) => {
    const notes = new RunNotes(emit);
    return new EventReader(notes, new PiEvents(notes), REPEATS);
  },
};
