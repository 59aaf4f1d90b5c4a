/**
 * The stream-json events of Claude Code, which Qwen Code speaks too.
 * Invariant: success is the `result` event without `is_error`; assistant text, tool results and the user's lines are
 * never read for errors.
 */
import type { Usage } from '../../protocol/agent-run.js';
import type { LimitScope } from '../../protocol/failures.js';
import type { EventHandler } from '../reading/event-reader.js';
import { clean, entryOf, type Json, listOf, numberOf, objectOf, stringOf, sumOf } from '../reading/json.js';
import type { RunNotes } from '../reading/run-notes.js';
import type { AgentError } from '../types.js';

type Named = Pick<AgentError, 'kind' | 'scope'>;

/** The CLI's names of errors, where they are more precise than the HTTP status. */
const NAMES: Readonly<Record<string, Named>> = {
  rate_limit: { kind: 'limited', scope: 'rate' },
  usage_limit_reached: { kind: 'limited', scope: 'usage' },
  billing_error: { kind: 'limited', scope: 'credit' },
  authentication_failed: { kind: 'auth' },
  oauth_org_not_allowed: { kind: 'auth' },
  model_not_found: { kind: 'config' },
  server_error: { kind: 'transient' },
  overloaded: { kind: 'transient' },
  connection_failed: { kind: 'transient' },
  max_output_tokens: { kind: 'agent' },
  error_max_budget_usd: { kind: 'budget' },
};

/** How a result ends the run, by its terminal_reason. */
const REASONS: Readonly<Record<string, Named>> = {
  prompt_too_long: { kind: 'context' },
  aborted_tools: { kind: 'killed' },
  aborted_streaming: { kind: 'killed' },
};

export class ClaudeEvents implements EventHandler {
  #lastText = '';
  #resetAt: number | undefined;
  #limitScope: LimitScope | undefined;
  #errorName: string | undefined;
  #usage: Usage = {};
  #whole = true;

  /**
   * `errorIn`: an error that the CLI reports as a success. `whole`: the answer's usage arrived with it, as at its end.
   */
  constructor(
    private readonly notes: RunNotes,
    private readonly errorIn: (text: string, whole: boolean) => AgentError | undefined = () => undefined,
  ) {}

  event(event: Json): void {
    const begun = event.type === 'system' && event.subtype === 'init';
    this.notes.session(stringOf(event.session_id), stringOf(event.model), begun);
    if (event.type === 'system' && event.subtype === 'api_retry') this.#retry(event);
    else if (event.type === 'rate_limit_event') this.#limit(objectOf(event.rate_limit_info));
    else if (event.type === 'assistant') this.#assistant(event);
    else if (event.type === 'user') this.#toolResults(event);
    else if (event.type === 'result') this.#result(event);
  }

  #retry(event: Json): void {
    const status = numberOf(event.error_status);
    const name = stringOf(event.error) ?? 'unknown error';
    const message = `The model provider did not answer (${name}${status === undefined ? '' : `, HTTP ${status}`}); the CLI was retrying.`;
    const count = {
      attempt: numberOf(event.attempt),
      of: numberOf(event.max_retries),
      delayMs: numberOf(event.retry_delay_ms),
    };
    this.notes.retry({ ...clean({ message, status }), ...entryOf(NAMES, name) }, count, name);
  }

  #limit(info: Json | undefined): void {
    if (info?.status !== 'rejected') return;
    const at = numberOf(info.resetsAt);
    if (at !== undefined) this.#resetAt = at * 1000;
    this.#limitScope = 'usage';
    this.notes.limit(stringOf(info.rateLimitType) ?? 'usage limit', this.#resetAt);
  }

  #assistant(event: Json): void {
    const message = objectOf(event.message);
    const error = stringOf(event.error);
    if (error !== undefined || message?.model === '<synthetic>') {
      this.#errorName = stringOf(event.api_error) ?? error;
      return;
    }
    const first = objectOf(listOf(message?.content)[0]);
    // Not an answer of the model, but a message of the CLI in its place.
    const usage = objectOf(message?.usage);
    const whole = Boolean(inputOf(usage) || numberOf(usage?.output_tokens));
    // A subagent's text is not the agent's.
    const sub = Boolean(event.parent_tool_use_id);
    if (!sub) this.#whole = whole;
    if (this.errorIn(stringOf(first?.text) ?? '', whole)) return;
    const isNew = this.notes.turn(stringOf(message?.id));
    let text = '';
    for (const block of listOf(message?.content).map(objectOf)) {
      if (block?.type === 'text') {
        const words = stringOf(block.text) ?? '';
        text += words;
        this.notes.say(words, sub);
      } else if (block?.type === 'tool_use') {
        this.notes.tool({ name: stringOf(block.name) ?? 'tool', id: stringOf(block.id), args: block.input, sub });
      }
    }
    if (isNew) this.#count(usage);
    if (text !== '' && !sub) this.#lastText = text;
  }

  /** Each message repeats its own usage on every one of its lines. */
  #count(usage: Json | undefined): void {
    if (!usage) return;
    const [input, output] = [inputOf(usage), numberOf(usage.output_tokens)];
    if (!input && !output) return;
    this.#usage = clean({
      inputTokens: sumOf(this.#usage.inputTokens, input),
      outputTokens: sumOf(this.#usage.outputTokens, output),
    });
    this.notes.used(this.#usage);
  }

  #toolResults(event: Json): void {
    for (const block of listOf(objectOf(event.message)?.content).map(objectOf)) {
      if (block?.type !== 'tool_result') continue;
      const ok = block.is_error !== true;
      this.notes.toolEnded({ ok, id: stringOf(block.tool_use_id), note: stringOf(block.content) });
    }
  }

  #result(result: Json): void {
    const usage = objectOf(result.usage);
    const known = clean({
      inputTokens: inputOf(usage),
      outputTokens: numberOf(usage?.output_tokens),
      costUsd: numberOf(result.total_cost_usd),
    });
    this.notes.used({ ...this.#usage, ...known });
    const text = stringOf(result.result);
    const hidden = this.errorIn(text ?? '', this.#whole);
    // Only a success result contains the agent's last message; an error result contains the error.
    const failed = hidden !== undefined || result.is_error === true || result.subtype !== 'success';
    this.notes.finalMessage = failed ? this.#lastText : (text ?? this.#lastText);
    if (!failed) this.notes.ended('success');
    else if (result.subtype === 'error_max_turns') this.notes.ended('turns', this.#error(result));
    else this.notes.ended('error', hidden ?? this.#error(result));
  }

  #error(result: Json): AgentError {
    const subtype = stringOf(result.subtype);
    const errors = listOf(result.errors).filter((entry) => typeof entry === 'string');
    // The field `error` is qwen's, for errors before its first turn.
    const said = errors.length > 0 ? errors.join('; ') : stringOf(objectOf(result.error)?.message);
    const message = stringOf(result.result) ?? said ?? subtype ?? 'unknown error';
    const named =
      entryOf(REASONS, result.terminal_reason) ??
      entryOf(NAMES, stringOf(result.api_error) ?? this.#errorName) ??
      entryOf(NAMES, subtype);
    const status = numberOf(result.api_error_status);
    return {
      ...clean({ message, status, resetAt: this.#resetAt, scope: this.#limitScope }),
      ...withoutScope(named, this.#limitScope),
    };
  }
}

/** The announced limit is more exact than the name of the error. */
function withoutScope(named: Named | undefined, known: LimitScope | undefined): Named {
  if (!named || known === undefined) return named ?? {};
  return clean({ kind: named.kind });
}

const inputOf = (usage: Json | undefined): number | undefined =>
  sumOf(usage?.input_tokens, usage?.cache_read_input_tokens, usage?.cache_creation_input_tokens);
