/**
 * `npm run bench:recovery [-- --runs 5]`: from SIGKILL to the next useful work, which is an agent that runs again (or, where
 * agents outlive what was killed, the next landing). Read from outside: the agents write down when they begin.
 */
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { config, git, lab, ms, pidsWith, roadmap, sleep, table } from './lib.mjs';

const at = process.argv.indexOf('--runs');
const runs = at < 0 ? 5 : Number(process.argv[at + 1]);
const SLOTS = 2;
const here = await lab();

async function until(what, check) {
  const end = Date.now() + 120_000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited two minutes for: ${what}`);
    await sleep(5);
  }
}

/** Lines `idea pid epoch-ms`, one for each agent that began. */
const begins = async (file) =>
  (await readFile(file, 'utf8').catch(() => ''))
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [idea, pid, time] = line.split(' ');
      return { idea, pid: Number(pid), time: Number(time) };
    });

/** Agents write down that they began and then wait until they are let go. */
async function busyRun(name, ideas) {
  const marks = join(here.base, `${name}.begins`);
  const go = join(here.base, `${name}.go`);
  await writeFile(marks, '');
  const agent = `sh -c 'echo "$RALPHCTL_IDEA $$ $(date +%s%3N)" >> ${marks}; while [ ! -e ${go} ]; do sleep 0.02; done; echo done > "$RALPHCTL_IDEA.txt"; echo "<ralph nonce=\\"$RALPHCTL_NONCE\\">COMPLETE</ralph>"'`;
  const dir = await here.repo(name, {
    'roadmap.md': roadmap(ideas),
    'ralphctl.yaml': config(agent, `slots: ${SLOTS}\n`),
  });
  const started = await here.ralphctl(dir, 'start', '--json', '--detach');
  if (started.code !== 0) throw new Error(started.stderr);
  const { project } = JSON.parse(started.stdout.split('\n').find((line) => line.startsWith('{')));
  await until('two agents', async () => (await begins(marks)).length >= SLOTS);
  return { dir, marks, go, project };
}

const kill = (pids) => {
  for (const pid of pids) process.kill(pid, 'SIGKILL');
};
const worker = ({ project }) => pidsWith('worker', '--child', project);
const server = () => pidsWith('start-dev', here.base);

/** An agent of a later attempt has begun. */
async function agentAgain({ marks }, before, killedAt) {
  const again = await until('an agent again', async () => (await begins(marks))[before]);
  return again.time - killedAt;
}

const CASES = [
  [
    'worker killed → agent again',
    async (run) => {
      const before = (await begins(run.marks)).length;
      const killedAt = Date.now();
      kill(await worker(run));
      return agentAgain(run, before, killedAt);
    },
  ],
  [
    'server killed → first landing after it',
    async (run) => {
      kill(await server());
      const killedAt = Date.now();
      await appendFile(run.go, '');
      await until('a landing', async () => (await git(run.dir, 'log', '--format=%s', 'main')).includes('#t-'));
      return Date.now() - killedAt;
    },
  ],
  [
    'worker and server killed → agent again',
    async (run) => {
      const before = (await begins(run.marks)).length;
      const killedAt = Date.now();
      kill([...(await worker(run)), ...(await server())]);
      return agentAgain(run, before, killedAt);
    },
  ],
  [
    'everything killed, then `start` → agent again',
    async (run) => {
      const before = (await begins(run.marks)).length;
      kill([...(await pidsWith('worker', '--supervise', run.project)), ...(await worker(run)), ...(await server())]);
      const startedAt = Date.now();
      await here.ralphctl(run.dir, 'start', '--json', '--detach');
      return agentAgain(run, before, startedAt);
    },
  ],
];

try {
  const commit = await git('.', 'rev-parse', '--short', 'HEAD');
  console.log(
    `ralphctl ${commit}, node ${process.version}, ${new Date().toISOString().slice(0, 10)}, ${runs} runs each`,
  );
  const rows = [];
  for (const [index, [name, measure]] of CASES.entries()) {
    const times = [];
    for (let n = 0; n < runs; n++) {
      const run = await busyRun(`case-${index}-${n}`, 4);
      times.push(await measure(run));
      await appendFile(run.go, '');
      const over = await here.ralphctl(run.dir, 'start', '--json', '--wait');
      if (over.code !== 0) throw new Error(`${name}: the run ended with ${over.code}: ${over.stderr}`);
      await here.stopWorker(run.dir);
    }
    times.sort((a, b) => a - b);
    rows.push([name, ms(times[0]), ms(times[Math.floor(times.length / 2)]), ms(times.at(-1))]);
  }
  table('From SIGKILL to useful work', ['case', 'min', 'median', 'max'], rows);
} finally {
  await here.close();
}
