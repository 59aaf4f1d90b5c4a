/**
 * Any program that takes a prompt on stdin. Text: its stdout is its message. JSON: one event a line (docs/agents.md).
 * Invariant: stdout is the agent's prose and is never read for errors; memory is bounded.
 */

import { withoutEscapes } from '../../protocol/escapes.js';
import type { FailureKind, LimitScope } from '../../protocol/failures.js';
import { type EventHandler, EventReader } from '../reading/event-reader.js';
import { clean, type Json, numberOf, objectOf, stringOf } from '../reading/json.js';
import { RunNotes } from '../reading/run-notes.js';
import type { Emit } from '../reading/stream.js';
import { MessageTail, TextTail } from '../reading/tails.js';
import { type AgentAdapter, AgentConfigError, type AgentError, type AgentReader, type Reading } from '../types.js';

/** How much of a text program's output is its final message, in characters. */
const MESSAGE_LIMIT = 256 << 10;

export class TextReader implements AgentReader {
  readonly #stdout = new MessageTail(MESSAGE_LIMIT);
  readonly #stderr = new TextTail(16 << 10);
  #spoke = false;
  readonly retrying = false;

  constructor(private readonly emit: Emit) {}

  line(line: string, stream: 'stdout' | 'stderr'): undefined {
    if (stream === 'stderr') this.#stderr.add(line);
    else {
      const plain = withoutEscapes(line);
      this.#stdout.add(plain);
      if (plain.trim() === '') return undefined;
      this.#spoke = true;
      this.emit({ kind: 'message', text: plain });
    }
    return undefined;
  }

  finish(): Reading {
    return {
      finalMessage: this.#stdout.toString(),
      errorText: this.#stderr.toString(),
      turns: this.#spoke ? 1 : 0,
      // Plain text does not show what it waits for.
      awaitsModel: false,
    };
  }
}

export const command: AgentAdapter = {
  id: 'command',
  resumes: false,
  hasTerminalEvent: (spec) => spec.output === 'json',
  invocation: (spec, ctx) => {
    if (!spec.command || spec.command.length === 0) {
      throw new AgentConfigError(
        `The agent ${spec.name} has the adapter "command" but no command. Add one to it in ralphctl.yaml, e.g. command: [my-agent, --yes].`,
      );
    }
    const model = spec.model ? ['--model', spec.model] : [];
    return { argv: [...spec.command, ...model, ...spec.args], stdin: ctx.prompt, env: {} };
  },
  reader: (spec, emit) => {
    if (spec.output !== 'json') return new TextReader(emit);
    // A program need not report its tools.
    const notes = new RunNotes(emit, false);
    return new EventReader(notes, new ContractEvents(notes));
  },
};

/* The JSON-lines contract of the `command` adapter (docs/agents.md). Invariant: an unknown line or field is ignored. */

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
