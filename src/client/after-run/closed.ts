/**
 * The project while no run is open, for the commands that act on it then.
 * Invariant: a command holds the project's lock while it works. A run that starts meanwhile waits in its first activity
 * (`worker/preflight.ts`), so that a worker and a command never work on one repository together.
 */
import { closedLockDir } from '../../config/paths.js';
import { nearest } from '../../config/problems.js';
import { type AfterRun, refusedAfterRun } from '../../decide/idea/after-run.js';
import type { Gone, Said } from '../../model/model.js';
import { againCommand, startCommand } from '../../model/start-again.js';
import { withLock } from '../../process/lock.js';
import type { IdeaVerb } from '../../protocol/command.js';
import type { Idea } from '../../protocol/idea.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { IdeaStatus } from '../../protocol/states.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { type Kept, recordOf } from '../../run-files/carried.js';
import { lastRevision } from '../../run-files/revisions.js';
import { knownIdeas, listRuns, loadRun } from '../../run-files/run.js';
import { resolveConnection } from '../../server/connection.js';
import { noRun } from '../api/run.js';
import { type Context, say } from '../context.js';
import type { RunPlan } from '../plan/run-plan.js';
import { planAgain } from '../plan/waves.js';
import { type Recorded, recordedRun, saysState } from '../views/recorded.js';
import { asOfNow, type Standing, standingInPlan, standingOf } from './now.js';

/** A gate on the target may take this long. */
const MOST_WAIT_MS = 60 * 60_000;

export interface Closed {
  context: Context;
  project: string;
  /** The last run; absent when this host has no files of it. */
  recorded?: Recorded;
  /** The plan of the next start; undefined when it could not start. It may wait for a tracker. */
  plan(): Promise<RunPlan | undefined>;
  /** The same. @throws what keeps the next start from starting */
  startable(): Promise<RunPlan>;
  /** Brings the last run up to date with its target. */
  lookNow(): Promise<unknown>;
}

export interface ClosedIdea {
  id: string;
  title: string;
  state: AfterRun;
  status: IdeaStatus;
  /** The idea's question at the end of the last run. */
  question?: string;
  /** Its id. */
  questionId?: string;
  /** Messages of people to it in that run and since. */
  said?: readonly Said[];
  commit?: string;
  /** How its landed work left the target. */
  gone?: Gone;
  /** The idea in the plan of the next start, where the plan was read. */
  idea?: Idea;
}

/** The command that begins the next run. */
export const startOf = ({ recorded }: Pick<Closed, 'recorded'>): string => startCommand(recorded?.model.startAgain);

/** Takes the lock, and then checks again whether a run is open. */
export async function withClosed<T>(
  context: Context,
  project: string,
  isOpen: () => Promise<boolean>,
  act: (closed: Closed) => Promise<T>,
): Promise<T> {
  const locked = async (): Promise<T> => {
    if (await isOpen())
      throw new UserError('a run has just started; give the command again, and the run carries it out', EXIT.refused);
    const { newest, recorded } = await lastRun(context, project);
    let planned: Promise<RunPlan> | undefined;
    const startable = (): Promise<RunPlan> => {
      planned ??= planAgain(context, recorded?.run.file).catch((error: unknown) => {
        throw error instanceof UserError && newest === undefined ? noRun() : error;
      });
      return planned;
    };
    const plan = (): Promise<RunPlan | undefined> => (recorded ? startable().catch(() => undefined) : startable());
    let looked: Promise<unknown> | undefined;
    const lookNow = (): Promise<unknown> => {
      looked ??= recorded ? asOfNow(context.root, recorded) : Promise.resolve();
      return looked;
    };
    return act({ context, project, ...(recorded ? { recorded } : {}), plan, startable, lookNow });
  };
  return lockProject(context, project, locked);
}

/** Waits for a command that works on the project without a run. `waited`: there was one. */
export function lockProject<T>(context: Context, project: string, act: (waited: boolean) => Promise<T>): Promise<T> {
  let waited = false;
  return withLock(closedLockDir(context.root, project), () => act(waited), {
    waitMs: MOST_WAIT_MS,
    onWait: ({ pid }) => {
      waited = true;
      say(`waiting for another command on this project (process ${pid})`);
    },
  });
}

/** A start that was killed leaves a run without events. */
async function lastRun(context: Context, project: string): Promise<{ newest?: string; recorded?: Recorded }> {
  const [newest, ...older] = await listRuns(context.root, project);
  if (newest === undefined) return {};
  for (const runId of [newest, ...older]) {
    const recorded = await recordedRun(context.root, project, runId);
    if (recorded && saysState(recorded.model)) return { newest, recorded };
  }
  return { newest };
}

/**
 * Without a server, the files of the last run tell whether it has ended.
 * @throws `error` when it may be open
 */
export async function assertOver(context: Context, project: string, error: UserError): Promise<void> {
  if (error.exitCode === EXIT.noRun) return;
  if (error.exitCode !== EXIT.unreachable || (await resolveConnection(context)).kind !== 'embedded') throw error;
  const [newest] = await listRuns(context.root, project);
  if (newest === undefined) throw error;
  const recorded = await recordedRun(context.root, project, newest);
  if (!recorded?.over) throw error;
}

/**
 * An idea of the last run is read without the plan: a tracker that does not answer must not keep a command waiting.
 * `planned`: the command needs the idea as the next start has it.
 * @throws UserError when there is no such idea
 */
export async function closedIdea(closed: Closed, id: string, { planned = false } = {}): Promise<ClosedIdea> {
  const { context, project, recorded } = closed;
  const entry = recorded?.graph.entry(id);
  const plan = planned || !entry ? await closed.plan() : undefined;
  const idea = plan?.ideas.find((one) => one.id === id);
  if (!entry && !idea) {
    const ids = [
      ...(recorded?.state.entries ?? []).map(({ card }) => card.id),
      ...(plan?.ideas ?? []).map((one) => one.id),
    ];
    const close = nearest(id, ids);
    throw new UserError(`there is no idea ${id}${close ? `. Did you mean ${close}?` : ''}`);
  }
  const { kept = [], abandoned } = await recordOf(context.root, project, id);
  const givenUp = abandoned !== undefined;
  const base = { id, title: idea?.title ?? entry?.card.title ?? id, ...(idea ? { idea } : {}) };
  if (entry?.card.blue || idea?.blue) return { ...base, state: 'group', status: 'pending' };
  await closed.lookNow();
  const last = entry && recorded?.model.ideas.get(id);
  const standing = last ? standingOf(last) : await inPlan(closed, idea, { kept, givenUp });
  const begun = last?.iterations.at(-1)?.signal;
  const question = begun?.kind === 'needs-human' ? begun.question : undefined;
  return {
    ...base,
    ...standing,
    ...(question ? { question } : {}),
    ...(question && last?.lastAsked ? { questionId: last.lastAsked } : {}),
    ...(last ? { said: last.said } : {}),
  };
}

async function inPlan(
  closed: Closed,
  idea: Idea | undefined,
  { kept, givenUp }: { kept: readonly Kept[]; givenUp: boolean },
): Promise<Standing> {
  const plan = await closed.plan();
  const leftOut = kept.some(({ verb }) => verb === 'skip' || verb === 'rollback');
  if (plan && idea) return standingInPlan(plan, idea, { givenUp, leftOut });
  return { state: 'pending', status: 'pending' };
}

/** @throws UserError when the idea does not accept the command now */
export function assertAccepts({ recorded }: Closed, { id, state }: ClosedIdea, verb: IdeaVerb): void {
  const start = recorded?.model.startAgain;
  const refusal = refusedAfterRun(id, state, verb, againCommand(id, start) ?? '');
  if (refusal !== undefined) throw new UserError(refusal, EXIT.refused);
}

/** The newest run that had the idea, with its last configuration. */
export async function runOf(
  { context, project }: Closed,
  idea: string,
): Promise<(RunRef & { repo: string; target: string }) | undefined> {
  for (const runId of await listRuns(context.root, project)) {
    const ref = { project, runId };
    const known = await knownIdeas(context.root, ref).catch(() => undefined);
    if (!known?.has(idea)) continue;
    const config = await lastRevision(context.root, ref);
    const { file } = await loadRun(context.root, ref);
    return { ...ref, ...(config > 0 ? { config } : {}), repo: file.repo, target: file.target };
  }
  return undefined;
}
