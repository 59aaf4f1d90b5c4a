/**
 * What a person tells a run or one of its ideas: every verb goes the same way. A live worker answers at once; without one
 * the server keeps the command, and it is carried out when a worker is back.
 */
import { nearest } from '../../config/nearest.js';
import type { Command } from '../../protocol/command.js';
import { knownIdeas } from '../../runs/run-files.js';
import { runningWorker } from '../../worker/record.js';
import { connect } from '../api/connection.js';
import { noRun, RunApi } from '../api/run.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT } from '../exit-codes.js';
import { failingLines } from '../failing-run.js';
import { noRunFor } from '../no-run.js';
import { findProjectId } from '../project.js';
import { UserError } from '../user-error.js';

export interface OpenRun {
  api: RunApi;
  project: string;
  runId: string;
  /** Somebody can answer now. */
  worker: boolean;
  /** First line of the error with which its workflow fails: nobody answers. */
  failing?: string;
}

/** Sends one command. */
export async function tell(context: Context, command: Command): Promise<number> {
  const act = async (run: OpenRun): Promise<number> => {
    await knownIdea(context, run, command.idea, command.verb);
    return send(context, run, command);
  };
  return withRun(context, act, command);
}

/** For commands that need more than a message: files are written before the run is told. */
export async function withRun(
  context: Context,
  act: (run: OpenRun) => Promise<number>,
  command?: Command,
): Promise<number> {
  const project = await findProjectId(context);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, project);
    const facts = await api.facts();
    if (!facts?.open || !facts.runId) throw command ? await noRunFor(context, project, command) : noRun();
    // Of an external server it is not known who polls: asking tells.
    const external = connected.target.kind === 'external';
    const worker = external || (await runningWorker(context.root, project)) !== undefined;
    const { failing } = worker ? facts : {};
    return await act({ api, project, runId: facts.runId, worker, ...(failing ? { failing } : {}) });
  } finally {
    await connected.close();
  }
}

/** For what is always legal and goes out as a plain Temporal signal; `act` gives what to say. */
export async function tellRun(context: Context, act: (api: RunApi) => Promise<string>): Promise<number> {
  return withRun(context, async (run) => {
    const { api, worker } = run;
    const done = await act(api);
    if (run.failing) return sayFailing(context, run, run.failing, done);
    if (context.json) printJson({ done, worker });
    else print(worker ? done : `${done}; no worker runs, so it is carried out once one does: ralphctl start`);
    return EXIT.ok;
  });
}

export async function send(context: Context, run: OpenRun, command: Command): Promise<number> {
  const { verb, idea } = command;
  const about = idea ? `${verb} ${idea}` : verb;
  if (run.failing) {
    await run.api.tell(command, false);
    return sayFailing(context, run, run.failing, about);
  }
  const done = await run.api.tell(command, run.worker);
  if (context.json) printJson({ done: done ?? null, verb, ...(idea ? { idea } : {}), worker: done !== undefined });
  else if (done === undefined) {
    print(`${about}: taken by the server; no worker runs, so it is carried out once one does: ralphctl start`);
  } else print(done);
  return EXIT.ok;
}

/** The server keeps what is told, and nobody carries it out. */
function sayFailing(context: Context, { project, runId }: OpenRun, failing: string, told: string): number {
  const [what, log, fix] = failingLines(context.root, project, failing);
  if (context.json) printJson({ done: null, worker: false, failing });
  else {
    print(`${told}: taken by the server, and carried out once run ${runId} works again`);
    for (const line of [what, log, fix]) print(`  ${line}`);
    print('  or end it in the Web UI with Terminate: landed work and branches stay');
  }
  return EXIT.unreachable;
}

/** The run's files know its ideas without a worker; on another host than theirs, the run itself answers. */
export async function knownIdea(
  context: Context,
  run: OpenRun,
  idea: string | undefined,
  verb?: Command['verb'],
): Promise<void> {
  if (idea === undefined) return;
  const known = await knownIdeas(context.root, run).catch(() => undefined);
  if (!known || known.has(idea)) return;
  const close = nearest(idea, known);
  const meant = close ? `. Did you mean ${close}?` : asReason(verb, idea);
  throw new UserError(`there is no idea ${idea} in this run${meant}`);
}

/** What may be said about the whole run is easily said with a reason in the idea's place. */
function asReason(verb: Command['verb'] | undefined, said: string): string {
  if (verb !== 'pause' && verb !== 'resume' && verb !== 'stop') return '';
  return `. A reason goes behind --reason: ralphctl ${verb} --reason ${JSON.stringify(said)}`;
}
