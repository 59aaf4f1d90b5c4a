/**
 * Suggests commands for an idea that has not landed, during its run and after it.
 * Invariant: names only commands that the program accepts then. Pure.
 */
import type { IdeaModel } from '../model/model.js';
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

/** Undefined when no action is necessary. */
export function fixOf(idea: IdeaModel, state: OpenState, over: boolean): Fix | undefined {
  return over ? afterwards(idea, state) : meanwhile(idea, state);
}

function meanwhile({ id, status }: IdeaModel, state: OpenState): Fix | undefined {
  switch (state) {
    case 'asks':
      return one('', `ralphctl answer ${id} "…"`);
    case 'approve':
      return one('', `ralphctl approve ${id}`);
    case 'blocked':
      return one('solve this, then: ', `ralphctl unblock ${id}`);
    case 'timed out':
      return one('', `ralphctl limit ${id} 10`, ' grants 10 more iterations');
    case 'failed':
      return one('fix the cause, then: ', `ralphctl retry ${id}`);
    case 'held':
      return status === 'paused' ? one('', `ralphctl resume ${id}`) : undefined;
    default:
      return undefined;
  }
}

const START = 'ralphctl start';

function afterwards({ id }: IdeaModel, state: OpenState): Fix | undefined {
  const then = (command: string): Fix => ({ fix: `${START}, then: ${command}`, commands: [START, command] });
  switch (state) {
    case 'asks': {
      const answer = `ralphctl answer ${id} "…"`;
      return { fix: `${answer}, then: ${START}`, commands: [answer, START] };
    }
    case 'approve':
      return then(`ralphctl approve ${id}`);
    case 'blocked': {
      const abandon = `ralphctl abandon ${id}`;
      return { fix: `solve this, then: ${START}. Or leave it out: ${abandon}`, commands: [START, abandon] };
    }
    case 'timed out':
      return one('', START, ' continues from its branch');
    case 'failed':
      return one('fix the cause, then: ', START);
    default:
      return undefined;
  }
}
