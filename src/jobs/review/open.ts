/**
 * Pushes an idea's gated commits to its own branch on the remote and opens its pull request.
 * Invariant: idempotent by branch: there is one open pull request, whatever was cut off. The branch is overwritten only
 * where its tip is a commit that ralphctl pushed, or that a person merged since.
 */

import { openRemote } from '../../git/delivery/remote.js';
import { RepositoryError } from '../../git/errors.js';
import type { LandOptions, Outcome } from '../../git/landing/land.js';
import { ideaBranch } from '../../git/refs.js';
import { closedPullText } from '../../protocol/closed-pull.js';
import type { ClosedPull, MergedGate } from '../../protocol/git-work.js';
import type { Below } from '../../protocol/review.js';
import { forgetClosed, noteClosed } from '../../run-files/carried.js';
import { noteReviewed, type Reviewed, reviewedBefore } from '../../run-files/reviewed.js';
import type { LoadedRun } from '../../run-files/run.js';
import { endOfWait } from '../../trackers/tracker.js';
import type { WorkDeps } from '../job.js';
import { redactorOf } from '../secrets.js';
import { type Answers, answerComments } from './answer.js';
import { closingOf, type Redact } from './closing.js';
import { effortOf } from './effort.js';
import { type Forge, ForgeError, type Listed } from './forge.js';
import { forgeOf } from './open-forge.js';
import { pushBranch, pushedBefore, sameFiles } from './push-branch.js';
import { endedWithBase, isOurs, stand } from './stand.js';
import { createPull, type OpenInput, renewPull } from './write-pull.js';

/** What became of the hand-over. */
type Opened = Extract<Outcome, { kind: 'in-review' | 'pull-closed' | 'waits-below' }>;

async function openPull(deps: WorkDeps, run: LoadedRun, input: OpenInput, signal: AbortSignal): Promise<Opened> {
  const { repo, target, remote: record, config } = run.file;
  if (!record) throw new RepositoryError('The run has no remote.', 'Start another run: ralphctl stop; ralphctl start');
  const { idea, onto, below } = input;
  const branch = ideaBranch(idea.id);
  const base = below ? ideaBranch(below.idea) : target;
  const access = { root: repo, record, env: deps.env, passEnv: config.landing.passEnv, signal };
  const forge = forgeOf(deps, run, { signal });
  const all = await forge.listOf(branch);
  for (const one of all) if (!isOurs(one.base, target)) await refuseMoved(repo, idea.id, one, target);
  const listed = all.filter((one) => isOurs(one.base, target));
  const open = listed.filter(({ state }) => state === 'open');
  const there = open.find((one) => one.base === base) ?? open[0];
  const [newest] = listed;
  if (!there && newest && !input.anew && (await closedByPerson(repo, idea.id, newest)))
    if (!(await endedWithBase(forge, newest, target)))
      return { kind: 'pull-closed', ...(await closedPull(forge, newest, redactorOf(deps))) };
  if (below && (await isOver(forge, below))) return { kind: 'waits-below', why: 'moved' };
  // A person merged it before the one below: another pull request would have nothing to show.
  if (below && !there && newest?.state === 'merged') return { kind: 'waits-below', why: 'empty' };
  // It was onto the target once: before it has the commits of the one below.
  if (below && there?.armed) await forge.disarm(there);
  const before = await reviewedBefore(deps.root, run.file.project, idea.id);
  const candidate = await pushBranch(await openRemote(access), {
    ...{ idea: idea.id, branch, onto },
    ...{ candidate: input.candidate, inReview: isNew(input, before) ? before.pushed : undefined },
    merged: all.filter(({ state }) => state === 'merged').map(({ head }) => head),
  });
  let made = there;
  try {
    const about = { ...input, candidate };
    if (made) await renewPull(deps, run, about, { forge, made, body: await stand(forge, made, base, below) });
    made ??= await createPull(deps, run, about, { forge, branch, base });
  } catch (error) {
    // It was merged or closed meanwhile, and its branch is gone.
    if (error instanceof ForgeError && !error.later && below && (await isOver(forge, below)))
      return { kind: 'waits-below', why: 'moved' };
    throw error;
  }
  await dress(forge, made, config.landing.pr);
  // Before the merge: a protected branch may ask for resolved threads.
  const { note, answered } = await answerRound(run, { ...input, candidate }, before, { forge, number: made.number });
  const { autoMerge } = config.landing.pr;
  // It would be merged into the branch of the one below.
  if (autoMerge !== 'off' && !below) await forge.mergeWhenReady(made, candidate, autoMerge);
  const pull = { number: made.number, url: made.url, candidate, onto, ...(below ? { below } : {}) };
  const { reviewers } = config.landing.pr;
  return {
    ...{ kind: 'in-review', pull, ...(note === undefined ? {} : { note }) },
    ...(answered.length === 0 ? {} : { answered }),
    ...(reviewers.length === 0 ? {} : { asked: reviewers }),
  };
}

/** An open one of ralphctl that has another base now: a second one beside it would bring the work twice. */
async function refuseMoved(root: string, idea: string, { number, url, base, head, state }: Listed, target: string) {
  if (state !== 'open' || !(await pushedBefore(root, idea, head))) return;
  throw new RepositoryError(
    `Pull request ${number} of ${idea} goes onto ${base} now, and this run delivers to ${target}.`,
    `Put it onto ${target} on its page, or close it there: ${url}. If ${target} was renamed to ${base}, end the run and start another one with --target ${base}`,
  );
}

/** Its agent had something since the commit in review. Otherwise a try repeats one whose result got lost after its record. */
const isNew = ({ seen = [] }: OpenInput, before: Reviewed): boolean => seen.some((key) => !before.seen.includes(key));

async function isOver(forge: Forge, { number }: Below): Promise<boolean> {
  const state = (await forge.read(number))?.state;
  return state === 'merged' || state === 'closed';
}

/** What its agent had before this push, and no commit answers yet. */
async function answerRound(
  { file: { repo, config } }: LoadedRun,
  { candidate, seen = [] }: OpenInput,
  before: Reviewed,
  { forge, number }: { forge: Forge; number: number },
): Promise<Answers> {
  // A try that was cut off has noted its answers, but not yet told them.
  const earlier = { answered: before.answered ?? [] };
  const { answer: how } = config.landing.pr;
  // Configurations of older runs do not have it.
  if ((how !== 'reply' && how !== 'resolve') || seen.length === 0) return earlier;
  const fresh = seen.filter((key) => !before.seen.includes(key));
  if (fresh.length === 0) return earlier;
  const idle = before.pushed !== undefined && (await sameFiles(repo, before.pushed, candidate));
  return answerComments(forge, { number, candidate, fresh, had: [...before.seen, ...seen], how, idle });
}

/** ralphctl pushed its commits, and nobody merged them: whoever closed it decided so. */
const closedByPerson = async (root: string, idea: string, { state, head }: Listed): Promise<boolean> =>
  state === 'closed' && (await pushedBefore(root, idea, head));

const closedPull = async (forge: Forge, { number, url }: Listed, redact: Redact): Promise<ClosedPull> => ({
  ...{ number, url },
  ...(await closingOf(forge, number, redact)),
});

/** Labels and reviewers that are missing: the attempt that opened it may have ended there. */
async function dress(
  forge: Forge,
  { number, labels: set, reviewers: asked }: Listed,
  { labels, reviewers }: LoadedRun['file']['config']['landing']['pr'],
): Promise<void> {
  const fix = (key: string, value: readonly string[]) => (error: unknown) => {
    if (!(error instanceof ForgeError) || error.later) throw error;
    throw new RepositoryError(
      `${forge.words.one} ${number} is open, but ${key} (${value.join(', ')}) cannot be set: ${error.message}.`,
      `Correct landing.pr.${key}, then: ralphctl config reload`,
    );
  };
  const lacking = labels.filter((label) => !set.includes(label));
  if (lacking.length > 0) await forge.addLabels(number, lacking).catch(fix('labels', lacking));
  const unasked = reviewers.filter((login) => !asked.includes(login));
  if (unasked.length === 0) return;
  // Who has given a review is no longer among those who are asked.
  const given = await forge.reviewed(number);
  const silent = unasked.filter((login) => !given.includes(login));
  if (silent.length > 0) await forge.askReviewers(number, silent).catch(fix('reviewers', silent));
}

type HandOver = NonNullable<LandOptions['handOver']>;
type Gated = Parameters<HandOver>[0];

/** Opens the idea's pull request for a gated commit. A forge that is down or limits requests is a result. */
export const openerOf =
  (
    deps: WorkDeps,
    run: LoadedRun,
    { idea, anew, seen = [], below }: Pick<OpenInput, 'idea' | 'anew' | 'seen' | 'below'>,
    signal: AbortSignal,
  ) =>
  async ({ commit, onto, trees }: Gated, gate: MergedGate | undefined): Promise<Outcome> => {
    const effort = await effortOf(deps.root, run.file, idea.id);
    try {
      const about = { idea, anew, seen, below, candidate: commit, onto, gate, ...effort };
      const opened = await openPull(deps, run, about, signal);
      if (opened.kind === 'pull-closed') await noteClosed(deps.root, run.file.project, idea.id, closedPullText(opened));
      if (opened.kind === 'in-review') {
        await forgetClosed(deps.root, run.file.project, idea.id);
        const reviewed = { seen, pushed: opened.pull.candidate, answered: opened.answered ?? [] };
        await noteReviewed(deps.root, run.file.project, idea.id, reviewed);
      }
      return opened;
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      if (!error.later)
        throw new RepositoryError(
          `The pull request of ${idea.id} cannot be opened: ${error.message}.`,
          `Check: ${forgeOf(deps, run).words.login}`,
        );
      const at = endOfWait(error.later, Date.now());
      const why = redactorOf(deps)(error.message);
      return {
        kind: 'forge-waits',
        why,
        ...(at === undefined ? {} : { at }),
        ...(gate ? { green: { trees, gate } } : {}),
      };
    }
  };
