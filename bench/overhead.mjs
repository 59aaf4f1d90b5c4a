/**
 * `npm run bench`: what ralphctl costs over a plain bash loop that does the same git and gate work, in one sitting, and
 * a table of the aims at the end. `-- --quick` leaves out 50 and 200 ideas and repeats less; names of parts run only
 * those: idea iteration cold parallel peers memory commands big.
 */
import { writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { footprint } from './footprint.mjs';
import {
  aim,
  aimsTable,
  call,
  config,
  cpuWithChildren,
  eventsOf,
  git,
  lab,
  median,
  ms,
  noopAgent,
  pidsWith,
  processesOf,
  roadmap,
  sleep,
  table,
} from './lib.mjs';
import { peers } from './peers.mjs';

const quick = process.argv.includes('--quick');
const only = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const wants = (name) => only.length === 0 || only.includes(name);
const here = await lab();

/** The same work by hand: worktree, agent, commit, gate, rebase onto main, gate again, move main. */
const bashLoop = (count) => `set -e
for n in $(seq 1 ${count}); do
  git worktree add -q -b "ralph/t-$n" "../wt-$n" main
  ( cd "../wt-$n"
    echo done > "t-$n.txt"
    git add -A && git commit -qm "feat: task $n"
    true
    git rebase -q main
    true )
  git merge -q --ff-only "ralph/t-$n"
  git worktree remove "../wt-$n" && git branch -qD "ralph/t-$n"
done`;

const bashIterations = (count) => `set -e
for n in $(seq 1 ${count}); do echo $n > f.txt; git add -A; git commit -qm "it $n"; done`;

async function measureRun(dir, ...args) {
  const run = await here.ralphctl(dir, 'start', '--json', ...args);
  const events = eventsOf(run.stdout);
  const at = (event) => Date.parse(event.at);
  const first = events.find((event) => event.kind === 'iteration');
  const running = events.find((event) => event.kind === 'idea');
  const landed = events.filter((event) => event.kind === 'idea' && event.status === 'landed');
  if (run.code !== 0) throw new Error(`run failed (${run.code}): ${run.stderr}\n${run.stdout.slice(-2000)}`);
  return {
    run,
    events,
    first: first && at(first),
    begin: running && at(running),
    last: at(landed.at(-1)),
    landed: landed.length,
  };
}

/** CPU seconds so far: git and agents are children of the job processes and of the shells they keep. */
async function cpuNow(project, serverBefore) {
  const { worker, server, jobProcesses, shells } = await processesOf(project, here.base);
  const own = async (pids) => (await Promise.all(pids.map(cpuWithChildren))).reduce((sum, one) => sum + one.own, 0);
  const children = async (pids) =>
    (await Promise.all(pids.map(cpuWithChildren))).reduce((sum, one) => sum + one.children, 0);
  return {
    worker: await own([worker]),
    server: (await own([server])) - serverBefore,
    'job processes': await own([...jobProcesses, ...shells]),
    'git, gate, agent': await children([...jobProcesses, ...shells]),
  };
}

async function perIdea() {
  const rows = [];
  const cpuRows = [];
  const ownAt = new Map();
  for (const slots of [1, 4]) {
    for (const count of quick ? [1, 10] : [1, 10, 50, 200]) {
      const files = {
        'roadmap.md': roadmap(count),
        'ralphctl.yaml': config(noopAgent, `slots: ${slots}\nlanding:\n  tick: false\n`),
      };
      const plainDir = await here.repo(`plain-${slots}-${count}/repo`, files);
      const plain = await call('bash', ['-c', bashLoop(count)], { cwd: plainDir, env: here.env });
      if (plain.code !== 0) throw new Error(plain.stderr);
      const dir = await here.repo(`ours-${slots}-${count}`, files);
      await here.ralphctl(dir, 'start', '--dry-run');
      const [server] = await pidsWith('start-dev', here.base);
      const serverBefore = server === undefined ? 0 : (await cpuWithChildren(server)).own;
      const { begin, last, landed, events } = await measureRun(dir);
      if (landed !== count) throw new Error(`${landed} of ${count} landed`);
      const ours = (last - begin) / count;
      const own = ours - plain.ms / count;
      ownAt.set(`${slots} ${count}`, own);
      rows.push([slots, count, ms(plain.ms / count), ms(ours), ms(own), ms(last - begin)]);
      if (count >= 10) {
        const cpu = await cpuNow(events[0].project, serverBefore);
        cpuRows.push([slots, count, ...Object.values(cpu).map((seconds) => ms((seconds / count) * 1000))]);
      }
      await here.stopWorker(dir);
    }
  }
  table(
    'One-iteration idea: prepared, run, gated, landed',
    ['slots', 'ideas', 'bash loop', 'ralphctl', 'our own, per idea', 'whole run'],
    rows,
  );
  table(
    'CPU per idea, start-up of the processes included',
    ['slots', 'ideas', 'worker', 'server', 'job processes', 'git, gate, agent'],
    cpuRows,
  );
  for (const count of quick ? [10] : [10, 50, 200])
    aim(`our own per one-iteration idea, ${count} ideas, 1 slot`, 300, ownAt.get(`1 ${count}`), 'ms');
  if (!quick)
    aim('our own at 200 ideas over that at 10, 1 slot', 1.15, ownAt.get('1 200') / ownAt.get('1 10'), 'times');
}

async function perIteration() {
  const count = quick ? 10 : 50;
  const counter = `sh -c 'n=$(cat f.txt 2>/dev/null || echo 0); n=$((n+1)); echo $n > f.txt; if [ $n -ge ${count} ]; then echo "<ralph nonce=\\"$RALPHCTL_NONCE\\">COMPLETE</ralph>"; else echo "<ralph nonce=\\"$RALPHCTL_NONCE\\">PROGRESS:1</ralph>"; fi'`;
  const files = {
    'roadmap.md': roadmap(1, `max_iterations: ${count + 1}`),
    'ralphctl.yaml': config(counter, 'slots: 1\n'),
  };
  const plainDir = await here.repo('plain-iter/repo', files);
  const plain = await call('bash', ['-c', bashIterations(count)], { cwd: plainDir, env: here.env });
  const dir = await here.repo('ours-iter', files);
  const { events } = await measureRun(dir);
  const starts = events.filter((event) => event.kind === 'iteration').map((event) => Date.parse(event.at));
  const steps = starts.slice(1).map((value, index) => value - starts[index]);
  const mean = steps.reduce((sum, value) => sum + value, 0) / steps.length;
  table(
    'A further iteration (no gate)',
    ['iterations', 'bash loop', 'ralphctl mean', 'median', 'our own'],
    [[count, ms(plain.ms / count), ms(mean), ms(median(steps)), ms(mean - plain.ms / count)]],
  );
  aim('our own per further iteration', 100, mean - plain.ms / count, 'ms');
  await here.stopWorker(dir);
}

async function coldStart() {
  const rows = [];
  const files = { 'roadmap.md': roadmap(1), 'ralphctl.yaml': config(noopAgent, 'slots: 1\n') };
  for (const [kind, limit] of [
    ['server and worker down', 3000],
    ['server up', undefined],
    ['both up', 800],
  ]) {
    const times = [];
    for (let round = 0; round < (quick ? 3 : 5); round++) {
      const dir = await here.repo(`cold-${kind.replaceAll(' ', '-')}-${round}`, files);
      if (kind === 'server and worker down') await here.ralphctl(dir, 'server', 'stop', '--force');
      else await here.ralphctl(dir, 'server', 'start');
      if (kind === 'both up') {
        await measureRun(dir);
        await writeFile(join(dir, 'roadmap.md'), roadmap(2));
        await sleep(500);
      }
      const started = Date.now();
      const { first } = await measureRun(dir);
      times.push(first - started);
      await here.stopWorker(dir);
    }
    rows.push([kind, ms(median(times)), times.map((time) => Math.round(time)).join(', ')]);
    if (limit) aim(`\`start\` to first agent, ${kind}`, limit, median(times), 'ms');
  }
  table('`start` to the first agent', ['state', 'median', 'each, ms'], rows);
}

async function parallel() {
  const rows = [];
  for (const [name, agent, count, bound, limit] of [
    ['16 x 2 s on 4 slots', `sh -c 'sleep 2; ${noopAgent.slice(7, -1)}'`, 16, 8000, 8.8],
    [
      '4 x 5 s among 12 x 1 s',
      `sh -c 'case $RALPHCTL_IDEA in t-1|t-5|t-9|t-13) sleep 5;; *) sleep 1;; esac; ${noopAgent.slice(7, -1)}'`,
      16,
      8000,
      11.5,
    ],
  ]) {
    const files = { 'roadmap.md': roadmap(count), 'ralphctl.yaml': config(agent, 'slots: 4\n') };
    const dir = await here.repo(`par-${rows.length}`, files);
    const { first, last } = await measureRun(dir);
    rows.push([name, ms(bound), ms(last - first)]);
    aim(name, limit, (last - first) / 1000, 's');
    await here.stopWorker(dir);
  }
  table('Slots kept full, from the first agent to the last landing', ['case', 'bound', 'ralphctl'], rows);
}

try {
  const commit = await git('.', 'rev-parse', '--short', 'HEAD');
  const load = loadavg()[0]?.toFixed(1);
  console.log(`ralphctl ${commit}, node ${process.version}, ${new Date().toISOString().slice(0, 10)}, load ${load}`);
  if (wants('idea')) await perIdea();
  if (wants('iteration')) await perIteration();
  if (wants('cold')) await coldStart();
  if (wants('parallel')) await parallel();
  if (wants('peers')) await peers(here, quick ? 1 : 5);
  const { memory, commands, bigRepository } = footprint({ here, quick, measureRun });
  if (wants('memory')) await memory();
  if (wants('commands')) await commands();
  if (wants('big')) await bigRepository();
  aimsTable();
} finally {
  await here.close();
}
