/**
 * Builds dist/: the program in one file, the scripted agent and the workflow bundle.
 * Does nothing when dist/ already belongs to these sources.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { buildSdks, SDK_FILE, sdkFromOneFile, WORKER_SDK_FILE, WORKER_THREAD_FILE } from './sdk-files.mjs';
import { bundleWorkflows } from './workflow-bundle.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const stamp = join(dist, '.stamp');

async function filesBelow(dir) {
  const entries = await readdir(dir, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

async function fingerprint() {
  const hash = createHash('sha256').update(process.version);
  const files = [
    ...(await filesBelow(join(root, 'src'))),
    'package.json',
    'package-lock.json',
    'scripts/build.mjs',
    'scripts/sdk-files.mjs',
    'scripts/used-protos.mjs',
    'scripts/workflow-bundle.mjs',
  ];
  for (const file of files) {
    const path = file.startsWith('/') ? file : join(root, file);
    hash.update(path).update(await readFile(path));
  }
  return hash.digest('hex');
}

/** Messages are in English; zod would bring those of 50 languages into the start of every command. */
const onlyEnglish = {
  name: 'only-english',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/** All the program in one file; `import()` runs a module of it when it is needed. */
const PROGRAM_FILE = 'program.cjs';
const PROGRAM = `
  export const cli = () => import('./src/cli.ts').then(({ main }) => main());
  export const launcher = () => import('./src/worker/job-process/main.ts');`;

/** A small file that loads one of the big ones together with its compiled form, and runs a part of it. */
const starter = (buildId, part, file = PROGRAM_FILE) => `
  import { cacheRoot } from './src/config/paths.ts';
  import { loadCompiled } from './src/process/compiled.ts';
  import { programFile } from './src/process/program-file.ts';
  await loadCompiled(programFile('${file}'), '${buildId}', cacheRoot()).${part}();`;

async function buildCommands(buildId) {
  const { build } = await import('esbuild');
  const { dependencies, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const common = {
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    legalComments: 'none',
    logLevel: 'error',
  };
  const define = { __BUILD_ID__: JSON.stringify(buildId), __VERSION__: JSON.stringify(version) };
  // CommonJS dependencies call `require`, which ES modules lack.
  const requires = {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  };
  // Start-up time counts for every command: small libraries are bundled. Native and worker-thread ones
  // stay outside, and one that hardly any worker loads.
  const external = Object.keys(dependencies).filter(
    (name) => name.startsWith('@temporalio/') || name.startsWith('pino') || name === 'prom-client',
  );
  const stdin = (contents) => ({ contents, resolveDir: root, loader: 'ts' });
  await build({
    ...common,
    // Its CommonJS form loads its parts in a way that no bundler follows.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    stdin: stdin(PROGRAM),
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    // The compiled form has no hook for `import()`.
    supported: { 'dynamic-import': false },
    define: { ...define, 'import.meta.url': '__programUrl' },
    banner: { js: "const __programUrl = require('node:url').pathToFileURL(module.filename).href;" },
    external,
    plugins: [...sdkFromOneFile(buildId), onlyEnglish],
    outfile: join(dist, PROGRAM_FILE),
  });
  for (const part of ['cli', 'launcher'])
    await build({
      ...common,
      stdin: stdin(starter(buildId, part)),
      ...(part === 'cli' ? { banner: { js: '#!/usr/bin/env node' } } : {}),
      outfile: join(dist, `${part}.js`),
    });
  await build({
    ...common,
    stdin: stdin(starter(buildId, 'thread', WORKER_SDK_FILE)),
    outfile: join(dist, WORKER_THREAD_FILE),
  });
  await build({ ...common, entryPoints: [join(root, 'src/process/compiled.ts')], outdir: dist });
  await build({
    ...common,
    define,
    banner: requires,
    entryPoints: { 'scripted-agent': join(root, 'src/agents/scripted/main.ts') },
    outdir: dist,
    minify: true,
  });
  await build({
    ...common,
    entryPoints: { 'sandbox-bridge': join(root, 'src/process/sandbox/bridge.ts') },
    outdir: dist,
  });
  await chmod(join(dist, 'cli.js'), 0o755);
}

/**
 * Makes V8 write its compiled form of the SDK by one use of the SDK: a connection to nowhere compiles the code of a
 * real one. Users of another Node version get theirs with their first command.
 */
async function compileSdk(buildId) {
  const program = `
    const { loadCompiled } = await import(${JSON.stringify(pathToFileURL(join(dist, 'compiled.js')).href)});
    const { Connection, Client } = loadCompiled(${JSON.stringify(join(dist, SDK_FILE))}, '${buildId}', '')['@temporalio/client'];
    const connection = Connection.lazy({ address: '127.0.0.1:9', connectTimeout: 200 });
    const { workflow } = new Client({ connection });
    await connection.withDeadline(Date.now() + 200, () => workflow.getHandle('x').describe()).catch(() => {});
    await connection.withDeadline(Date.now() + 200, () => workflow.getHandle('x').query('x', 'y')).catch(() => {});
    process.exit(0);`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
}

/** The same for the worker's. */
async function compileWorkerSdk(buildId) {
  const program = `
    const { loadCompiled } = await import(${JSON.stringify(pathToFileURL(join(dist, 'compiled.js')).href)});
    const load = loadCompiled(${JSON.stringify(join(dist, WORKER_SDK_FILE))}, '${buildId}', '');
    const { NativeConnection, Runtime } = load.sdk()['@temporalio/worker'];
    load.sdk()['@temporalio/activity'];
    Runtime.install({});
    await NativeConnection.connect({ address: '127.0.0.1:9' }).catch(() => {});
    process.exit(0);`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
}

/** The same for the program, by the command that reads most: `status` in a repository without a run. */
async function compileProgram() {
  const dir = await mkdtemp(join(tmpdir(), 'ralphctl-build-'));
  const run = (program, ...args) =>
    promisify(execFile)(program, args, { cwd: dir, env: { ...process.env, RALPHCTL_HOME: join(dir, 'state') } });
  try {
    await run('git', 'init', '--quiet');
    await run('git', '-c', 'user.name=x', '-c', 'user.email=x', 'commit', '--quiet', '--allow-empty', '--message', 'x');
    await run(process.execPath, join(dist, 'cli.js'), 'status', '--json').catch(() => {});
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * The SDK's worker records a stack trace for every promise of a workflow, a quarter of a workflow's cost; only the call
 * stack in the Web UI shows it. An error keeps one line, its origin. This must precede the first module, because the
 * sandbox then freezes `Error`; it is on the same line, so that the source map still fits.
 */
const ONE_LINE_TRACES = 'Error.stackTraceLimit=1;';

async function buildWorkflows() {
  const quiet = { trace() {}, debug() {}, info() {}, log() {}, warn: console.warn, error: console.error };
  const code = await bundleWorkflows({ logger: quiet });
  await writeFile(join(dist, 'workflow-bundle.js'), ONE_LINE_TRACES + code);
}

export async function buildAll({ quiet = false } = {}) {
  const wanted = await fingerprint();
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return;
  const started = Date.now();
  if (!quiet) console.error('building …');
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  await Promise.all([buildCommands(wanted), buildWorkflows(), buildSdks(dist)]);
  await Promise.all([compileSdk(wanted), compileWorkerSdk(wanted), compileProgram()]);
  await writeFile(stamp, wanted);
  if (!quiet) console.error(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
