/**
 * OpenAI Codex, headless: `codex exec --json`.
 * Invariant: the last of `turn.completed` and `turn.failed` decides; `error` events in between are retries.
 */
import type { Usage } from '../../protocol/activities.js';
import { type Json, numberOf, objectOf, parseObject, stringOf } from '../json.js';
import { TextTail } from '../text-tail.js';
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
        return undefined;
      case 'turn.completed':
        reading.terminal = 'success';
        delete reading.error;
        delete reading.retrying;
        reading.usage = usageFrom(objectOf(event.usage));
        return { terminal: true };
      case 'turn.failed':
        reading.terminal = 'error';
        delete reading.retrying;
        reading.error = errorFrom(stringOf(objectOf(event.error)?.message) ?? 'unknown error');
        return { terminal: true };
      default:
        return undefined;
    }
  }

  #item(item: Json | undefined, completed: boolean): void {
    // Items of type error are notes (an unknown model, for one), not answers.
    if (!item || item.type === 'error') return;
    delete this.#reading.retrying;
    if (!completed) return;
    this.#reading.turns++;
    if (item.type === 'agent_message') this.#reading.finalMessage = stringOf(item.text) ?? '';
  }

  finish(): Reading {
    return { ...this.#reading, errorText: this.#stderr.toString() };
  }
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
  reader: () => new CodexReader(),
};
