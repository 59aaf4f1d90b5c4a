/** Writes the published JSON Schemas and the table of keys in docs/configuration.md: `npm run schemas`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const dir = await mkdtemp(join(tmpdir(), 'ralphctl-schemas-'));
try {
  const outfile = join(dir, 'schemas.cjs');
  const contents = `export * from './src/backlog/schemas.ts';
    export * from './src/report/schema.ts';
    export * from './src/trackers/wire.ts';`;
  const stdin = { contents, resolveDir: at('') };
  await build({ stdin, bundle: true, outfile, platform: 'node', format: 'cjs' });
  const { exportSchemas, reportJsonSchema, trackerSchemas } = (await import(pathToFileURL(outfile).href)).default;
  const schemas = { ...exportSchemas(), ...trackerSchemas(), 'report.schema.json': reportJsonSchema() };
  for (const [file, schema] of Object.entries(schemas)) {
    await writeFile(at(`schemas/${file}`), `${JSON.stringify(schema, null, 2)}\n`);
  }
} finally {
  await rm(dir, { recursive: true, force: true });
}
await import('./config-doc.mjs');
