/** `ralphctl logs [idea]`: the run's events, or what one idea's agent and gate printed; `-f` follows. */
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ideaDir } from '../../config/paths.js';
import { eventsPath, followEvents } from '../../runs/event-file.js';
import { listRuns } from '../../runs/run-files.js';
import { type Context, say } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { show } from '../follow.js';
import { findProject } from '../project.js';
import { UserError } from '../user-error.js';

export interface LogsOptions {
  follow?: boolean;
  run?: string;
  iteration?: number;
}

const POLL_MS = 200;

export async function logs(context: Context, idea: string | undefined, options: LogsOptions): Promise<number> {
  const { id: project } = await findProject(context);
  const runId = options.run ?? (await listRuns(context.root, project))[0];
  if (!runId)
    throw new UserError('there was no run in this repository yet. Start one with: ralphctl start', EXIT.noRun);
  if (options.run && !(await listRuns(context.root, project)).includes(options.run)) {
    throw new UserError(`there is no run ${options.run}; the last is ${runId ?? 'none'}`, EXIT.noRun);
  }
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  if (!options.follow) stop.abort();
  if (idea === undefined) {
    for await (const event of followEvents(eventsPath(context.root, { project, runId }), stop.signal)) {
      show(context, event);
      if (event.kind === 'run' && event.state === 'completed') break;
    }
    return EXIT.ok;
  }
  await ideaLogs(context, project, runId, idea, options, stop.signal);
  return EXIT.ok;
}

async function ideaLogs(
  context: Context,
  project: string,
  runId: string,
  idea: string,
  options: LogsOptions,
  signal: AbortSignal,
): Promise<void> {
  const dir = ideaDir(context.root, project, runId, idea);
  let shown: string | undefined;
  let offset = 0;
  for (;;) {
    const iterations = (await readdir(dir).catch(() => [])).filter((name) => /^\d+$/.test(name)).sort();
    const wanted = options.iteration === undefined ? iterations.at(-1) : String(options.iteration).padStart(3, '0');
    if (wanted === undefined || !iterations.includes(wanted)) {
      if (signal.aborted) {
        const known = iterations.length > 0 ? `; it has ${iterations.map(Number).join(', ')}` : '';
        throw new UserError(
          `${idea} has no such output in run ${runId}${known}. Its state: ralphctl why ${idea}`,
          EXIT.noRun,
        );
      }
    } else {
      if (wanted !== shown) {
        say(`── ${idea}, agent run ${Number(wanted)} ── ${join(dir, wanted)}`);
        offset = 0;
        shown = wanted;
      }
      offset = await copyFrom(join(dir, wanted, 'output.log'), offset);
    }
    if (signal.aborted) {
      if (shown !== undefined) await gateLogs(join(dir, shown, 'gate'));
      return;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

async function copyFrom(path: string, offset: number): Promise<number> {
  const file = await open(path).catch(() => undefined);
  if (!file) return offset;
  try {
    const { size } = await file.stat();
    const from = size < offset ? 0 : offset;
    if (size === from) return size;
    for await (const chunk of file.createReadStream({ start: from, end: size - 1, autoClose: false })) {
      process.stdout.write(chunk as Buffer);
    }
    return size;
  } finally {
    await file.close();
  }
}

async function gateLogs(dir: string): Promise<void> {
  for (const name of (await readdir(dir).catch(() => [])).sort()) {
    const path = join(dir, name);
    if (!(await stat(path)).isFile()) continue;
    say(`── gate ── ${path}`);
    for await (const chunk of createReadStream(path)) process.stdout.write(chunk as Buffer);
  }
}
