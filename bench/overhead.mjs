/** `npm run bench`: what ralphctl costs over a plain bash loop that does the same git and gate work, in one sitting. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  call,
  cli,
  config,
  cpuSeconds,
  eventsOf,
  git,
  lab,
  ms,
  noopAgent,
  peakMb,
  pidsWith,
  roadmap,
  rssMb,
  sleep,
  table,
} from './lib.mjs';

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

async function perIdea() {
  const rows = [];
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
      const { begin, last, landed } = await measureRun(dir);
      if (landed !== count) throw new Error(`${landed} of ${count} landed`);
      const ours = (last - begin) / count;
      rows.push([slots, count, ms(plain.ms / count), ms(ours), ms(ours - plain.ms / count), ms(last - begin)]);
      await here.stopWorker(dir);
    }
  }
  table(
    'One-iteration idea: prepared, run, gated, landed',
    ['slots', 'ideas', 'bash loop', 'ralphctl', 'our own, per idea', 'whole run'],
    rows,
  );
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
  const steps = starts
    .slice(1)
    .map((value, index) => value - starts[index])
    .sort((a, b) => a - b);
  const mean = steps.reduce((sum, value) => sum + value, 0) / steps.length;
  table(
    'A further iteration (no gate)',
    ['iterations', 'bash loop', 'ralphctl mean', 'median', 'our own'],
    [[count, ms(plain.ms / count), ms(mean), ms(steps[Math.floor(steps.length / 2)]), ms(mean - plain.ms / count)]],
  );
  await here.stopWorker(dir);
}

async function coldStart() {
  const rows = [];
  const files = { 'roadmap.md': roadmap(1), 'ralphctl.yaml': config(noopAgent, 'slots: 1\n') };
  for (const kind of ['server and worker down', 'server up', 'both up']) {
    const dir = await here.repo(`cold-${kind.replaceAll(' ', '-')}`, files);
    if (kind === 'server and worker down') await here.ralphctl(dir, 'server', 'stop');
    else await here.ralphctl(dir, 'server', 'start');
    if (kind === 'both up') {
      await measureRun(dir);
      await writeFile(join(dir, 'roadmap.md'), roadmap(2));
      await sleep(500);
    }
    const started = Date.now();
    const { first } = await measureRun(dir);
    rows.push([kind, ms(first - started)]);
    await here.stopWorker(dir);
  }
  table('`start` to the first agent', ['state', 'time'], rows);
}

async function parallel() {
  const rows = [];
  for (const [name, agent, count, bound] of [
    ['16 x 2 s on 4 slots', `sh -c 'sleep 2; ${noopAgent.slice(7, -1)}'`, 16, 8000],
    [
      '4 x 5 s among 12 x 1 s',
      `sh -c 'case $RALPHCTL_IDEA in t-1|t-5|t-9|t-13) sleep 5;; *) sleep 1;; esac; ${noopAgent.slice(7, -1)}'`,
      16,
      8000,
    ],
  ]) {
    const files = { 'roadmap.md': roadmap(count), 'ralphctl.yaml': config(agent, 'slots: 4\n') };
    const dir = await here.repo(`par-${rows.length}`, files);
    const { first, last } = await measureRun(dir);
    rows.push([name, ms(bound), ms(last - first)]);
    await here.stopWorker(dir);
  }
  table('Slots kept full, from the first agent to the last landing', ['case', 'bound', 'ralphctl'], rows);
}

async function memory() {
  const rows = [];
  for (const [name, flood] of [
    ['no output', ''],
    [
      '200 MB of output',
      'yes 0123456789012345678901234567890123456789012345678901234567890123456789 | head -c 200000000; ',
    ],
  ]) {
    const agent = `sh -c '${flood}${noopAgent.slice(7, -1)}'`;
    const dir = await here.repo(`mem-${rows.length}`, {
      'roadmap.md': roadmap(2),
      'ralphctl.yaml': config(agent, 'slots: 1\n'),
    });
    const { run } = await measureRun(dir);
    const project = eventsOf(run.stdout)[0].project;
    const [worker] = await pidsWith('worker', '--child', project);
    const [supervisor] = await pidsWith('worker', '--supervise', project);
    const [server] = await pidsWith('start-dev', here.base);
    const before = await Promise.all([worker, supervisor, server].map(cpuSeconds));
    const seconds = quick ? 5 : 20;
    await sleep(seconds * 1000);
    const after = await Promise.all([worker, supervisor, server].map(cpuSeconds));
    const cpu = after.map((value, index) => `${(((value - before[index]) / seconds) * 100).toFixed(2)} %`);
    rows.push([
      name,
      `${Math.round(await peakMb(worker))} MB`,
      `${Math.round(await rssMb(supervisor))} MB`,
      `${Math.round(await rssMb(server))} MB`,
      ...cpu,
      ms(run.ms),
    ]);
    await here.stopWorker(dir);
  }
  table(
    'Memory, and CPU when idle',
    [
      'agent prints',
      'worker peak',
      'supervisor',
      'server',
      'worker idle',
      'supervisor idle',
      'server idle',
      'whole run',
    ],
    rows,
  );
}

async function commands() {
  const dir = await here.repo('cmd', { 'roadmap.md': roadmap(3), 'ralphctl.yaml': config(noopAgent, 'slots: 1\n') });
  await measureRun(dir);
  const rows = [];
  const bare = [];
  for (let n = 0; n < 7; n++) bare.push((await call(process.execPath, ['-e', '0'], {})).ms);
  const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];
  rows.push(['node -e 0', ms(median(bare))]);
  for (const args of [
    ['--help'],
    ['version'],
    ['status'],
    ['why', 't-1'],
    ['logs'],
    ['logs', 't-1'],
    ['server', 'status'],
    ['start', '--dry-run'],
  ]) {
    const times = [];
    for (let n = 0; n < 5; n++)
      times.push((await call(process.execPath, [cli, ...args], { cwd: dir, env: here.env })).ms);
    rows.push([`ralphctl ${args.join(' ')}`, ms(median(times))]);
  }
  table('Commands (median of 5)', ['command', 'time'], rows);
  await here.stopWorker(dir);
}

async function bigRepository() {
  const files = {};
  for (let n = 0; n < 20_000; n++) files[`d${n % 200}/f${n}.txt`] = `file ${n}\n`;
  const count = quick ? 3 : 8;
  const rows = [];
  for (const [name, extra] of [
    ['20 files', Object.fromEntries(Object.entries(files).slice(0, 20))],
    ['20,000 files', files],
  ]) {
    const dir = await here.repo(`big-${rows.length}`, {
      ...extra,
      'roadmap.md': roadmap(count),
      'ralphctl.yaml': config(noopAgent, 'slots: 1\n'),
    });
    const { events } = await measureRun(dir);
    const starts = events
      .filter((event) => event.kind === 'idea' && event.status === 'running')
      .map((event) => Date.parse(event.at));
    const steps = starts.slice(2).map((value, index) => value - starts[index + 1]);
    rows.push([name, ms(starts[1] - starts[0]), ms(steps.reduce((sum, value) => sum + value, 0) / steps.length)]);
    await here.stopWorker(dir);
  }
  table('Size of the repository', ['repository', 'first idea (worktree created)', 'recycled idea'], rows);
}

try {
  const commit = await git('.', 'rev-parse', '--short', 'HEAD');
  console.log(`ralphctl ${commit}, node ${process.version}, ${new Date().toISOString().slice(0, 10)}`);
  if (wants('idea')) await perIdea();
  if (wants('iteration')) await perIteration();
  if (wants('cold')) await coldStart();
  if (wants('parallel')) await parallel();
  if (wants('memory')) await memory();
  if (wants('commands')) await commands();
  if (wants('big')) await bigRepository();
} finally {
  await here.close();
}
