/**
 * OpenAI Codex, headless: `codex exec --json`.
 * Invariant: the last of `turn.completed` and `turn.failed` decides; `error` events in between are retries.
 */
import type { Usage } from '../../protocol/activities.js';
import { clean, type Json, listOf, numberOf, objectOf, parseObject, stringOf } from '../json.js';
import type { AgentEvent, Emit } from '../stream.js';
import { TextTail } from '../text-tail.js';
import { toolSubject } from '../tool-subject.js';
import type { AgentAdapter, AgentError, AgentReader, Reading } from '../types.js';

/** Codex gives the HTTP status in words only. */
export function statusIn(message: string): number | undefined {
  const match = /\b(?:unexpected status|last status:?|status code:?) (\d{3})\b/i.exec(message);
  return match ? Number(match[1]) : undefined;
}

const errorFrom = (message: string): AgentError => {
  const status = statusIn(message);
  return { message, ...(status === undefined ? {} : { status }) };
};

class CodexReader implements AgentReader {
  readonly #stderr = new TextTail(16 << 10);
  #reading: Omit<Reading, 'errorText'> = { finalMessage: '', turns: 0 };
  readonly #begun = new Set<string>();

  constructor(private readonly emit: Emit) {}

  line(line: string, stream: 'stdout' | 'stderr', truncated: boolean): { terminal?: true } | undefined {
    if (stream === 'stderr') {
      this.#stderr.add(line);
      return undefined;
    }
    const event = truncated ? undefined : parseObject(line);
    if (!event) return undefined;
    const reading = this.#reading;
    switch (event.type) {
      case 'thread.started': {
        const id = stringOf(event.thread_id);
        if (id !== undefined) reading.sessionId = id;
        this.emit(clean({ kind: 'session' as const, id }));
        return undefined;
      }
      case 'turn.started':
        delete reading.terminal;
        delete reading.error;
        return undefined;
      case 'item.started':
      case 'item.completed':
        this.#item(objectOf(event.item), event.type === 'item.completed');
        return undefined;
      case 'error':
        reading.retrying = errorFrom(stringOf(event.message) ?? 'unknown error');
        this.emit(retryEvent(reading.retrying));
        return undefined;
      case 'turn.completed':
        reading.terminal = 'success';
        delete reading.error;
        delete reading.retrying;
        reading.usage = usageFrom(objectOf(event.usage));
        this.emit({ kind: 'usage', ...reading.usage });
        this.emit({ kind: 'end', ok: true });
        return { terminal: true };
      case 'turn.failed':
        reading.terminal = 'error';
        delete reading.retrying;
        reading.error = errorFrom(stringOf(objectOf(event.error)?.message) ?? 'unknown error');
        this.emit({ kind: 'end', ok: false, message: reading.error.message });
        return { terminal: true };
      default:
        return undefined;
    }
  }

  #item(item: Json | undefined, completed: boolean): void {
    // Items of type error are notes (an unknown model, for one), not answers.
    if (!item || item.type === 'error') return;
    delete this.#reading.retrying;
    if (item.type !== 'agent_message') this.#tool(item, completed);
    if (!completed) return;
    this.#reading.turns++;
    if (item.type !== 'agent_message') return;
    this.#reading.finalMessage = stringOf(item.text) ?? '';
    this.emit({ kind: 'message', text: this.#reading.finalMessage });
  }

  /** Some items come when they begin and when they end, some only when they end. */
  #tool(item: Json, completed: boolean): void {
    const type = stringOf(item.type) ?? 'tool';
    const id = stringOf(item.id);
    // What it thinks and plans is no tool.
    if (type === 'reasoning' || type === 'todo_list') return;
    if (id === undefined || !this.#begun.delete(id)) {
      const name = stringOf(item.tool) ?? TOOL_NAMES[type] ?? type;
      this.emit(clean({ kind: 'tool' as const, name, id, subject: subjectOf(item) }));
    }
    if (!completed) {
      if (id !== undefined) this.#begun.add(id);
      return;
    }
    const exitCode = numberOf(item.exit_code);
    const ok = item.status !== 'failed' && item.status !== 'declined' && (exitCode === undefined || exitCode === 0);
    this.emit(clean({ kind: 'tool-result' as const, ok, id, exitCode }));
  }

  finish(): Reading {
    return { ...this.#reading, errorText: this.#stderr.toString() };
  }
}

const TOOL_NAMES: Readonly<Record<string, string>> = {
  command_execution: 'shell',
  file_change: 'edit',
  web_search: 'search',
};

function subjectOf(item: Json): string | undefined {
  const paths = listOf(item.changes).map((change) => stringOf(objectOf(change)?.path));
  const changed = paths.filter((path) => path !== undefined);
  return changed.length > 0 ? toolSubject(changed.join(' ')) : toolSubject(item.arguments ?? item);
}

/** `Reconnecting... 2/5 (why)` */
function retryEvent({ message, status }: AgentError): Extract<AgentEvent, { kind: 'retrying' }> {
  const count = /\b(\d+)\/(\d+)\b/.exec(message);
  const [attempt, of] = count ? [Number(count[1]), Number(count[2])] : [];
  return clean({ kind: 'retrying' as const, message, status, attempt, of });
}

function usageFrom(usage: Json | undefined): Usage {
  const inputTokens = numberOf(usage?.input_tokens);
  const outputTokens = numberOf(usage?.output_tokens);
  return {
    ...(inputTokens === undefined ? {} : { inputTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
  };
}

export const codex: AgentAdapter = {
  id: 'codex',
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => ({
    argv: [
      ...(spec.command ?? ['codex']),
      ...['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', '-C', ctx.cwd],
      ...(spec.model ? ['-m', spec.model] : []),
      ...spec.args,
      '-',
    ],
    stdin: ctx.prompt,
    env: {},
  }),
  reader: (_spec, emit) => new CodexReader(emit),
};
