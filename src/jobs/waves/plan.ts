/**
 * Plans a wave (E1): reads the whole source anew, triages it, and takes the best few.
 * Invariant: a source that cannot be read is a result; the workflow decides when to read it again. What the run has
 * already comes with the input, so this needs no state of its own: its files are for people and can be deleted.
 */
import { BacklogError, toCard } from '../../backlog/index.js';
import { chooseWave } from '../../decide/waves/choose.js';
import { withoutEpics } from '../../decide/waves/epics.js';
import { landedIdeas } from '../../git/landing/landed.js';
import type { CarriedOver } from '../../protocol/activities.js';
import { FAILURE } from '../../protocol/failures.js';
import type { Idea, IdeaCard } from '../../protocol/idea.js';
import type { Reading } from '../../protocol/triage.js';
import { UserError } from '../../protocol/user-error.js';
import { MOST_FRESH, type PlanWaveInput, type PlanWaveResult, type WaveRejection } from '../../protocol/waves.js';
import { amended } from '../../run-files/amendments.js';
import { allCarried, LEAVES_OUT, retriedIdeas, takeCarried } from '../../run-files/carried.js';
import { addIdeas } from '../../run-files/run.js';
import { repositoryPath } from '../../run-files/ticks.js';
import { endOfWait, TrackerError } from '../../trackers/tracker.js';
import { type WorkContext, type WorkDeps, WorkError } from '../job.js';
import { load } from '../load.js';
import { assertRepository } from '../repository-gone.js';
import { redactorOf } from '../secrets.js';
import { judge, type Reads } from './judge.js';
import { writeWave } from './named.js';
import { readReports } from './read/read.js';
import { readWaveSource, type WaveSource } from './source.js';

const MOST_QUOTE = 120;
const MOST_WHY = 1000;

export async function planWave(deps: WorkDeps, input: PlanWaveInput, context: WorkContext): Promise<PlanWaveResult> {
  const { signal } = context;
  const run = await load(deps, input);
  await assertRepository(run);
  if (!run.file.waves) throw new WorkError(`run ${input.runId} has no waves`, FAILURE.badInput);
  const { root } = deps;
  const { project } = input;
  const { repo, target } = run.file;
  let source: Awaited<ReturnType<typeof readWaveSource>>;
  try {
    source = await readWaveSource(deps, run, input, signal);
  } catch (error) {
    return unreadable(error, redactorOf(deps));
  }
  const backlogPath = repositoryPath(repo, run.file.backlog.file);
  const place = { root, project, repo, target, backlogPath };
  // Runs of earlier versions have no such part of the configuration.
  const { triage } = run.file.config as { triage?: typeof run.file.config.triage };
  const asks = triage !== undefined && triage.agent !== 'off';
  const reads: Reads = (wanted, files) => readReports({ deps, run, input, context }, wanted, files);
  const { chosen, taken, left, judged, done } = await chooseFrom(place, source, input, asks ? reads : undefined);
  // Texts first: an idea may start as soon as the run has its card.
  await addIdeas(root, input, chosen);
  const { rejected } = judged;
  const survivors = judged.candidates.map(({ id, tier, score }) => ({ idea: id, tier, score }));
  const taking = new Set(chosen.map(({ id }) => id));
  const readings = [...judged.readings].filter(([id]) => taking.has(id));
  const accepted = judged.accepted.filter(({ as }) => taking.has(as));
  const fresh = await writeWave(root, input, { taken: [...taking], survivors, rejected, readings, accepted });
  const carried = await carriedTo(root, input, chosen);
  return {
    kind: 'planned',
    cards: cardsOf(chosen, done),
    ...(carried ? { carried } : {}),
    taken: taken.map(({ id, tier, score }) => ({ idea: id, tier, score })),
    open: source.ideas.filter(({ blue }) => !blue).length + source.leftOut,
    left,
    rejected: rejected.length,
    fresh: fresh.slice(0, MOST_FRESH).map(({ wave: _, plan: __, ...one }) => cut(one)),
    leftOut: source.leftOut,
    ...(judged.told ? { read: judged.told } : {}),
    ...unknownRuns(judged.problems, redactorOf(deps)),
  };
}

function unknownRuns([first, ...others]: readonly string[], redact: (text: string) => string) {
  return first === undefined ? {} : { unknownRuns: { why: redact(first).slice(0, MOST_WHY), more: others.length } };
}

export interface WavePlace {
  root: string;
  project: string;
  repo: string;
  target: string;
  /** The backlog inside the repository. */
  backlogPath: string | undefined;
}

/** What the next wave takes of a source. Only reads. `known`: ideas that earlier waves took. */
export async function chooseFrom(
  { root, project, repo, target, backlogPath }: WavePlace,
  source: WaveSource,
  { known: before, most }: Pick<PlanWaveInput, 'known' | 'most'>,
  /** Absent: no agent is asked. */
  reads?: Reads,
) {
  const done = new Set(await landedIdeas(repo, target, backlogPath));
  const { ideas } = await amended(root, project, source.ideas, () => Promise.resolve(done));
  const out = await takenOut(root, project);
  const known = new Set(before);
  const wanted = ideas.filter(({ id, blue, done: ticked }) => !blue && !ticked && !done.has(id) && !out.has(id));
  const first = withoutEpics(ideas);
  const fresh = wanted
    .filter(({ id }) => !known.has(id))
    .map((idea) => ({ ...idea, dependsOn: first.get(idea.id) ?? idea.dependsOn }));
  const judged = await judge(
    { root, project, repo },
    { ideas: fresh, reports: source.reports, held: source.held ?? [], reads },
  );
  const { taken, left } = chooseWave(judged.candidates, { most, known, done });
  const byId = new Map(fresh.map((idea) => [idea.id, idea]));
  const chosen = taken.flatMap(({ id }) => {
    const [idea, reading] = [byId.get(id), judged.readings.get(id)];
    return idea ? [reading ? { ...idea, investigation: foundBy(reading) } : idea] : [];
  });
  return { chosen, taken, left, judged, done };
}

const foundBy = ({ agent, notes, files }: Reading): NonNullable<Idea['investigation']> => ({ agent, notes, files });

/** What people said about these ideas while no run was open. A repeated plan gets the same. */
async function carriedTo(
  root: string,
  input: PlanWaveInput,
  chosen: readonly Idea[],
): Promise<CarriedOver | undefined> {
  const ids = new Set(chosen.map(({ id }) => id));
  const { hints, kept } = await takeCarried(root, input, ids);
  const retries = (await retriedIdeas(root, input.project)).filter(({ idea }) => ids.has(idea));
  if (hints.length + kept.length + retries.length === 0) return undefined;
  return { abandoned: [], hints, kept, retries };
}

const cut = ({ quote, ...one }: WaveRejection): WaveRejection => ({ ...one, quote: quote.slice(0, MOST_QUOTE) });

/** Ideas that a person took out in an earlier run. */
async function takenOut(root: string, project: string): Promise<Set<string>> {
  const all = await allCarried(root, project);
  const isOut = ({ abandoned, kept = [] }: (typeof all)[number]): boolean =>
    abandoned !== undefined || kept.some(({ verb }) => LEAVES_OUT.has(verb));
  return new Set(all.filter(isOut).map(({ idea }) => idea));
}

/** Without epics, which the run does not have, and without what has landed. */
function cardsOf(chosen: readonly Idea[], done: ReadonlySet<string>): IdeaCard[] {
  const here = new Set(chosen.map(({ id }) => id));
  return chosen.map((idea) => {
    const { parent: _, dependsOn = [], ...card } = toCard(idea);
    const first = dependsOn.filter((id) => here.has(id) && !done.has(id));
    return first.length > 0 ? { ...card, dependsOn: first } : card;
  });
}

function unreadable(error: unknown, redact: (text: string) => string): PlanWaveResult {
  if (error instanceof TrackerError) {
    const { message, retry, needsPerson } = error;
    const at = endOfWait(error, Date.now());
    const person = !retry || needsPerson ? { person: true as const } : {};
    return { kind: 'unreadable', why: redact(message), ...person, ...(at === undefined ? {} : { at }) };
  }
  if (error instanceof BacklogError || error instanceof UserError)
    return { kind: 'unreadable', why: redact(error.message), person: true };
  throw error;
}
