/**
 * Any program that takes a prompt on stdin. Text: its stdout is its message. JSON: one event a line (docs/agents.md).
 * Invariant: stdout is the agent's prose and is never read for errors; memory is bounded.
 */

import { EventReader } from '../reading/event-reader.js';
import { RunNotes } from '../reading/run-notes.js';
import type { Emit } from '../reading/stream.js';
import { MessageTail, TextTail, withoutEscapes } from '../reading/tails.js';
import { type AgentAdapter, AgentConfigError, type AgentReader, type Reading } from '../types.js';
import { ContractEvents } from './command-json.js';

/** How much of a text program's output is its final message, in characters. */
const MESSAGE_LIMIT = 256 << 10;

export class TextReader implements AgentReader {
  readonly #stdout = new MessageTail(MESSAGE_LIMIT);
  readonly #stderr = new TextTail(16 << 10);
  #spoke = false;
  readonly retrying = false;

  constructor(private readonly emit: Emit) {}

  line(line: string, stream: 'stdout' | 'stderr'): undefined {
    if (stream === 'stderr') this.#stderr.add(line);
    else {
      const plain = withoutEscapes(line);
      this.#stdout.add(plain);
      if (plain.trim() === '') return undefined;
      this.#spoke = true;
      this.emit({ kind: 'message', text: plain });
    }
    return undefined;
  }

  finish(): Reading {
    return {
      finalMessage: this.#stdout.toString(),
      errorText: this.#stderr.toString(),
      turns: this.#spoke ? 1 : 0,
      // Plain text does not show what it waits for.
      awaitsModel: false,
    };
  }
}

export const command: AgentAdapter = {
  id: 'command',
  resumes: false,
  hasTerminalEvent: (spec) => spec.output === 'json',
  invocation: (spec, ctx) => {
    if (!spec.command || spec.command.length === 0) {
      throw new AgentConfigError(
        `The agent ${spec.name} has the adapter "command" but no command. Add one to it in ralphctl.yaml, e.g. command: [my-agent, --yes].`,
      );
    }
    const model = spec.model ? ['--model', spec.model] : [];
    return { argv: [...spec.command, ...model, ...spec.args], stdin: ctx.prompt, env: {} };
  },
  reader: (spec, emit) => {
    if (spec.output !== 'json') return new TextReader(emit);
    // A program need not report its tools.
    const notes = new RunNotes(emit, false);
    return new EventReader(notes, new ContractEvents(notes));
  },
};
