import type { Cause } from '../../protocol/idea-run.js';
import type { AgentSignal } from '../../protocol/signal.js';
import { clip } from '../text.js';
import type { Feedback } from '../../protocol/agent-run.js';

const MAX_CAUSE = 160;

/** How an iteration ended when another one follows. */
export function causeOf(feedback: Feedback | undefined, signal: AgentSignal | undefined): string | undefined {
  switch (feedback?.kind) {
    case 'claimed-but-empty':
      return 'the agent reported COMPLETE but changed nothing';
    case 'gate-failed':
    case 'landing-red':
      return `the gate was red: ${feedback.command}${feedback.exitCode === null ? '' : ` (exit code ${feedback.exitCode})`}`;
    case 'no-signal':
      return 'the agent ended without a signal';
    case 'iteration-timeout':
      return `the agent was stopped after ${feedback.minutes} min`;
    case 'run-failed':
      return feedback.message;
    case 'landing-conflict':
      return `its landing hit a conflict in ${feedback.files.join(', ')}`;
    case undefined:
      return signal?.kind === 'progress' ? `the agent reported PROGRESS ${signal.percent} %` : undefined;
  }
}

/** The same cause again adds one; another cause starts at one. */
export function nextCause(before: Cause | undefined, text: string | undefined): Cause | undefined {
  if (text === undefined) return undefined;
  const cut = clip(text, MAX_CAUSE);
  return { text: cut, times: before?.text === cut ? before.times + 1 : 1 };
}

/** The limit that the idea reached, and the cause that used it up. */
export function exhaustedText(reached: string, cause: Cause | undefined): string {
  if (!cause) return reached;
  return cause.times > 1
    ? `${reached}; ${cause.times} times in a row ${cause.text}`
    : `${reached}; the last time ${cause.text}`;
}
