/**
 * Makes the heartbeat details of a running agent from its events; `status` shows them.
 * Invariant: the details are small for any agent.
 */
import type { AgentHeartbeat, Usage } from '../../protocol/agent-run.js';
import { HEARTBEAT_TEXT_LIMIT } from '../../protocol/agent-run.js';
import { type AgentEvent, oneLine } from './stream.js';

export class Heartbeat {
  #tools = 0;
  #messages = 0;
  #usage: Usage | undefined;
  #last: string | undefined;
  #waits: AgentHeartbeat['waits'];
  #told = false;

  constructor(private readonly redact: (text: string) => string = (text) => text) {}

  take(event: AgentEvent): void {
    this.#told = false;
    if (event.kind === 'retrying') this.#waits = 'retrying';
    else if (event.kind === 'limit') this.#waits = 'limit';
    // Use is also reported between two retries.
    else if (event.kind !== 'usage') this.#waits = undefined;
    this.#last = this.#read(event) ?? this.#last;
  }

  /**
   * The state of the run; undefined when nothing happened since the last call. Call often: `at` is the time of the
   * call.
   */
  news(): AgentHeartbeat | undefined {
    if (this.#told) return undefined;
    this.#told = true;
    const last =
      this.#last === undefined ? undefined : oneLine(this.redact(this.#last.slice(0, 2000)), HEARTBEAT_TEXT_LIMIT);
    return {
      at: Date.now(),
      last,
      waits: this.#waits,
      tools: this.#tools,
      messages: this.#messages,
      usage: this.#usage,
    };
  }

  #read(event: AgentEvent): string | undefined {
    switch (event.kind) {
      case 'message':
        this.#messages++;
        return event.text;
      case 'tool':
        this.#tools++;
        return event.subject === undefined ? event.name : `${event.name}: ${event.subject}`;
      case 'usage': {
        const { kind: _, ...usage } = event;
        this.#usage = usage;
        return undefined;
      }
      case 'retrying':
      case 'limit':
        return event.message;
      default:
        return undefined;
    }
  }
}
