/** The JSON-lines contract of the `command` adapter (docs/agents.md). Invariant: an unknown line or field is ignored. */
import type { FailureKind, LimitScope } from '../../protocol/failures.js';
import type { EventHandler } from '../reading/event-reader.js';
import { clean, type Json, numberOf, objectOf, stringOf } from '../reading/json.js';
import type { RunNotes } from '../reading/run-notes.js';
import type { AgentError } from '../types.js';

/** Kinds that a program may report; ralphctl itself observes the others. */
export const CLAIMABLE_KINDS = [
  ...(['transient', 'limited', 'auth', 'config', 'context', 'budget', 'agent'] as const),
] satisfies FailureKind[];
const SCOPES: readonly string[] = ['rate', 'usage', 'credit'] satisfies LimitScope[];
const kindOf = (value: unknown): FailureKind | undefined => CLAIMABLE_KINDS.find((kind) => kind === value);
const scopeOf = (value: unknown): LimitScope | undefined =>
  typeof value === 'string' && SCOPES.includes(value) ? (value as LimitScope) : undefined;

function errorFrom(value: unknown): AgentError {
  const error = objectOf(value);
  const resetAt = numberOf(error?.resetAt) ?? (Date.parse(stringOf(error?.resetAt) ?? '') || undefined);
  return clean({
    message: stringOf(error?.message) ?? stringOf(value) ?? 'unknown error',
    status: numberOf(error?.status),
    kind: kindOf(error?.kind),
    scope: scopeOf(error?.scope),
    resetAt: resetAt === undefined ? undefined : instant(resetAt),
  });
}

/** Seconds or milliseconds since 1970, in which no limit was ever reset. An invalid date has no meaning. */
function instant(at: number): number | undefined {
  const ms = at < 1e11 ? at * 1000 : at;
  return Number.isNaN(new Date(ms).getTime()) ? undefined : ms;
}

export class ContractEvents implements EventHandler {
  constructor(private readonly notes: RunNotes) {}

  event(event: Json): void {
    const { notes } = this;
    switch (event.type) {
      case 'session':
        notes.session(stringOf(event.id), stringOf(event.model));
        return;
      case 'message':
        notes.turn();
        notes.say(stringOf(event.text) ?? '');
        return;
      case 'tool':
        notes.tool({ name: stringOf(event.name) ?? 'tool', id: stringOf(event.id), args: event.subject });
        return;
      case 'tool-result': {
        const [id, name] = [stringOf(event.id), stringOf(event.name)];
        notes.toolEnded({ ok: event.ok !== false, id, name, exitCode: numberOf(event.exitCode) });
        return;
      }
      case 'usage':
        notes.addUsage(
          clean({
            inputTokens: numberOf(event.inputTokens),
            outputTokens: numberOf(event.outputTokens),
            costUsd: numberOf(event.costUsd),
          }),
        );
        return;
      case 'retry':
        this.#waits(errorFrom(event.error));
        return;
      case 'result':
        this.#result(event);
        return;
    }
  }

  #waits(error: AgentError): void {
    if (error.kind === 'limited') this.notes.limit(error.message, error.resetAt, error);
    else this.notes.retry(error);
  }

  #result(event: Json): void {
    const text = stringOf(event.text);
    if (text !== undefined) this.notes.finalMessage = text;
    if (event.status === 'success') this.notes.ended('success');
    else if (event.status === 'turns') this.notes.ended('turns', errorFrom(event.error));
    else this.notes.ended('error', errorFrom(event.error));
  }
}
