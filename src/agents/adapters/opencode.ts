/**
 * opencode, headless: `opencode run --format json`.
 * Invariant: there is no last event. A step that finished for another reason than tool calls is the end, until another
 * step begins. The events report a tool at its end; only the log shows requests to the model and the start of a tool.
 */

import { type EventHandler, EventReader } from '../reading/event-reader.js';
import { clean, entryOf, type Json, numberOf, objectOf, stringOf, sumOf } from '../reading/json.js';
import { statusIn } from '../reading/patterns.js';
import { RunNotes } from '../reading/run-notes.js';
import type { AgentAdapter, AgentError } from '../types.js';

const NAMES: Readonly<Record<string, AgentError['kind']>> = {
  ContextOverflowError: 'context',
  ProviderAuthError: 'auth',
  ProviderModelNotFoundError: 'config',
  MessageAbortedError: 'killed',
  MessageOutputLengthError: 'agent',
};

/** Reasons that end a step well; some providers give a meaningless one. */
const GOOD_ENDS = new Set(['stop', 'other', 'unknown']);

/** The start of a log line; the rest may quote anything. */
const LOG = /^timestamp=\S+ level=([A-Z]+) run=\S+ message=("[^"]*"|\S+)/;

class OpencodeEvents implements EventHandler {
  #sessionId: string | undefined;
  #messageId: string | undefined;
  #texts: string[] = [];

  constructor(private readonly notes: RunNotes) {}

  event(event: Json): void {
    const part = objectOf(event.part);
    this.#session(stringOf(event.sessionID));
    switch (event.type) {
      case 'step_start':
        this.notes.reopened();
        this.#step(stringOf(part?.messageID));
        return;
      case 'text':
        this.#step(stringOf(part?.messageID));
        this.notes.turn(this.#messageId);
        this.#texts.push(stringOf(part?.text) ?? '');
        this.notes.say(this.#texts.at(-1) ?? '');
        return;
      case 'tool_use':
        this.#tool(part);
        return;
      case 'step_finish':
        this.#finish(part);
        return;
      case 'error':
        this.notes.failed(errorFrom(objectOf(event.error), numberOf(event.timestamp) ?? Date.now()));
        return;
    }
  }

  #session(id: string | undefined): void {
    if (id === undefined || id === this.#sessionId) return;
    this.#sessionId = id;
    this.notes.session(id);
  }

  /** It starts with the first sign of an answer, which follows. */
  #step(messageId: string | undefined): void {
    this.notes.working();
    if (messageId === this.#messageId) return;
    this.#messageId = messageId;
    this.#texts = [];
  }

  #tool(part: Json | undefined): void {
    this.notes.turn(this.#messageId);
    const state = objectOf(part?.state);
    const [name, id] = [stringOf(part?.tool) ?? 'tool', stringOf(part?.callID)];
    this.notes.tool({ name, id, args: state?.input });
    this.notes.toolEnded({
      ok: state?.status !== 'error',
      id,
      exitCode: numberOf(objectOf(state?.metadata)?.exit),
      note: stringOf(state?.error),
    });
  }

  #finish(part: Json | undefined): void {
    this.notes.turn(this.#messageId);
    const tokens = objectOf(part?.tokens);
    const cache = objectOf(tokens?.cache);
    this.notes.addUsage(
      clean({
        inputTokens: sumOf(tokens?.input, cache?.read, cache?.write),
        outputTokens: sumOf(tokens?.output, tokens?.reasoning),
        costUsd: numberOf(part?.cost),
      }),
    );
    const reason = stringOf(part?.reason) ?? 'unknown';
    if (reason === 'tool-calls') return;
    this.notes.finalMessage = this.#texts.join('\n');
    if (GOOD_ENDS.has(reason)) this.notes.ended('success');
    else this.notes.failed({ message: `the answer ended with "${reason}"` });
  }

  /** The request for a title (`small`) is not the agent's. */
  stderr(line: string): void {
    const [, level, message] = LOG.exec(line) ?? [];
    if (message === undefined || /\bsmall=true\b/.test(line)) return;
    if (level === 'ERROR' && message === '"stream error"') this.#refused(line);
    else if (level === 'INFO' && message === 'stream') {
      // Later ones may be a subagent's, which cannot be resumed.
      if (this.#sessionId === undefined) this.#session(/\bsession\.id=(\S+)/.exec(line)?.[1]);
      this.notes.at('model');
    } else if (level === 'INFO' && message === 'evaluated') this.notes.at('tool');
  }

  #refused(line: string): void {
    const message = /\berror\.error="((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? 'the model did not answer';
    this.notes.retry(clean({ message, status: statusIn(message) }));
  }

  chatter(line: string): boolean {
    return LOG.exec(line)?.[1] === 'INFO';
  }
}

function errorFrom(error: Json | undefined, at: number): AgentError {
  const data = objectOf(error?.data);
  const name = stringOf(error?.name);
  const message = stringOf(data?.message) ?? name ?? 'unknown error';
  const status = numberOf(data?.statusCode);
  const lost = status === undefined && data?.isRetryable === true ? ('transient' as const) : undefined;
  return clean({
    message,
    status,
    kind: entryOf(NAMES, name) ?? lost,
    resetAt: resetOf(objectOf(data?.responseHeaders), at),
  });
}

/** Seconds from then, or a date. */
function resetOf(headers: Json | undefined, at: number): number | undefined {
  const value = stringOf(headers?.['retry-after']);
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return at + seconds * 1000;
  return Date.parse(value) || undefined;
}

export const opencode: AgentAdapter = {
  id: 'opencode',
  resumes: true,
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => ({
    argv: [
      ...(spec.command ?? ['opencode']),
      ...['run', '--format', 'json', '--auto', '--print-logs', '--log-level', 'INFO'],
      ...(spec.model ? ['-m', spec.model] : []),
      ...(spec.effort ? ['--variant', spec.effort] : []),
      ...(ctx.resume ? ['--session', ctx.resume] : []),
      ...spec.args,
    ],
    stdin: ctx.prompt,
    env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
  }),
  reader: (_spec, emit) => {
    const notes = new RunNotes(emit, false);
    return new EventReader(notes, new OpencodeEvents(notes));
  },
};
