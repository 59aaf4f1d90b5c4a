/** Checks the agent CLIs: which are installed, logged in, and able to work in a run. */

import { randomUUID } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { CATALOG, type CatalogEntry, catalogEntry } from '../../agents/catalog.js';
import { agentEnvironment } from '../../agents/environment.js';
import { executeAgent } from '../../agents/execute.js';
import type { AgentSpec } from '../../config/agent-spec.js';
import { makeTemporary } from '../../process/temporary.js';
import { isExecutable, which } from '../../server/install/probe.js';
import type { Context } from '../context.js';
import { type Check, fail, info, ok, warn } from './check.js';
import { compareVersions, versionIn } from './machine.js';

const PROBE_MS = 30_000;

export interface FoundAgent {
  entry: CatalogEntry;
  path: string;
  version?: string;
}

/** CLIs that ralphctl has an adapter for and that are on PATH. */
export async function findAgents({ env }: Context): Promise<FoundAgent[]> {
  const found = await Promise.all(
    CATALOG.map(async (entry) => {
      const path = await which(entry.program, env);
      return path === undefined ? undefined : { entry, path };
    }),
  );
  return found.filter((one) => one !== undefined);
}

/** `used`: agents that a run would start; the others are only listed. `answered`: names of those whose model has answered. */
export async function checkAgents(
  context: Context,
  used: readonly AgentSpec[],
  answered: ReadonlySet<string>,
): Promise<Check[]> {
  const checks = await Promise.all(used.map((spec) => checkUsed(context, spec, answered.has(spec.name))));
  const adapters = new Set(used.map((spec) => spec.adapter));
  const others = (await findAgents(context)).filter(({ entry }) => !adapters.has(entry.adapter));
  const listed = await Promise.all(
    others.map(async ({ entry, path }) =>
      info(`agent ${entry.adapter}`, `${await versionOf([path], context)} at ${path}, not used here`),
    ),
  );
  return [...checks.flat(), ...listed];
}

async function checkUsed(context: Context, spec: AgentSpec, answered: boolean): Promise<Check[]> {
  const what = `agent ${spec.name}`;
  const entry = catalogEntry(spec.adapter);
  const argv = spec.command ?? (entry ? [entry.program] : undefined);
  if (!argv?.[0]) return [ok(what, 'comes with ralphctl')];
  const path = await resolveProgram(argv[0], context);
  if (!path) {
    const fix =
      entry && !spec.command
        ? `${entry.install}. Or name another agent with agent: in ralphctl.yaml; any program can be an agent (ralphctl help agents)`
        : `install it, or fix agents.${spec.name}.command in ralphctl.yaml`;
    const problem = argv[0].includes('/') ? 'is not an executable program' : 'is not on PATH';
    return [fail(what, `${argv[0]} ${problem}`, fix)];
  }
  if (!entry) return [ok(what, path)];
  const checks = [await checkVersion(what, entry, [path, ...argv.slice(1)], context)];
  // An agent with its own provider needs no login of the CLI. The CLI still reports that it has none.
  if (!answered) checks.push(await checkLogin(what, entry, spec, [path, ...argv.slice(1)], context));
  checks.push(info(what, `runs unattended by: ${entry.unattended}`));
  if (process.getuid?.() === 0 && entry.root && !spec.sandboxed)
    checks.push(fail(what, 'doctor runs as root', entry.root));
  return checks;
}

async function resolveProgram(program: string, { env, cwd }: Context): Promise<string | undefined> {
  if (!program.includes('/')) return which(program, env);
  const path = program.startsWith('/') ? program : join(cwd, program);
  return (await isExecutable(path)) ? path : undefined;
}

async function checkVersion(
  what: string,
  entry: CatalogEntry,
  argv: readonly string[],
  context: Context,
): Promise<Check> {
  const found = await versionOf(argv, context);
  const version = versionIn(found);
  if (!version)
    return warn(what, `${argv[0]} --version prints no version: ${found}`, `install it again: ${entry.install}`);
  const order = compareVersions(version, entry.proven);
  if (order === 0) return ok(what, `${version}, the version that the adapter was tested with`);
  if (sameSeries(version, entry.proven)) return ok(what, `${version}; tested with ${entry.proven}`);
  const fix =
    order < 0
      ? `update it: ${entry.install}`
      : `test it with: npm run test:agents -- ${entry.adapter}. Or install ${entry.proven}`;
  return warn(
    what,
    `${version} is ${order < 0 ? 'older' : 'newer'} than ${entry.proven}, which the adapter was tested with`,
    fix,
  );
}

/** Up to the second number; before 1.0 the third one is the minor release. */
const sameSeries = (a: string, b: string): boolean =>
  a.split('.').slice(0, 2).join() === b.split('.').slice(0, 2).join();

async function versionOf(argv: readonly string[], context: Context): Promise<string> {
  const [file = '', ...args] = argv;
  const got = await execa(file, [...args, '--version'], { ...quiet(context), timeout: PROBE_MS });
  return (
    versionIn(`${got.stdout}`) ??
    versionIn(`${got.stderr}`) ??
    (`${got.stdout}${got.stderr}`.trim().split('\n')[0] || 'it printed nothing')
  );
}

async function checkLogin(
  what: string,
  entry: CatalogEntry,
  spec: AgentSpec,
  argv: readonly string[],
  context: Context,
): Promise<Check> {
  // The environment of the agent, not of this shell.
  const env = agentEnvironment(spec, context.env);
  const key = entry.keys.find((name) => env[name]);
  if (key) return ok(what, `${key} is set (to test it: ralphctl doctor --probe)`);
  if (entry.probe && (await probed(entry.probe, argv, env, context))) return ok(what, 'logged in');
  if (!entry.probe) {
    for (const file of entry.files) {
      const path = join(env.HOME ?? homedir(), file);
      if (await stat(path).catch(() => undefined))
        return ok(what, `${path} exists (to test the login: ralphctl doctor --probe)`);
    }
  }
  const hidden = entry.keys.find((name) => context.env[name]);
  if (hidden)
    return warn(what, `${hidden} is set, but this agent does not get it`, `add it to agents.${spec.name}.passEnv`);
  // The CLI's own answer is certain; the login file may be in another place.
  const say = entry.probe ? fail : warn;
  return say(what, entry.probe ? 'is not logged in' : 'seems not to be logged in', entry.login);
}

async function probed(
  probe: NonNullable<CatalogEntry['probe']>,
  [file = '', ...leading]: readonly string[],
  env: Record<string, string>,
  context: Context,
): Promise<boolean> {
  const got = await execa(file, [...leading, ...probe.args], { ...quiet(context), env, timeout: PROBE_MS });
  return got.exitCode === 0 && (!probe.says || probe.says.test(`${got.stdout}`));
}

const quiet = (context: Context) =>
  ({
    reject: false,
    stdin: 'ignore',
    cwd: context.root,
    env: context.env as Record<string, string>,
    extendEnv: false,
    forceKillAfterDelay: 1000,
  }) as const;

/* Asks an agent for one real answer, with `--probe` only: it costs a little, and is the only proof that the login works. */

const TURN_MS = 120_000;

export async function probeAgent(context: Context, spec: AgentSpec): Promise<Check> {
  const what = `agent ${spec.name}, a real turn`;
  const dir = await makeTemporary('probe');
  const startedAt = performance.now();
  try {
    const got = await executeAgent({
      spec,
      prompt: 'Reply with the single word OK. Do not use any tool and do not touch any file.',
      cwd: dir,
      nonce: 'probe',
      idea: 'probe',
      iteration: 1,
      scratch: dir,
      outputFile: join(dir, 'output.log'),
      token: `doctor/${randomUUID()}`,
      timeoutMs: TURN_MS,
      baseEnv: context.env,
    });
    const took = `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
    if (got.outcome.kind === 'ok') return ok(what, `answered in ${took}`);
    if (got.outcome.kind === 'timeout')
      return fail(
        what,
        `no answer in ${took}`,
        `run it by hand to see the cause: ${spec.command?.[0] ?? spec.adapter}`,
      );
    const { failure, message } = got.outcome;
    return fail(what, `${failure}: ${inOneRow(message)}`, FIXES[failure] ?? 'run it by hand to see the cause');
  } catch (error) {
    return fail(what, (error as Error).message, 'fix the agent in ralphctl.yaml');
  } finally {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** All of it, because a traceback ends with its cause; it has at most 1000 characters. */
const inOneRow = (message: string): string =>
  message
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '')
    .join(' · ');

const FIXES: Readonly<Record<string, string>> = {
  auth: 'log in again, or renew the key',
  limited: 'wait for the limit to end, or use another account',
  config: 'check model and args of the agent in ralphctl.yaml',
  launch: 'run it by hand: it exited before its first answer',
};
