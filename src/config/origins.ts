/** Where in a configuration file a value stands. Must not import anything but this folder. */
import { type Path, readLocated, syntaxOf } from './located.js';

/** Line of a key that is written in the file, also where a shorter form stands for it (`gate` as a list); undefined: not written. */
export function originsIn(text: string, file: string): (path: readonly string[]) => number | undefined {
  const read = readLocated(text, file, syntaxOf(file));
  if ('problems' in read) return () => undefined;
  const { located } = read;
  return (path) => {
    let value: unknown = located.value;
    const found: string[] = [];
    for (const key of path) {
      if (value === null || typeof value !== 'object' || Array.isArray(value) || !Object.hasOwn(value, key)) break;
      value = (value as Record<string, unknown>)[key];
      found.push(key);
    }
    const isWhole = value === null || typeof value !== 'object' || Array.isArray(value);
    if (found.length === 0 || (found.length < path.length && !isWhole)) return undefined;
    // A bare list of gate commands says nothing about the rest of the gate.
    if (Array.isArray(value) && found.length < path.length && path.at(-1) !== 'commands') return undefined;
    return located.lineOf(found satisfies Path);
  };
}
