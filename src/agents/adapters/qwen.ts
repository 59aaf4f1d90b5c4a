/**
 * Qwen Code, headless: `qwen --output-format stream-json`, in the events of Claude Code.
 * Invariant: a result that is an API error counts as one, whatever `is_error` and the exit code say.
 */
import { join } from 'node:path';
import { EventReader } from '../reading/event-reader.js';
import { clean } from '../reading/json.js';
import { statusIn } from '../reading/patterns.js';
import { RunNotes } from '../reading/run-notes.js';
import type { AgentAdapter, AgentError } from '../types.js';
import { ClaudeEvents } from './claude-events.js';

/**
 * A failed request arrives as the agent's last message. A failure in the middle of an answer is appended to the partial
 * answer; the missing usage distinguishes it from an agent that quotes an error.
 */
function apiError(text: string, whole: boolean): AgentError | undefined {
  const message = /^\[API Error\b/.test(text) ? text : whole ? undefined : /\[API Error: [^\n]*\]\s*$/.exec(text)?.[0];
  return message === undefined ? undefined : clean({ message, status: statusIn(message) });
}

/**
 * Defaults below the user's own settings. Its ten silent retries of a rate limit start at a minute each, and each is
 * seven requests with their own retries; only these seven remain.
 */
const SETTINGS = JSON.stringify({
  $version: 4,
  general: { enableAutoUpdate: false },
  model: { generationConfig: { maxRetries: 0 } },
});

export const qwen: AgentAdapter = {
  id: 'qwen',
  resumes: true,
  hasTerminalEvent: () => true,
  invocation: (spec, ctx) => {
    const file = join(ctx.scratch, 'qwen-defaults.json');
    return {
      argv: [
        ...(spec.command ?? ['qwen']),
        ...['--exclude-tools', 'ask_user_question', '--output-format', 'stream-json', '--yolo'],
        ...(spec.model ? ['-m', spec.model] : []),
        ...(spec.maxTurns ? ['--max-session-turns', String(spec.maxTurns)] : []),
        ...(ctx.resume ? ['--resume', ctx.resume] : []),
        ...spec.args,
      ],
      stdin: ctx.prompt,
      env: {
        // Otherwise the started process only starts another one, which outlives it.
        QWEN_CODE_NO_RELAUNCH: 'true',
        QWEN_CODE_SUPPRESS_YOLO_WARNING: '1',
        QWEN_TELEMETRY_ENABLED: 'false',
        QWEN_CODE_UNATTENDED_RETRY: 'false',
        QWEN_CODE_SYSTEM_DEFAULTS_PATH: file,
      },
      files: { [file]: SETTINGS },
    };
  },
  reader: (_spec, emit) => {
    const notes = new RunNotes(emit);
    return new EventReader(notes, new ClaudeEvents(notes, apiError));
  },
  // It ends at its limit of turns without a result event.
  exitMeaning: (exitCode) => (exitCode === 53 ? { turns: true } : undefined),
};
