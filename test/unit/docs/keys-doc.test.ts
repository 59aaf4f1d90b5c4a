/** The keys of the full screen in docs/cli.md are those of the one table. PICTURES=draw writes them. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { KEYS, type Key } from '../../../src/screen/keys.js';
import { GROUP_NAMES, SCREEN_NAMES } from '../../../src/screen/pages/help.js';

const file = fileURLToPath(new URL('../../../docs/cli.md', import.meta.url));
const NAMES: Readonly<Record<string, string>> = {
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
  pageup: 'PgUp',
  pagedown: 'PgDn',
};

const nameOf = (key: string): string => {
  if (key.length === 1) return key;
  if (key.startsWith('ctrl-')) return `Ctrl-${key.slice(5).toUpperCase()}`;
  return NAMES[key] ?? `${key[0]?.toUpperCase()}${key.slice(1)}`;
};

const row = ({ keys, group, does, screens, asks }: Key): string => {
  const on = screens ? screens.map((screen) => SCREEN_NAMES[screen]).join(', ') : 'all';
  return `| ${keys.map((key) => `\`${nameOf(key)}\``).join(' ')} | ${GROUP_NAMES[group]} | ${does}${asks ? ' (asks first)' : ''} | ${on} |`;
};

it('docs/cli.md has the keys of the screen as the program has them', async () => {
  const table = ['| key | about | does | screens |', '|---|---|---|---|', ...KEYS.map(row)].join('\n');
  const doc = await readFile(file, 'utf8');
  const marked = /(<!-- keys: [^\n]*\n)[\s\S]*?(<!-- \/keys -->)/;
  expect(doc).toMatch(marked);
  if (process.env.PICTURES === 'draw') await writeFile(file, doc.replace(marked, `$1${table}\n$2`));
  expect((await readFile(file, 'utf8')).includes(`${table}\n<!-- /keys -->`), 'PICTURES=draw writes the table').toBe(
    true,
  );
});
