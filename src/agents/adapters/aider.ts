/**
 * aider: `aider --message-file FILE`. It prints plain text for people. Reliable are only the events in its analytics
 * log, which ralphctl points at stderr (nothing is sent).
 * Invariant: a run succeeds when its last request was answered and it ended by itself; its exit code is always 0. Its
 * stdout is read for errors only after the events report a failure.
 */

import { join } from 'node:path';
import { withoutEscapes } from '../../protocol/escapes.js';
import { type EventHandler, EventReader } from '../reading/event-reader.js';
import { clean, entryOf, type Json, numberOf, objectOf, parseObject, stringOf } from '../reading/json.js';
import { RunNotes } from '../reading/run-notes.js';
import type { Emit } from '../reading/stream.js';
import { MessageTail, TextTail } from '../reading/tails.js';
import type { AgentAdapter, AgentError, AgentReader, Reading } from '../types.js';

const MESSAGE_LIMIT = 256 << 10;
/** Follows each answer. */
const REPORT = /^Tokens: [\d.]+[kM]? sent, .*\breceived\b/;
/** The last line of its introduction. */
const BANNER_END = /^Repo-map: /;
const FAILURE = /^(?:litellm\.)?(\w+(?:Error|Timeout)|Timeout): (.*)/;

type Named = Pick<AgentError, 'kind' | 'scope' | 'status'>;

/** The error classes of its model library. */
const CLASSES: Readonly<Record<string, Named>> = {
  AuthenticationError: { kind: 'auth' },
  PermissionDeniedError: { kind: 'auth' },
  RateLimitError: { kind: 'limited' },
  RouterRateLimitError: { kind: 'limited' },
  BudgetExceededError: { kind: 'limited', scope: 'credit' },
  ContextWindowExceededError: { kind: 'context' },
  NotFoundError: { kind: 'config' },
  APIConnectionError: { kind: 'transient' },
  InternalServerError: { kind: 'transient' },
  ServiceUnavailableError: { kind: 'transient' },
  BadGatewayError: { kind: 'transient' },
  Timeout: { kind: 'transient' },
};

class AiderEvents implements EventHandler {
  #asked = false;
  #error: AgentError | undefined;

  constructor(private readonly notes: RunNotes) {}

  event(event: Json): void {
    const properties = objectOf(event.properties);
    switch (event.event) {
      case 'launched':
        this.notes.session(undefined);
        return;
      case 'message_send_starting':
        this.#asked = true;
        this.#error = undefined;
        this.notes.at('model');
        return;
      case 'message_send':
        this.#asked = false;
        this.notes.turn();
        // Edits of its answer, and the linting and tests after them.
        this.notes.at('tool');
        this.notes.addUsage(
          clean({
            inputTokens: numberOf(properties?.prompt_tokens),
            outputTokens: numberOf(properties?.completion_tokens),
            // It reports 0 for a model of unknown price.
            costUsd: numberOf(properties?.cost) || undefined,
          }),
        );
        return;
      case 'message_send_exception':
        this.#error = { message: stringOf(properties?.exception) ?? 'unknown error' };
        return;
      case 'exit':
        this.#exit(stringOf(properties?.reason) ?? '');
        return;
    }
  }

  #exit(reason: string): void {
    if (/^Control-C/.test(reason)) {
      this.notes.ended('error', { message: reason, kind: 'killed' });
      return;
    }
    if (!/^Completed/.test(reason)) {
      this.notes.ended('error', { message: reason, kind: 'config' });
      return;
    }
    if (!this.#asked && this.notes.turns > 0) {
      this.notes.ended('success');
      return;
    }
    // The error is only on stdout, and may arrive later than this.
    this.notes.ended('error', this.#error);
  }
}

export class AiderReader implements AgentReader {
  readonly #events: EventReader;
  readonly #notes: RunNotes;
  readonly #errors = new TextTail(16 << 10);
  #answer = new MessageTail(MESSAGE_LIMIT);
  #sinceAnswer = new MessageTail(MESSAGE_LIMIT);
  #answered = false;
  #failure: AgentError | undefined;

  constructor(private readonly emit: Emit) {
    this.#notes = new RunNotes(emit, false);
    this.#events = new EventReader(this.#notes, new AiderEvents(this.#notes));
  }

  get retrying(): boolean {
    return this.#notes.retrying;
  }

  line(line: string, stream: 'stdout' | 'stderr', truncated: boolean): { terminal?: true } | undefined {
    if (stream === 'stdout') {
      this.#text(withoutEscapes(line));
      return undefined;
    }
    const event = truncated ? undefined : parseObject(line);
    if (event && stringOf(event.event) !== undefined) return this.#events.line(line, 'stdout', truncated);
    this.#errors.add(line);
    return undefined;
  }

  /** The text before a report is the answer; the text after it is about files and commits. */
  #text(line: string): void {
    const failure = FAILURE.exec(line);
    if (failure) this.#failure = { message: failure[2] ?? line, ...entryOf(CLASSES, failure[1]) };
    else if (this.#failure && /^Retrying in [\d.]+ seconds/.test(line)) this.#notes.retry(this.#failure);
    else if (/has hit a token limit!/.test(line)) this.#failure ??= { message: line, kind: 'context' };
    if (REPORT.test(line)) {
      this.#answer = this.#sinceAnswer;
      this.#sinceAnswer = new MessageTail(MESSAGE_LIMIT);
      this.#answered = true;
      this.#notes.working();
      return;
    }
    if (BANNER_END.test(line)) {
      this.#sinceAnswer = new MessageTail(MESSAGE_LIMIT);
      return;
    }
    this.#sinceAnswer.add(line);
    if (line.trim() !== '') this.emit({ kind: 'message', text: line });
  }

  finish(): Reading {
    const reading = this.#events.finish();
    const said = this.#answered ? this.#answer.toString() : this.#sinceAnswer.toString();
    const failed = reading.terminal === 'error' || (reading.terminal === undefined && reading.turns === 0);
    const error = reading.error ?? (failed ? this.#failure : undefined);
    return {
      ...reading,
      finalMessage: said.trimEnd(),
      errorText: this.#errors.toString(),
      ...(error ? { error } : {}),
    };
  }
}

export const aider: AgentAdapter = {
  id: 'aider',
  resumes: false,
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => {
    const message = join(ctx.scratch, 'aider-message.md');
    return {
      argv: [
        ...(spec.command ?? ['aider']),
        ...(spec.model ? ['--model', spec.model] : []),
        ...(spec.effort ? ['--reasoning-effort', spec.effort] : []),
        ...['--message-file', message, '--analytics-log', '/dev/stderr', '--no-analytics'],
        ...['--yes-always', '--no-stream', '--no-pretty', '--no-fancy-input', '--no-suggest-shell-commands'],
        // It would fetch each URL in a prompt, and open each URL of an error in a browser.
        ...['--no-detect-urls', '--disable-playwright', '--no-check-update', '--no-show-release-notes'],
        ...['--no-show-model-warnings', '--no-gitignore', '--no-auto-commits', '--no-dirty-commits'],
        // Its histories and its map's cache would be in the worktree and get committed.
        ...['--chat-history-file', join(ctx.scratch, 'aider-chat.md')],
        ...['--input-history-file', join(ctx.scratch, 'aider-input'), '--map-tokens', '0'],
        ...spec.args,
      ],
      // COLUMNS: it wraps its output, and a wrapped signal is unreadable.
      env: { COLUMNS: '100000', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
      files: { [message]: ctx.prompt },
    };
  },
  reader: (_spec, emit) => new AiderReader(emit),
};
