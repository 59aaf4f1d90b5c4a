/**
 * Pushes an idea's gated commits to its own branch on the remote and opens its pull request.
 * Invariant: idempotent by branch: there is one open pull request, whatever was cut off. The branch is overwritten only
 * where its tip is a commit that ralphctl pushed.
 */

import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ideaDir } from '../../config/paths.js';
import { MIB, readInput } from '../../config/read-input.js';
import { openRemote } from '../../git/delivery/remote.js';
import { RepositoryError } from '../../git/errors.js';
import { PINNED_LOG } from '../../git/landing/first-parents.js';
import type { LandOptions, Outcome } from '../../git/landing/land.js';
import { ideaBranch } from '../../git/refs.js';
import { git } from '../../git/runner.js';
import type { ClosedPull, MergedGate } from '../../protocol/git-work.js';
import type { Idea } from '../../protocol/idea.js';
import { noteReviewed, type Reviewed, reviewedBefore } from '../../run-files/reviewed.js';
import type { LoadedRun } from '../../run-files/run.js';
import { readResult } from '../agent-run/result.js';
import type { WorkDeps } from '../job.js';
import { redactorOf } from '../secrets.js';
import { answerComments } from './answer.js';
import { mergeWhenReady } from './auto-merge.js';
import { pullBody, pullTitle } from './body.js';
import { ForgeError, type Gh, ghOf, repoOfAddress, repoOfName } from './gh.js';
import { pushBranch, pushedBefore, sameFiles } from './push-branch.js';

interface PullJson {
  number: number;
  html_url: string;
  state: 'open' | 'closed';
  merged_at: string | null;
  head: { sha: string };
  labels?: { name: string }[];
  requested_reviewers?: { login: string }[];
  node_id?: string;
  /** Somebody has asked for it. */
  auto_merge?: unknown;
}

interface OpenInput {
  idea: Idea;
  /** A pull request that somebody closed is followed by another one. */
  anew?: boolean | undefined;
  /** What its agent had before this work. */
  seen?: readonly string[] | undefined;
  candidate: string;
  onto: string;
  gate?: MergedGate | undefined;
  runs: number;
  dollars?: number | undefined;
  by: readonly string[];
}

/** The forge of a run. */
export function forgeOf(
  deps: WorkDeps,
  { file }: { file: Pick<LoadedRun['file'], 'config' | 'remote' | 'repo'> },
  signal?: AbortSignal,
): Gh {
  const { config, remote, repo } = file;
  const { pr, passEnv } = config.landing;
  const found = pr.repo === undefined ? repoOfAddress(remote?.shown ?? '') : repoOfName(pr.repo);
  if (!found)
    throw new RepositoryError(
      `The address of the remote ${remote?.name ?? ''} does not name a repository of a forge (${remote?.shown ?? 'none'}).`,
      'Set landing.pr.repo, e.g. owner/name',
    );
  return ghOf({ env: deps.env, cwd: repo, passEnv, ...(signal ? { signal } : {}) }, found);
}

/** What became of the hand-over. */
type Opened = Extract<Outcome, { kind: 'in-review' | 'pull-closed' }>;

async function openPull(deps: WorkDeps, run: LoadedRun, input: OpenInput, signal: AbortSignal): Promise<Opened> {
  const { repo, target, remote: record, config } = run.file;
  if (!record) throw new RepositoryError('The run has no remote.', 'Start another run: ralphctl stop; ralphctl start');
  const { idea, onto } = input;
  const branch = ideaBranch(idea.id);
  const access = { root: repo, record, env: deps.env, passEnv: config.landing.passEnv, signal };
  const gh = forgeOf(deps, run, signal);
  const of = `head=${gh.repo.owner}:${branch}&base=${encodeURIComponent(target)}`;
  const listed = (await gh.get<PullJson[]>(`pulls?state=all&sort=created&direction=desc&${of}`)) ?? [];
  const there = listed.find(({ state }) => state === 'open');
  const [newest] = listed;
  if (!there && newest && !input.anew && (await closedByPerson(repo, idea.id, newest)))
    return { kind: 'pull-closed', ...(await closedPull(gh, newest)) };
  const before = await reviewedBefore(deps.root, run.file.project, idea.id);
  const candidate = await pushBranch(await openRemote(access), {
    ...{ idea: idea.id, branch, onto },
    ...{ candidate: input.candidate, inReview: before.pushed },
  });
  const made = there ?? (await create(deps, run, { ...input, candidate }, { gh, branch }));
  await dress(gh, made, config.landing.pr);
  // Before the merge: a protected branch may ask for resolved threads.
  const note = await answerRound(run, { ...input, candidate }, before, { gh, number: made.number });
  const { autoMerge } = config.landing.pr;
  if (autoMerge !== 'off') await mergeWhenReady(gh, made, candidate, autoMerge);
  const pull = { number: made.number, url: made.html_url, candidate, onto };
  return { kind: 'in-review', pull, ...(note === undefined ? {} : { note }) };
}

/** What its agent had before this push, and no commit answers yet. */
async function answerRound(
  { file: { repo, config } }: LoadedRun,
  { candidate, seen = [] }: OpenInput,
  before: Reviewed,
  { gh, number }: { gh: Gh; number: number },
): Promise<string | undefined> {
  const { answer: how } = config.landing.pr;
  // Configurations of older runs do not have it.
  if ((how !== 'reply' && how !== 'resolve') || seen.length === 0) return undefined;
  const fresh = seen.filter((key) => !before.seen.includes(key));
  const idle = before.pushed !== undefined && (await sameFiles(repo, before.pushed, candidate));
  return answerComments(gh, { number, candidate, fresh, had: [...before.seen, ...seen], how, idle });
}

/** ralphctl pushed its commits, and nobody merged them: whoever closed it decided so. */
const closedByPerson = async (root: string, idea: string, { state, merged_at, head }: PullJson): Promise<boolean> =>
  state === 'closed' && merged_at === null && (await pushedBefore(root, idea, head.sha));

async function closedPull(gh: Gh, { number, html_url: url }: PullJson): Promise<ClosedPull> {
  const issue = await gh.get<{ closed_by?: { login: string } | null }>(`issues/${number}`);
  return { number, url, ...(issue?.closed_by ? { by: issue.closed_by.login } : {}) };
}

async function create(
  deps: WorkDeps,
  { file: { repo, target, config } }: LoadedRun,
  input: OpenInput,
  { gh, branch }: { gh: Gh; branch: string },
): Promise<PullJson> {
  const { idea, candidate, onto } = input;
  const log = await git(repo).run(['log', '--reverse', '--format=%s', candidate, '--not', onto, '--'], {
    read: true,
    config: PINNED_LOG,
  });
  const redact = redactorOf(deps);
  return gh.send<PullJson>('POST', 'pulls', {
    ...{ title: redact(pullTitle(idea)), head: branch, base: target, draft: config.landing.pr.draft },
    body: redact(pullBody({ ...input, commits: log.split('\n').filter(Boolean) }, await templateOf(repo, config))),
  });
}

/** Read at each pull request, from the checkout. */
async function templateOf(repo: string, { landing }: LoadedRun['file']['config']): Promise<string | undefined> {
  const { template } = landing.pr;
  if (template === undefined) return undefined;
  const text = await readInput(resolve(repo, template), MIB).catch((error: Error) => {
    throw new RepositoryError(
      `${template}, which landing.pr.template names, cannot be read: ${error.message}.`,
      'Put it back, or change landing.pr.template; then: ralphctl config reload',
    );
  });
  return text.toString('utf8');
}

/** Labels and reviewers that are missing: the attempt that opened it may have ended there. */
async function dress(
  gh: Gh,
  { number, labels: set = [], requested_reviewers: asked = [] }: PullJson,
  { labels, reviewers }: LoadedRun['file']['config']['landing']['pr'],
): Promise<void> {
  const fix = (key: string, value: readonly string[]) => (error: unknown) => {
    if (!(error instanceof ForgeError) || error.later) throw error;
    throw new RepositoryError(
      `Pull request ${number} is open, but ${key} (${value.join(', ')}) cannot be set: ${error.message}.`,
      `Correct landing.pr.${key}, then: ralphctl config reload`,
    );
  };
  const lacking = labels.filter((label) => !set.some(({ name }) => name === label));
  if (lacking.length > 0)
    await gh.send('POST', `issues/${number}/labels`, { labels: lacking }).catch(fix('labels', lacking));
  const unasked = reviewers.filter((login) => !asked.some((one) => one.login === login));
  if (unasked.length === 0) return;
  // Who has given a review is no longer among those who are asked.
  const given = await gh.list<{ user: { login: string } | null }>(`pulls/${number}/reviews`);
  const silent = unasked.filter((login) => !given.some(({ user }) => user?.login === login));
  if (silent.length > 0)
    await gh.send('POST', `pulls/${number}/requested_reviewers`, { reviewers: silent }).catch(fix('reviewers', silent));
}

type HandOver = NonNullable<LandOptions['handOver']>;
type Gated = Parameters<HandOver>[0];

/** Opens the idea's pull request for a gated commit. A forge that is down or limits requests is a result. */
export const openerOf =
  (
    deps: WorkDeps,
    run: LoadedRun,
    { idea, anew, seen = [] }: Pick<OpenInput, 'idea' | 'anew' | 'seen'>,
    signal: AbortSignal,
  ) =>
  async ({ commit, onto, trees }: Gated, gate: MergedGate | undefined): Promise<Outcome> => {
    const effort = await effortOf(deps, run.file, idea.id);
    try {
      const opened = await openPull(deps, run, { idea, anew, seen, candidate: commit, onto, gate, ...effort }, signal);
      if (opened.kind === 'in-review') {
        const reviewed = { seen, pushed: opened.pull.candidate };
        await noteReviewed(deps.root, run.file.project, idea.id, reviewed);
      }
      return opened;
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      if (!error.later)
        throw new RepositoryError(
          `The pull request of ${idea.id} cannot be opened: ${error.message}.`,
          'Check: gh auth status',
        );
      const { at } = error.later;
      const why = redactorOf(deps)(error.message);
      return {
        kind: 'forge-waits',
        why,
        ...(at === undefined ? {} : { at }),
        ...(gate ? { green: { trees, gate } } : {}),
      };
    }
  };

/** The agent runs of the idea in this run. */
async function effortOf(
  deps: WorkDeps,
  { project, runId }: LoadedRun['file'],
  idea: string,
): Promise<Pick<OpenInput, 'runs' | 'dollars' | 'by'>> {
  const dir = ideaDir(deps.root, project, runId, idea);
  const names = (await readdir(dir).catch(() => [])).filter((name) => /^\d+$/.test(name));
  const results = (await Promise.all(names.map((name) => readResult(join(dir, name))))).filter(
    (one) => one !== undefined,
  );
  const dollars = results.reduce((sum, { usage }) => sum + (usage?.costUsd ?? 0), 0);
  const by = [
    ...new Set(results.flatMap(({ agent, model }) => (agent ? [model ? `${agent} (${model})` : agent] : []))),
  ];
  return { runs: names.length, dollars, by };
}
