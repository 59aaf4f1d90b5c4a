/**
 * The project while no run is open, for the commands that act on it then.
 * Invariant: a command holds the project's lock while it works. A run that starts meanwhile waits in its first activity
 * (`worker/preflight.ts`), so that a worker and a command never work on one repository together.
 */
import { closedLockDir } from '../../config/paths.js';
import { nearest } from '../../config/problems.js';
import { type AfterRun, questionGone, refusedAfterRun } from '../../decide/idea/after-run.js';
import { unfit } from '../../decide/idea/table.js';
import { beginsAnew } from '../../model/begins-anew.js';
import type { Gone, Said } from '../../model/model.js';
import type { LineGone } from '../../model/since.js';
import { againCommand, startCommand } from '../../model/start-again.js';
import { withLock } from '../../process/lock.js';
import type { IdeaVerb } from '../../protocol/command.js';
import type { Idea } from '../../protocol/idea.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { IdeaStatus } from '../../protocol/states.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { splitIdeas } from '../../run-files/amendments.js';
import { begunRuns, lastBegun } from '../../run-files/begun.js';
import { type Kept, LEAVES_OUT, recordOf } from '../../run-files/carried.js';
import { lastRevision } from '../../run-files/revisions.js';
import { listRuns, loadRun } from '../../run-files/run.js';
import { resolveConnection } from '../../server/connection.js';
import { noRun } from '../api/run.js';
import { type Context, say } from '../context.js';
import { isUntouched } from '../model/idea-runs.js';
import { newestWith, recordedWith } from '../model/run-with.js';
import type { RunPlan } from '../plan/run-plan.js';
import { planAgain } from '../plan/waves.js';
import { warnOnce } from '../report/summaries.js';
import { type Recorded, recordedRun } from '../views/recorded.js';
import { LeftWork, leftOnServer } from './left-work.js';
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
  /** The newest run that had the idea; the last one, where it had it. */
  recordedOf(idea: string): Promise<Recorded | undefined>;
  /** Ideas of a run that somebody terminated, and that still work. */
  left: LeftWork;
  /** Brings a run up to date with its target. */
  lookNow(run: Recorded): Promise<unknown>;
  /** Ideas that people split, whether the split still applies or not. */
  splits(): Promise<ReadonlySet<string>>;
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
  /** It had a single attempt in the last run. */
  single?: true;
  /** It had a plan with steps in the last run. */
  plan?: true;
  /** The idea in the plan of the next start, where the plan was read. */
  idea?: Idea;
  /** The newest run that had it. */
  recorded?: Recorded;
  /** The backlog that the run read does not have it any more. */
  lineGone?: LineGone;
}

type HasRun = Pick<ClosedIdea, 'recorded'>;

/** The command that begins the next run of the idea: it reads what the run read that had it. */
export const startOf = (closed: HasRun, { recorded = closed.recorded }: HasRun = {}): string =>
  startCommand(recorded?.model.startAgain);

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
        throw error instanceof UserError && newest === undefined ? noRun(error.message) : error;
      });
      return planned;
    };
    const plan = (): Promise<RunPlan | undefined> => (recorded ? startable().catch(() => undefined) : startable());
    const looked = new Map<Recorded, Promise<unknown>>();
    const lookNow = (run: Recorded): Promise<unknown> => {
      const found = looked.get(run) ?? asOfNow(context.root, run);
      looked.set(run, found);
      return found;
    };
    const had = new Map<string, Promise<Recorded | undefined>>();
    const recordedOf = (idea: string): Promise<Recorded | undefined> => {
      const found = had.get(idea) ?? recordedWith(context.root, project, idea, recorded);
      had.set(idea, found);
      return found;
    };
    const left = new LeftWork(context, leftOnServer(context, project));
    let splitOnes: Promise<ReadonlySet<string>> | undefined;
    const splits = (): Promise<ReadonlySet<string>> => {
      splitOnes ??= idsOfSplits(context, project);
      return splitOnes;
    };
    const looks = { plan, startable, recordedOf, lookNow, splits };
    return act({ context, project, ...(recorded ? { recorded } : {}), left, ...looks });
  };
  return lockProject(context, project, locked);
}

/** A damaged change of one idea must not keep commands from the others. The next start names it. */
const idsOfSplits = ({ root }: Context, project: string): Promise<ReadonlySet<string>> =>
  splitIdeas(root, project).then(
    (all) => new Set(all.map(({ idea }) => idea)),
    () => new Set<string>(),
  );

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

async function lastRun({ root }: Context, project: string): Promise<{ newest?: string; recorded?: Recorded }> {
  const [newest] = await listRuns(root, project);
  if (newest === undefined) return {};
  for await (const runId of begunRuns(root, project, warnOnce)) {
    const recorded = await recordedRun(root, project, runId);
    if (recorded) return { newest, recorded };
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
  let unknown = false;
  const last = await lastBegun(context.root, project, (problem) => {
    unknown = true;
    warnOnce(problem);
  });
  if (unknown || !last?.over) throw error;
}

/**
 * An idea that a run had is read without the plan: a tracker that does not answer must not keep a command waiting.
 * `planned`: the command needs the idea as the next start has it.
 * @throws UserError when there is no such idea
 */
export async function closedIdea(closed: Closed, id: string, { planned = false } = {}): Promise<ClosedIdea> {
  const { context, project } = closed;
  const recorded = await closed.recordedOf(id);
  const entry = recorded?.graph.entry(id);
  // Only the backlog tells whether a split since that run still applies.
  const split = entry && (await closed.splits()).has(id);
  const plan = planned || !entry || split ? await closed.plan() : undefined;
  const idea = plan?.ideas.find((one) => one.id === id);
  if (!entry && !idea) {
    const ids = [
      ...(closed.recorded?.state.entries ?? []).map(({ card }) => card.id),
      ...(plan?.ideas ?? []).map((one) => one.id),
    ];
    const close = nearest(id, ids);
    throw new UserError(`there is no idea ${id}${close ? `. Did you mean ${close}?` : ''}`);
  }
  const { kept = [], abandoned } = await recordOf(context.root, project, id);
  const givenUp = abandoned !== undefined;
  const title = idea?.title ?? entry?.card.title ?? id;
  const base = { id, title, ...(idea ? { idea } : {}), ...(recorded ? { recorded } : {}) };
  if (entry?.card.blue || idea?.blue) return { ...base, state: 'group', status: 'pending' };
  if (recorded) await closed.lookNow(recorded);
  const last = entry && recorded?.model.ideas.get(id);
  const standing = last ? standingOf(last) : await inPlan(closed, idea, { kept, givenUp });
  const begun = last?.iterations.at(-1)?.signal;
  const question = last?.left?.question ?? (begun?.kind === 'needs-human' ? begun.question : undefined);
  return {
    ...base,
    ...standing,
    ...(last?.single ? { single: true as const } : {}),
    ...((idea ? idea.plan : last?.plan) ? { plan: true as const } : {}),
    ...(question ? { question } : {}),
    ...(question && last?.lastAsked ? { questionId: last.lastAsked } : {}),
    ...(last ? { said: last.said } : {}),
    ...(last?.lineGone ? { lineGone: last.lineGone } : {}),
  };
}

async function inPlan(
  closed: Closed,
  idea: Idea | undefined,
  { kept, givenUp }: { kept: readonly Kept[]; givenUp: boolean },
): Promise<Standing> {
  const plan = await closed.plan();
  const leftOut = kept.some(({ verb }) => LEAVES_OUT.has(verb));
  if (plan && idea) return standingInPlan(plan, idea, { givenUp, leftOut });
  return { state: 'pending', status: 'pending' };
}

/** Whether the next start gives it a single attempt. The backlog may have changed since the last run. */
export async function isSingle(closed: Closed, { id, single, idea }: ClosedIdea): Promise<boolean> {
  if (!single) return idea?.ralph === false;
  const next = idea ?? (await closed.plan())?.ideas.find((one) => one.id === id);
  return next?.ralph !== true;
}

/** @throws UserError when the idea does not accept the command now */
export async function assertAccepts(closed: Closed, idea: ClosedIdea, verb: IdeaVerb): Promise<void> {
  const { id, state, lineGone, recorded = closed.recorded } = idea;
  const { context, project } = closed;
  const told = recorded?.model.ideas.get(id);
  const gone = questionGone(id, state, verb, told !== undefined && beginsAnew(told));
  if (gone !== undefined) throw new UserError(gone, EXIT.refused);
  const anew = lineGone ? '' : (againCommand(id, recorded?.model.startAgain) ?? '');
  const untouched = state === 'pending' && (await isUntouched(context.root, project, id, recorded?.run.file.repo));
  if (refusedAfterRun(id, state, verb, anew, unfit(idea), untouched) === undefined) return;
  const { kept = [] } = await recordOf(context.root, project, id);
  const isOut = kept.some((one) => LEAVES_OUT.has(one.verb));
  // A second skip would change nothing.
  const idle = (one: IdeaVerb): boolean => unfit(idea)(one) || (isOut && one === 'skip');
  throw new UserError(refusedAfterRun(id, state, verb, anew, idle, untouched) ?? '', EXIT.refused);
}

/** The newest run that had the idea, with its last configuration. */
export async function runOf(
  { context, project }: Pick<Closed, 'context' | 'project'>,
  idea: string,
): Promise<(RunRef & { repo: string; target: string }) | undefined> {
  const ref = await newestWith(context.root, project, idea);
  if (!ref) return undefined;
  const config = await lastRevision(context.root, ref);
  const { file } = await loadRun(context.root, ref);
  return { ...ref, ...(config > 0 ? { config } : {}), repo: file.repo, target: file.target };
}
