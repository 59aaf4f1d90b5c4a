/**
 * Puts the Temporal SDK into two files of dist/: what commands use, and what the worker uses. Both load together with
 * their compiled form (src/process/compiled.ts), not module by module.
 * Invariant: the worker's file holds all of the SDK that its process uses, and no bundler: the build makes the workflow
 * bundle, and webpack alone would cost every worker a third of a second. Only the native part stays outside.
 */
import { copyFile, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usedProtos } from './used-protos.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

const CLIENT = ['@temporalio/client', '@temporalio/common', '@temporalio/common/lib/time.js'];
const WORKER = [
  ...CLIENT,
  '@temporalio/common/lib/internal-non-workflow/index.js',
  '@temporalio/activity',
  '@temporalio/worker',
];
export const SDK_FILE = 'temporal-client.cjs';
export const WORKER_SDK_FILE = 'temporal-worker.cjs';
/** Loaded by a worker thread, in which the SDK runs workflows. */
export const WORKER_THREAD_FILE = 'temporal-worker-thread.js';
const MAP_READER_FILE = 'mappings.wasm';
const sdkWorker = createRequire(import.meta.url).resolve('@temporalio/worker');
const THREAD = '@temporalio/worker/lib/workflow/workflow-worker-thread.js';

const rows = (names) => names.map((name) => `'${name}': require('${name}')`).join(', ');

export async function buildSdks(dist) {
  const { build } = await import('esbuild');
  const common = {
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    minify: true,
    keepNames: true,
    legalComments: 'none',
    logLevel: 'error',
  };
  await build({
    ...common,
    stdin: { contents: `module.exports = { ${rows(CLIENT)} };`, resolveDir: root },
    outfile: join(dist, SDK_FILE),
    plugins: [onlyUsedProtos],
  });
  await build({
    ...common,
    stdin: {
      contents: `module.exports = { sdk: () => ({ ${rows(WORKER)} }), thread: () => require('${THREAD}') };`,
      resolveDir: root,
    },
    banner: { js: 'const __sdkFile = module.filename;' },
    outfile: join(dist, WORKER_SDK_FILE),
    plugins: [noBundler, nativePart, threadFile, mapReader],
  });
  // Reads the source map of the workflows.
  await copyFile(createRequire(sdkWorker).resolve('source-map/lib/mappings.wasm'), join(dist, MAP_READER_FILE));
}

const onlyUsedProtos = {
  name: 'only-used-protos',
  setup(build) {
    build.onLoad({ filter: /[\\/]proto[\\/]protos[\\/]json-module\.js$/ }, async ({ path }) => {
      const json = JSON.stringify(JSON.stringify(await usedProtos(join(root, 'src'))));
      const contents = `
        const { Root, roots } = require('protobufjs/light');
        module.exports = (roots.__temporal ??= new Root()).addJSON(JSON.parse(${json}));`;
      return { contents, resolveDir: dirname(path) };
    });
  },
};

const noBundler = {
  name: 'no-bundler',
  setup(build) {
    build.onLoad({ filter: /[\\/]worker[\\/]lib[\\/]workflow[\\/]bundler\.js$/ }, () => ({
      contents: `exports.defaultWorkflowInterceptorModules = [];`,
    }));
  },
};

/** The native part stays in its package, and the SDK looks for it beside its own file. */
const nativePart = changed('native-part', /[\\/]core-bridge[\\/]common\.js$/, '__dirname', () => {
  // It need not be a neighbour of this program's packages: only the SDK's own package surely finds it.
  const near = `require('node:module').createRequire(require.resolve('@temporalio/worker'))`;
  return `require('node:path').dirname(${near}.resolve('@temporalio/core-bridge/package.json'))`;
});

/** The SDK starts its thread by the path of a module, which the one file does not have. */
const threadFile = changed(
  'thread-file',
  /[\\/]worker[\\/]lib[\\/]workflow[\\/]threaded-vm\.js$/,
  `require.resolve('./workflow-worker-thread')`,
  () => `require('node:path').join(require('node:path').dirname(__sdkFile), '${WORKER_THREAD_FILE}')`,
);

const mapReader = changed(
  'map-reader',
  /[\\/]source-map[\\/]lib[\\/]read-wasm\.js$/,
  'path.join(__dirname, "mappings.wasm")',
  () => `path.join(path.dirname(__sdkFile), '${MAP_READER_FILE}')`,
);

/** Replaces one expression in a file of the SDK; an SDK that has it no longer fails the build. */
function changed(name, filter, wanted, replacement) {
  return {
    name,
    setup(build) {
      build.onLoad({ filter }, async ({ path }) => {
        const code = await readFile(path, 'utf8');
        if (!code.includes(wanted)) throw new Error(`${path} has no ${wanted} any more: see scripts/sdk-files.mjs`);
        return { contents: code.replace(wanted, replacement()), resolveDir: dirname(path) };
      });
    },
  };
}

/** Lets code of ours import the SDK as usual and get the one file of its process. */
export const sdkFromOneFile = (buildId) => [
  oneFile('client-sdk', ['client', 'server'], CLIENT, SDK_FILE, '', buildId),
  oneFile('worker-sdk', ['worker', 'activities'], WORKER, WORKER_SDK_FILE, '.sdk()', buildId),
];

/** What was loaded first serves the process where it has what is asked for: the worker's file has all. */
function oneFile(namespace, folders, names, file, get, buildId) {
  const users = new RegExp(`[\\\\/]src[\\\\/](?:${folders.join('|')})[\\\\/]`);
  return {
    name: namespace,
    setup(build) {
      build.onResolve({ filter: /^@temporalio\// }, ({ path, importer, kind }) =>
        users.test(importer) && names.includes(path) && kind !== 'require-call' ? { path, namespace } : undefined,
      );
      build.onLoad({ filter: /.*/, namespace }, async ({ path }) => {
        const exported = Object.keys(createRequire(import.meta.url)(path));
        const wanted = exported.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
        const contents = `
          import { cacheRoot } from ${JSON.stringify(join(root, 'src/config/paths.ts'))};
          import { loadCompiled } from ${JSON.stringify(join(root, 'src/process/compiled.ts'))};
          import { programFile } from ${JSON.stringify(join(root, 'src/process/program-file.ts'))};
          const key = Symbol.for('ralphctl.sdk');
          const path = ${JSON.stringify(path)};
          if (!globalThis[key]?.[path])
            globalThis[key] = loadCompiled(programFile('${file}'), '${buildId}', cacheRoot())${get};
          export const { ${wanted.join(', ')} } = globalThis[key][path];`;
        return { contents, resolveDir: root };
      });
    },
  };
}
