/**
 * Claude Code, headless: `claude -p --output-format stream-json`.
 * Invariant: success is the `result` event without `is_error`; assistant text, tool results and the user's lines are
 * never read for errors.
 */
import type { Usage } from '../../protocol/activities.js';
import { clean, type Json, listOf, numberOf, objectOf, parseObject, stringOf } from '../json.js';
import type { Emit } from '../stream.js';
import { TextTail } from '../text-tail.js';
import { toolSubject } from '../tool-subject.js';
import type { AgentAdapter, AgentError, AgentReader, Reading } from '../types.js';

/** What the CLI calls its errors, where that says more than the HTTP status. */
const KINDS: Readonly<Record<string, AgentError['kind']>> = {
  rate_limit: 'limited',
  usage_limit_reached: 'limited',
  billing_error: 'limited',
  authentication_failed: 'auth',
  oauth_org_not_allowed: 'auth',
  model_not_found: 'config',
  server_error: 'transient',
  overloaded: 'transient',
  connection_failed: 'transient',
  max_output_tokens: 'agent',
  error_max_turns: 'agent',
  error_max_budget_usd: 'agent',
};

class ClaudeReader implements AgentReader {
  readonly #stderr = new TextTail(16 << 10);
  readonly #turns = new Set<string>();
  #anonymousTurns = 0;
  #lastText = '';
  #resetAt: number | undefined;
  #errorName: string | undefined;
  #result: Json | undefined;
  #sessionId: string | undefined;
  #retrying: AgentError | undefined;
  #inputTokens = 0;
  #outputTokens = 0;

  constructor(private readonly emit: Emit) {}

  line(line: string, stream: 'stdout' | 'stderr', truncated: boolean): { terminal?: true } | undefined {
    if (stream === 'stderr') {
      this.#stderr.add(line);
      return undefined;
    }
    const event = truncated ? undefined : parseObject(line);
    if (!event) return undefined;
    this.#sessionId = stringOf(event.session_id) ?? this.#sessionId;
    switch (event.type) {
      case 'system':
        if (event.subtype === 'api_retry') this.#retry(event);
        if (event.subtype === 'init') this.emit({ kind: 'session', ...named(event) });
        return undefined;
      case 'rate_limit_event':
        this.#limit(objectOf(event.rate_limit_info));
        return undefined;
      case 'assistant':
        this.#assistant(event);
        return undefined;
      case 'user':
        this.#toolResults(event);
        return undefined;
      case 'result':
        this.#result = event;
        this.#retrying = undefined;
        this.#end(event);
        return { terminal: true };
      default:
        return undefined;
    }
  }

  #retry(event: Json): void {
    const status = numberOf(event.error_status);
    const name = stringOf(event.error) ?? 'unknown error';
    const kind = KINDS[name];
    this.#retrying = {
      message: `The model provider did not answer (${name}${status === undefined ? '' : `, HTTP ${status}`}); claude was trying again.`,
      ...(status === undefined ? {} : { status }),
      ...(kind ? { kind } : {}),
    };
    this.emit(
      clean({
        kind: 'retrying' as const,
        message: name,
        status,
        attempt: numberOf(event.attempt),
        of: numberOf(event.max_retries),
        delayMs: numberOf(event.retry_delay_ms),
      }),
    );
  }

  #limit(info: Json | undefined): void {
    const at = numberOf(info?.resetsAt);
    if (info?.status !== 'rejected') return;
    if (at !== undefined) this.#resetAt = at * 1000;
    this.emit(
      clean({ kind: 'limit' as const, message: stringOf(info.rateLimitType) ?? 'usage limit', resetAt: this.#resetAt }),
    );
  }

  #assistant(event: Json): void {
    const message = objectOf(event.message);
    const error = stringOf(event.error);
    if (error !== undefined || message?.model === '<synthetic>') {
      this.#errorName = stringOf(event.api_error) ?? error;
      return;
    }
    this.#retrying = undefined;
    const id = stringOf(message?.id);
    const isNew = id === undefined || !this.#turns.has(id);
    if (id === undefined) this.#anonymousTurns++;
    else this.#turns.add(id);
    this.#show(message, event.parent_tool_use_id ? { sub: true } : {});
    if (isNew) this.#count(objectOf(message?.usage));
    // A subagent's words are not the agent's.
    if (event.parent_tool_use_id) return;
    const text = listOf(message?.content)
      .map(objectOf)
      .filter((block) => block?.type === 'text')
      .map((block) => stringOf(block?.text) ?? '')
      .join('');
    if (text !== '') this.#lastText = text;
  }

  #show(message: Json | undefined, from: { sub?: true }): void {
    for (const block of listOf(message?.content).map(objectOf)) {
      const text = stringOf(block?.text);
      if (block?.type === 'text' && text) this.emit({ kind: 'message', text, ...from });
      if (block?.type !== 'tool_use') continue;
      const [id, subject] = [stringOf(block.id), toolSubject(block.input)];
      this.emit(clean({ kind: 'tool' as const, name: stringOf(block.name) ?? 'tool', id, subject, ...from }));
    }
  }

  /** Each message states its own usage, on every one of its lines. */
  #count(usage: Json | undefined): void {
    if (!usage) return;
    this.#inputTokens += inputOf(usage) ?? 0;
    this.#outputTokens += numberOf(usage.output_tokens) ?? 0;
    this.emit({ kind: 'usage', inputTokens: this.#inputTokens, outputTokens: this.#outputTokens });
  }

  #toolResults(event: Json): void {
    for (const block of listOf(objectOf(event.message)?.content).map(objectOf)) {
      if (block?.type !== 'tool_result') continue;
      const failed = block.is_error === true;
      const note = failed ? stringOf(block.content) : undefined;
      this.emit(clean({ kind: 'tool-result' as const, ok: !failed, id: stringOf(block.tool_use_id), note }));
    }
  }

  #end(result: Json): void {
    this.emit({ kind: 'usage', ...usageOf(result) });
    const failed = failedResult(result);
    this.emit({ kind: 'end', ok: !failed, ...(failed ? { message: this.#error(result).message } : {}) });
  }

  finish(): Reading {
    const result = this.#result;
    const turns = this.#turns.size + this.#anonymousTurns;
    const reading: Reading = {
      // Only a success result carries the agent's last word; an error result carries the error.
      finalMessage: result && result.is_error !== true ? (stringOf(result.result) ?? this.#lastText) : this.#lastText,
      errorText: this.#stderr.toString(),
      turns,
      ...(this.#sessionId === undefined ? {} : { sessionId: this.#sessionId }),
      ...(this.#retrying === undefined ? {} : { retrying: this.#retrying }),
    };
    if (!result) return reading;
    reading.usage = usageOf(result);
    const failed = failedResult(result);
    reading.terminal = failed ? 'error' : 'success';
    if (failed) reading.error = this.#error(result);
    return reading;
  }

  #error(result: Json): AgentError {
    const name = stringOf(result.api_error) ?? this.#errorName;
    const subtype = stringOf(result.subtype);
    const status = numberOf(result.api_error_status);
    const errors = listOf(result.errors).filter((entry) => typeof entry === 'string');
    const message = stringOf(result.result) ?? (errors.length > 0 ? errors.join('; ') : (subtype ?? 'unknown error'));
    const aborted = stringOf(result.terminal_reason)?.startsWith('aborted') ?? false;
    const kind = aborted ? 'killed' : (KINDS[name ?? ''] ?? KINDS[subtype ?? '']);
    return {
      message,
      ...(status === undefined ? {} : { status }),
      ...(kind === undefined ? {} : { kind }),
      ...(this.#resetAt === undefined ? {} : { resetAt: this.#resetAt }),
    };
  }
}

const sum = (...values: unknown[]): number | undefined => {
  const numbers = values.map(numberOf).filter((value) => value !== undefined);
  return numbers.length === 0 ? undefined : numbers.reduce((total, value) => total + value, 0);
};

const inputOf = (usage: Json | undefined): number | undefined =>
  sum(usage?.input_tokens, usage?.cache_read_input_tokens, usage?.cache_creation_input_tokens);

/** What a result event says was used. */
function usageOf(result: Json): Usage {
  const usage = objectOf(result.usage);
  return clean({
    inputTokens: inputOf(usage),
    outputTokens: numberOf(usage?.output_tokens),
    costUsd: numberOf(result.total_cost_usd),
  });
}

const failedResult = (result: Json): boolean => result.is_error === true || result.subtype !== 'success';

const named = (event: Json): { id?: string; model?: string } =>
  clean({ id: stringOf(event.session_id), model: stringOf(event.model) });

export const claude: AgentAdapter = {
  id: 'claude',
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => ({
    argv: [
      ...(spec.command ?? ['claude']),
      ...['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
      ...(spec.model ? ['--model', spec.model] : []),
      ...spec.args,
    ],
    stdin: ctx.prompt,
    env: {
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Long retries inside the CLI hide a limit from everybody else who shares the account.
      CLAUDE_CODE_MAX_RETRIES: '4',
      // Only on the user's word that this machine is a sandbox: it lets the CLI run as root.
      ...(spec.sandboxed ? { IS_SANDBOX: '1' } : {}),
    },
  }),
  reader: (_spec, emit) => new ClaudeReader(emit),
};
