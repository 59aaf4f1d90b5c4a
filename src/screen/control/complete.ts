/** Completions for the command line of the screen. Pure. */
import type { RunModel } from '../../model/model.js';
import { IDEA_VERBS, type IdeaVerb, RUN_MODES } from '../../protocol/command.js';
import { ideaVerbs } from '../idea/possible.js';
import type { CommandRow } from './command-row.js';
import { insteadOf } from './way.js';

export interface Completing {
  model: RunModel;
  commands?: readonly CommandRow[];
}

const MOST = 8;

/** Whole command lines that begin with the input, the likeliest first. */
export function completions({ model, commands = [] }: Completing, typed: string): string[] {
  const words = typed.trimStart().split(/\s+/);
  const [verb = '', second = ''] = words;
  const names = commands
    .map(({ name }) => name)
    .filter((name) => insteadOf(name.split(' ')) === undefined)
    .sort();
  if (words.length === 1) return names.filter((name) => name.startsWith(verb)).slice(0, MOST);
  if (verb === 'mode') return RUN_MODES.filter((mode) => mode.startsWith(second)).map((mode) => `mode ${mode}`);
  const two = names.filter((name) => name.includes(' ') && name.startsWith(`${verb} ${second}`));
  const takesIdeas = commands.some(({ name, ideas }) => name === verb && ideas);
  if (words.length > 2 || !takesIdeas) return two;
  const ids = idsFor(model, verb, second).slice(0, MOST);
  return [...two, ...ids.map((id) => `${verb} ${id}`)].slice(0, MOST);
}

/** Those that take the command, where any does: a command that only reads is for all. */
function idsFor(model: RunModel, verb: string, begin: string): string[] {
  const ids = model.order.filter((id) => id.startsWith(begin));
  if (!isIdeaVerb(verb)) return ids;
  const taking = ids.filter((id) => {
    const idea = model.ideas.get(id);
    return idea !== undefined && ideaVerbs(model, idea).has(verb);
  });
  if (taking.length === 0) return ids;
  const asks = (id: string): number => (model.ideas.get(id)?.status === 'needs-human' ? 0 : 1);
  return taking.sort((a, b) => asks(a) - asks(b));
}

const isIdeaVerb = (verb: string): verb is IdeaVerb => (IDEA_VERBS as readonly string[]).includes(verb);

/** Arguments of a command line; quotes keep words together. Undefined while a quote is open. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  const pattern = /\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|(["'])|(\S+))/gy;
  for (let found = pattern.exec(line); found; found = pattern.exec(line)) {
    const [, double, single, open, plain] = found;
    if (open !== undefined) return undefined;
    words.push(double?.replace(/\\(.)/g, '$1') ?? single ?? plain ?? '');
  }
  return words;
}
