/**
 * The commands that bring an idea of an open run on. Views and alerts ask here, so that all advise the same.
 * Invariant: names only commands that an open run accepts then; but for `approve` and `resume`, they are accepted after
 * it, too, because an alert may be read late.
 * Pure; may import protocol and decide only.
 */
import { answerCommand } from '../../protocol/answer-command.js';
import { ranOutOf } from './completion.js';

/** How an idea waits for a person. */
export type Waiting = 'asks' | 'approve' | 'blocked' | 'timed out' | 'failed' | 'held';

/** What a command needs to know about an idea. */
export interface AboutIdea {
  id: string;
  reason?: string | undefined;
  /** A single attempt: more iterations do not help it. */
  single?: true;
  /** The open question; the command then answers no later one. */
  questionId?: string | undefined;
}

/** A sentence around its commands. */
export interface Fix {
  fix: string;
  commands: string[];
}

export const oneCommand = (before: string, command: string, after = ''): Fix => ({
  fix: `${before}${command}${after}`,
  commands: [command],
});

/** `MINUTES`: a number that is more than it had. Undefined: it needs more iterations. */
export function moreTime({ id, reason }: AboutIdea): string | undefined {
  const out = ranOutOf(reason);
  if (out === 'iterations') return undefined;
  return `ralphctl edit ${id} ${out === 'time' ? '--timeout' : '--iteration-timeout'} MINUTES`;
}

export function fixNow(about: AboutIdea, waiting: Waiting): Fix {
  const { id, questionId, single } = about;
  switch (waiting) {
    case 'asks':
      return oneCommand('', answerCommand(id, questionId));
    case 'approve':
      return oneCommand('', `ralphctl approve ${id}`);
    case 'blocked':
      return oneCommand('solve this, then: ', `ralphctl unblock ${id}`);
    case 'timed out': {
      const [edit, retry] = [moreTime(about), `ralphctl retry ${id}`] as const;
      if (edit !== undefined) return { fix: `${edit}, then: ${retry}`, commands: [edit, retry] };
      if (single) return oneCommand('', retry, ' tries it again');
      return oneCommand('', `ralphctl limit ${id} 10`, ' grants 10 more iterations');
    }
    case 'failed':
      return oneCommand('fix the cause, then: ', `ralphctl retry ${id}`);
    case 'held':
      return oneCommand('', `ralphctl resume ${id}`);
  }
}

/** In one line for a shell. */
export const commandNow = (about: AboutIdea, waiting: Waiting): string => fixNow(about, waiting).commands.join(' && ');
