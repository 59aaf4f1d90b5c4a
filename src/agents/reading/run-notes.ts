/**
 * The notes of a reader during a run. The reading at the end and the live stream use the same calls, so that no CLI can
 * show one thing and count another.
 * Invariant: nothing here throws; unknown values stay absent. The last ending counts, and an answer after a retry means
 * that the retry worked.
 */
import type { Usage } from '../../protocol/agent-run.js';
import { MOST_AMOUNT } from '../../protocol/budget.js';
import type { AgentError, Reading } from '../types.js';
import { clean } from './json.js';
import { type Emit, oneLine, toolSubject } from './stream.js';

const AMOUNTS = ['inputTokens', 'outputTokens', 'costUsd'] as const satisfies (keyof Usage)[];

/** Without impossible amounts, which would extend or exhaust a budget. They count as unknown. */
function possible(usage: Usage): Usage {
  const kept = { ...usage };
  for (const field of AMOUNTS) {
    const value = kept[field];
    if (value !== undefined && !(value >= 0 && value <= MOST_AMOUNT)) delete kept[field];
  }
  return kept;
}

export type Ending = NonNullable<Reading['terminal']>;

interface ToolCall {
  name: string;
  id?: string | undefined;
  /** Its arguments, or the important one. */
  args?: unknown;
  sub?: boolean;
}

interface ToolEnd {
  ok: boolean;
  id?: string | undefined;
  name?: string | undefined;
  exitCode?: number | undefined;
  note?: string | undefined;
}

interface RetryCount {
  attempt?: number | undefined;
  of?: number | undefined;
  delayMs?: number | undefined;
}

/** A tool that is reported only at its end. */
const SOME_TOOL = 'some tool';

export class RunNotes {
  readonly #turnIds = new Set<string>();
  readonly #openTools = new Set<string>();
  #anonymousTurns = 0;
  #finalMessage = '';
  #sessionId: string | undefined;
  #model: string | undefined;
  #usage: Usage | undefined;
  #retrying: AgentError | undefined;
  #ending: Ending | undefined;
  #error: AgentError | undefined;
  #final = false;
  #begun = false;

  /** `announcesTools`: this CLI reports the start of a tool, so without one it waits for its model. */
  constructor(
    private readonly emit: Emit,
    private announcesTools = true,
  ) {}

  get turns(): number {
    return this.#turnIds.size + this.#anonymousTurns;
  }

  /** The use of the run so far, as far as its CLI reports it. */
  get usage(): Usage | undefined {
    return this.#usage;
  }

  /** Before its first turn there is nothing to resume. */
  get conversation(): { id: string | undefined } | undefined {
    return this.turns > 0 ? { id: this.#sessionId } : undefined;
  }

  get retrying(): boolean {
    return this.#retrying !== undefined;
  }

  /** True after the run's last event: the rest is only shutdown. */
  takeFinal(): boolean {
    const final = this.#final;
    this.#final = false;
    return final;
  }

  /** The conversation has this id. `begun`: it is new to a watching person. */
  session(id: string | undefined, model?: string, begun = true): void {
    this.#sessionId = id ?? this.#sessionId;
    this.#model = model ?? this.#model;
    if (begun) this.emit(clean({ kind: 'session' as const, id, model }));
  }

  /** The model answered. False for another part of an answer that was already counted. */
  turn(id?: string): boolean {
    this.working();
    if (id === undefined) this.#anonymousTurns++;
    else if (this.#turnIds.has(id)) return false;
    else this.#turnIds.add(id);
    return true;
  }

  /** The wait is over. */
  working(): void {
    this.#retrying = undefined;
  }

  /** The agent's text to its user. A subagent's text is shown but does not count. */
  say(text: string, sub = false): void {
    if (!sub) this.#finalMessage = text;
    if (text !== '') this.emit({ kind: 'message', text, sub: sub || undefined });
  }

  /** The last message, when its pieces were already shown. */
  set finalMessage(text: string) {
    this.#finalMessage = text;
  }

  tool({ name, id, args, sub = false }: ToolCall): void {
    this.working();
    this.#openTools.add(id ?? '');
    const subject = toolSubject(args);
    this.emit(clean({ kind: 'tool' as const, name, id, subject, sub: sub || undefined }));
  }

  /** The current activity, where a CLI reports it apart from its tool calls. */
  at(work: 'model' | 'tool'): void {
    this.announcesTools = true;
    this.#begun = true;
    if (work === 'tool') this.#openTools.add(SOME_TOOL);
    else this.#openTools.clear();
  }

  toolEnded({ ok, id, name, exitCode, note }: ToolEnd): void {
    this.working();
    this.#openTools.delete(id ?? '');
    const why = ok || note === undefined ? undefined : oneLine(note);
    this.emit(clean({ kind: 'tool-result' as const, ok, id, name, exitCode, note: why }));
  }

  /** Totals of the run so far. */
  used(usage: Usage): void {
    this.#usage = possible(usage);
    this.emit({ kind: 'usage', ...this.#usage });
  }

  /** One more call was charged. */
  addUsage(part: Usage): void {
    const sum = { ...this.#usage };
    const known = possible(part);
    for (const field of AMOUNTS) {
      const value = known[field];
      if (value !== undefined) sum[field] = (sum[field] ?? 0) + value;
    }
    this.used(sum);
  }

  /** The CLI waits to retry by itself. `shown`: the name in the stream, when the error is longer. */
  retry(error: AgentError, count: RetryCount = {}, shown = error.message): void {
    this.#retrying = error;
    this.emit(clean({ kind: 'retrying' as const, message: shown, status: error.status, ...count }));
  }

  /** `waitingFor`: it waits for the limit to end, and resumes by itself. */
  limit(message: string, resetAt?: number, waitingFor?: AgentError): void {
    if (waitingFor) this.#retrying = waitingFor;
    this.emit(clean({ kind: 'limit' as const, message, resetAt }));
  }

  /** The run's last event. */
  ended(ending: Ending, error?: AgentError): void {
    this.#end(ending, error);
    this.#final = true;
  }

  /** An error that is usually the last event, although some CLIs continue after it. */
  failed(error: AgentError): void {
    this.#end('error', error);
  }

  /** It continues after all. */
  reopened(): void {
    this.#ending = undefined;
    this.#error = undefined;
  }

  #end(ending: Ending, error: AgentError | undefined): void {
    this.#ending = ending;
    this.#error = ending === 'success' ? undefined : error;
    this.#retrying = undefined;
    this.emit(clean({ kind: 'end' as const, ok: ending === 'success', message: this.#error?.message }));
  }

  reading(errorText: string): Reading {
    const { turns } = this;
    const begun = this.#begun || this.#sessionId !== undefined || turns > 0;
    const noTool = this.#openTools.size === 0 && (turns === 0 || this.announcesTools);
    return clean({
      finalMessage: this.#finalMessage,
      errorText,
      turns,
      // An ending through ralphctl's own stop does not change its activity until then.
      awaitsModel: begun && noTool,
      terminal: this.#ending,
      error: this.#error,
      retrying: this.#retrying,
      usage: this.#usage,
      sessionId: this.#sessionId,
      model: this.#model,
    });
  }
}
