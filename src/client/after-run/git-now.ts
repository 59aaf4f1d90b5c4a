/**
 * Git work on an idea while no run is open: does in this process what a worker does in a run.
 * Invariant: the caller holds the lock of the closed project, and nothing works on the idea: an agent of a run that has ended
 * is ended first, where a person has agreed. After a kill, a person repeats the command, and it continues where it was.
 */
import { type Dependant, dependantsText, landedDependants, namedFirst } from '../../decide/idea/dependants.js';
import { noWorktree } from '../../decide/run/git-tasks.js';
import { agentName } from '../../decide/scheduler/slots.js';
import { isAncestor } from '../../git/ancestry.js';
import { landedAfter } from '../../git/landing/landed-after.js';
import { ideaBranch, readTip } from '../../git/refs.js';
import { targetTip } from '../../git/repository.js';
import { workHere } from '../../jobs/index.js';
import type { DoWork } from '../../jobs/job.js';
import { killByToken } from '../../process/tokens.js';
import type { CleanupResult, RollbackResult, UndoResult } from '../../protocol/git-work.js';
import { takenOffReason, takenOffText } from '../../protocol/taken-off.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { fixSentence, lineGoneText } from '../../report/gone-text.js';
import { repositoryPath } from '../../run-files/ticks.js';
import { hostLabel } from '../../worker/host-label.js';
import { worksNow } from '../api/left-working.js';
import { say } from '../context.js';
import { many } from '../views/live-lines.js';
import { type Closed, type ClosedIdea, runOf, startOf } from './closed.js';

export interface DoneNow {
  done: string;
  /** The new status of the idea in the last run's record, and why: what happened, without advice, which ages. */
  status?: 'pending';
  reason?: string;
  /** Ref of the save. */
  saved?: string;
  /** It changed nothing. */
  nothing?: true;
}

interface Doing {
  doWork: DoWork;
  about: { project: string; runId: string; idea: string };
}

async function prepared(
  closed: Closed,
  { id }: ClosedIdea,
  end: { agreed: boolean; force: string | undefined },
): Promise<Doing> {
  const { root, env } = closed.context;
  const ref = await runOf(closed, id);
  if (!ref)
    throw new UserError(`no run on this machine worked on ${id}, so there is nothing to take back`, EXIT.refused);
  const { repo: _, target: __, ...about } = ref;
  if ((await closed.left.among([id])).some(worksNow)) await closed.left.end([id], end);
  // A command that was killed may have left its gate.
  await killByToken(`${closed.project}/${id}`);
  return { doWork: workHere({ root, host: await hostLabel(root, env), env }), about: { ...about, idea: id } };
}

/** It has no option for it. */
const ASKED_FIRST = { agreed: false, force: undefined };

const alone = () => ({ signal: stopOnSignal(), taskToken: '', abandoned: () => false });

/** Ctrl-C ends the gate's processes. ralphctl finishes or repeats steps of git. */
export function stopOnSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => stop.abort(new Error(`stopped by ${name}`)));
  return stop.signal;
}

const asRefusal =
  (what: string) =>
  (error: unknown): never => {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UserError(`${what}: ${problem}`, EXIT.refused);
  };

const savedAs = (saved: string | undefined, idea: string): string =>
  saved ? `; saved as ${saved} (see: ralphctl saves ${idea})` : '';

/** `fresh`: for a retry that begins again. */
export async function rollbackNow(closed: Closed, idea: ClosedIdea, fresh = false): Promise<DoneNow> {
  const { doWork, about } = await prepared(closed, idea, ASKED_FIRST);
  const input = { ...about, agentName: agentName(1), ...(fresh ? { fresh } : {}) };
  const told = await toldSaves(closed, idea);
  const { commits, saved }: RollbackResult = await doWork('rollbackIdea', input, alone()).catch(
    asRefusal(`${idea.id} was not rolled back`),
  );
  if (saved === undefined ? commits === 0 : told(saved))
    return {
      done: `there is nothing to take back of ${idea.id}: ${idea.gone?.text ?? 'its branch has no commits of its own'}`,
      nothing: true,
    };
  const what = fresh ? 'begins again' : 'was rolled back';
  const done = `${idea.id} ${what}: ${many(commits, 'commit')} taken off its branch${savedAs(saved, idea.id)}`;
  const next = `The next start runs it from the beginning${await onTarget(closed, idea)}: ${startOf(closed, idea)}`;
  return {
    done: `${done}. ${idea.lineGone ? lineGoneText(idea.lineGone) : next}`,
    ...{ status: 'pending', reason: done },
    ...(saved ? { saved } : {}),
  };
}

/**
 * Git repeats what an earlier rollback did until the idea starts again, because a kill may have kept it from its report.
 * What a report named has been done before, unless its branch has got commits since: a person can restore a save.
 */
async function toldSaves(closed: Closed, { id, said = [] }: ClosedIdea): Promise<(saved: string) => boolean> {
  const run = await runOf(closed, id);
  const tip = run && (await readTip(run.repo, `refs/heads/${ideaBranch(id)}`));
  const hasAll = run && tip ? isAncestor(run.repo, tip, `refs/heads/${run.target}`).catch(() => false) : true;
  const hasWork = !(await hasAll);
  return (saved) => !hasWork && said.some(({ done }) => done?.split(/[ ;]/).includes(saved) === true);
}

/** Where an idea begins that was rolled back. */
export async function onTarget(closed: Closed, { id }: ClosedIdea): Promise<string> {
  const run = await runOf(closed, id);
  return run ? `, on ${run.target} as it is then` : '';
}

export async function cleanupNow(closed: Closed, idea: ClosedIdea, force: boolean): Promise<DoneNow> {
  const end = { agreed: force, force: `ralphctl cleanup ${idea.id} --force` };
  const { doWork, about } = await prepared(closed, idea, end);
  const input = { ...about, ...(force ? { force } : {}) };
  const { removed, none, saved, note }: CleanupResult = await doWork('cleanupIdea', input, alone()).catch(
    asRefusal(`the worktree of ${idea.id} was not removed`),
  );
  const done = `the worktree of ${idea.id} was ${removed ? 'removed' : 'kept'}${note ? `: ${note.replace(/\.$/, '')}` : ''}${savedAs(saved, idea.id)}`;
  if (none) throw new UserError(noWorktree(idea.id), EXIT.refused);
  if (!removed) throw new UserError(done, EXIT.refused);
  return { done, ...(saved ? { saved } : {}) };
}

/** The same undo would be refused again while the target stays as it is. */
export class UndoRefused extends UserError {}

/** The gate runs on the target without the idea. */
export async function undoNow(closed: Closed, idea: ClosedIdea): Promise<DoneNow> {
  const { gone } = idea;
  const nothing =
    gone &&
    new UserError(`there is nothing to take back of ${idea.id}: ${gone.text}. ${fixSentence(gone)}`, EXIT.refused);
  if (nothing && !gone.by) throw nothing;
  const { renamed } = idea.recorded?.model ?? {};
  if (renamed) throw new UserError(`${idea.id} stays landed, because ${renamed.text}. ${renamed.fix}`, EXIT.refused);
  const { doWork, about } = await prepared(closed, idea, ASKED_FIRST);
  const { repo, target } = (await runOf(closed, idea.id)) ?? { repo: closed.context.cwd, target: 'HEAD' };
  await targetTip(repo, target).catch(asRefusal(`${idea.id} was not rolled back`));
  const { graph } = idea.recorded ?? {};
  const blues = graph?.entry(idea.id) ? graph.above(idea.id) : [];
  const after = dependantsText(idea.id, dependantsNow(closed), { over: true });
  if (!closed.context.json) say(`the gate runs on the target without ${idea.id}${after} …`);
  const input = {
    ...{ ...about, title: idea.title, agentName: agentName(1) },
    ...(idea.commit ? { commit: idea.commit } : {}),
    ...(blues.length > 0 ? { blues } : {}),
  };
  const undone: UndoResult = await doWork('undoIdea', input, alone()).catch(asRefusal(`${idea.id} stays landed`));
  if (undone.kind === 'nothing')
    throw (
      nothing ??
      new UserError(
        `there is nothing to take back of ${idea.id}: ${target} does not contain it. To run it again: ralphctl retry ${idea.id}, then: ${startOf(closed, idea)}`,
        EXIT.refused,
      )
    );
  if (undone.kind !== 'undone') {
    const files = undone.kind === 'conflict' ? undone.files : undefined;
    const backlog = idea.recorded?.run.file.backlog.file;
    const backlogPath = backlog === undefined ? undefined : repositoryPath(repo, backlog);
    const first = files
      ? await landedAfter({ repo, target, backlogPath }, idea.id, files).catch(() => [])
      : landedDependants(idea.id, dependantsNow(closed));
    const text = `${idea.id} stays landed: ${whyNot(undone, idea.id, target, first)}`;
    throw new UndoRefused(text, EXIT.refused);
  }
  const off = takenOffText(idea.id, { target, commit: undone.commit.slice(0, 8) });
  const done = `${off}${undone.note ? `: ${undone.note}` : ''}`;
  return {
    done: `${done}${after}. ${idea.lineGone ? lineGoneText(idea.lineGone) : `Later runs leave it out until: ralphctl retry ${idea.id}`}`,
    ...{ status: 'pending', reason: takenOffReason(done) },
  };
}

const dependantsNow = ({ recorded }: Closed): Dependant[] =>
  [...(recorded?.model.ideas.values() ?? [])].map(({ id, dependsOn, parent, group, status, forNext }) => {
    return { id, dependsOn, parent, group, status, leftOut: forNext?.leftOut };
  });

function whyNot(
  result: Extract<UndoResult, { kind: 'red' | 'conflict' }>,
  idea: string,
  target: string,
  first: readonly string[],
): string {
  if (result.kind === 'red') {
    const { failure } = result.gate;
    return `without it the gate is red (${failure?.command ?? 'no command'}${failure?.log ? `; output: ${failure.log}` : ''}). Roll back the ideas that need it first${namedFirst(first)}; then: ralphctl rollback ${idea}`;
  }
  const files = result.files.slice(0, 5).join(', ');
  const those = first.length > 0 ? `Roll those back first${namedFirst(first)};` : 'Roll those back first,';
  return `later landings build on it in ${files}. ${those} or take it off by hand: git log ${target} -- ${result.files[0] ?? '.'}`;
}
