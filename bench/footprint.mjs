/** What ralphctl takes while it stands there: memory, CPU when idle, time of commands, cost of a big repository. */
import {
  aim,
  call,
  cli,
  config,
  cpuSeconds,
  eventsOf,
  median,
  ms,
  noopAgent,
  peakMb,
  processesOf,
  roadmap,
  rssMb,
  sleep,
  table,
} from './lib.mjs';

const READS = new Set(['status', 'why', 'logs', 'server']);

export function footprint({ here, quick, measureRun }) {
  async function memory() {
    const rows = [];
    const peaks = [];
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
      const { worker, supervisor, server, jobProcesses } = await processesOf(project, here.base);
      const peak = await peakMb(worker);
      peaks.push(peak);
      // What a run leaves to the garbage collector is not idling.
      await sleep(quick ? 15_000 : 30_000);
      const groups = [[worker, ...jobProcesses], [supervisor], [server]];
      const used = async (pids) => (await Promise.all(pids.map(cpuSeconds))).reduce((sum, value) => sum + value, 0);
      const before = await Promise.all(groups.map(used));
      const seconds = quick ? 10 : 60;
      await sleep(seconds * 1000);
      const after = await Promise.all(groups.map(used));
      const idle = after.map((value, index) => ((value - before[index]) / seconds) * 100);
      if (name === 'no output') {
        aim('idle worker, job processes and supervisor, CPU', 1, idle[0] + idle[1], '%');
        aim('idle server, CPU', 3, idle[2], '%');
      }
      rows.push([
        name,
        `${Math.round(peak)} MB`,
        `${Math.round(await rssMb(supervisor))} MB`,
        `${Math.round(await rssMb(server))} MB`,
        ...idle.map((value) => `${value.toFixed(2)} %`),
        ms(run.ms),
      ]);
      await here.stopWorker(dir);
    }
    aim('worker, peak with 200 MB of output over that with none', 30, peaks[1] - peaks[0], 'MB');
    table(
      'Memory, and CPU when idle',
      [
        'agent prints',
        'worker peak',
        'supervisor',
        'server',
        'worker and job processes idle',
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
      for (let n = 0; n < 9; n++)
        times.push((await call(process.execPath, [cli, ...args], { cwd: dir, env: here.env })).ms);
      rows.push([`ralphctl ${args.join(' ')}`, ms(median(times))]);
      if (args[0] === '--help') aim('`--help`', 150, median(times), 'ms');
      else if (READS.has(args[0])) aim(`\`${args.join(' ')}\` with a worker`, 500, median(times), 'ms');
    }
    table('Commands (median of 9)', ['command', 'time'], rows);
    await here.stopWorker(dir);
  }

  async function bigRepository() {
    const files = {};
    for (let n = 0; n < 20_000; n++) files[`d${n % 200}/f${n}.txt`] = `file ${n}\n`;
    const count = 8;
    const rows = [];
    const recycled = [];
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
      // The second one is made while the first still has its worktree, so recycling begins with the third.
      const steps = starts.slice(3).map((value, index) => value - starts[index + 2]);
      recycled.push(steps.reduce((sum, value) => sum + value, 0) / steps.length);
      rows.push([name, ms(starts[1] - starts[0]), ms(recycled.at(-1))]);
      await here.stopWorker(dir);
    }
    aim('recycled idea, 20,000 files over 20 files', 500, recycled[1] - recycled[0], 'ms');
    table('Size of the repository', ['repository', 'first idea (worktree created)', 'recycled idea'], rows);
  }

  return { memory, commands, bigRepository };
}
