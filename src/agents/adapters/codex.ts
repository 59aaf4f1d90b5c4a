/**
 * OpenAI Codex, headless: `codex exec --json`.
 * Invariant: the last of `turn.completed` and `turn.failed` decides; `error` events in between are retries.
 */

import { type EventHandler, EventReader } from '../reading/event-reader.js';
import { clean, entryOf, type Json, listOf, numberOf, objectOf, stringOf } from '../reading/json.js';
import { statusIn } from '../reading/patterns.js';
import { RunNotes } from '../reading/run-notes.js';
import type { AgentAdapter, AgentError } from '../types.js';

const errorFrom = (message: string): AgentError => clean({ message, status: statusIn(message) });

const TOOL_NAMES: Readonly<Record<string, string>> = {
  command_execution: 'shell',
  file_change: 'edit',
  web_search: 'search',
};

class CodexEvents implements EventHandler {
  readonly #begun = new Set<string>();

  constructor(private readonly notes: RunNotes) {}

  event(event: Json): void {
    const { notes } = this;
    switch (event.type) {
      case 'thread.started':
        notes.session(stringOf(event.thread_id));
        return;
      case 'turn.started':
        notes.reopened();
        return;
      case 'item.started':
      case 'item.completed':
        this.#item(objectOf(event.item), event.type === 'item.completed');
        return;
      case 'error': {
        const error = errorFrom(stringOf(event.message) ?? 'unknown error');
        // `Reconnecting... 2/5 (why)`
        const count = /\b(\d+)\/(\d+)\b/.exec(error.message);
        notes.retry(error, count ? { attempt: Number(count[1]), of: Number(count[2]) } : {});
        return;
      }
      case 'turn.completed': {
        const usage = objectOf(event.usage);
        notes.used(clean({ inputTokens: numberOf(usage?.input_tokens), outputTokens: numberOf(usage?.output_tokens) }));
        notes.ended('success');
        return;
      }
      case 'turn.failed':
        notes.ended('error', errorFrom(stringOf(objectOf(event.error)?.message) ?? 'unknown error'));
        return;
    }
  }

  #item(item: Json | undefined, completed: boolean): void {
    // Items of type error are notes (for example about an unknown model), not answers.
    if (!item || item.type === 'error') return;
    this.notes.working();
    if (item.type !== 'agent_message') this.#tool(item, completed);
    if (!completed) return;
    this.notes.turn();
    if (item.type === 'agent_message') this.notes.say(stringOf(item.text) ?? '');
  }

  /** Some items arrive at their start and end, some only at their end. */
  #tool(item: Json, completed: boolean): void {
    const type = stringOf(item.type) ?? 'tool';
    const id = stringOf(item.id);
    // Reasoning and plans are not tools.
    if (type === 'reasoning' || type === 'todo_list') return;
    if (id === undefined || !this.#begun.delete(id)) {
      const name = stringOf(item.tool) ?? entryOf(TOOL_NAMES, type) ?? type;
      this.notes.tool({ name, id, args: argumentsOf(item) });
    }
    if (!completed) {
      if (id !== undefined) this.#begun.add(id);
      return;
    }
    const exitCode = numberOf(item.exit_code);
    const ok = item.status !== 'failed' && item.status !== 'declined' && (exitCode === undefined || exitCode === 0);
    this.notes.toolEnded({ ok, id, exitCode });
  }
}

function argumentsOf(item: Json): unknown {
  const paths = listOf(item.changes).map((change) => stringOf(objectOf(change)?.path));
  const changed = paths.filter((path) => path !== undefined);
  return changed.length > 0 ? changed.join(' ') : (item.arguments ?? item);
}

export const codex: AgentAdapter = {
  id: 'codex',
  resumes: true,
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => ({
    argv: [
      ...(spec.command ?? ['codex']),
      ...['exec', '--json', '--dangerously-bypass-approvals-and-sandbox', '--skip-git-repo-check', '-C', ctx.cwd],
      ...(spec.model ? ['-m', spec.model] : []),
      ...(spec.effort ? ['-c', `model_reasoning_effort=${JSON.stringify(spec.effort)}`] : []),
      ...spec.args,
      ...(ctx.resume ? ['resume', ctx.resume] : []),
      '-',
    ],
    stdin: ctx.prompt,
    env: {},
  }),
  reader: (_spec, emit) => {
    const notes = new RunNotes(emit);
    return new EventReader(notes, new CodexEvents(notes));
  },
};
