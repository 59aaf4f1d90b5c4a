/**
 * How the screen runs a command line, and what it asks before.
 * Invariant: pure. A command that the table does not name gets the terminal, so that nobody misses its output.
 */
import { dependantsText } from '../../decide/idea/dependants.js';
import type { RunModel } from '../../model/model.js';
import type { CommandRow } from './command-row.js';

/** Groups whose commands answer in one sentence. */
const SENTENCE_GROUPS = new Set(['Run:', 'Steer:', 'Recover:']);
/** Commands of other groups that do. */
const SENTENCE = new Set(['budget raise', 'config reload', 'limits retry', 'triage accept', 'triage reject']);
/** Commands of these groups that print lists. */
const LISTS = new Set(['reset', 'saves']);
/** With these a command prints a line for each idea, or a text. */
const LONG = new Set(['--all-failed', '--dry-run', '--help', '--json', '--where', '-h']);
/** With these a command changes nothing. */
const SHOWS = new Set(['--dry-run', '--help', '-h']);
/** Commands that stay attached to the run. */
const STAYS = new Set(['start', 'run']);

/** Commands that make no sense on the screen, each with its replacement. */
const INSTEAD: Readonly<Record<string, string>> = {
  top: 'this is the screen of top',
  demo: 'demo makes a repository of its own: run it in a shell',
  init: 'init asks and writes files: run it in a shell',
  completion: 'completion prints a script: run it in a shell',
  'server stop': 'the screen needs the server: stop it in a shell',
};

export const insteadOf = ([verb = '', next = '']: readonly string[]): string | undefined =>
  INSTEAD[`${verb} ${next}`] ?? INSTEAD[verb];

/** `tell`: its output is one sentence. `read`: the terminal is its own until a key press. `edit`: it opens an editor. */
export type Way = { way: 'tell' | 'read' | 'edit'; args: readonly string[] } | { refused: string };

export function wayOf(args: readonly string[], commands: readonly CommandRow[]): Way {
  const [verb = '', next = ''] = args;
  const instead = insteadOf(args);
  if (instead !== undefined) return { refused: instead };
  // Of the other options, some change which word is the command, and it would run without its question.
  if (verb.startsWith('-') && !LONG.has(verb)) return { refused: 'begin with the command: its options come after it' };
  if (STAYS.has(verb) && !args.some((arg) => SHOWS.has(arg))) {
    const detached = args.includes('--detach') ? args : [...args, '--detach'];
    return { way: args.includes('--json') ? 'read' : 'tell', args: detached };
  }
  if (args.some((arg) => LONG.has(arg.split('=')[0] ?? ''))) return { way: 'read', args };
  if (verb === 'edit' && args.length === 2) return { way: 'edit', args };
  if (verb === 'worker' && next === '') return { refused: 'W starts a worker' };
  // Without an answer, it shows the warnings.
  if (verb === 'warn' && args.length <= 2) return { way: 'read', args };
  const row = commands.find(({ name }) => name === `${verb} ${next}`) ?? commands.find(({ name }) => name === verb);
  // The program explains a command that it does not have.
  if (row === undefined) return { way: 'tell', args };
  const sentence = SENTENCE.has(row.name) || (SENTENCE_GROUPS.has(row.group) && !LISTS.has(row.name));
  return { way: sentence ? 'tell' : 'read', args };
}

/** Asked before a command that ends work, takes it away or gives it up; undefined: it runs at once. */
export function questionBefore([verb = '', ...rest]: readonly string[], model: RunModel): string | undefined {
  if (rest.some((word) => SHOWS.has(word) || word === '--forget')) return undefined;
  const id = rest.find((word) => model.ideas.has(word));
  const several = rest.some((word) => /^--(?:where|all-failed|all)\b/.test(word));
  const who = id ?? (several ? 'the ideas that you chose' : undefined);
  const works = id !== undefined && model.ideas.get(id)?.status === 'running';
  switch (verb) {
    case 'stop':
      return id === undefined
        ? 'stop the run: running iterations finish, finished work lands, the rest stays on its branches'
        : `stop ${id}: its iteration ends at its next boundary, its work stays`;
    case 'abort':
      return 'end the run at once, its agents and its landing: changes are saved, and nothing more lands';
    case 'abandon':
      return (
        who && `give ${who} up, in later runs too; ${id === undefined ? 'their branches stay' : 'its branch stays'}`
      );
    case 'rollback':
      return id && `take the commits of ${id} back${offTarget(model, id)}`;
    case 'skip':
      if (rest.includes('--step')) return undefined;
      return several || works
        ? `leave ${who} out of this run: an agent that works is ended, its work stays`
        : undefined;
    case 'split':
      return works ? `replace ${id} by its parts: its agent is ended, its work stays` : undefined;
    case 'cleanup':
      return id && `save the worktree of ${id}, then remove it`;
    case 'reset':
      return (
        who &&
        `begin ${who} again: branch and worktree go, after a save${rest.includes('--history') ? '; the files of all runs go for good' : ''}`
      );
    case 'retry':
      return rest.includes('--fresh') && who ? `save the work of ${who}, then drop it and start over` : undefined;
    default:
      return undefined;
  }
}

function offTarget(model: RunModel, id: string): string {
  if (model.ideas.get(id)?.status !== 'landed') return '';
  const ideas = [...model.ideas.values()].map((one) => ({ ...one, leftOut: one.forNext?.leftOut }));
  return ` off ${model.target}${dependantsText(id, ideas, { over: model.endedAt !== undefined })}`;
}
