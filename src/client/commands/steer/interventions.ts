/**
 * Sends the interventions of a person to a run or one of its ideas; every verb goes the same way. A live worker answers at
 * once. Without a worker the server queues the command, and it applies when a worker starts.
 */

import { nearest } from '../../../config/problems.js';
import { notesProblem, seenOf, singleAttempt } from '../../../decide/idea/amendments.js';
import { emptyText, placeholderText } from '../../../decide/idea/answers.js';
import { readWarningAnswer } from '../../../decide/idea/stall.js';
import type { Intervention } from '../../../protocol/command.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { LONGEST_WARNING } from '../../../protocol/warnings.js';
import { noteQueuedAnswer } from '../../../run-files/queued-answers.js';
import { knownIdeas, loadIdea } from '../../../run-files/run.js';
import { gateWords } from '../../../screen/words/gate-words.js';
import { warningWord } from '../../../screen/words/state-words.js';
import { runningWorker } from '../../../worker/record.js';
import type { Closed } from '../../after-run/closed.js';
import { connect } from '../../api/connection.js';
import { notRunning, noWorker } from '../../api/no-answer.js';
import { noRun, RunApi } from '../../api/run.js';
import { type Context, findProjectId, print, printJson } from '../../context.js';
import { failingLines } from '../../open-run/failing-run.js';
import { clean, many } from '../../views/live-lines.js';
import { workerLogs, workerNow } from '../../views/worker-ends.js';

export interface OpenRun {
  api: RunApi;
  project: string;
  runId: string;
  /** A worker can answer now. */
  worker: boolean;
  /** First line of the error that makes its workflow fail. A failing workflow answers no query. */
  failing?: string;
}

/**
 * Sends one command. Without an open run, ralphctl keeps it for the next one or carries it out at once. `then` gets the
 * exit code where a run was open.
 */
export async function tell(
  context: Context,
  command: Intervention,
  then: (project: string, code: number) => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  const act = async (run: OpenRun): Promise<number> => {
    await knownIdea(context, run, command.idea, command.verb);
    const code = await send(context, run, command);
    await then(run.project, code);
    return code;
  };
  return withRunOr(context, act, command);
}

export async function withRunOr(
  context: Context,
  act: (run: OpenRun) => Promise<number>,
  command: Intervention,
): Promise<number> {
  const { doWithoutRun, worksWithoutRun } = await import('../../after-run/act.js');
  if (!worksWithoutRun(command)) return withRun(context, act);
  return withProject(context, act, (closed) => doWithoutRun(closed, command));
}

/** Calls `act` with the open run, or `otherwise` with the project when no run is open. */
export async function withProject(
  context: Context,
  act: (run: OpenRun) => Promise<number>,
  otherwise: (closed: Closed) => Promise<number>,
): Promise<number> {
  let none: UserError;
  try {
    return await withRun(context, act);
  } catch (error) {
    if (!(error instanceof UserError) || (error.exitCode !== EXIT.noRun && error.exitCode !== EXIT.unreachable))
      throw error;
    none = error;
  }
  const project = await findProjectId(context);
  const { assertOver, withClosed } = await import('../../after-run/closed.js');
  await assertOver(context, project, none);
  return withClosed(context, project, () => isOpen(context, project), otherwise);
}

/** False also where no server runs. */
export async function isOpen(context: Context, project: string): Promise<boolean> {
  const connected = await connect(context, { start: false, project }).catch((error: unknown) => {
    if (error instanceof UserError && error.exitCode === EXIT.unreachable) return undefined;
    throw error;
  });
  if (!connected) return false;
  try {
    return (await new RunApi(connected.client, project).facts())?.open === true;
  } finally {
    await connected.close();
  }
}

/** @throws UserError when no run is open */
export async function withRun<T>(context: Context, act: (run: OpenRun) => Promise<T>): Promise<T> {
  const project = await findProjectId(context);
  const connected = await connect(context, { start: false, project });
  try {
    const api = new RunApi(connected.client, project);
    const facts = await api.facts();
    if (!facts?.open || !facts.runId) throw noRun();
    // Nothing records who polls an external server; the answer to a query tells.
    const external = connected.target.kind === 'external';
    const worker = external || (await runningWorker(context.root, project)) !== undefined;
    const { failing } = worker ? facts : {};
    return await act({ api, project, runId: facts.runId, worker, failing: failing || undefined });
  } finally {
    await connected.close();
  }
}

/** For commands that are always legal and go out as plain Temporal signals; `act` returns the message. */
export async function tellRun(context: Context, act: (api: RunApi) => Promise<string>): Promise<number> {
  return withRun(context, async (run) => {
    const { api, worker } = run;
    const done = await act(api);
    if (run.failing) return sayFailing(context, run, run.failing, done);
    if (context.json) printJson({ done, worker });
    else print(worker ? done : await queued(context, run.project, done));
    return EXIT.ok;
  });
}

/** `rather`: what people read instead of the run's sentence, which does not know as much. */
export async function send(context: Context, run: OpenRun, command: Intervention): Promise<number> {
  const { verb, idea } = command;
  const about = idea ? `${verb} ${idea}` : verb;
  const empty = emptyText(command);
  if (empty) throw new UserError(empty, EXIT.refused);
  if (run.failing) {
    await run.api.tell(command, false);
    await noteAnswer(context, run, command);
    return sayFailing(context, run, run.failing, about);
  }
  const said = await run.api.tell(command, run.worker);
  if (said === undefined) await noteAnswer(context, run, command);
  if (context.json) printJson({ done: said ?? null, verb, idea: idea || undefined, worker: said !== undefined });
  else {
    const first = verb === 'answer' ? `. The first answer counts; see: ralphctl why ${idea}` : '';
    print(said ?? (await queued(context, run.project, about)) + first);
  }
  return EXIT.ok;
}

/** The server has the answer. An alert about its question need not go out any more. */
async function noteAnswer({ root }: Context, { project, runId }: OpenRun, command: Intervention): Promise<void> {
  const { verb, idea, question } = command;
  if (verb !== 'answer' || idea === undefined) return;
  const about = { idea, ...(question === undefined ? {} : { question }), at: Date.now() };
  await noteQueuedAnswer(root, { project, runId }, about);
}

/** What people read when a command waits for a worker. */
export async function queued({ root }: Pick<Context, 'root'>, project: string, what: string): Promise<string> {
  const { worker, crashes } = await workerNow(root, project).catch(() => ({ worker: false, crashes: undefined }));
  if (crashes !== undefined) return `queued: ${what}. It applies when the worker works again: ${crashes}`;
  if (worker) return `queued: ${what}. The worker has not taken it yet: the machine may be busy. See: ralphctl status`;
  return `queued: ${what}. No worker is running. It applies when one starts: ralphctl start`;
}

/** The server queues the command, and the workflow that would apply it fails. */
function sayFailing(context: Context, { project, runId }: OpenRun, failing: string, told: string): number {
  const [what, log, fix] = failingLines(workerLogs(context.root, project), failing);
  if (context.json) printJson({ done: null, worker: false, failing });
  else {
    print(`queued: ${told}. It applies when run ${runId} works again`);
    for (const line of [what, log, fix]) print(`  ${line}`);
    print('  or terminate the run in the Web UI; landed work and branches stay');
  }
  return EXIT.unreachable;
}

/** The files of the run list its ideas, so this needs no worker. On a host without the files, the run itself refuses. */
export async function knownIdea(
  context: Context,
  run: OpenRun,
  idea: string | undefined,
  verb?: Intervention['verb'],
): Promise<void> {
  if (idea === undefined) return;
  const known = await knownIdeas(context.root, run).catch(() => undefined);
  if (!known || known.has(idea)) return;
  const close = nearest(idea, known);
  const meant = close ? `. Did you mean ${close}?` : asReason(verb, idea);
  throw new UserError(`there is no idea ${idea} in this run${meant}`);
}

/** People write the reason in the idea's place where the idea is optional. */
function asReason(verb: Intervention['verb'] | undefined, said: string): string {
  if (verb !== 'pause' && verb !== 'resume' && verb !== 'stop') return '';
  return `. To give a reason: ralphctl ${verb} --reason ${JSON.stringify(said)}`;
}

/*
 * `ralphctl hint IDEA TEXT`. Only the idea knows how much text waits for its next prompt, so this asks it first. Without a
 * worker, the idea refuses the text later, and `logs` shows the refusal.
 */

export async function hint(context: Context, idea: string, text: string, reason: string | undefined): Promise<number> {
  const placeholder = placeholderText('hint', idea, text);
  if (placeholder !== undefined) throw new UserError(placeholder);
  const command = { verb: 'hint', idea, text, ...(reason ? { reason } : {}) } as const;
  const act = async (run: OpenRun): Promise<number> => {
    await knownIdea(context, run, idea, 'hint');
    const view = run.worker ? await run.api.idea(idea).catch(() => undefined) : undefined;
    // The idea's workflow of an earlier run is closed, and still answers.
    const { notes: count = 0, notesSize: size = 0 } = view && view.phase !== 'closed' ? view : {};
    const problem = notesProblem(idea, { count, size }, text);
    if (problem !== undefined) throw new UserError(problem, EXIT.refused);
    return send(context, run, view ? { ...command, seen: seenOf(view) } : command);
  };
  return withRunOr(context, act, command);
}

/* `ralphctl skip IDEA --step`: leaves out the current step of an idea's plan. */

export async function skipStep(context: Context, idea: string, reason: string | undefined): Promise<number> {
  const command = { verb: 'skip-step', idea, ...(reason ? { reason } : {}) } as const;
  const act = async (run: OpenRun): Promise<number> => {
    await knownIdea(context, run, idea);
    // On a host without the run's files, the idea ignores the command if it has no plan.
    const known = await loadIdea(context.root, run, idea).catch(() => undefined);
    if (known && !known.plan) {
      const { noSteps } = await import('../../after-run/act.js');
      throw new UserError(noSteps(idea));
    }
    return send(context, run, command);
  };
  return withRunOr(context, act, command);
}

/* `warn`: shows the warnings of an idea, or answers them. */

const DONE = {
  continue: 'continues. The same warning returns only when its cause lasts as long again',
  stop: 'stops at its next boundary',
};

export async function warn(context: Context, idea: string, said: string | undefined): Promise<number> {
  if (said === undefined || said === 'review') return review(context, idea);
  const answer = readWarningAnswer(said);
  if (!answer)
    throw new UserError(`"${said}" does not answer a warning. Use: ralphctl warn ${idea} continue|stop|+N|review`);
  return tellRun(context, async (api) => {
    if (answer.do === 'more' && (await api.idea(idea))?.single)
      throw new UserError(singleAttempt(idea, false), EXIT.refused);
    // The idea would take it without a word. Without a worker nobody knows; then it is queued.
    const known = answer.do === 'continue' ? await api.idea(idea).catch(() => undefined) : undefined;
    if (known && (known.warnings ?? []).length === 0) throw new UserError(`${idea} has no warnings`, EXIT.refused);
    await api.warn(idea, said);
    return `${idea} ${answer.do === 'more' ? `gets ${answer.by} more iterations` : DONE[answer.do]}`;
  });
}

/** Prints the warnings, the last gate and the place of the work. */
async function review(context: Context, idea: string): Promise<number> {
  const id = await findProjectId(context);
  const connected = await connect(context, { start: false, project: id });
  try {
    const api = new RunApi(connected.client, id);
    if (!(await api.facts())?.open) throw noRun();
    const view = await api.idea(idea);
    if (!view) throw (await api.status()) ? notRunning(idea) : noWorker();
    if (context.json) printJson(view);
    else {
      const warnings = view.warnings ?? [];
      print(warnings.length === 0 ? `${idea} has no warnings` : `warnings of ${idea}:`);
      for (const { kind, text } of warnings) print(`  ${warningWord(kind)}: ${clean(text, LONGEST_WARNING)}`);
      const limit = view.maxIterations ? `/${view.maxIterations}` : '';
      print(`iteration ${view.iteration}${limit}, ${many(view.commits, 'commit')}`);
      if (view.gate)
        print(view.gate.pass ? `last ${gateWords(view.gate)}` : `last gate red: ${clean(view.gate.command ?? '')}`);
      if (view.worktree) print(`its work: git -C ${view.worktree} log --stat; its output: ralphctl logs ${idea}`);
    }
    return EXIT.ok;
  } finally {
    await connected.close();
  }
}
