/**
 * The script of the scripted agent: its shape, its checks, and the part that a run plays.
 * Invariant: the choice depends only on idea, iteration and prompt, so a repeated run plays the same part.
 * Must not import ralphctl's own modules but those of its errors and bounds: like any agent, it knows nothing of them.
 */
import { parse } from 'yaml';
import { tooDeepAt } from '../../config/depth.js';
import { UserError } from '../../protocol/user-error.js';

export type Step = { readonly [name in (typeof STEPS)[number]]?: unknown };

export const STEPS = [
  ...(['write', 'append', 'replace', 'delete', 'mkdir', 'run', 'commit', 'say', 'complain', 'echoPrompt'] as const),
  ...(['sleep', 'flood', 'spawn', 'waitFor', 'ignoreSignals'] as const),
] as const;
const ENTRY_KEYS = ['whenPrompt', 'do', 'signal', 'exit', 'hang', 'crash'] as const;

export interface Entry {
  whenPrompt?: { contains?: string | string[]; lacks?: string | string[] };
  do?: Step[];
  /** `COMPLETE`, `BLOCKED: …`, … ; `none`; `{promise: text}`; `{raw: any line}`. */
  signal?: string | { promise?: string; raw?: string };
  exit?: number;
  hang?: boolean;
  crash?: string;
}

export interface Script {
  ideas: Record<string, Entry[]>;
  default: Entry[];
}

export class ScriptError extends UserError {}

type Fields = Record<string, unknown>;

function fields(value: unknown, where: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ScriptError(`${where} must be a mapping, e.g. "signal: COMPLETE".`);
  }
  return value as Fields;
}

function onlyKnown(value: Fields, known: readonly string[], where: string): void {
  const odd = Object.keys(value).find((key) => !known.includes(key));
  if (odd !== undefined)
    throw new ScriptError(`${where} has the unknown key "${odd}". Known keys: ${known.join(', ')}.`);
}

function checkEntry(value: unknown, where: string): Entry {
  const entry = fields(value, where);
  onlyKnown(entry, ENTRY_KEYS, where);
  const steps = entry.do ?? [];
  if (!Array.isArray(steps)) throw new ScriptError(`${where}.do must be a list of steps.`);
  steps.forEach((step: unknown, index) => {
    const at = `${where}.do[${index}]`;
    const step_ = fields(step, at);
    onlyKnown(step_, STEPS, at);
    if (Object.keys(step_).length !== 1) throw new ScriptError(`${at} must have exactly one step; begin a new "- ".`);
  });
  if (entry.whenPrompt !== undefined) {
    onlyKnown(fields(entry.whenPrompt, `${where}.whenPrompt`), ['contains', 'lacks'], `${where}.whenPrompt`);
  }
  if (entry.exit !== undefined && !Number.isInteger(entry.exit)) {
    throw new ScriptError(`${where}.exit must be a whole number.`);
  }
  return entry as Entry;
}

function entries(value: unknown, where: string): Entry[] {
  const list = Array.isArray(value) ? value : [value];
  return list.map((entry, index) => checkEntry(entry, `${where}[${index}]`));
}

/** Reads a script (YAML or JSON). Throws a ScriptError with the position of the mistake. */
export function readScript(text: string): Script {
  const deep = tooDeepAt(text);
  if (deep !== undefined) throw new ScriptError(`Its line ${deep} is nested too deeply.`);
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw new ScriptError(`It is not valid YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  const script = fields(value, 'The script');
  onlyKnown(script, ['ideas', 'default'], 'The script');
  const ideas: Record<string, Entry[]> = {};
  for (const [id, list] of Object.entries(fields(script.ideas ?? {}, 'ideas')))
    ideas[id] = entries(list, `ideas.${id}`);
  return { ideas, default: script.default === undefined ? [] : entries(script.default, 'default') };
}

const each = (value: string | string[] | undefined): string[] =>
  value === undefined ? [] : Array.isArray(value) ? value.map(String) : [String(value)];

function matches(entry: Entry, prompt: string): boolean {
  const { contains, lacks } = entry.whenPrompt ?? {};
  return each(contains).every((text) => prompt.includes(text)) && !each(lacks).some((text) => prompt.includes(text));
}

/**
 * The entry to play: the first with a matching `whenPrompt`. Otherwise, of those without one, the one at the position
 * of the iteration, or the last one when there are no more. Undefined when there is nothing to play.
 */
export function choose(script: Script, idea: string, iteration: number, prompt: string): Entry | undefined {
  const list = Object.hasOwn(script.ideas, idea) ? script.ideas[idea] : script.default;
  const reaction = list?.find((entry) => entry.whenPrompt && matches(entry, prompt));
  if (reaction) return reaction;
  const plain = list?.filter((entry) => !entry.whenPrompt) ?? [];
  return plain[Math.min(Math.max(1, iteration), plain.length) - 1];
}
