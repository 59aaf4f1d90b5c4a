/** The scripted agent that comes with ralphctl: does what a script says. For demos, tests and trying out a set-up. */
import { fileURLToPath } from 'node:url';
import type { AgentAdapter } from '../types.js';
import { TextReader } from './command.js';

/** The program as it lies beside the bundle. */
const program = (): string => fileURLToPath(new URL('./scripted-agent.js', import.meta.url));

export const scripted: AgentAdapter = {
  id: 'scripted',
  hasTerminalEvent: () => false,
  invocation: (spec, ctx) => ({
    argv: [...(spec.command ?? [process.execPath, program()]), ...spec.args],
    stdin: ctx.prompt,
    env: {},
  }),
  reader: () => new TextReader(),
};
