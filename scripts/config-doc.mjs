/**
 * The table of keys in docs/configuration.md, from schemas/ralphctl.schema.json, schemas/ideas.schema.json and the
 * table of keys that an open run accepts (src/config/reload.ts):
 * `node scripts/config-doc.mjs` writes it between its markers, `--check` only reports whether it is up to date.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const DOC = at('docs/configuration.md');

const cell = (text) => text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
const code = (value) => `\`${cell(typeof value === 'string' ? value : JSON.stringify(value))}\``;

/** Allowed values, in a word or two. */
function kind(schema) {
  if (schema.const !== undefined) return code(schema.const);
  if (schema.enum) return schema.enum.map(code).join(', ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map(kind))].join(' or ');
  if (schema.type === 'array') return `list of ${kind(schema.items ?? {})}`;
  if (schema.type === 'object') return schema.properties ? 'object' : 'map';
  const whole = schema.type === 'integer' ? 'whole number' : schema.type;
  const bounds = [schema.minimum ?? schema.exclusiveMinimum, schema.maximum];
  if (bounds.some((one) => one !== undefined && Math.abs(one) < Number.MAX_SAFE_INTEGER)) {
    return `${whole}, ${schema.exclusiveMinimum === undefined ? '' : 'above '}${bounds[0]} to ${bounds[1]}`;
  }
  return { string: 'text', boolean: 'true or false' }[schema.type] ?? whole ?? 'any';
}

/** Objects below a schema with keys of their own, and the path to them. */
function inner(schema) {
  if (schema.properties) return [['', schema]];
  const below = (part, mark) => (part ? inner(part).map(([path, one]) => [`${mark}${path}`, one]) : []);
  return [
    ...(schema.anyOf ?? schema.oneOf ?? []).flatMap((one) => inner(one)),
    ...below(schema.items, '[]'),
    ...below(typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined, '.NAME'),
  ];
}

/** The effect of a changed key on an open run, from the table in the program. */
async function readReloads() {
  const dir = await mkdtemp(join(tmpdir(), 'ralphctl-doc-'));
  try {
    const outfile = join(dir, 'reload.cjs');
    await build({ entryPoints: [at('src/config/reload.ts')], bundle: true, outfile, platform: 'node', format: 'cjs' });
    const { reloadRow, COUNTS_TEXT } = (await import(pathToFileURL(outfile).href)).default;
    return (key) => COUNTS_TEXT[reloadRow(key.replaceAll('[]', '')).counts];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function* rows(schema, reload, prefix = '') {
  for (const [key, value] of Object.entries(schema.properties ?? {})) {
    const path = `${prefix}${key}`;
    const plainDefault =
      value.default !== undefined && JSON.stringify(value.default) !== '{}' && kind(value) !== 'object';
    const fallback = plainDefault ? code(value.default) : '';
    const must = schema.required?.includes(key) ? '**required.** ' : '';
    const open = reload ? ` ${reload(path)} |` : '';
    yield `| \`${path}\` | ${kind(value)} | ${fallback} |${open} ${must}${cell(value.description ?? '')} |`;
    for (const [mark, below] of inner(value)) yield* rows(below, reload, `${path}${mark}.`);
  }
}

const table = (schema, reload) => {
  const heads = ['key', 'value', 'default', ...(reload ? ['open run'] : []), 'meaning'];
  return [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...new Set(rows(schema, reload))].join('\n');
};

/** The schema of one idea. */
function ideaSchema(schema) {
  for (const found of JSON.stringify(schema).includes('dependsOn') ? walk(schema) : []) {
    if (found.properties?.dependsOn) return found;
  }
  throw new Error('schemas/ideas.schema.json has no idea in it');
}
function* walk(value) {
  if (value === null || typeof value !== 'object') return;
  yield value;
  for (const one of Object.values(value)) yield* walk(one);
}

async function filled(text) {
  const read = async (file) => JSON.parse(await readFile(at(`schemas/${file}.schema.json`), 'utf8'));
  const reload = await readReloads();
  const parts = { config: await read('ralphctl'), idea: ideaSchema(await read('ideas')) };
  return Object.entries(parts).reduce((doc, [name, schema]) => {
    const marks = new RegExp(`(<!-- ${name}:start -->\n)[\\s\\S]*?(<!-- ${name}:end -->)`);
    if (!marks.test(doc))
      throw new Error(`docs/configuration.md lacks the markers <!-- ${name}:start --> and <!-- ${name}:end -->`);
    return doc.replace(
      marks,
      (_, start, end) => `${start}${table(schema, name === 'config' ? reload : undefined)}\n${end}`,
    );
  }, text);
}

const before = await readFile(DOC, 'utf8');
const after = await filled(before);
if (before === after) console.log('docs/configuration.md is up to date');
else if (process.argv.includes('--check')) {
  console.error('docs/configuration.md is out of date; write it anew: node scripts/config-doc.mjs');
  process.exitCode = 1;
} else {
  await writeFile(DOC, after);
  console.log('docs/configuration.md written');
}
