/** Claude Code, headless: `claude -p --output-format stream-json`. Its events are in claude-events.ts. */
import { EventReader } from '../reading/event-reader.js';
import { RunNotes } from '../reading/run-notes.js';
import type { AgentAdapter } from '../types.js';
import { ClaudeEvents } from './claude-events.js';

export const claude: AgentAdapter = {
  id: 'claude',
  resumes: true,
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => ({
    argv: [
      ...(spec.command ?? ['claude']),
      ...['-p', '--output-format', 'stream-json', '--verbose', '--dangerously-skip-permissions'],
      ...(spec.model ? ['--model', spec.model] : []),
      ...(spec.effort ? ['--effort', spec.effort] : []),
      ...(spec.maxTurns ? ['--max-turns', String(spec.maxTurns)] : []),
      ...(spec.maxBudgetUsd ? ['--max-budget-usd', String(spec.maxBudgetUsd)] : []),
      ...(ctx.resume ? ['--resume', ctx.resume] : []),
      ...spec.args,
    ],
    stdin: ctx.prompt,
    env: {
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_ERROR_REPORTING: '1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      // Long retries inside the CLI hide a limit from other agents on the same account.
      CLAUDE_CODE_MAX_RETRIES: '4',
      // Only when the user declares this machine a sandbox: it lets the CLI run as root.
      ...(spec.sandboxed ? { IS_SANDBOX: '1' } : {}),
    },
  }),
  reader: (_spec, emit) => {
    const notes = new RunNotes(emit);
    return new EventReader(notes, new ClaudeEvents(notes));
  },
};
