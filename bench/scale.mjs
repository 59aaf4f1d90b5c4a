/**
 * `npm run bench -- scale`: thousands of ideas on 100 slots on the embedded server. `workflows`: real server, workflows,
 * queues, codec and events, with work that does nothing, so that the size of the history is what is measured. `whole`: the
 * program with real git and the smallest agent, with fewer ideas.
 * `npm run bench:scale [-- workflows|whole] [--ideas 1000,10000] [--slots 100] [--iterations 1] [--agent-ms 20]
 * [--hold FILE] [--json]`; SCALE_PROGRESS=1 shows how far it is. While FILE exists nothing is worked on and no time counts.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { call, config, eventsOf, lab, ms, noopAgent, peakMb, pidsWith, roadmap, table } from './lib.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = join(root, 'bench', '.built');

function flag(name, fallback) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : process.argv[at + 1];
}
const counts = (fallback) => flag('ideas', fallback).split(',').map(Number);

/** The TypeScript of this benchmark, next to node_modules, so that packages are found. */
async function compile() {
  await rm(built, { recursive: true, force: true });
  await build({
    entryPoints: { run: join(root, 'bench/scale/run.ts'), worker: join(root, 'bench/scale/worker.ts') },
    outdir: built,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    define: { __BUILD_ID__: '"bench"', __VERSION__: '"bench"' },
    logLevel: 'warning',
  });
}

async function workflows(here) {
  await compile();
  const rows = [];
  const state = here.env.RALPHCTL_HOME;
  for (const ideas of counts('1000,10000')) {
    await here.ralphctl(here.base, 'server', 'start');
    const record = JSON.parse(await readFile(join(state, 'server', 'server.json'), 'utf8'));
    const project = `scale-${ideas}`;
    const runId = 'run-1';
    await mkdir(join(state, 'projects', project, 'runs', runId), { recursive: true });
    const options = {
      ideas,
      slots: Number(flag('slots', '100')),
      iterations: Number(flag('iterations', '1')),
      agentMs: Number(flag('agent-ms', '20')),
      ...(flag('max-history') ? { maxHistory: Number(flag('max-history')) } : {}),
      address: record.address,
      serverPid: record.pid,
      root: state,
      project,
      runId,
      bundle: join(root, 'dist', 'workflow-bundle.js'),
      ...(flag('hold') ? { hold: flag('hold') } : {}),
    };
    const run = await call(process.execPath, [join(built, 'run.mjs'), JSON.stringify(options)], { env: here.env });
    if (run.code !== 0) throw new Error(`the run of ${ideas} ideas failed (${run.code}): ${run.stderr.slice(-4000)}`);
    const found = JSON.parse(run.stdout.trim().split('\n').at(-1));
    if (process.argv.includes('--json')) console.log(JSON.stringify(found, null, 1));
    if (found.wrongs.length > 0 || found.lost > 0 || found.landed !== ideas) process.exitCode = 1;
    rows.push(found);
    await here.ralphctl(here.base, 'server', 'stop', '--force');
  }
  const kb = (bytes) => `${(bytes / 1024).toFixed(1)} KB`;
  const mb = ({ end, peak }) => `${end} / ${peak} MB`;
  const quarters = (of, unit) => (r) => `${r.quarters.map((one) => Math.round(one[of])).join(', ')} ${unit}`;
  const lines = [
    ['ideas per second', (r) => r.perSecond.toFixed(1)],
    ['time per idea, by quarter', quarters('ms', 'ms')],
    ['CPU per idea, by quarter: worker', quarters('workerCpuMs', 'ms')],
    ['CPU per idea, by quarter: server', quarters('serverCpuMs', 'ms')],
    ['memory, by quarter: worker', quarters('workerMb', 'MB')],
    ['memory, by quarter: server', quarters('serverMb', 'MB')],
    ['landed, lost, doubled', (r) => `${r.landed}, ${r.lost}, ${r.wrongs.length}`],
    ['most agents at work', (r) => r.mostAtWork],
    ['worker: end / peak', (r) => mb(r.workerMb)],
    ['server: end / peak', (r) => mb(r.serverMb)],
    ['continued as new', (r) => r.continuedAsNew],
    ['carried state after the codec', (r) => `${r.carriedKb.toFixed(0)} KB`],
    ['events in the parent per idea', (r) => r.parentEventsPerIdea.toFixed(1)],
    ['bytes in the parent per idea', (r) => kb(r.parentBytesPerIdea)],
    ['longest history of the parent', (r) => `${r.parentMostEvents} events, ${r.parentMostMb.toFixed(1)} MB`],
    [`events and bytes of an idea`, (r) => `${r.childEvents}, ${kb(r.childBytes)}`],
    ['database per idea', (r) => `${r.databaseKbPerIdea.toFixed(1)} KB`],
    [
      '`status` query under load: median, 95 %, most',
      ({ statusMs: s }) => `${ms(s.busyMedian)}, ${ms(s.busy95)}, ${ms(s.busyMax)}`,
    ],
    [
      '`status` query, every slot taken, nothing moves: median, 95 %; its answer',
      ({ statusMs: s }) => `${ms(s.restMedian)}, ${ms(s.rest95)}; ${kb(s.bytes)}`,
    ],
    [
      "the parent's workflow tasks: wait for a worker, then take (median, 95 %)",
      ({ parentTaskMs: t }) => `${ms(t.waitMedian)}, ${ms(t.wait95)}; ${ms(t.takesMedian)}, ${ms(t.takes95)}`,
    ],
  ];
  table(
    'Scale: the workflow layer, work that does nothing',
    ['', ...rows.map((row) => `${row.ideas} ideas, ${row.slots} slots`)],
    lines.map(([name, value]) => [name, ...rows.map(value)]),
  );
}

/** Everything real: git, worktrees, gate, landing, the program itself. */
async function whole(here) {
  const rows = [];
  for (const ideas of counts('100')) {
    const slots = Number(flag('slots', '8'));
    const dir = await here.repo(`whole-${ideas}`, {
      'roadmap.md': roadmap(ideas),
      'ralphctl.yaml': config(noopAgent, `slots: ${slots}\n`),
    });
    const run = await here.ralphctl(dir, 'start', '--json');
    const events = eventsOf(run.stdout);
    const landed = events
      .filter((event) => event.kind === 'idea' && event.status === 'landed')
      .map((event) => Date.parse(event.at));
    if (run.code !== 0 || landed.length !== ideas)
      throw new Error(`${landed.length} of ${ideas} landed: ${run.stderr}`);
    const begin = Date.parse(events.find((event) => event.kind === 'idea').at);
    const quarter = Math.floor(ideas / 4);
    const [worker] = await pidsWith('worker', '--child', events[0].project);
    const [server] = await pidsWith('start-dev', here.base);
    rows.push([
      ideas,
      slots,
      (ideas / ((landed.at(-1) - begin) / 1000)).toFixed(1),
      ms((landed[quarter - 1] - begin) / quarter),
      ms((landed.at(-1) - landed.at(-1 - quarter)) / quarter),
      `${Math.round(await peakMb(worker))} MB`,
      `${Math.round(await peakMb(server))} MB`,
    ]);
    await here.stopWorker(dir);
  }
  table(
    'Scale: the whole program, real git',
    [
      'ideas',
      'slots',
      'ideas per second',
      'per idea, first quarter',
      'per idea, last quarter',
      'worker peak',
      'server peak',
    ],
    rows,
  );
}

const here = await lab();
try {
  const wanted = ['workflows', 'whole'].filter((name) => process.argv.includes(name));
  if (wanted.length === 0 || wanted.includes('workflows')) await workflows(here);
  if (wanted.includes('whole')) await whole(here);
} finally {
  await here.close();
  await rm(built, { recursive: true, force: true });
}
