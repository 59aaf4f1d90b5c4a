/**
 * Gemini CLI, headless: `gemini --output-format stream-json`.
 * Invariant: the agent's text is the assistant's pieces after the last tool result. The `user` event contains the whole
 * prompt and is never read. Success is the `result` event with status success; the exit code alone is unreliable both
 * ways.
 */
import { join } from 'node:path';
import { type EventHandler, EventReader } from '../reading/event-reader.js';
import { clean, entryOf, type Json, numberOf, objectOf, stringOf } from '../reading/json.js';
import { statusIn } from '../reading/patterns.js';
import { RunNotes } from '../reading/run-notes.js';
import type { AgentAdapter, AgentError, ExitMeaning } from '../types.js';

/** Types of errors in its result that are more precise than their texts. */
const TYPES: Readonly<Record<string, AgentError['kind']>> = {
  FatalAuthenticationError: 'auth',
  FatalInputError: 'config',
  FatalConfigError: 'config',
  FatalSandboxError: 'config',
  FatalCancellationError: 'killed',
};

const EXITS: Readonly<Record<string, ExitMeaning>> = {
  41: { kind: 'auth' },
  42: { kind: 'config' },
  44: { kind: 'config' },
  52: { kind: 'config' },
  53: { turns: true },
};

/** Defaults below the user's own settings. Its ten retries at a limit take four minutes. */
const SETTINGS = JSON.stringify({ general: { maxAttempts: 3 } });

class GeminiEvents implements EventHandler {
  #text = '';
  #answering = false;
  #lastError: string | undefined;

  constructor(private readonly notes: RunNotes) {}

  event(event: Json): void {
    const { notes } = this;
    switch (event.type) {
      case 'init':
        notes.session(stringOf(event.session_id), stringOf(event.model));
        return;
      case 'message':
        if (event.role === 'assistant') this.#words(stringOf(event.content) ?? '', event.delta === true);
        return;
      case 'tool_use':
        this.#answer();
        this.#flush();
        notes.tool({
          name: stringOf(event.tool_name) ?? 'tool',
          id: stringOf(event.tool_id),
          args: event.parameters,
        });
        return;
      case 'tool_result': {
        this.#answering = false;
        this.#text = '';
        const ok = event.status !== 'error';
        notes.toolEnded({ ok, id: stringOf(event.tool_id), note: stringOf(objectOf(event.error)?.message) });
        return;
      }
      case 'error':
        if (event.severity !== 'warning') this.#lastError = stringOf(event.message);
        return;
      case 'result':
        this.#result(event);
        return;
    }
  }

  #words(text: string, piece: boolean): void {
    this.notes.working();
    this.#text = piece ? this.#text + text : text;
  }

  /** Counted when complete: half of one may be all that ever arrives. */
  #answer(): void {
    if (!this.#answering) this.notes.turn();
    this.#answering = true;
  }

  #flush(): void {
    if (this.#text !== '') this.notes.say(this.#text);
  }

  #result(event: Json): void {
    if (this.#text !== '') this.#answer();
    this.#flush();
    this.notes.finalMessage = this.#text;
    const stats = objectOf(event.stats);
    const usage = clean({ inputTokens: numberOf(stats?.input_tokens), outputTokens: numberOf(stats?.output_tokens) });
    this.notes.used(usage);
    if (event.status === 'success') {
      this.notes.ended('success');
      return;
    }
    const error = objectOf(event.error);
    const message = stringOf(error?.message) ?? this.#lastError ?? 'unknown error';
    if (error?.type === 'FatalTurnLimitedError') {
      this.notes.ended('turns', { message });
      return;
    }
    this.notes.ended('error', clean({ message, kind: entryOf(TYPES, error?.type), status: statusIn(message) }));
  }

  /** `Attempt 3 failed: why` and, perhaps lines later, `Retrying after 21750ms...` */
  stderr(line: string): void {
    const failed = /^Attempt (\d+) failed(?: with status (\d{3}))?[.:]? ?(.*)/.exec(line);
    if (!failed) return;
    const message = failed[3] || 'the model did not answer';
    const status = failed[2] ? Number(failed[2]) : statusIn(message);
    this.notes.retry(clean({ message, status }), { attempt: Number(failed[1]) });
  }

  end(): void {
    if (this.#text !== '') this.notes.finalMessage = this.#text;
  }
}

export const gemini: AgentAdapter = {
  id: 'gemini',
  resumes: true,
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => {
    const file = join(ctx.scratch, 'gemini-defaults.json');
    return {
      argv: [
        ...(spec.command ?? ['gemini']),
        ...['--output-format', 'stream-json', '--yolo', '--skip-trust'],
        ...(spec.model ? ['-m', spec.model] : []),
        ...(ctx.resume ? ['--resume', ctx.resume] : []),
        ...spec.args,
      ],
      stdin: ctx.prompt,
      env: {
        // Otherwise the started process only starts another one, and passes no signal to it.
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_TELEMETRY_ENABLED: 'false',
        // It reads settings only from the user's own file and from root-owned files in root-owned folders.
        ...(ctx.root ? { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: file } : {}),
      },
      files: ctx.root ? { [file]: SETTINGS } : undefined,
    };
  },
  reader: (_spec, emit) => {
    const notes = new RunNotes(emit);
    return new EventReader(notes, new GeminiEvents(notes));
  },
  exitMeaning: (exitCode) => {
    const known = entryOf(EXITS, String(exitCode));
    if (known) return known;
    // An API error ends it with the HTTP status, of which an exit code holds the lowest eight bits.
    const status = exitCode + 256;
    return status >= 400 && status < 512 ? { status } : undefined;
  },
};
