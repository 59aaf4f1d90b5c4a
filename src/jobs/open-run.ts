/** Starts and ends a run in files and git. */
import { join } from 'node:path';
import { accountKey } from '../agents/account.js';
import { toCard } from '../backlog/cards.js';
import { runDir } from '../config/paths.js';
import { type Config, resolveAgent } from '../config/schema/config.js';
import { notPushed } from '../git/delivery/unpushed.js';
import { landedIdeas } from '../git/landing/landed.js';
import { landedLines } from '../git/landing/lines.js';
import { patientTip } from '../git/patient-tip.js';
import { ideaFacts, landingsOf, runFacts, type SummaryFile, toldIdeas } from '../model/facts.js';
import { runsOf, spentOf } from '../model/tally.js';
import type {
  CarriedOver,
  CloseRunInput,
  OpenRunResult,
  RunConfigInput,
  RunConfigResult,
} from '../protocol/activities.js';
import type { Idea } from '../protocol/idea.js';
import type { AgentsInfo } from '../protocol/limits.js';
import { agentsQueue, gitQueue } from '../protocol/names.js';
import { MOST_NOT_LANDED, type RunSummary } from '../protocol/run.js';
import type { RunRef } from '../protocol/run-ref.js';
import { abandonedIdeas, carryOver, retriedIdeas, takeCarried, withoutThose } from '../run-files/carried.js';
import { type ModelOfRun, readModel } from '../run-files/read-model.js';
import { knownIdeas, loadIdea, writeAtomically } from '../run-files/run.js';
import { settingsOf, trackerOfRun, trackerSettings, waveSettings } from '../run-files/settings.js';
import { needNoWork, onlyTicked, repositoryPath } from '../run-files/ticks.js';
import { dayTotal } from '../run-files/usage.js';
import { upstreamOf } from './delivery/upstream.js';
import type { WorkDeps } from './job.js';
import { asMissing, limitsOf, load } from './load.js';
import { asWorkError } from './prepare.js';

/** A remote that does not answer must not hold the start for long. */
const LONGEST_LOOK_MS = 45_000;

/** The cards and the landed ideas, from the backlog or from the target's history. */
export async function openRun(deps: WorkDeps, ref: RunRef): Promise<OpenRunResult> {
  const run = await load(deps, ref);
  const { repo, target, remote } = run.file;
  // A person may have renamed or deleted it since the start.
  await patientTip(repo, target, AbortSignal.timeout(LONGEST_LOOK_MS)).catch(asWorkError);
  // Work begins on what others have pushed meanwhile.
  await upstreamOf(deps, run, { work: 'open', place: undefined, signal: AbortSignal.timeout(LONGEST_LOOK_MS) })
    ?.follow(repo)
    .catch(() => undefined);
  const owes = remote && (await notPushed(repo, target, remote));
  const onTarget = new Set(await landedIdeas(repo, target, repositoryPath(repo, run.file.backlog.file)));
  const ideas = [...run.ideas.values()];
  const landed = needNoWork(ideas, onTarget, run.file.again);
  const ticked = onlyTicked(landed, onTarget);
  const carried = await carriedInto(deps, ref, run.file.again, new Set(ideas.map(({ id }) => id)), new Set(landed));
  return {
    agentsQueue: agentsQueue(ref.project, deps.host),
    gitQueue: gitQueue(ref.project, deps.host),
    target,
    cards: ideas.map(toCard),
    day: run.file.config.budget?.day ? await dayTotal(deps.root, ref.project) : undefined,
    agents: agentsInfo(run.file.config, ideas, deps.env),
    landed,
    ...(ticked.length > 0 ? { ticked } : {}),
    ...(owes ? { unpushed: true as const } : {}),
    carried,
  };
}

/** Commands from earlier runs that still apply; undefined without any. */
async function carriedInto(
  { root }: WorkDeps,
  ref: RunRef,
  again: readonly string[] = [],
  ideas: ReadonlySet<string>,
  landed: ReadonlySet<string>,
): Promise<CarriedOver | undefined> {
  const open = new Set([...ideas].filter((id) => !landed.has(id)));
  const abandoned = [...(await abandonedIdeas(root, ref.project).catch(asMissing))].flatMap(([idea, { reason }]) =>
    open.has(idea) && !again.includes(idea) ? [{ idea, reason: reason || undefined }] : [],
  );
  const { hints, kept } = await takeCarried(root, ref, open).catch(asMissing);
  const retries = (await retriedIdeas(root, ref.project).catch(asMissing)).filter(({ idea }) => open.has(idea));
  const wanted = withoutThose(kept, again);
  if (abandoned.length + hints.length + retries.length + wanted.length === 0) return undefined;
  return {
    ...{ abandoned, hints },
    ...(retries.length > 0 ? { retries } : {}),
    ...(wanted.length > 0 ? { kept: wanted } : {}),
  };
}

/** A revision of the run's configuration, for the deciding code. */
export async function runConfig(deps: WorkDeps, input: RunConfigInput): Promise<RunConfigResult> {
  const run = await load(deps, input);
  const { config } = run.file;
  const ideas = await Promise.all(input.ideas.map((id) => loadIdea(deps.root, input, id).catch(asMissing)));
  return {
    settings: {
      ...settingsOf(config, run.file.remote),
      ...trackerSettings(trackerOfRun(run.file)),
      ...waveSettings(run.file.waves),
    },
    agents: agentsInfo(config, [...run.ideas.values()], deps.env),
    limits: Object.fromEntries(ideas.flatMap((idea) => (idea ? [[idea.id, limitsOf(idea, run)] as const] : []))),
    day: config.budget?.day ? await dayTotal(deps.root, input.project) : undefined,
  };
}

/** The agents of this run, and the accounts that they share. */
function agentsInfo(config: Config, ideas: readonly Idea[], env: NodeJS.ProcessEnv): AgentsInfo {
  const named = ideas.flatMap((idea) => (idea.done ? [] : (idea.agent ?? [])));
  const names = new Set([config.agent, ...config.fallback, ...named]);
  const accounts = [...names].map((name) => [name, accountKey(resolveAgent(config, name), env)] as const);
  return { default: config.agent, fallback: config.fallback, accounts: Object.fromEntries(accounts) };
}

/** With the facts from the run's events, and one number of what it used. The summary succeeds without them. */
function withFacts(summary: Partial<RunSummary>, { model }: ModelOfRun): Partial<SummaryFile> {
  const { status } = summary;
  const spent = runsOf(model.spent) > 0 ? { spent: spentOf(model.spent) } : {};
  return {
    ...summary,
    ...(status ? { status: { ...status, ...spent } } : {}),
    ...{ run: runFacts(model), ideas: toldIdeas(model).map(ideaFacts) },
  };
}

/** The activity has two minutes. Of a history that takes longer, the report asks git. */
const MOST_LINES_MS = 60_000;

async function landingFacts({ model, run }: ModelOfRun): Promise<Pick<SummaryFile, 'landings'>> {
  const landed = landingsOf(model);
  const lines = await landedLines(run.file.repo, landed, AbortSignal.timeout(MOST_LINES_MS));
  return { landings: [...lines].map(([idea, one]) => ({ idea, commit: landed.get(idea) ?? '', ...one })) };
}

export async function closeRun(deps: WorkDeps, input: CloseRunInput): Promise<void> {
  await load(deps, input);
  const { project, runId } = input;
  const path = join(runDir(deps.root, project, runId), 'summary.json');
  const found = await readModel(deps.root, { project, runId }).catch(() => undefined);
  const summary = found ? withFacts(input.summary as Partial<RunSummary>, found) : (input.summary as object);
  const write = (more: Partial<SummaryFile> = {}): Promise<void> =>
    writeAtomically(path, JSON.stringify({ ...summary, ...more }, null, 2), {
      flush: true,
    });
  // It is what is left of the run where its events are lost.
  await write();
  await carry(deps, input);
  const landings = found && (await landingFacts(found).catch(() => undefined));
  if (landings) await write(landings);
}

/** What people said in the run and the next one needs. */
async function carry(deps: WorkDeps, input: CloseRunInput): Promise<void> {
  if (!input.carried) return;
  const { notLanded } = input.summary as Partial<RunSummary>;
  // A truncated list does not show which ideas have landed.
  const open =
    notLanded && notLanded.length < MOST_NOT_LANDED
      ? new Map(notLanded.map(({ idea, status }) => [idea, status]))
      : undefined;
  await carryOver(deps.root, input, await knownIdeas(deps.root, input), input.carried, open);
}
