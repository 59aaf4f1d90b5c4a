/** The JSON-lines contract of the `command` adapter (docs/agents.md). Invariant: an unknown line or field is ignored. */
import type { FailureKind } from '../../protocol/failures.js';
import { clean, type Json, numberOf, objectOf, parseObject, stringOf } from '../json.js';
import type { Emit } from '../stream.js';
import { TextTail } from '../text-tail.js';
import { toolSubject } from '../tool-subject.js';
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

  constructor(private readonly emit: Emit) {}

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
        this.emit(clean({ kind: 'session' as const, id, model: stringOf(event.model) }));
        return undefined;
      }
      case 'message':
        reading.turns++;
        reading.finalMessage = stringOf(event.text) ?? '';
        delete reading.retrying;
        this.emit({ kind: 'message', text: reading.finalMessage });
        return undefined;
      case 'tool':
      case 'tool-result':
        delete reading.retrying;
        this.#tool(event, event.type);
        return undefined;
      case 'usage':
        this.#addUsage(event);
        this.emit({ kind: 'usage', ...reading.usage });
        return undefined;
      case 'retry':
        reading.retrying = errorFrom(event.error);
        this.#waits(reading.retrying);
        return undefined;
      case 'result':
        delete reading.retrying;
        reading.finalMessage = stringOf(event.text) ?? reading.finalMessage;
        reading.terminal = event.status === 'success' ? 'success' : 'error';
        if (reading.terminal === 'error') reading.error = errorFrom(event.error);
        this.emit(clean({ kind: 'end' as const, ok: reading.terminal === 'success', message: reading.error?.message }));
        return { terminal: true };
      default:
        return undefined;
    }
  }

  #tool(event: Json, kind: 'tool' | 'tool-result'): void {
    const [id, name] = [stringOf(event.id), stringOf(event.name)];
    if (kind === 'tool') this.emit(clean({ kind, name: name ?? 'tool', id, subject: toolSubject(event.subject) }));
    else this.emit(clean({ kind, ok: event.ok !== false, id, name, exitCode: numberOf(event.exitCode) }));
  }

  #waits({ message, status, kind, resetAt }: AgentError): void {
    if (kind === 'limited') this.emit(clean({ kind: 'limit' as const, message, resetAt }));
    else this.emit(clean({ kind: 'retrying' as const, message, status }));
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
