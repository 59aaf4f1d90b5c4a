/** What the benchmarks share: scratch repositories, the program, clocks, memory. Everything is measured in one sitting. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const cli = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

export const git = async (cwd, ...args) => (await run('git', args, { cwd, maxBuffer: 1 << 26 })).stdout.trim();

/** A state folder with its own server, and repositories to run in. */
export async function lab() {
  const base = await mkdtemp(join(tmpdir(), 'ralphctl-bench-'));
  const env = {
    ...process.env,
    RALPHCTL_HOME: join(base, 'state'),
    RALPHCTL_PORT: '0',
    RALPHCTL_UI_PORT: '0',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'user.name',
    GIT_CONFIG_VALUE_0: 'Bench',
    GIT_CONFIG_KEY_1: 'user.email',
    GIT_CONFIG_VALUE_1: 'bench@localhost',
  };
  const repos = [];
  return {
    base,
    env,
    async repo(name, files) {
      const dir = join(base, name);
      repos.push(dir);
      await mkdir(dir, { recursive: true });
      await git(dir, 'init', '-q', '-b', 'main');
      await git(dir, 'config', 'user.name', 'Bench');
      await git(dir, 'config', 'user.email', 'bench@localhost');
      for (const [path, text] of Object.entries(files)) {
        await mkdir(dirname(join(dir, path)), { recursive: true });
        await writeFile(join(dir, path), text);
      }
      await git(dir, 'add', '-A');
      await git(dir, 'commit', '-qm', 'start');
      return dir;
    },
    async ralphctl(cwd, ...args) {
      return call(process.execPath, [cli, ...args], { cwd, env });
    },
    async stopWorker(dir) {
      await call(process.execPath, [cli, 'worker', '--stop'], { cwd: dir, env });
    },
    async close() {
      for (const dir of repos) await call(process.execPath, [cli, 'worker', '--stop'], { cwd: dir, env });
      await call(process.execPath, [cli, 'server', 'stop', '--force'], { cwd: base, env });
      await rm(base, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

/** Runs a command; gives its exit code, output and wall-clock milliseconds. */
export function call(command, args, options) {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      if (process.env.SCALE_PROGRESS) process.stderr.write(chunk);
    });
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({ code: code ?? signal, stdout, stderr, ms: performance.now() - started }),
    );
  });
}

/** Events that `start --json` printed. */
export const eventsOf = (stdout) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

/** Pids of processes whose command line holds all the words. */
export async function pidsWith(...words) {
  const found = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
    if (line && words.every((word) => line.includes(word))) found.push(Number(name));
  }
  return found;
}

/** Peak resident memory of a process so far, MB. */
export async function peakMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
export async function rssMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}
/** CPU seconds the threads of a process have used, to the nanosecond: an idle one uses less than a tick of the clock. */
export async function cpuSeconds(pid) {
  const threads = await readdir(`/proc/${pid}/task`);
  const files = threads.map((id) => readFile(`/proc/${pid}/task/${id}/schedstat`, 'utf8').catch(() => '0'));
  return (await Promise.all(files)).reduce((sum, text) => sum + Number(text.split(' ')[0]) / 1e9, 0);
}

const statOf = async (pid) => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
};
/** CPU seconds of a process that has ended children, and of those. */
export async function cpuWithChildren(pid) {
  const fields = await statOf(pid);
  return {
    own: (Number(fields[11]) + Number(fields[12])) / 100,
    children: (Number(fields[13]) + Number(fields[14])) / 100,
  };
}

export async function childrenOf(parent) {
  const found = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = await statOf(name).catch(() => undefined);
    if (fields && Number(fields[1]) === parent) found.push(Number(name));
  }
  return found;
}

/** The processes of ours that serve a project. */
export async function processesOf(project, base) {
  const [[worker], [supervisor], [server]] = await Promise.all([
    pidsWith('worker', '--child', project),
    pidsWith('worker', '--supervise', project),
    pidsWith('start-dev', base),
  ]);
  const jobProcesses = worker === undefined ? [] : await childrenOf(worker);
  const shells = (await Promise.all(jobProcesses.map(childrenOf))).flat();
  return { worker, supervisor, server, jobProcesses, shells };
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export const ms = (value) =>
  value === undefined ? '–' : value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;

export function table(title, head, rows) {
  console.log(`\n## ${title}\n`);
  console.log(`| ${head.join(' | ')} |`);
  console.log(`|${head.map(() => '---').join('|')}|`);
  for (const row of rows) console.log(`| ${row.join(' | ')} |`);
}

const aims = [];
/** Notes what was aimed at and what was measured, both in `unit`; for the table at the end. */
export const aim = (name, limit, measured, unit) => aims.push({ name, limit, measured, unit });

export function aimsTable() {
  if (aims.length === 0) return;
  const value = (number, unit) => `${Number(number.toFixed(Math.abs(number) < 20 ? 2 : 0))} ${unit}`;
  table(
    'Aims',
    ['aim', 'at most', 'measured', 'met'],
    aims.map(({ name, limit, measured, unit }) => [
      name,
      value(limit, unit),
      value(measured, unit),
      measured <= limit ? 'yes' : `no, by ${(((measured - limit) / Math.abs(limit)) * 100).toFixed(0)} %`,
    ]),
  );
}

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export function roadmap(count, more = '') {
  const lines = ['# Roadmap', ''];
  for (let n = 1; n <= count; n++)
    lines.push(`- [ ] **t-${n}**: Task ${n}`, '  - ralph: true', ...(more ? [`  - ${more}`] : []));
  return `${lines.join('\n')}\n`;
}

/** An agent that costs next to nothing: writes one file and says it is done. */
export const noopAgent = `sh -c 'echo done > "$RALPHCTL_IDEA.txt"; echo "<ralph nonce=\\"$RALPHCTL_NONCE\\">COMPLETE</ralph>"'`;

export const config = (agent, extra = '') =>
  `version: 1\nagent: bench\nagents:\n  bench:\n    adapter: command\n    command: ${JSON.stringify(agent)}\nstepDelayMs: 0\ngate:\n  commands:\n    - "true"\n${extra}`;
