/**
 * Why an idea got nowhere, in the words that its reason carries when it runs out of iterations: how its last iterations
 * ended, and how often in a row in the same way.
 * May import protocol and decide only.
 */
import type { Feedback } from '../../protocol/activities.js';
import type { Cause } from '../../protocol/idea-run.js';
import type { AgentSignal } from '../../protocol/signal.js';
import { clip } from '../text.js';

const MAX_CAUSE = 160;

/** How an iteration ended that is followed by another one. */
export function causeOf(feedback: Feedback | undefined, signal: AgentSignal | undefined): string | undefined {
  switch (feedback?.kind) {
    case 'claimed-but-empty':
      return 'the agent said COMPLETE and had changed nothing';
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
      return `its landing met a conflict in ${feedback.files.join(', ')}`;
    case undefined:
      return signal?.kind === 'progress' ? `the agent said PROGRESS ${signal.percent} %` : undefined;
  }
}

/** The same cause again counts up; another one begins at one. */
export function nextCause(before: Cause | undefined, text: string | undefined): Cause | undefined {
  if (text === undefined) return undefined;
  const cut = clip(text, MAX_CAUSE);
  return { text: cut, times: before?.text === cut ? before.times + 1 : 1 };
}

/** The limit that was reached, and what used it up. */
export function exhaustedText(reached: string, cause: Cause | undefined): string {
  if (!cause) return reached;
  return cause.times > 1
    ? `${reached}; ${cause.times} times in a row ${cause.text}`
    : `${reached}; the last time ${cause.text}`;
}
