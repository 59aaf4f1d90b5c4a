/**
 * `npm run test:agents [-- CLI … --case NAME --record --write-docs]`: the real CLIs against the mock, in every case.
 * Prints a table; exit code 1 when a CLI behaves in another way than expected. `--record` renews the fixtures,
 * `--write-docs` the table in docs/agents.md.
 */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { asMarkdown, asTable, withMatrix } from './agents-table.mjs';
import { command, ensureInstalled, root } from './install.mjs';

const known = Object.keys(JSON.parse(await readFile(join(root, 'test/agents/clis.json'), 'utf8')));
const options = { case: { type: 'string' }, record: { type: 'boolean' }, 'write-docs': { type: 'boolean' } };
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const strangers = positionals.filter((name) => !known.includes(name));
if (strangers.length > 0) {
  console.error(`There is no CLI ${strangers.join(', ')} here. Known: ${known.join(', ')}.`);
  process.exit(2);
}
const picked = positionals.length > 0 ? positionals : known;
if (values['write-docs'] && values.case !== undefined) {
  console.error('--write-docs needs every case: leave out --case.');
  process.exit(2);
}

await ensureInstalled();
if ((await command(process.execPath, ['scripts/build.mjs'])) !== 0) process.exit(1);

// Rows of the last run of each CLI, so that the documentation can be written after CLIs were run one by one.
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ralphctl', 'agents', 'rows');
await mkdir(cache, { recursive: true });
const fileOf = (cli) => join(cache, `${cli}.jsonl`);
const rowsOf = async (cli) => {
  if (!existsSync(fileOf(cli))) return [];
  const lines = (await readFile(fileOf(cli), 'utf8')).split('\n').filter((line) => line !== '');
  const rows = lines.map((line) => JSON.parse(line));
  // Of a case that was run again the last row counts, and none of another version.
  const last = new Map(rows.filter((row) => row.version === rows.at(-1).version).map((row) => [row.name, row]));
  return [...last.values()];
};
// Single cases renew their rows only.
if (values.case === undefined) for (const cli of picked) await rm(fileOf(cli), { force: true });

const config = 'test/agents/matrix/vitest.config.ts';
const files = picked.map((cli) => `matrix/${cli}.matrix`);
const only = values.case === undefined ? [] : ['--testNamePattern', ` (?:${values.case})$`];
const code = await command(join('node_modules', '.bin', 'vitest'), ['run', '--config', config, ...files, ...only], {
  env: { ...process.env, RIG_CLIS: picked.join(','), RIG_ROWS: cache, ...(values.record ? { RIG_RECORD: '1' } : {}) },
});
for (const cli of picked) console.log(asTable(cli, await rowsOf(cli)));

if (values['write-docs']) {
  const all = Object.fromEntries(await Promise.all(known.map(async (cli) => [cli, await rowsOf(cli)])));
  const docs = join(root, 'docs', 'agents.md');
  await writeFile(docs, withMatrix(await readFile(docs, 'utf8'), asMarkdown(all)));
  console.log(`wrote ${docs}`);
}
process.exit(code);
