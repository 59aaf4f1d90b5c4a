/**
 * The table of metrics in docs/metrics.md, from src/metrics/list.ts:
 * `node scripts/metrics-doc.mjs` writes it between its markers, `--check` only reports whether it is up to date.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const DOC = at('docs/metrics.md');
const [START, END] = ['<!-- metrics:start -->\n', '<!-- metrics:end -->'];

async function readMetrics() {
  const dir = await mkdtemp(join(tmpdir(), 'ralphctl-doc-'));
  try {
    const outfile = join(dir, 'list.cjs');
    await build({ entryPoints: [at('src/metrics/list.ts')], bundle: true, outfile, platform: 'node', format: 'cjs' });
    return (await import(pathToFileURL(outfile).href)).default.METRICS;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function unitOf(name) {
  if (name.endsWith('_timestamp_seconds')) return 'seconds since 1970';
  if (/_seconds(?:_total)?$/.test(name)) return 'seconds';
  return name.includes('_dollars') ? 'US dollars' : 'count';
}

const labelText = ([label, values]) =>
  `\`${label}\`: ${typeof values === 'string' ? values : values.map((value) => `\`${value}\``).join(', ')}`;

const table = (metrics) =>
  [
    '| metric | type | unit | labels | meaning |',
    '|---|---|---|---|---|',
    ...Object.entries(metrics).map(([name, { type, labels, help }]) => {
      const all = Object.entries(labels).map(labelText).join('; ');
      return `| \`${name}\` | ${type} | ${unitOf(name)} | ${all} | ${help} |`;
    }),
  ].join('\n');

const before = await readFile(DOC, 'utf8');
const [from, to] = [before.indexOf(START) + START.length, before.indexOf(END)];
if (from < START.length || to < 0) throw new Error(`docs/metrics.md lacks the markers ${START.trim()} and ${END}`);
const after = `${before.slice(0, from)}${table(await readMetrics())}\n${before.slice(to)}`;
if (before === after) console.log('docs/metrics.md is up to date');
else if (process.argv.includes('--check')) {
  console.error('docs/metrics.md is out of date; write it anew: node scripts/metrics-doc.mjs');
  process.exitCode = 1;
} else {
  await writeFile(DOC, after);
  console.log('docs/metrics.md written');
}
