/**
 * One look at an idea's pull request. What people write there is data: only reviews and comments of people who may
 * write to the repository reach the agent.
 * Invariant: reads the forge only, and asks for no more than an automatic merge there. A merged pull request is taken over into the target; repeating that changes nothing.
 */
import { isAncestor } from '../../git/ancestry.js';
import { followRemote } from '../../git/delivery/follow.js';
import { lookAtRemote } from '../../git/delivery/look.js';
import { openRemote } from '../../git/delivery/remote.js';
import { dropReviews } from '../../git/delivery/review-refs.js';
import { finishLanding } from '../../git/landing/finish.js';
import { TargetBusy } from '../../git/target-busy.js';
import { listWorktrees } from '../../git/worktrees/list.js';
import { closedPullText } from '../../protocol/closed-pull.js';
import type { LookInput, LookResult } from '../../protocol/review.js';
import { TAIL_LIMIT } from '../../protocol/run-ref.js';
import { noteClosed } from '../../run-files/carried.js';
import { dropAnswers, KnownAnswers } from '../../run-files/known-answers.js';
import { dropReviewed, reviewedBefore } from '../../run-files/reviewed.js';
import type { LoadedRun } from '../../run-files/run.js';
import { repositoryPath, tickFiles } from '../../run-files/ticks.js';
import { endOfWait } from '../../trackers/tracker.js';
import { storeOf } from '../beads.js';
import { completeEpics, untickedText } from '../epics.js';
import type { WorkContext, WorkDeps } from '../job.js';
import { load } from '../load.js';
import { dropPlace } from '../plan-place.js';
import { asWorkError } from '../prepare.js';
import { assertRepository } from '../repository-gone.js';
import { redactorOf } from '../secrets.js';
import { tickUntracked } from '../tick-untracked.js';
import { closingOf } from './closing.js';
import { type Forge, ForgeError, type Seen } from './forge.js';
import { forgeOf } from './open-forge.js';
import { redChecks } from './red-checks.js';
import { isOwn, type Remark } from './said.js';
import { endedWithBase, isOurs } from './stand.js';

export async function lookAtPull(deps: WorkDeps, input: LookInput, { signal }: WorkContext): Promise<LookResult> {
  const run = await load(deps, input);
  await assertRepository(run);
  const answers = await KnownAnswers.open(deps.root, input.project, input.idea);
  try {
    const result = await look(deps, { run, forge: forgeOf(deps, run, { signal, answers }) }, input, signal);
    await answers.save();
    if (ENDED.has(result.kind)) await dropAnswers(deps.root, input.project, input.idea);
    if (result.kind !== 'back') return result;
    const redact = redactorOf(deps);
    return { ...result, what: redact(result.what), tail: redact(result.tail).slice(-TAIL_LIMIT) };
  } catch (error) {
    if (error instanceof ForgeError) {
      const at = endOfWait(error.later ?? {}, Date.now());
      return { kind: 'unreachable', why: redactorOf(deps)(error.message), ...(at === undefined ? {} : { at }) };
    }
    return asWorkError(error);
  }
}

/** Nobody looks at the pull request after that. */
const ENDED: ReadonlySet<LookResult['kind']> = new Set(['merged', 'closed']);

async function look(
  deps: WorkDeps,
  { run, forge }: { run: LoadedRun; forge: Forge },
  input: LookInput,
  signal: AbortSignal,
): Promise<LookResult> {
  const { number, candidate } = input.pull;
  const seen = [...input.seen, ...(await reviewedBefore(deps.root, input.project, input.idea)).seen];
  const pull = await forge.read(number);
  // Also a lost permission, or a server that is behind: only an answer that says so ends the idea.
  if (!pull) return { kind: 'unreachable', why: `the forge does not show ${forge.words.one.toLowerCase()} ${number}` };
  if (pull.state === 'merged') return merged(deps, run, input, pull, signal);
  if (await endedWithBase(forge, pull, run.file.target))
    return { kind: 'astray', why: `pull request ${number} was closed with the branch below it, ${pull.base}` };
  if (pull.state === 'closed') {
    const closing = await closingOf(forge, number, redactorOf(deps));
    const text = closedPullText({ number, url: input.pull.url, ...closing });
    await noteClosed(deps.root, input.project, input.idea, text);
    return { kind: 'closed', ...closing };
  }
  if (pull.head === candidate) {
    const red = await redChecks(forge, pull, seen, redactorOf(deps));
    if (red) return red;
  }
  const asked = await askedChanges(forge, number, seen, redactorOf(deps));
  if (asked) return asked;
  // A person put it there, or the forge, because its base was renamed: whose merge counts is not ours to say.
  if (!isOurs(pull.base, run.file.target))
    return { kind: 'behind', why: `it goes onto ${pull.base} now, and this run delivers to ${run.file.target}` };
  if (pull.apart) return { kind: 'apart' };
  const { autoMerge } = run.file.config.landing.pr;
  // One on top of another lands on the target first, also where the forge has moved it there already.
  if (
    autoMerge !== 'off' &&
    !pull.armed &&
    pull.head === candidate &&
    !input.pull.below &&
    pull.base === run.file.target
  )
    await forge.mergeLater?.(number, candidate, autoMerge);
  return { kind: 'open' };
}

/** The target gets what the remote has. Until the remote shows the merge, the next look tries again. */
async function merged(
  deps: WorkDeps,
  run: LoadedRun,
  { idea, work, pull: { below }, belowIsOpen, ...ref }: LookInput,
  pull: Seen,
  signal: AbortSignal,
): Promise<LookResult> {
  const { repo, target, remote: record, config, backlog } = run.file;
  const { commit = pull.head, by } = pull;
  const notes: (string | undefined)[] = [];
  // Its branch, worktree and comments are needed until it has landed.
  if (belowIsOpen && below)
    return {
      kind: 'behind',
      why: `it is merged, and has landed once pull request ${below.number} (${below.idea}) below it has`,
    };
  if (record) {
    const remote = await openRemote({ root: repo, record, env: deps.env, passEnv: config.landing.passEnv, signal });
    const { tip } = await lookAtRemote(remote, target);
    if (tip === undefined || !(await isAncestor(repo, commit, tip).catch(() => false)))
      return pull.base === target
        ? { kind: 'open', merged: true }
        : { kind: 'astray', why: `pull request ${pull.number} was merged into ${pull.base}, and not into ${target}` };
    const from = `${record.name}/${record.branch}`;
    const place = repositoryPath(repo, backlog.file);
    // Not in the integration worktree: a landing may be at work there.
    try {
      notes.push(await followRemote({ repo, dir: repo, target, tip, from, backlogPath: place }));
    } catch (error) {
      if (!(error instanceof TargetBusy)) throw error;
      return { kind: 'behind', why: `it is merged, and has landed once ${target} here has it. ${error.message}` };
    }
    // What depends on it begins on the target here, so it has not landed before that has it.
    if (!(await isAncestor(repo, commit, `refs/heads/${target}`)))
      return {
        kind: 'behind',
        why: `it is merged, but ${target} here has commits that ${from} lacks; join both: git pull --no-rebase ${from.replace('/', ' ')}`,
      };
  }
  // No commit can contain the tick of a backlog that git does not track.
  if (run.file.tick && config.landing.tick) {
    const epics = await completeEpics(deps.root, ref, run, idea);
    notes.push(await tickUntracked(deps.root, run.file, await tickFiles(deps.root, ref, run.file, [idea, ...epics])));
    // A request ticks nothing where `bd` keeps the issues.
    if (epics.length > 0 && !(await storeOf(deps, { ...ref, idea }, run.file)))
      notes.push(await untickedText(run, await tickFiles(deps.root, ref, run.file, epics)));
  }
  const worktrees = await listWorktrees(repo);
  notes.push(await finishLanding({ dir: repo, branch: work.branch, idea, head: work.head, worktrees }));
  await dropPlace(deps, { project: ref.project, idea });
  await dropReviewed(deps.root, ref.project, idea);
  // It has landed: refs that stay only take room.
  await dropReviews(repo, target, idea).catch(() => undefined);
  const note = notes.filter(Boolean).join(' ');
  return { kind: 'merged', commit, ...(by ? { by } : {}), ...(note ? { note } : {}) };
}

async function askedChanges(
  forge: Forge,
  number: number,
  seen: readonly string[],
  redact: (text: string) => string,
): Promise<LookResult | undefined> {
  const said = await forge.remarks(number, ['review', 'line', 'comment']);
  // Most people review with the login that ralphctl has, too: only its own comments have its mark.
  const fresh = said.filter((one) => one.asks && !seen.includes(one.key) && !isOwn(one));
  const all: Remark[] = [];
  for (const one of fresh) if (await forge.trusts(one)) all.push(one);
  if (all.length === 0) return undefined;
  const { told, tail } = fitting(all, redact);
  const rest = all.length - told.length;
  const people = [...new Set(told.map(({ author }) => author ?? 'somebody'))];
  return {
    ...{ kind: 'back', about: 'comments', what: people.join(', ').slice(0, 200) },
    ...{ tail, seen: told.map(({ key }) => key), ...(rest > 0 ? { rest } : {}) },
  };
}

/** For the words about what is left out. */
const ROOM = TAIL_LIMIT - 200;

/** The first ones that fit, and at least one. What does not fit comes with the next look. */
function fitting(all: readonly Remark[], redact: (text: string) => string): { told: Remark[]; tail: string } {
  const told: Remark[] = [];
  const texts: string[] = [];
  let size = 0;
  for (const one of all) {
    const text = redact(textOf(one));
    if (told.length > 0 && size + text.length + 2 > ROOM) break;
    told.push(one);
    texts.push(
      text.length > ROOM
        ? `${text.slice(0, ROOM)}… [cut; the whole comment: ${one.url ?? 'in the pull request'}]`
        : text,
    );
    size += text.length + 2;
  }
  const rest = all.length - told.length;
  if (rest > 0)
    texts.push(`[${rest === 1 ? '1 more comment follows' : `${rest} more comments follow`} after this round.]`);
  return { told, tail: texts.join('\n\n') };
}

const textOf = ({ author = 'somebody', path, line, body }: Remark): string =>
  `${author}${path ? ` on ${path}${line ? `:${line}` : ''}` : ''}: ${body.trim() || 'asks for changes'}`;
