/** Values that the configuration file sets and that a flag of `start` overrides in the open run. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { flatten } from '../../config/reload.js';
import { shellWord } from '../../protocol/shell-words.js';
import type { ConfigFlags } from '../../run-files/shapes.js';
import { type ConfigOf, configFor, type ReadConfig } from '../plan/run-config.js';

const FLAGS = { agent: '--agent', slots: '--slots', maxIterations: '--max-iterations', gate: '--gate' } as const;
type Flag = keyof typeof FLAGS;

const keyOf = (flag: Flag): string => (flag === 'gate' ? 'gate.commands' : flag);
const isSet = (flags: ConfigFlags, flag: Flag): boolean => flags[flag] !== undefined;
const ALL = Object.keys(FLAGS) as Flag[];

/** The flag that set the key. */
export function flagOf(key: string, flags: ConfigFlags): string | undefined {
  const named = ALL.find((flag) => isSet(flags, flag) && key === keyOf(flag));
  return named && FLAGS[named];
}

export interface Overridden {
  key: string;
  flag: string;
  file: unknown;
  run: unknown;
  /** The command that brings the file's value into the run; absent: no flag can say it. */
  command?: string;
}

export function overriddenBy(read: ReadConfig, flags: ConfigFlags, of: ConfigOf): Overridden[] {
  const [file, run] = [flatten(configFor(read, {}, of)), flatten(configFor(read, flags, of))];
  return ALL.flatMap((name) => {
    const given = read.given.has(of.waves && name === 'slots' ? 'waves' : name);
    const key = keyOf(name);
    const [there, here] = [file.get(key), run.get(key)];
    if (!isSet(flags, name) || !given || isDeepStrictEqual(there, here)) return [];
    const flag = FLAGS[name];
    const words = wordsOf(there).map((word) => `${flag} ${shellWord(word)}`);
    const command = words.length > 0 ? `ralphctl start ${words.join(' ')}` : undefined;
    return [{ key, flag, file: there, run: here, ...(command === undefined ? {} : { command }) }];
  });
}

/** What a person writes after the flag. */
function wordsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [String(value)];
  const runs = value.map((one: unknown) =>
    typeof one === 'object' && one !== null && 'run' in one && typeof one.run === 'string' ? one.run : undefined,
  );
  return runs.every((run) => run !== undefined) ? runs : [];
}
