/** The place of one episode: a repository, a state folder (a small disk of its own where asked for), and the program. */
import { execFile, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Episode } from './plan.js';
import { findGit, Points } from './points.js';

const exec = promisify(execFile);
const SMALL_DISK_MB = 96;

export interface Program {
  /** Path of dist/cli.js. */
  cli: string;
  /** Path of agent.mjs. */
  agent: string;
  /** Path of clock.mjs. */
  clock: string;
}

export interface Place {
  base: string;
  repo: string;
  root: string;
  diary: string;
  /** Has the tree of every gate that was green in a worktree of ralphctl's own. */
  gated: string;
  ideas: string[];
  gate: string;
  points: Points;
  /** While this file exists, agents stay at work. */
  hold: string;
  /** Holds the offset of every Node process's wall clock, milliseconds. */
  clock: string;
  git(...args: string[]): Promise<string>;
  /** Runs a command of the program to its end. */
  call(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** How many runs of workflows went on as new ones; undefined where that cannot be asked. */
  rolled(): Promise<number | undefined>;
  /** Starts one that goes on, and gives its pid. */
  launch(...args: string[]): number;
  remove(): Promise<void>;
}

const GATE = 'test -f base.txt && ! grep -lE "^(<<<<<<<|=======|>>>>>>>)" -- *.txt';

/** Whether a small file system can be mounted here. */
export async function canMount(): Promise<boolean> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const dir = await mkdtemp(join(tmpdir(), 'ralphctl-mount-'));
  try {
    await exec('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir]);
    await exec('umount', [dir]);
    return true;
  } catch {
    return false;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** A `temporal` whose server asks for continue-as-new early. Undefined where no server was fetched or built yet. */
async function rollingServer(bin: string, cache: string, after: number): Promise<string | undefined> {
  const dir = join(cache, 'ralphctl', 'temporal');
  const [version] = (await readdir(dir).catch(() => [])).filter((name) => /^[\d.]+$/.test(name));
  if (version === undefined) return undefined;
  const path = join(bin, 'temporal');
  const real = join(dir, version, 'temporal');
  const more = `--dynamic-config-value limit.historyCount.suggestContinueAsNew=${after}`;
  await writeFile(path, `#!/bin/sh\ncase "$1" in server) exec '${real}' "$@" ${more};; esac\nexec '${real}' "$@"\n`);
  await chmod(path, 0o755);
  return path;
}

export async function makePlace(episode: Episode, program: Program): Promise<Place> {
  const base = await mkdtemp(join(tmpdir(), `ralphctl-chaos-${episode.seed}-${episode.step}-`));
  const [repo, root, scratch] = [join(base, 'repo'), join(base, 'state'), join(base, 'scratch')];
  for (const dir of [repo, root, scratch]) await mkdir(dir);
  if (episode.smallDisk) await exec('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK_MB}m`, 'tmpfs', root]);
  const [diary, gated] = [join(scratch, 'diary.jsonl'), join(scratch, 'gated')];
  const noting = `case "$PWD" in */integration/*) git rev-parse 'HEAD^{tree}' >> '${gated}';; esac`;
  const ideas = Array.from({ length: episode.ideas }, (_, at) => `${at < episode.shared ? 's' : 'i'}-${at + 1}`);
  const cache = process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache');
  const points = await Points.install(base, await findGit(process.env.PATH ?? ''));
  const temporal =
    episode.rollAfter === undefined ? undefined : await rollingServer(points.bin, cache, episode.rollAfter);
  const clock = join(base, 'clock');
  const env: NodeJS.ProcessEnv = {
    PATH: `${points.bin}:${process.env.PATH}`,
    HOME: base,
    LANG: 'C.UTF-8',
    RALPHCTL_HOME: root,
    RALPHCTL_PORT: '0',
    RALPHCTL_UI_PORT: '0',
    XDG_CACHE_HOME: cache,
    ...(temporal ? { RALPHCTL_TEMPORAL_BIN: temporal } : {}),
    ...(episode.shocks.some((shock) => shock.do === 'clock')
      ? { NODE_OPTIONS: `--import=file://${program.clock}`, CHAOS_CLOCK: clock }
      : {}),
  };
  const git = async (...args: string[]): Promise<string> => (await exec('git', args, { cwd: repo, env })).stdout.trim();
  const agent = [process.execPath, program.agent, diary, String(episode.workMs ?? 200)];
  const config = {
    version: 1,
    agent: 'chaos',
    agents: { chaos: { adapter: 'command', command: agent } },
    slots: episode.slots,
    stepDelayMs: 0,
    target: 'main',
    gate: { commands: [`${GATE} && ${noting}`] },
    // Every other episode gates ahead of the landings.
    landing: { maxRounds: 10, ...(episode.step % 2 === 1 ? { parallel: 3 } : {}) },
    // The floor would keep everything from starting on a small disk; here it is to fill up in the middle of work.
    ...(episode.smallDisk ? { disk: { minFreeMegabytes: 0, minFreeInodes: 0 } } : {}),
    // Every kill of an agent is a failure of its idea; here the idea is to outlast all of them.
    errors: { strategy: 'retry', maxRetries: 10, retryBaseMs: 50, threshold: 1000 },
  };
  const lines = ideas.flatMap((id) => [`- [ ] **${id}**: Do ${id}`, '  - ralph: true']);
  await git('init', '--quiet', '--initial-branch=main');
  await git('config', 'user.name', 'Test User');
  await git('config', 'user.email', 'test@localhost');
  await writeFile(join(repo, 'roadmap.md'), `# Roadmap\n\n${lines.join('\n')}\n`);
  // JSON is YAML, too.
  await writeFile(join(repo, 'ralphctl.yaml'), JSON.stringify(config, null, 1));
  await writeFile(join(repo, 'base.txt'), 'base\n');
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'start');
  if (episode.checkout === 'elsewhere') {
    await git('checkout', '--quiet', '-b', 'mine');
    await writeFile(join(repo, 'base.txt'), 'base, edited\n');
    await writeFile(join(repo, 'staged.txt'), 'staged\n');
    await git('add', 'staged.txt');
    await writeFile(join(repo, 'new.txt'), 'not known to git\n');
  }
  const call: Place['call'] = (...args) =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [program.cli, ...args],
        { cwd: repo, env, timeout: 120_000 },
        (error, stdout, stderr) => {
          resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr });
        },
      );
    });
  return {
    ...{ base, repo, root, diary, gated, ideas, gate: GATE, points, hold: join(scratch, 'hold'), clock, git, call },
    rolled: async () => {
      if (!temporal) return undefined;
      const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
        const options = { env, timeout: 20_000 };
        execFile(process.execPath, [program.cli, 'server', 'status', '--json'], options, (_error, stdout) =>
          resolve({ stdout }),
        );
      });
      const address = /"address":"([^"]+)"/.exec(stdout)?.[1];
      const query = ['workflow', 'count', '--query', "ExecutionStatus='ContinuedAsNew'", '--address', address ?? ''];
      const counted = await exec(temporal, query, { env, timeout: 20_000 }).catch(() => undefined);
      return counted && Number(/\d+/.exec(counted.stdout)?.[0]);
    },
    launch: (...args) => {
      const child = spawn(process.execPath, [program.cli, ...args], {
        cwd: root,
        env,
        stdio: 'ignore',
        detached: true,
      });
      child.unref();
      return child.pid ?? -1;
    },
    remove: async () => {
      if (episode.smallDisk) await exec('umount', ['--lazy', root]).catch(() => {});
      await rm(base, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
