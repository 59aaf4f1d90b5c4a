/**
 * Suggests commands for an idea that has not landed, during its run and after it.
 * Invariant: names only commands that the program accepts then. Pure.
 */
import { ranOutOf } from '../decide/idea/completion.js';
import type { IdeaModel, RunModel } from '../model/model.js';
import { startCommand } from '../model/start-again.js';
import type { OpenState } from './schema.js';

export interface Fix {
  fix: string;
  commands: string[];
}

/** Builds a sentence: `asText` formats the words and `asCode` the commands. */
export function withCommands(
  fix: string,
  commands: readonly string[],
  asText: (text: string) => string,
  asCode: (command: string) => string,
): string {
  let rest = fix;
  let out = '';
  for (const command of commands) {
    const at = rest.indexOf(command);
    if (at < 0) continue;
    out += `${asText(rest.slice(0, at))}${asCode(command)}`;
    rest = rest.slice(at + command.length);
  }
  return `${out}${asText(rest)}`;
}

const one = (before: string, command: string, after = ''): Fix => ({
  fix: `${before}${command}${after}`,
  commands: [command],
});

/** What a command needs to know about an idea. */
type About = Pick<IdeaModel, 'id' | 'status' | 'warnings'> & { reason?: string | undefined };

/** Undefined when no action is necessary. `start`: the command that begins the next run. */
export function fixOf(idea: About, state: OpenState, over: { start: string } | false): Fix | undefined {
  return over ? afterwards(idea, state, over.start) : meanwhile(idea, state);
}

/** `over` of `fixOf` in a report. */
export const overOf = ({ startAgain }: Pick<RunModel, 'startAgain'>, over: boolean): { start: string } | false =>
  over && { start: startCommand(startAgain) };

/** `MINUTES`: a number that is more than it had. Undefined: it needs more iterations. */
function moreTime({ id, reason }: About): string | undefined {
  const out = ranOutOf(reason);
  if (out === 'iterations') return undefined;
  return `ralphctl edit ${id} ${out === 'time' ? '--timeout' : '--iteration-timeout'} MINUTES`;
}

function meanwhile(about: About, state: OpenState): Fix | undefined {
  const { id, status } = about;
  switch (state) {
    case 'asks':
      return one('', `ralphctl answer ${id} "…"`);
    case 'approve':
      return one('', `ralphctl approve ${id}`);
    case 'blocked':
      return one('solve this, then: ', `ralphctl unblock ${id}`);
    case 'timed out': {
      const [edit, retry] = [moreTime(about), `ralphctl retry ${id}`];
      if (edit !== undefined) return { fix: `${edit}, then: ${retry}`, commands: [edit, retry] };
      return one('', `ralphctl limit ${id} 10`, ' grants 10 more iterations');
    }
    case 'failed':
      return one('fix the cause, then: ', `ralphctl retry ${id}`);
    case 'held':
      return status === 'paused' ? one('', `ralphctl resume ${id}`) : undefined;
    default:
      return undefined;
  }
}

function afterwards(about: About, state: OpenState, start: string): Fix | undefined {
  const { id, warnings } = about;
  const then = (command: string): Fix => ({ fix: `${start}, then: ${command}`, commands: [start, command] });
  switch (state) {
    case 'asks': {
      const answer = `ralphctl answer ${id} "…"`;
      return { fix: `${answer}, then: ${start}`, commands: [answer, start] };
    }
    case 'approve':
      return then(`ralphctl approve ${id}`);
    case 'blocked': {
      const abandon = `ralphctl abandon ${id}`;
      return { fix: `solve this, then: ${start}. Or leave it out: ${abandon}`, commands: [start, abandon] };
    }
    case 'timed out': {
      const edit = moreTime(about);
      if (edit !== undefined) return { fix: `${edit}, then: ${start}`, commands: [edit, start] };
      return one('', start, ' continues from its branch');
    }
    case 'failed':
      return one('fix the cause, then: ', start);
    case 'stopped': {
      const hint = `ralphctl hint ${id} "…"`;
      const fix = `${start} continues from its branch`;
      if (warnings.length === 0) return one('', start, ' continues from its branch');
      return { fix: `${fix}. To tell it something first: ${hint}`, commands: [start, hint] };
    }
    default:
      return undefined;
  }
}
