import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';

const LOADER = new URL('../../../src/process/compiled.ts', import.meta.url).pathname;
let dir: string;
let loader: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-compiled-'));
  loader = join(dir, 'loader.mjs');
  await build({ entryPoints: [LOADER], bundle: true, platform: 'node', format: 'esm', outfile: loader });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

let place: string;
let fallback: string;
beforeEach(async () => {
  place = await mkdtemp(join(dir, 'place-'));
  fallback = join(place, 'fallback');
  await writeFile(join(place, 'lib.cjs'), "exports.sum = (a, b) => a + b; exports.sep = require('node:path').sep;");
});

/** In a process of its own, as the compiled form is written at its end. */
async function load(buildId = 'one'): Promise<unknown> {
  const args = [loader, join(place, 'lib.cjs'), buildId, fallback].map((one) => JSON.stringify(one));
  const program = `const { loadCompiled } = await import(${args[0]});
    const { sum, sep } = loadCompiled(${args.slice(1).join(', ')}); console.log(JSON.stringify([sum(1, 2), sep]));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return JSON.parse(stdout);
}
const compiled = (below = place): Promise<string[]> => readdir(join(below, 'compiled')).catch(() => []);

it('keeps the compiled form, uses it, and makes another for another build', async () => {
  expect(await load()).toEqual([3, '/']);
  const [first = ''] = await compiled();
  expect(first).toContain('lib.cjs-one-');
  const bytes = await readFile(join(place, 'compiled', first));
  expect(await load()).toEqual([3, '/']);
  expect(await readFile(join(place, 'compiled', first))).toEqual(bytes);
  await load('two');
  expect(await compiled()).toHaveLength(2);
});

it('does without one that V8 refuses, and replaces it', async () => {
  await load();
  const [name = ''] = await compiled();
  await writeFile(join(place, 'compiled', name), 'not what V8 wrote');
  expect(await load()).toEqual([3, '/']);
  expect((await readFile(join(place, 'compiled', name))).length).toBeGreaterThan(100);
});

it('keeps it elsewhere, or nowhere, when its folder cannot be written', async () => {
  // A file in the way stops root, too, whom no permission would.
  await writeFile(join(place, 'compiled'), '');
  expect(await load()).toEqual([3, '/']);
  expect(await compiled(fallback)).toHaveLength(1);
  await rm(fallback, { recursive: true });
  await writeFile(fallback, '');
  expect(await load()).toEqual([3, '/']);
});
