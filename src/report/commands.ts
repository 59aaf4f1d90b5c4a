/**
 * Suggests commands for an idea that has not landed, during its run and after it.
 * Invariant: names only commands that the program accepts then. Pure.
 */
import { isOutOfTime } from '../decide/idea/completion.js';
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

/** `MINUTES`: a number that is more than it had. */
export const moreTime = (id: string): string => `ralphctl edit ${id} --timeout MINUTES`;

function meanwhile({ id, status, reason }: About, state: OpenState): Fix | undefined {
  switch (state) {
    case 'asks':
      return one('', `ralphctl answer ${id} "…"`);
    case 'approve':
      return one('', `ralphctl approve ${id}`);
    case 'blocked':
      return one('solve this, then: ', `ralphctl unblock ${id}`);
    case 'timed out':
      if (isOutOfTime(reason)) {
        const [edit, retry] = [moreTime(id), `ralphctl retry ${id}`];
        return { fix: `${edit}, then: ${retry}`, commands: [edit, retry] };
      }
      return one('', `ralphctl limit ${id} 10`, ' grants 10 more iterations');
    case 'failed':
      return one('fix the cause, then: ', `ralphctl retry ${id}`);
    case 'held':
      return status === 'paused' ? one('', `ralphctl resume ${id}`) : undefined;
    default:
      return undefined;
  }
}

function afterwards({ id, warnings, reason }: About, state: OpenState, start: string): Fix | undefined {
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
    case 'timed out':
      if (isOutOfTime(reason)) {
        const edit = moreTime(id);
        return { fix: `${edit}, then: ${start}`, commands: [edit, start] };
      }
      return one('', start, ' continues from its branch');
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
