/** The JSON-lines contract of the `command` adapter (docs/agents.md). Invariant: an unknown line or field is ignored. */
import type { FailureKind } from '../../protocol/failures.js';
import { type Json, numberOf, objectOf, parseObject, stringOf } from '../json.js';
import { TextTail } from '../text-tail.js';
import type { AgentError, AgentReader, Reading } from '../types.js';

const KINDS: readonly string[] = ['transient', 'limited', 'auth', 'config', 'agent'] satisfies FailureKind[];
const isKind = (value: unknown): value is FailureKind => typeof value === 'string' && KINDS.includes(value);

function errorFrom(value: unknown): AgentError {
  const error = objectOf(value);
  const status = numberOf(error?.status);
  const resetAt = numberOf(error?.resetAt) ?? (Date.parse(stringOf(error?.resetAt) ?? '') || undefined);
  return {
    message: stringOf(error?.message) ?? stringOf(value) ?? 'unknown error',
    ...(status === undefined ? {} : { status }),
    ...(isKind(error?.kind) ? { kind: error.kind } : {}),
    // Numbers are seconds or milliseconds since 1970; no limit was ever reset in 1970.
    ...(resetAt === undefined ? {} : { resetAt: resetAt < 1e11 ? resetAt * 1000 : resetAt }),
  };
}

export class CommandJsonReader implements AgentReader {
  readonly #stderr = new TextTail(16 << 10);
  #reading: Omit<Reading, 'errorText'> = { finalMessage: '', turns: 0 };

  line(line: string, stream: 'stdout' | 'stderr', truncated: boolean): { terminal?: true } | undefined {
    if (stream === 'stderr') {
      this.#stderr.add(line);
      return undefined;
    }
    const event = truncated ? undefined : parseObject(line);
    const reading = this.#reading;
    switch (event?.type) {
      case 'session': {
        const id = stringOf(event.id);
        if (id !== undefined) reading.sessionId = id;
        return undefined;
      }
      case 'message':
        reading.turns++;
        reading.finalMessage = stringOf(event.text) ?? '';
        delete reading.retrying;
        return undefined;
      case 'usage':
        this.#addUsage(event);
        return undefined;
      case 'retry':
        reading.retrying = errorFrom(event.error);
        return undefined;
      case 'result':
        delete reading.retrying;
        reading.finalMessage = stringOf(event.text) ?? reading.finalMessage;
        reading.terminal = event.status === 'success' ? 'success' : 'error';
        if (reading.terminal === 'error') reading.error = errorFrom(event.error);
        return { terminal: true };
      default:
        return undefined;
    }
  }

  #addUsage(event: Json): void {
    const usage = { ...this.#reading.usage };
    for (const field of ['inputTokens', 'outputTokens', 'costUsd'] as const) {
      const value = numberOf(event[field]);
      if (value !== undefined) usage[field] = (usage[field] ?? 0) + value;
    }
    this.#reading.usage = usage;
  }

  finish(): Reading {
    return { ...this.#reading, errorText: this.#stderr.toString() };
  }
}
