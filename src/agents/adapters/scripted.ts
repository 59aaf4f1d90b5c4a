/** The scripted agent of ralphctl: it follows a script. For demos, tests and trying out a set-up. */
import { programFile } from '../../process/program-file.js';
import type { AgentAdapter } from '../types.js';
import { TextReader } from './command.js';

export const scripted: AgentAdapter = {
  id: 'scripted',
  resumes: false,
  hasTerminalEvent: () => false,
  invocation: (spec, ctx) => ({
    argv: [...(spec.command ?? [process.execPath, programFile('scripted-agent.js')]), ...spec.args],
    stdin: ctx.prompt,
    env: {},
  }),
  reader: (_spec, emit) => new TextReader(emit),
};
