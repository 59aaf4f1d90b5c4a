/**
 * Builds dist/: the CLI (esbuild, split into lazily loaded chunks), the scripted agent and the workflow bundle.
 * Does nothing when dist/ already belongs to these sources.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  const files = [...(await filesBelow(join(root, 'src'))), 'package.json', 'package-lock.json', 'scripts/build.mjs'];
  for (const file of files) {
    const path = file.startsWith('/') ? file : join(root, file);
    hash.update(path).update(await readFile(path));
  }
  return hash.digest('hex');
}

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
    define: { __BUILD_ID__: JSON.stringify(buildId), __VERSION__: JSON.stringify(version) },
    // Dependencies that are CommonJS call `require`, which ES modules do not have.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
    },
  };
  // Start-up time counts for every command: small libraries are bundled; native and worker-thread ones stay outside.
  const external = Object.keys(dependencies).filter(
    (name) => name.startsWith('@temporalio/') || name.startsWith('pino'),
  );
  await build({
    ...common,
    entryPoints: { cli: join(root, 'src/cli.ts'), launcher: join(root, 'src/launcher/main.ts') },
    outdir: dist,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    external,
  });
  await build({
    ...common,
    entryPoints: { 'scripted-agent': join(root, 'src/agents/scripted/main.ts') },
    outdir: dist,
    minify: true,
  });
  await chmod(join(dist, 'cli.js'), 0o755);
}

async function buildWorkflows() {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  const quiet = { trace() {}, debug() {}, info() {}, log() {}, warn: console.warn, error: console.error };
  const { code } = await bundleWorkflowCode({ workflowsPath: join(root, 'src/workflows/index.ts'), logger: quiet });
  await writeFile(join(dist, 'workflow-bundle.js'), code);
}

export async function buildAll({ quiet = false } = {}) {
  const wanted = await fingerprint();
  if (existsSync(stamp) && (await readFile(stamp, 'utf8')) === wanted) return;
  const started = Date.now();
  if (!quiet) console.error('building …');
  await rm(dist, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  await Promise.all([buildCommands(wanted), buildWorkflows()]);
  await writeFile(stamp, wanted);
  if (!quiet) console.error(`built in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildAll();
