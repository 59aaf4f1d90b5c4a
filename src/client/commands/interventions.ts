/**
 * What a person tells a run or one of its ideas: every verb goes the same way. A live worker answers at once; without one
 * the server keeps the command, and it is carried out when a worker is back.
 */
import { nearest } from '../../config/problems.js';
import { notesProblem } from '../../decide/idea/amendments.js';
import { readWarningAnswer } from '../../decide/idea/stall.js';
import { BASELINE_KEY } from '../../decide/idea/tripwires.js';
import type { Intervention } from '../../protocol/command.js';
import { forget } from '../../run-files/amendments.js';
import { knownIdeas, loadIdea } from '../../run-files/run.js';
import { runningWorker } from '../../worker/record.js';
import { connect } from '../api/connection.js';
import { noRun, RunApi } from '../api/run.js';
import { type Context, findProjectId, print, printJson, say } from '../context.js';
import { EXIT, UserError } from '../errors.js';
import { failingLines, noRunFor } from '../open-run/failing-run.js';
import { clean } from '../views/live-lines.js';

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
export async function tell(context: Context, command: Intervention): Promise<number> {
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
  command?: Intervention,
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

export async function send(context: Context, run: OpenRun, command: Intervention): Promise<number> {
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
  verb?: Intervention['verb'],
): Promise<void> {
  if (idea === undefined) return;
  const known = await knownIdeas(context.root, run).catch(() => undefined);
  if (!known || known.has(idea)) return;
  const close = nearest(idea, known);
  const meant = close ? `. Did you mean ${close}?` : asReason(verb, idea);
  throw new UserError(`there is no idea ${idea} in this run${meant}`);
}

/** What may be said about the whole run is easily said with a reason in the idea's place. */
function asReason(verb: Intervention['verb'] | undefined, said: string): string {
  if (verb !== 'pause' && verb !== 'resume' && verb !== 'stop') return '';
  return `. A reason goes behind --reason: ralphctl ${verb} --reason ${JSON.stringify(said)}`;
}

/*
 * `ralphctl answer IDEA TEXT`. People often answer a question about a gate that was red before by changing the
 * configuration file. The run reloads the file first, so that the next iteration uses the new gate.
 */

export async function answer(
  context: Context,
  idea: string,
  text: string,
  reason: string | undefined,
): Promise<number> {
  const { describeChange, reloadFile } = await import('../open-run/reload.js');
  const { changedFile } = await import('../open-run/flags.js');
  return withRun(context, async (run) => {
    await knownIdea(context, run, idea, 'answer');
    const view = run.worker ? await run.api.idea(idea).catch(() => undefined) : undefined;
    if (view?.question?.includes(BASELINE_KEY)) {
      const { changed, kept } = await reloadFile(context, run);
      for (const change of [...changed, ...kept]) say(`the configuration file has changed: ${describeChange(change)}`);
    } else if (!context.json) for (const line of await changedFile(context, run)) say(line);
    return send(context, run, { verb: 'answer', idea, text, ...(reason ? { reason } : {}) });
  });
}

/*
 * `ralphctl hint IDEA TEXT`. Only the idea itself knows how much waits for its next prompt, so it is asked first; without a
 * worker, and from elsewhere, it refuses by itself, in `logs`.
 */

export async function hint(context: Context, idea: string, text: string, reason: string | undefined): Promise<number> {
  return withRun(context, async (run) => {
    await knownIdea(context, run, idea, 'hint');
    const view = run.worker ? await run.api.idea(idea).catch(() => undefined) : undefined;
    // That of an earlier run is over, and answers still.
    const { notes: count = 0, notesSize: size = 0 } = view && view.phase !== 'closed' ? view : {};
    const problem = notesProblem(idea, { count, size }, text);
    if (problem !== undefined) throw new UserError(problem, EXIT.refused);
    return send(context, run, { verb: 'hint', idea, text, ...(reason ? { reason } : {}) });
  });
}

/* `edit IDEA --forget`, `split IDEA --forget`: later runs read the idea from the backlog again. */

export async function forgetAmendment(context: Context, idea: string, verb: 'edit' | 'split'): Promise<number> {
  const id = await findProjectId(context);
  if (!(await forget(context.root, id, idea, verb === 'edit' ? 'fields' : 'parts')))
    throw new UserError(`no ${verb} of ${idea} is kept for later runs`);
  const done = `later runs read ${idea} from the backlog again; a run that is open goes on with the ${verb}`;
  if (context.json) printJson({ done, verb, idea });
  else print(done);
  return EXIT.ok;
}

/* `ralphctl skip IDEA --step`: leaves out the step of its plan that an idea is at. */

export async function skipStep(context: Context, idea: string, reason: string | undefined): Promise<number> {
  return withRun(context, async (run) => {
    await knownIdea(context, run, idea);
    // On another host than that of the run's files, the idea itself ignores what it has no plan for.
    const known = await loadIdea(context.root, run, idea).catch(() => undefined);
    if (known && !known.plan) {
      throw new UserError(`${idea} has no plan with steps. To leave the idea out: ralphctl skip ${idea}`);
    }
    return send(context, run, { verb: 'skip-step', idea, ...(reason ? { reason } : {}) });
  });
}

/* `warn`: the warnings of an idea, and what to do about them. */

const DONE = {
  continue: 'goes on; the same is warned of again only when it lasts',
  stop: 'stops at its next boundary',
};

export async function warn(context: Context, idea: string, said: string | undefined): Promise<number> {
  if (said === undefined || said === 'review') return review(context, idea);
  const answer = readWarningAnswer(said);
  if (!answer) throw new UserError(`"${said}" is no answer. Usage: ralphctl warn ${idea} continue|stop|+N|review`);
  return tellRun(context, async (api) => {
    await api.warn(idea, said);
    return `${idea} ${answer.do === 'more' ? `may take ${answer.by} iterations more` : DONE[answer.do]}`;
  });
}

/** Everything that helps to judge: the warnings, the last gate, where the work is. */
async function review(context: Context, idea: string): Promise<number> {
  const id = await findProjectId(context);
  const connected = await connect(context, { start: false });
  try {
    const api = new RunApi(connected.client, id);
    if (!(await api.facts())?.open) throw noRun();
    const view = await api.idea(idea);
    if (!view) throw new UserError(`${idea} is not running, or no worker answers. See: ralphctl status`, EXIT.noRun);
    if (context.json) printJson(view);
    else {
      const warnings = view.warnings ?? [];
      print(warnings.length === 0 ? `${idea} warns of nothing` : `${idea} warns:`);
      for (const { kind, text } of warnings) print(`  ${kind}: ${clean(text)}`);
      print(
        `iteration ${view.iteration}${view.maxIterations ? `/${view.maxIterations}` : ''}, ${view.commits} commits`,
      );
      if (view.gate) print(`last gate ${view.gate.pass ? 'green' : `red: ${clean(view.gate.command ?? '')}`}`);
      if (view.worktree) print(`its work: git -C ${view.worktree} log --stat; its output: ralphctl logs ${idea}`);
    }
    return EXIT.ok;
  } finally {
    await connected.close();
  }
}
