/**
 * Suggests commands for an idea that has not landed, during its run and after it.
 * Invariant: names only commands that the program accepts then. Pure.
 */
import { type Fix, fixNow, moreTime, oneCommand as one } from '../decide/idea/fix.js';
import type { IdeaModel, RunModel } from '../model/model.js';
import { startCommand } from '../model/start-again.js';
import type { OpenIdea, OpenState } from './schema.js';

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

/** What a command needs to know about an idea. */
type About = Pick<IdeaModel, 'id' | 'status' | 'warnings' | 'single'> & { reason?: string | undefined };

/**
 * The run takes no command to an idea any more. `start`: the command that begins the next run. `stopping`: it takes only
 * `abort` now, and what helps is for once it has stopped.
 */
export type Over = { start: string; stopping?: true } | false;

/** Before a fix. */
export const onceStopped = (over: Over): string =>
  over !== false && over.stopping ? 'once the run has stopped: ' : '';

/** Undefined when no action is necessary. */
export function fixOf(idea: About, state: OpenState, over: Over): Fix | undefined {
  if (!over) return meanwhile(idea, state);
  const rests = over.stopping && state === 'held' && idea.status === 'paused';
  const fix = afterwards(idea, rests ? 'stopped' : state, over.start);
  return fix && { ...fix, fix: `${onceStopped(over)}${fix.fix}` };
}

/** Of an idea in a report. One that a person has answered since needs nothing but the next start. */
export const fixOfOpen = (
  idea: About,
  { state, answered }: Pick<OpenIdea, 'state' | 'answered'>,
  over: Over,
): Fix | undefined => (answered ? undefined : fixOf(idea, state, over));

/** `over` of `fixOf` in a report. */
export function overOf({ startAgain, state }: Pick<RunModel, 'startAgain' | 'state'>, over: boolean): Over {
  if (!over && state !== 'stopping') return false;
  return { start: startCommand(startAgain), ...(over ? {} : { stopping: true as const }) };
}

function meanwhile(about: About, state: OpenState): Fix | undefined {
  switch (state) {
    case 'asks':
    case 'approve':
    case 'blocked':
    case 'timed out':
    case 'failed':
      return fixNow(about, state);
    case 'held':
      return about.status === 'paused' ? fixNow(about, state) : undefined;
    default:
      return undefined;
  }
}

function afterwards(about: About, state: OpenState, start: string): Fix | undefined {
  const { id, warnings } = about;
  switch (state) {
    case 'asks': {
      const answer = `ralphctl answer ${id} "…"`;
      return { fix: `${answer}, then: ${start}`, commands: [answer, start] };
    }
    case 'approve': {
      const answer = `ralphctl answer ${id} "…"`;
      const approve = `ralphctl approve ${id}`;
      const fix = `${start} works on it once more, and then asks again: ${approve}. Or say first what to change: ${answer}`;
      return { fix, commands: [start, approve, answer] };
    }
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
