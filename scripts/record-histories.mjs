/**
 * Records workflow histories for the replay tests: real runs of the built program on a separate server.
 *
 * node scripts/record-histories.mjs [scenario …]
 *
 * Invariant: an existing file is never written again. It represents open runs with the code of its version, and a
 * re-recorded one proves nothing. After a change that needs `patched()`, record under the new version, next to the old
 * ones.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { buildAll } from './build.mjs';
import { KINDS as FIRST_KINDS, scenariosOn } from './history-scenarios.mjs';
import { BESIDE_KINDS, besideScenariosOn } from './history-scenarios-beside.mjs';
import { DELIVERY_KINDS, deliveryScenariosOn } from './history-scenarios-delivery.mjs';
import { ENCRYPTED_KINDS, encryptedScenariosOn } from './history-scenarios-encrypted.mjs';
import { LATER_KINDS, laterScenariosOn } from './history-scenarios-later.mjs';
import { TOLD_KINDS, toldScenariosOn } from './history-scenarios-told.mjs';
import { TRACKER_KINDS, trackerScenariosOn } from './history-scenarios-tracker.mjs';
import { WAVES_KINDS, wavesScenariosOn } from './history-scenarios-waves.mjs';
import { root } from './install.mjs';

const exec = promisify(execFile);
const out = join(root, 'test', 'histories');
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/**
 * No path or name of this machine may get in: a short folder under the system's temporary one, and an invented host.
 */
const base = await realpath(await mkdtemp(join(tmpdir(), 'ralph-rec-')));
const hostFile = join(base, 'host.mjs');
/**
 * A copy of the program, because failures in a history quote their stack; it also protects against a rebuild during the
 * run.
 */
const cli = join(base, 'dist', 'cli.js');
const env = {
  PATH: process.env.PATH,
  HOME: base,
  LANG: 'C.UTF-8',
  RALPHCTL_HOME: join(base, 'state'),
  RALPHCTL_PORT: '0',
  RALPHCTL_UI_PORT: '0',
  RALPHCTL_HOST: 'testhost',
  XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'),
  // The SDK's clients name themselves after the host.
  NODE_OPTIONS: `--import=${hostFile} --preserve-symlinks --preserve-symlinks-main`,
};

async function until(what, check, ms = 180_000) {
  let last = '';
  for (const end = Date.now() + ms; ; ) {
    const found = await check().catch((error) => {
      last = ` (${error.message})`;
    });
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited ${ms} ms for: ${what}${last}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A module of the project, compiled. */
async function bundled(...paths) {
  const { build } = await import('esbuild');
  const outfile = join(base, `${paths.join('+').replaceAll('/', '-')}.mjs`);
  const banner = "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);";
  const contents = paths.map((path) => `export * from './${path}';`).join('\n');
  await build({
    stdin: { contents, resolveDir: root },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile, banner: { js: banner } },
  });
  return import(outfile);
}

/** A `temporal` program, found in the same way as the product does. */
async function temporalProgram() {
  const { resolveBinary } = await bundled('src/server/install/resolve.ts');
  const cacheRoot = join(env.XDG_CACHE_HOME, 'ralphctl');
  const { path } = await resolveBinary({ env: process.env, cacheRoot, onProgress: (line) => console.error(line) });
  return path;
}

/** A repository with a scripted backlog. `files`: files that the agent's script waits for or writes. */
async function project(name, { ideas, config = {}, files: more = {} }) {
  const repo = join(base, name);
  const scratch = join(base, `${name}-scratch`);
  await mkdir(repo);
  await mkdir(scratch);
  const script = Object.fromEntries(Object.entries(ideas).map(([id, idea]) => [id, idea.script(scratch)]));
  const lines = ['# Roadmap', ''];
  for (const [id, { script: _, ...properties }] of Object.entries(ideas)) {
    lines.push(`- [ ] **${id}**: Do ${id}`);
    for (const [key, value] of Object.entries({ ralph: true, ...properties })) lines.push(`  - ${key}: ${value}`);
  }
  const files = {
    'roadmap.md': `${lines.join('\n')}\n`,
    'ralphctl.json': JSON.stringify({
      version: 1,
      agent: 'scripted',
      slots: 2,
      stepDelayMs: 0,
      gate: ['! grep -q bad *.txt'],
      ...config,
    }),
    '.ralph-script.yaml': JSON.stringify({ ideas: script }),
    'base.txt': 'base\n',
    ...more,
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(repo, path), text);
  const git = async (...args) =>
    (await exec('git', args, { cwd: repo, env: { ...env, NODE_OPTIONS: '' } })).stdout.trim();
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'Test User');
  await git('config', 'user.email', 'test@localhost');
  await git('add', '--all');
  await git('commit', '-q', '-m', 'start');
  const run = async (...args) => {
    const options = { cwd: repo, env, maxBuffer: 64 << 20 };
    const done = await exec(process.execPath, [cli, ...args], options).catch((error) => error);
    // 3: some ideas did not land; 4: one asks a person; 6: no run is open any more. All are expected here.
    if (typeof done.code === 'number' && ![0, 3, 4, 6].includes(done.code)) {
      throw new Error(`ralphctl ${args.join(' ')} ended with ${done.code}: ${done.stderr}${done.stdout.slice(-2000)}`);
    }
    return done.stdout;
  };
  const status = async () => JSON.parse((await run('status', '--json')).split('\n')[0]);
  return {
    ...{ repo, scratch, git, run, status },
    id: async () => (await until('the project', status)).project,
    there: (file) => until(file, async () => existsSync(join(scratch, file)) || undefined),
    touch: (file) => writeFile(join(scratch, file), ''),
  };
}

const scriptedAgent = join(base, 'dist', 'scripted-agent.js');
const read = (file) => readFile(file, 'utf8').catch(() => '');
const gone = (pid) => until(`process ${pid} to end`, async () => !existsSync(`/proc/${pid}`));
const tools = {
  bundled,
  env,
  project,
  scriptedAgent,
  until,
  connected,
  workerOf,
  continuedRun,
  bounced,
  read,
  gone,
  startEarlyRollover,
};
const scenarios = {
  ...scenariosOn(tools),
  ...toldScenariosOn(tools),
  ...laterScenariosOn(tools),
  ...deliveryScenariosOn(tools),
  ...trackerScenariosOn({ ...tools, base }),
  ...wavesScenariosOn({ ...tools, base }),
  ...besideScenariosOn(tools),
  ...encryptedScenariosOn({ ...tools, out }),
};
const KINDS = {
  ...{ ...FIRST_KINDS, ...TOLD_KINDS, ...LATER_KINDS, ...DELIVERY_KINDS, ...TRACKER_KINDS, ...WAVES_KINDS },
  ...{ ...BESIDE_KINDS, ...ENCRYPTED_KINDS },
};

const fileOf = (kind) => join(out, `${kind}-${version}.json`);

async function address() {
  const server = await exec(process.execPath, [cli, 'server', 'status', '--json'], { env });
  return JSON.parse(server.stdout).record.address;
}

let client;
async function connected() {
  if (client) return client;
  const connection = await Connection.connect({ address: await address() });
  client = new Client({ connection, identity: '1@testhost' });
  return client;
}

/**
 * A run that continues as new after `maxHistory` events. Nothing happens without a worker, so the run can be replaced
 * before it begins.
 */
async function startEarlyRollover(p, maxHistory) {
  await p.run('start', '--detach', '--no-worker');
  const id = await p.id();
  const workflowId = `ralph:${id}:autopilot`;
  const from = await connected();
  const handle = from.workflow.getHandle(workflowId);
  const { memo } = await handle.describe();
  const [started] = (await handle.fetchHistory()).events;
  const [payload] = started.workflowExecutionStartedEventAttributes.input.payloads;
  const input = JSON.parse(Buffer.from(payload.data).toString('utf8'));
  await handle.terminate('replaced by one that continues as new early');
  await from.workflow.start('autopilot', {
    ...{ workflowId, taskQueue: `ralph-${id}`, memo },
    args: [{ ...input, maxHistory }],
    searchAttributes: { RalphProject: [id], RalphState: ['running'] },
  });
  return workflowId;
}

/** A run that began with carried state, and ended by passing it on where there is one. */
async function continuedRun(from, workflowId) {
  const runs = await until(`a closed chain of ${workflowId}`, async () => {
    const all = [];
    for await (const info of from.workflow.list({ query: `WorkflowId = '${workflowId}'` })) all.push(info);
    return all.length > 2 && all.every((info) => info.status.name !== 'RUNNING') ? all : undefined;
  });
  const chain = runs.filter((info) => info.status.name !== 'TERMINATED').sort((a, b) => a.startTime - b.startTime);
  return { workflowId, runId: chain[1].runId };
}

/** It was prepared a second time, on top of landed work. */
async function bounced(workflowId) {
  const { events } = await (await connected()).workflow.getHandle(workflowId).fetchHistory();
  const names = events.map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
  return names.filter((name) => name === 'prepareIdea').length > 1;
}

async function workerOf(project_) {
  return until('the worker', async () => {
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      if (['worker', '--child', project_].every((word) => args.includes(word))) return Number(pid);
    }
    return undefined;
  });
}

async function keep(temporal, kind, execution) {
  const { workflowId, runId } = typeof execution === 'string' ? { workflowId: execution } : execution;
  const args = ['workflow', 'show', '--address', await address(), '--workflow-id', workflowId, '--output', 'json'];
  const { stdout } = await exec(temporal, [...args, ...(runId ? ['--run-id', runId] : [])], { maxBuffer: 64 << 20 });
  const { events } = JSON.parse(stdout);
  // Compiled code names the place of its build in stacks, also as a copy elsewhere.
  const text = stdout.replaceAll(join(root, '/'), `${base}/`);
  // wx: even a file that appeared meanwhile stays.
  await writeFile(fileOf(kind), text, { flag: 'wx' });
  console.log(`${kind}: ${events.length} events, ${Math.round(text.length / 1024)} KiB`);
}

async function main(names) {
  const unknown = names.find((name) => !(name in scenarios));
  if (unknown) throw new Error(`there is no scenario ${unknown}; there are ${Object.keys(scenarios).join(', ')}`);
  const there = names.flatMap((name) => KINDS[name]).find((kind) => existsSync(fileOf(kind)));
  if (there) {
    throw new Error(
      `${fileOf(there)} exists, and a kept history is never recorded again; raise the version in package.json, or name the scenarios to record`,
    );
  }
  await buildAll();
  await cp(join(root, 'dist'), join(base, 'dist'), { recursive: true });
  await symlink(join(root, 'node_modules'), join(base, 'node_modules'));
  await writeFile(join(base, 'package.json'), '{"type":"module"}');
  await mkdir(out, { recursive: true });
  const temporal = await temporalProgram();
  await writeFile(
    hostFile,
    "import os from 'node:os'; import { syncBuiltinESMExports } from 'node:module'; os.hostname = () => 'testhost'; os.userInfo = () => ({ username: 'tester' }); syncBuiltinESMExports();\n",
  );
  for (const name of names) {
    const kept = await scenarios[name]();
    for (const kind of KINDS[name]) await keep(temporal, kind, kept[kind]);
  }
}

try {
  const named = process.argv.slice(2);
  await main(named.length > 0 ? named : Object.keys(scenarios));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await client?.connection.close();
  for (const name of await readdir(base)) {
    if (existsSync(join(base, name, '.git'))) {
      await exec(process.execPath, [cli, 'worker', '--stop'], { cwd: join(base, name), env }).catch(() => {});
    }
  }
  if (existsSync(env.RALPHCTL_HOME))
    await exec(process.execPath, [cli, 'server', 'stop', '--force'], { env }).catch(() => {});
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
}
