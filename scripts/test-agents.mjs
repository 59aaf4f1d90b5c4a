/**
 * `npm run test:agents [-- CLI … --case NAME --record --write-docs --no-run --since COMMIT --workers N]`: the real CLIs
 * against the mock.
 * Prints a table; exit code 1 when a CLI behaves in another way than expected. `--record` renews the fixtures,
 * `--write-docs` the table in docs/agents.md: of every row of this commit, so that CLIs can be run one by one.
 * `--no-run` only prints and writes what ran before. `--since COMMIT`: what ran at that commit or a later one counts, too.
 * Invariant: a row counts for the commit it ran at only; in a table of several each is said.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { asMarkdown, asTable, withMatrix } from './agents-table.mjs';
import { command, ensureInstalled, root } from './install.mjs';

const known = Object.keys(JSON.parse(await readFile(join(root, 'test/agents/clis.json'), 'utf8')));
const options = {
  case: { type: 'string' },
  record: { type: 'boolean' },
  'write-docs': { type: 'boolean' },
  'no-run': { type: 'boolean' },
  since: { type: 'string' },
  workers: { type: 'string', default: '2' },
};
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const strangers = positionals.filter((name) => !known.includes(name));
if (strangers.length > 0) {
  console.error(`There is no CLI ${strangers.join(', ')} here. Known: ${known.join(', ')}.`);
  process.exit(2);
}
const picked = positionals.length > 0 ? positionals : known;

/** The files that decide how a run goes: rows stay valid after any other change. */
const WEIGHTY = ['src', 'test/agents', 'test/support', 'test/activities', 'package-lock.json'];
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const changed = git('status', '--porcelain', '--', ...WEIGHTY) !== '';
const commit = `${git('log', '-1', '--format=%h', '--abbrev=9', '--', ...WEIGHTY)}${changed ? '-changed' : ''}`;
const later = values.since ? git('log', '--format=%h', '--abbrev=9', `${values.since}..HEAD`).split('\n') : [];
const counted = new Set([commit, ...later, ...(values.since ? [git('rev-parse', '--short=9', values.since)] : [])]);
if (values['write-docs'] && changed) {
  console.error('--write-docs needs a commit to name in the documentation, and there are changes: commit them first.');
  process.exit(2);
}

if (!values['no-run']) await ensureInstalled();
if (!values['no-run'] && (await command(process.execPath, ['scripts/build.mjs'])) !== 0) process.exit(1);

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'ralphctl', 'agents', 'rows');
await mkdir(cache, { recursive: true });
const fileOf = (cli) => join(cache, `${cli}.jsonl`);
const rowsOf = async (cli) => {
  if (!existsSync(fileOf(cli))) return [];
  const lines = (await readFile(fileOf(cli), 'utf8')).split('\n').filter((line) => line !== '');
  const rows = lines.map((line) => JSON.parse(line)).filter((row) => counted.has(row.commit));
  // Of a repeated case the last row counts.
  return [...new Map(rows.map((row) => [row.name, row])).values()];
};
async function run() {
  // Single cases replace only their own rows.
  if (values.case === undefined) for (const cli of picked) await rm(fileOf(cli), { force: true });
  const files = picked.map((cli) => `matrix/${cli}.matrix`);
  const only = values.case === undefined ? [] : ['--testNamePattern', ` (?:${values.case})$`];
  const flags = ['--config', 'test/agents/matrix/vitest.config.ts', '--maxWorkers', values.workers];
  const env = { RIG_CLIS: picked.join(','), RIG_ROWS: cache, RIG_COMMIT: commit };
  return command(join('node_modules', '.bin', 'vitest'), ['run', ...flags, ...files, ...only], {
    env: { ...process.env, ...env, ...(values.record ? { RIG_RECORD: '1' } : {}) },
  });
}

const code = values['no-run'] ? 0 : await run();
for (const cli of picked) console.log(asTable(cli, await rowsOf(cli)));

if (values['write-docs']) {
  const all = Object.fromEntries(await Promise.all(known.map(async (cli) => [cli, await rowsOf(cli)])));
  const docs = join(root, 'docs', 'agents.md');
  await writeFile(docs, withMatrix(await readFile(docs, 'utf8'), asMarkdown(all)));
  console.log(`wrote ${docs}`);
}
process.exit(code);
