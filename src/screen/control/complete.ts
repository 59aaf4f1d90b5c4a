/** Completions for the command line of the screen. Pure. */
import type { RunModel } from '../../model/model.js';
import { IDEA_VERBS, RUN_MODES, RUN_VERBS } from '../../protocol/command.js';

/** Commands whose name differs from their verb, or that have no verb. */
const SPELLED: readonly string[] = [
  'budget raise',
  'config reload',
  'enqueue',
  'limits retry',
  'notify test',
  'saves restore',
  'start',
  'sync',
  'warn',
];

/** Commands with output to read: they get the terminal until a key press. */
const READ: readonly string[] = [
  'budget show',
  'config show',
  'doctor',
  'events',
  'help',
  'limits list',
  'logs',
  'report',
  'runs',
  'saves',
  'server',
  'show',
  'status',
  'version',
  'why',
  'worker',
];

/** Commands that make no sense on the screen, each with its replacement. */
const INSTEAD: Readonly<Record<string, string>> = {
  top: 'this is the screen of top',
  demo: 'demo makes a repository of its own: run it in a shell',
  init: 'init asks and writes files: run it in a shell',
  completion: 'completion prints a script: run it in a shell',
};

/** How the screen runs a command line. */
export function wayOf(args: readonly string[]): 'tell' | 'read' | 'edit' | { refused: string } {
  const [verb = '', next = ''] = args;
  const instead = INSTEAD[verb];
  if (instead !== undefined) return { refused: instead };
  if (verb === 'edit' && args.length === 2) return 'edit';
  if (verb === 'server' && next === 'stop') return { refused: 'the screen needs the server: stop it in a shell' };
  if (verb === 'worker' && next === '') return { refused: 'W starts a worker' };
  const two = `${verb} ${next}`;
  if (COMMANDS.includes(two)) return READ.includes(two) ? 'read' : 'tell';
  return READ.includes(verb) || next === '--help' || next === '-h' ? 'read' : 'tell';
}
const HIDDEN = new Set<string>(['pause-now', 'skip-step', 'retry-limit', 'raise-budget', 'reload-config']);

const COMMANDS: readonly string[] = [...new Set<string>([...RUN_VERBS, ...IDEA_VERBS, ...SPELLED, ...READ])]
  .filter((verb) => !HIDDEN.has(verb))
  .sort();

const ABOUT_IDEAS = new Set<string>([...IDEA_VERBS, 'warn', 'why', 'saves', 'show', 'logs']);
const MOST = 8;

/** Whole command lines that begin with the input, the likeliest first. */
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
