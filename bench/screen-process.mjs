/**
 * What the whole screen costs while a run goes on: the real process in a pseudo terminal, with server, worker, files and
 * git, on *Run*. `npm run build && node bench/screen-process.mjs [--minutes 3] [--large | --small]`. CPU of the process and of the processes
 * that it starts, after its first picture.
 * 4 slots: a real run whose agents write and land. 100 slots: agents that hold their slots, and the events and streams of
 * a busy night beside them, since two cores cannot serve 100 agents.
 */
import { appendFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { cli, cpuSeconds, cpuWithChildren, lab, roadmap, sleep, table } from './lib.mjs';

const option = process.argv.indexOf('--minutes');
const MINUTES = option < 0 ? 3 : Number(process.argv[option + 1]);
const SIZE = { cols: 120, rows: 40 };

const agentOf = (script) => `version: 1
agent: bench
agents:
  bench:
    adapter: command
    command: ["sh", "-c", ${JSON.stringify(script)}]
stepDelayMs: 0
gate:
  commands: ["sleep 1"]
`;
const WORKS =
  'for n in 1 2 3 4 5 6 7 8; do echo "line $n"; sleep 2; done; echo done > "$RALPHCTL_IDEA.txt"; echo "<ralph nonce=\\"$RALPHCTL_NONCE\\">COMPLETE</ralph>"';
const HOLDS = 'while :; do sleep 30; done';

/** Milliseconds of CPU of the screen, with its children that have ended. */
async function used(pid) {
  const { children } = await cpuWithChildren(pid);
  return 1000 * ((await cpuSeconds(pid)) + children);
}

/** A night of this many slots: each idea works 40 s, is gated and lands. Ends when `over` says so. */
async function play(run, slots, held, over) {
  let next = held;
  const slot = async (number) => {
    await sleep((number * 397) % 40_000);
    while (!over()) {
      const idea = `t-${++next}`;
      const agentName = `ed-${String(number).padStart(3, '0')}`;
      const tell = (event) =>
        appendFile(join(run, 'events.jsonl'), `${JSON.stringify({ at: new Date().toISOString(), idea, ...event })}\n`);
      const dir = join(run, 'ideas', idea, '001');
      await mkdir(dir, { recursive: true });
      await tell({ kind: 'idea', title: `Task ${next}`, status: 'running', agentName });
      await tell({ kind: 'iteration', serial: 1, iteration: 1, max: 30, agentName, agent: 'bench' });
      for (let n = 0; n < 20 && !over(); n++) {
        const line = { at: new Date().toISOString(), kind: 'tool', name: 'Edit', subject: `src/file-${n}.ts` };
        await appendFile(join(dir, 'stream.jsonl'), `${JSON.stringify(line)}\n`);
        await sleep(2000);
      }
      const end = { serial: 1, iteration: 1, outcome: 'ok', durationMs: 40_000, commits: 1 };
      await tell({ kind: 'iteration-end', ...end, signal: { kind: 'complete' } });
      await tell({ kind: 'gate', pass: true, durationMs: 1000 });
      await tell({ kind: 'idea', title: `Task ${next}`, status: 'landed', commit: '0123456789abcdef' });
    }
  };
  await Promise.all(Array.from({ length: slots }, (_, at) => slot(at + 1)));
}

async function measure({ slots, ideas, script, replay }) {
  const here = await lab();
  let screen;
  try {
    const dir = await here.repo(`screen-${slots}`, { 'roadmap.md': roadmap(ideas), 'ralphctl.yaml': agentOf(script) });
    const began = await here.ralphctl(dir, 'start', '--detach', '--slots', String(replay ? 4 : slots));
    if (began.code !== 0) throw new Error(began.stderr);
    const projects = join(here.env.RALPHCTL_HOME, 'projects');
    const [project] = await readdir(projects);
    const [id] = await readdir(join(projects, project, 'runs'));
    const run = join(projects, project, 'runs', id);
    for (let n = 0; n < 600; n++) {
      const text = await readFile(join(run, 'events.jsonl'), 'utf8').catch(() => '');
      if (text.split('"kind":"iteration"').length > 4) break;
      await sleep(200);
    }
    let written = 0;
    screen = spawn(process.execPath, [cli, 'top'], {
      ...{ name: 'xterm-256color', ...SIZE, cwd: dir },
      env: { ...here.env, TERM: 'xterm-256color', LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', CI: '' },
    });
    screen.onData((data) => {
      written += data.length;
    });
    const ended = new Promise((done) => screen.onExit(done));
    // The first picture, the client and the first answers are paid once.
    await sleep(15_000);
    let over = false;
    const playing = replay ? play(run, slots, 4, () => over) : undefined;
    if (replay) await sleep(45_000);
    const samples = [];
    const from = performance.now();
    const before = await used(screen.pid);
    const characters = written;
    for (let last = before, at = from; performance.now() - from < MINUTES * 60_000; ) {
      await sleep(30_000);
      const now = await used(screen.pid);
      samples.push((100 * (now - last)) / (performance.now() - at));
      [last, at] = [now, performance.now()];
    }
    const ms = performance.now() - from;
    const cpu = (await used(screen.pid)) - before;
    over = true;
    screen.write('q');
    await Promise.all([playing, ended]);
    const share = (value) => `${value.toFixed(2)} %`;
    return [
      ...[`${slots}`, `${ideas}`, `${(ms / 60_000).toFixed(1)} min`, share((100 * cpu) / ms)],
      ...[share(Math.max(...samples)), `${Math.round((written - characters) / 1024 / (ms / 60_000))} KB`],
    ];
  } finally {
    screen?.kill('SIGKILL');
    await here.close();
  }
}

const rows = [];
// Four slots end some 14 ideas a minute.
if (!process.argv.includes('--large'))
  rows.push(await measure({ slots: 4, ideas: Math.max(400, 20 * MINUTES), script: WORKS, replay: false }));
if (!process.argv.includes('--small'))
  rows.push(await measure({ slots: 100, ideas: Math.max(2000, 200 * MINUTES), script: HOLDS, replay: true }));
table(
  'The full screen while a run goes on, 120x40',
  ['slots', 'ideas', 'measured', 'of a core', 'busiest half minute', 'written a minute'],
  rows,
);
