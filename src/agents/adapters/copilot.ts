/**
 * GitHub Copilot CLI, headless: `copilot --output-format json`.
 * Invariant: success is the `result` event with exit code 0 and no session error after the last answer. The last answer
 * is the last assistant message without a tool request. The user's message is never read.
 */

import { type EventHandler, EventReader } from '../reading/event-reader.js';
import { clean, entryOf, type Json, listOf, numberOf, objectOf, stringOf } from '../reading/json.js';
import { statusIn } from '../reading/patterns.js';
import { RunNotes } from '../reading/run-notes.js';
import type { AgentAdapter, AgentError } from '../types.js';

type Named = Pick<AgentError, 'kind' | 'scope'>;

const TYPES: Readonly<Record<string, Named>> = {
  authentication: { kind: 'auth' },
  authorization: { kind: 'auth' },
  rate_limit: { kind: 'limited' },
  quota: { kind: 'limited', scope: 'usage' },
  context_limit: { kind: 'context' },
};

/** Pieces of messages that arrive complete later. */
const PIECES: ReadonlySet<string> = new Set(['assistant.message_delta', 'assistant.tool_call_delta']);

class CopilotEvents implements EventHandler {
  #failure: AgentError | undefined;
  #error: AgentError | undefined;

  constructor(private readonly notes: RunNotes) {}

  event(event: Json): void {
    const data = objectOf(event.data);
    switch (event.type) {
      case 'session.start':
        this.notes.session(stringOf(data?.sessionId));
        return;
      case 'model.call_start':
        this.notes.at('model');
        return;
      case 'assistant.message':
        this.#message(data);
        return;
      case 'tool.execution_start':
        this.notes.tool({
          name: stringOf(data?.toolName) ?? 'tool',
          id: stringOf(data?.toolCallId),
          args: data?.arguments,
        });
        return;
      case 'tool.execution_complete':
        this.notes.toolEnded({
          ok: data?.success !== false,
          id: stringOf(data?.toolCallId),
          note: stringOf(objectOf(data?.error)?.message),
        });
        return;
      case 'model.call_failure':
        this.#failure = failureFrom(data);
        return;
      case 'assistant.turn_retry':
        this.notes.retry(this.#failure ?? { message: stringOf(data?.reason) ?? 'unknown error' });
        return;
      case 'session.error':
        this.#error = errorFrom(data);
        return;
      case 'result':
        this.#result(event);
        return;
    }
  }

  #message(data: Json | undefined): void {
    this.notes.turn(stringOf(data?.messageId));
    const text = stringOf(data?.content) ?? '';
    const sub = Boolean(data?.parentToolCallId);
    if (!sub) this.#error = undefined;
    // Text beside tool calls is a comment; it is the last message only if nothing follows.
    if (text !== '' || listOf(data?.toolRequests).length === 0) this.notes.say(text, sub);
  }

  #result(event: Json): void {
    this.notes.session(stringOf(event.sessionId), undefined, false);
    const exitCode = numberOf(event.exitCode);
    if (exitCode === 0 && !this.#error) {
      this.notes.ended('success');
      return;
    }
    const unknown = { message: `copilot ended with exit code ${exitCode ?? 'unknown'}` };
    this.notes.ended('error', this.#error ?? this.#failure ?? unknown);
  }
}

function failureFrom(data: Json | undefined): AgentError {
  const message = stringOf(data?.errorMessage) ?? 'the model did not answer';
  return clean({ message, status: numberOf(data?.statusCode) ?? statusIn(message) });
}

function errorFrom(data: Json | undefined): AgentError {
  const message = stringOf(data?.message) ?? 'unknown error';
  const status = numberOf(data?.statusCode) ?? statusIn(message);
  return { ...clean({ message, status }), ...entryOf(TYPES, data?.errorType) };
}

export const copilot: AgentAdapter = {
  id: 'copilot',
  resumes: true,
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => ({
    argv: [
      ...(spec.command ?? ['copilot']),
      ...['--output-format', 'json', '--allow-all', '--no-ask-user', '--no-auto-update', '--no-remote', '--no-color'],
      ...(spec.model ? ['--model', spec.model] : []),
      ...(spec.effort ? ['--reasoning-effort', spec.effort] : []),
      // It reports its session's id only at the end, too late for a resume, so ralphctl assigns one.
      ...(ctx.resume ? [`--resume=${ctx.resume}`] : ['--session-id', ctx.sessionId]),
      ...spec.args,
    ],
    stdin: ctx.prompt,
    env: { COPILOT_AUTO_UPDATE: 'false' },
    sessionId: ctx.resume ?? ctx.sessionId,
  }),
  reader: (_spec, emit) => {
    const notes = new RunNotes(emit);
    return new EventReader(notes, new CopilotEvents(notes), PIECES);
  },
};
