/**
 * One look at an idea's pull request. What people write there is data: only reviews and comments of people who may
 * write to the repository reach the agent.
 * Invariant: reads the forge only. A merged pull request is taken over into the target; repeating that changes nothing.
 */
import { followRemote } from '../../git/delivery/follow.js';
import { isAncestor, lookAtRemote } from '../../git/delivery/look.js';
import { openRemote } from '../../git/delivery/remote.js';
import { finishLanding } from '../../git/landing/finish.js';
import { listWorktrees } from '../../git/worktrees/list.js';
import type { LookInput, LookResult } from '../../protocol/review.js';
import { TAIL_LIMIT } from '../../protocol/run-ref.js';
import { dropReviewed, reviewedBefore } from '../../run-files/reviewed.js';
import type { LoadedRun } from '../../run-files/run.js';
import { repositoryPath, tickFiles, tickUntracked } from '../../run-files/ticks.js';
import type { WorkContext, WorkDeps } from '../job.js';
import { load } from '../load.js';
import { dropPlace } from '../plan-place.js';
import { asWorkError } from '../prepare.js';
import { assertRepository } from '../repository-gone.js';
import { redactorOf } from '../secrets.js';
import { ForgeError, type Gh } from './gh.js';
import { forgeOf } from './open.js';
import { isOwn, keyOf, type SaidJson, type SaidKind } from './said.js';

interface PullJson {
  state: 'open' | 'closed';
  merged: boolean;
  merge_commit_sha: string | null;
  merged_by: { login: string } | null;
  mergeable: boolean | null;
  head: { sha: string };
}
interface CheckJson {
  id: number;
  name: string;
  status: string;
  conclusion: string | null;
  html_url: string | null;
  output?: { title: string | null; summary: string | null; text: string | null };
}
interface Checks {
  check_runs: CheckJson[];
}

/** People whose words reach the agent. */
const TRUSTED = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);
const RED = new Set(['failure', 'timed_out', 'action_required', 'startup_failure']);

export async function lookAtPull(deps: WorkDeps, input: LookInput, { signal }: WorkContext): Promise<LookResult> {
  const run = await load(deps, input);
  await assertRepository(run);
  try {
    const result = await look(deps, run, input, signal);
    if (result.kind !== 'back') return result;
    const redact = redactorOf(deps);
    return { ...result, what: redact(result.what), tail: redact(result.tail).slice(-TAIL_LIMIT) };
  } catch (error) {
    if (error instanceof ForgeError) return { kind: 'unreachable', why: redactorOf(deps)(error.message) };
    return asWorkError(error);
  }
}

async function look(deps: WorkDeps, run: LoadedRun, input: LookInput, signal: AbortSignal): Promise<LookResult> {
  const gh = forgeOf(deps, run, signal);
  const { number, candidate } = input.pull;
  const seen = [...input.seen, ...(await reviewedBefore(deps.root, input.project, input.idea)).seen];
  const pull = await gh.get<PullJson>(`pulls/${number}`);
  // Also a lost permission, or a server that is behind: only an answer that says so ends the idea.
  if (!pull) return { kind: 'unreachable', why: `the forge does not show pull request ${number}` };
  if (pull.merged) return merged(deps, run, input, pull, signal);
  if (pull.state === 'closed') {
    const issue = await gh.get<{ closed_by?: { login: string } | null }>(`issues/${number}`);
    return { kind: 'closed', ...(issue?.closed_by ? { by: issue.closed_by.login } : {}) };
  }
  if (pull.head.sha === candidate) {
    const red = await redChecks(gh, candidate, seen);
    if (red) return red;
  }
  const asked = await askedChanges(gh, number, seen, redactorOf(deps));
  if (asked) return asked;
  return pull.mergeable === false ? { kind: 'apart' } : { kind: 'open' };
}

/** The target gets what the remote has. Until the remote shows the merge, the next look tries again. */
async function merged(
  deps: WorkDeps,
  run: LoadedRun,
  { idea, work, ...ref }: LookInput,
  pull: PullJson,
  signal: AbortSignal,
): Promise<LookResult> {
  const { repo, target, remote: record, config, backlog } = run.file;
  const commit = pull.merge_commit_sha ?? pull.head.sha;
  const notes: (string | undefined)[] = [];
  if (record) {
    const remote = await openRemote({ root: repo, record, env: deps.env, passEnv: config.landing.passEnv, signal });
    const { tip } = await lookAtRemote(remote, target);
    if (tip === undefined || !(await isAncestor(repo, commit, tip).catch(() => false))) return { kind: 'open' };
    const from = `${record.name}/${record.branch}`;
    const place = repositoryPath(repo, backlog.file);
    // Not in the integration worktree: a landing may be at work there.
    notes.push(await followRemote({ repo, dir: repo, target, tip, from, backlogPath: place }));
    // What depends on it begins on the target here, so it has not landed before that has it.
    if (!(await isAncestor(repo, commit, `refs/heads/${target}`)))
      return {
        kind: 'behind',
        why: `it is merged, but ${target} here has commits that ${from} lacks; join both: git pull --rebase ${from.replace('/', ' ')}`,
      };
  }
  // No commit can contain the tick of a backlog that git does not track.
  if (run.file.tick && config.landing.tick)
    await tickUntracked(run.file, await tickFiles(deps.root, ref, run.file, [idea]));
  const worktrees = await listWorktrees(repo);
  notes.push(await finishLanding({ dir: repo, branch: work.branch, idea, head: work.head, worktrees }));
  await dropPlace(deps, { project: ref.project, idea });
  await dropReviewed(deps.root, ref.project, idea);
  const note = notes.filter(Boolean).join(' ');
  const by = pull.merged_by?.login;
  return { kind: 'merged', commit, ...(by ? { by } : {}), ...(note ? { note } : {}) };
}

async function redChecks(gh: Gh, commit: string, seen: readonly string[]): Promise<LookResult | undefined> {
  const checks = await gh.list(`commits/${commit}/check-runs`, (answer) => (answer as Checks).check_runs);
  const red = checks.filter(
    ({ id, status, conclusion }) =>
      status === 'completed' && RED.has(conclusion ?? '') && !seen.includes(`check ${id}`),
  );
  const [first] = red;
  if (!first) return undefined;
  const log = await gh.text(`actions/jobs/${first.id}/logs`).catch(() => '');
  const { title, summary, text } = first.output ?? {};
  const tail = log.trim() || [title, summary, text].filter(Boolean).join('\n');
  return {
    ...{ kind: 'back', about: 'checks', tail: tail.slice(-TAIL_LIMIT), seen: red.map(({ id }) => `check ${id}`) },
    what: `${red.map(({ name }) => name).join(', ')}${first.html_url ? ` (${first.html_url})` : ''}`.slice(0, 500),
  };
}

async function askedChanges(
  gh: Gh,
  number: number,
  seen: readonly string[],
  redact: (text: string) => string,
): Promise<LookResult | undefined> {
  // Most people review with the login that ralphctl has, too: only its own comments have its mark.
  const read = async (path: string, kind: SaidKind) =>
    (await gh.list<SaidJson>(path))
      .map((one) => ({ ...one, key: keyOf(kind, one) }))
      .filter((one) => TRUSTED.has(one.author_association) && !seen.includes(one.key) && !isOwn(one));
  const reviews = (await read(`pulls/${number}/reviews`, 'review')).filter(
    ({ state, body }) => state === 'CHANGES_REQUESTED' || (state === 'COMMENTED' && (body ?? '').trim() !== ''),
  );
  const lines = await read(`pulls/${number}/comments`, 'line');
  const talk = await read(`issues/${number}/comments`, 'comment');
  const all = [...reviews, ...lines, ...talk];
  if (all.length === 0) return undefined;
  const { told, tail } = fitting(all, redact);
  const rest = all.length - told.length;
  const people = [...new Set(told.map(({ user }) => user?.login ?? 'somebody'))];
  return {
    ...{ kind: 'back', about: 'comments', what: people.join(', ').slice(0, 200) },
    ...{ tail, seen: told.map(({ key }) => key), ...(rest > 0 ? { rest } : {}) },
  };
}

type Asked = SaidJson & { key: string };
/** For the words about what is left out. */
const ROOM = TAIL_LIMIT - 200;

/** The first ones that fit, and at least one. What does not fit comes with the next look. */
function fitting(all: readonly Asked[], redact: (text: string) => string): { told: Asked[]; tail: string } {
  const told: Asked[] = [];
  const texts: string[] = [];
  let size = 0;
  for (const one of all) {
    const text = redact(textOf(one));
    if (told.length > 0 && size + text.length + 2 > ROOM) break;
    told.push(one);
    texts.push(
      text.length > ROOM
        ? `${text.slice(0, ROOM)}… [cut; the whole comment: ${one.html_url ?? 'in the pull request'}]`
        : text,
    );
    size += text.length + 2;
  }
  const rest = all.length - told.length;
  if (rest > 0)
    texts.push(`[${rest === 1 ? '1 more comment follows' : `${rest} more comments follow`} after this round.]`);
  return { told, tail: texts.join('\n\n') };
}

const textOf = ({ user, path, line, body }: SaidJson): string =>
  `${user?.login ?? 'somebody'}${path ? ` on ${path}${line ? `:${line}` : ''}` : ''}: ${(body ?? '').trim() || 'asks for changes'}`;
