/** The signs that source files draw: every character of their strings beyond ASCII. Comments do not count. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));

/** By sign, the files that draw it. */
export function signsIn(...folders: string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const folder of folders)
    for (const name of readdirSync(join(SRC, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts')) continue;
      const code = readFileSync(join(SRC, folder, name), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, '');
      for (const sign of new Set(code.match(/\P{ASCII}/gu) ?? []))
        found.set(sign, [...(found.get(sign) ?? []), `${folder}/${name}`]);
    }
  return found;
}
