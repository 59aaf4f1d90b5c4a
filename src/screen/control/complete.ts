/** What may come next on the command line of the screen. Pure. */
import type { RunModel } from '../../model/model.js';
import { IDEA_VERBS, RUN_MODES, RUN_VERBS } from '../../protocol/command.js';

/** Commands that are spelled otherwise than their verb, or have none. */
const SPELLED: readonly string[] = [
  'budget raise',
  'config reload',
  'config show',
  'enqueue',
  'limits retry',
  'saves',
  'sync',
  'warn',
  'why',
];
const HIDDEN = new Set<string>(['pause-now', 'skip-step', 'retry-limit', 'raise-budget', 'reload-config']);

const COMMANDS: readonly string[] = [...new Set<string>([...RUN_VERBS, ...IDEA_VERBS, ...SPELLED])]
  .filter((verb) => !HIDDEN.has(verb))
  .sort();

const ABOUT_IDEAS = new Set<string>([...IDEA_VERBS, 'warn', 'why', 'saves']);
const MOST = 8;

/** Whole command lines that begin with what is typed, best first. */
export function completions(model: RunModel, typed: string): string[] {
  const words = typed.trimStart().split(/\s+/);
  const [verb = '', idea = ''] = words;
  if (words.length === 1) return COMMANDS.filter((one) => one.startsWith(verb)).slice(0, MOST);
  if (verb === 'mode') return RUN_MODES.filter((mode) => mode.startsWith(idea)).map((mode) => `mode ${mode}`);
  const two = COMMANDS.filter((one) => one.includes(' ') && one.startsWith(`${verb} ${idea}`));
  if (words.length > 2 || !ABOUT_IDEAS.has(verb)) return two;
  const ids = model.order.filter((id) => id.startsWith(idea)).slice(0, MOST);
  return [...two, ...ids.map((id) => `${verb} ${id}`)].slice(0, MOST);
}

/** Arguments of a command line: quotes keep words together. undefined: a quote is open. */
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
