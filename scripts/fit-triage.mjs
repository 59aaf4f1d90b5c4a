/**
 * Fits the weights of gate 2 to the labelled reports to tune on and writes src/decide/triage/cue-weights.ts. Never reads
 * those that are held back. Prints what the weights are worth on reports that they were not fitted to.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outfile = join(root, 'dist', 'fit-triage.mjs');
await build({
  stdin: {
    contents: `export { crossed, examplesOf, weigh } from './test/support/triage-fit.js';
      export { partsOf } from './test/support/triage-labels.js';`,
    resolveDir: root,
    loader: 'ts',
  },
  ...{ bundle: true, platform: 'node', format: 'esm', outfile, logLevel: 'error' },
});
const { crossed, examplesOf, weigh, partsOf } = await import(pathToFileURL(outfile).href);
await rm(outfile);

const text = async (name) => readFile(join(root, 'test/fixtures/triage', name), 'utf8');
const examples = examplesOf(partsOf(await text('own.jsonl'), await text('public.jsonl'))['to tune on']);
const { right, said, expected, wrong } = crossed(examples);
console.log(
  `${examples.length} reports; judged by weights of the other nine tenths: precision ${(right / said).toFixed(3)}, recall ${(right / expected).toFixed(3)}`,
);
if (process.argv.includes('--wrong')) console.log(wrong.join(' '));
const { bias, weights } = weigh(examples);
const lines = Object.entries(weights).map(([name, weight]) => `  ${name}: ${weight},`);
await writeFile(
  join(root, 'src/decide/triage/cue-weights.ts'),
  `/** Made by \`node scripts/fit-triage.mjs\` from the labelled reports to tune on. Do not edit. */
import type { Cues } from './cues.js';

export const BIAS: number = ${bias};
export const WEIGHTS: Readonly<Partial<Record<keyof Cues, number>>> = {
${lines.join('\n')}
};
`,
);
