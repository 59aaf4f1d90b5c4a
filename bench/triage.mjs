/**
 * Precision and recall of triage by rules over the labelled reports of test/fixtures/triage, for the part to tune on (even
 * numbers) and the part that is held back (odd numbers), with 95 % intervals. `node bench/triage.mjs`; `--tune`: without
 * the part that is held back, for work on the rules; `--wrong`: also the wrong verdicts of the part to tune on; `--json`
 * for programs.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = join(root, 'dist', 'bench-triage.mjs');
await build({
  stdin: {
    contents: `export { triage } from './src/decide/triage/triage.js';
      export { measure, partsOf } from './test/support/triage-labels.js';`,
    resolveDir: root,
    loader: 'ts',
  },
  ...{ bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' },
});
const { triage, measure, partsOf } = await import(pathToFileURL(outfile).href);
await rm(outfile);

const text = async (name) => readFile(join(root, 'test/fixtures/triage', name), 'utf8');
const parts = partsOf(await text('own.jsonl'), await text('public.jsonl'));
const percent = (share, [low, high] = []) =>
  share === undefined ? '–'.padEnd(21) : `${share.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})  `;
const all = {};
for (const [part, labelled] of Object.entries(parts)) {
  if (process.argv.includes('--tune') && part !== 'to tune on') continue;
  const measured = measure(labelled, triage);
  all[part] = measured;
  if (process.argv.includes('--json')) continue;
  console.log(
    `${part}: ${labelled.length} reports\n  gate                      precision            recall               rejected  expected`,
  );
  for (const row of measured.rows)
    console.log(
      `  ${row.name.padEnd(26)}${percent(row.precision, row.precisionInterval)}${percent(row.recall, row.recallInterval)}${String(row.rejected).padStart(8)}${String(row.expected).padStart(10)}`,
    );
  if (process.argv.includes('--wrong') && part === 'to tune on')
    for (const line of measured.wrong) console.log(`  ${line}`);
}
if (process.argv.includes('--json')) console.log(JSON.stringify(all));
