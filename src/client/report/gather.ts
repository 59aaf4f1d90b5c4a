/**
 * Gathers the report of a run from its files, from git, and from the files of other runs of the project.
 * Invariant: reads only, and needs neither server nor worker. It asks a running server whether the newest run is open.
 */
import { ideaDir } from '../../config/paths.js';
import { checkoutsBehind } from '../../git/landing/behind.js';
import { landedLines } from '../../git/landing/lines.js';
import { answersInRun } from '../../jobs/agent-run/answers.js';
import { atEnd, endedAs } from '../../model/at-end.js';
import { landingsOf, type SummaryFile } from '../../model/facts.js';
import type { Gone, IdeaModel, RunModel } from '../../model/model.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { UserError } from '../../protocol/user-error.js';
import type { Extra, LandedLines, OtherRun } from '../../report/extra.js';
import { foldNight, newNight } from '../../report/night.js';
import { SlotUse } from '../../report/slot-use.js';
import { abandonedIdeas } from '../../run-files/carried.js';
import { eventsPath, followEvents } from '../../run-files/events.js';
import { readModel } from '../../run-files/read-model.js';
import { leftOut, newestRun, tellLeftOut } from '../../run-files/readable.js';
import { listRuns, loadRun } from '../../run-files/run.js';
import { readSummary } from '../../run-files/summary.js';
import { resolveConnection } from '../../server/connection.js';
import { runningServer } from '../../server/embedded.js';
import { heldNow, mayOwe, rollbackNotPushed } from '../after-run/not-pushed.js';
import type { Context } from '../context.js';
import { takeForNext } from '../model/for-next.js';
import { takeLines } from '../model/take-lines.js';
import { takeOpen } from '../model/take-open.js';
import { askedOf, takeNow } from '../model/take-target.js';
import { nothingMoves } from '../views/nothing-moves.js';
import { gateTails } from './gate-tails.js';
import { targetNow } from './gone.js';
import { placesOf } from './places.js';
import { warnOnce } from './summaries.js';

export interface Gathered {
  model: RunModel;
  extra: Extra;
}

/** Number of older runs to read for how often an idea ended in the same way. */
const MOST_EARLIER = 10;
const OVER = new Set<string>(['completed', 'stopped', 'aborted']);

export interface Gathering {
  now?: number;
  /** Gets a sentence for each damaged summary. */
  warn?: (problem: string) => void;
  /** Newer runs did no work or cannot be read, so that it stands for the newest one. */
  asNewest?: boolean;
  /** False: without landed work that has left the target, which takes several processes. */
  gone?: boolean;
  /** With the ends of red gates' logs, which only the page and the JSON show. */
  tails?: boolean;
  /** For who asks often. */
  ask?: typeof targetNow;
}

/** Undefined when this host has no files of the run. */
export async function gather(
  context: Context,
  ref: RunRef,
  {
    now = Date.now(),
    warn = warnOnce,
    asNewest = false,
    gone: asksTarget = true,
    tails: wantsTails = false,
    ask = targetNow,
  }: Gathering = {},
): Promise<Gathered | undefined> {
  const { root } = context;
  const night = newNight();
  const slots = new SlotUse();
  const found = await readModel(root, ref, (event, so) => {
    foldNight(night, event);
    slots.take(event, so);
  });
  if (!found) return undefined;
  const { model, run } = found;
  const { repo, target } = run.file;
  await takeAnswers(root, ref, model);
  const summary = await readSummary(root, ref, warn);
  endedAs(model, summary);
  // A repeated failure has one event, and more may have landed since.
  const said = summary?.status.delivery?.text;
  const unpushed = said === undefined ? undefined : await heldNow(run.file, said);
  if (unpushed !== undefined)
    model.warnings = model.warnings.map((one) => (one.kind === 'push' ? { ...one, text: unpushed } : one));
  // Somebody may have pushed it since.
  if (!(await mayOwe(run.file))) model.warnings = model.warnings.filter(({ kind }) => kind !== 'push');
  const runs = await listRuns(root, ref.project);
  const index = runs.indexOf(ref.runId);
  // One that cannot be read is no newer run.
  const isNewest = asNewest || (await newestRun(root, ref.project))?.file.runId === ref.runId;
  const place = isNewest ? 0 : index;
  const ended = OVER.has(model.state) || summary !== undefined;
  const open = !ended && place === 0 && (await isOpen(context, ref));
  let gone: ReadonlyMap<string, Gone> | undefined;
  // Only the newest run tells how its ideas stand now.
  if (!open && place === 0 && asksTarget) gone = (await takeNow(root, model, run.file, ask)).now.gone;
  else if (asksTarget) {
    const { recorded, others } = askedOf(model);
    const before = others.filter((id) => model.ideas.get(id)?.status === 'landed');
    gone = (await ask(run.file, recorded, { whole: false, ...(open ? { others: before } : {}) })).gone;
    if (open) await takeOpen(model, run.file, ask);
  }
  // A start that an older report advises reads the same backlog.
  if (!open && place > 0) await takeLines(root, model, run.file, { ticks: false });
  if (!open && place === 0) {
    if (!asksTarget) await takeForNext(root, model, run.file);
    const back = await rollbackNotPushed(run.file);
    if (back) model.warnings = [...model.warnings.filter(({ kind }) => kind !== 'push'), { kind: 'push', text: back }];
  }
  const commits = new Map(
    [...atEnd(model).ideas.values()].flatMap(({ id, commit, landedBefore }) =>
      commit && !landedBefore ? [[id, commit] as const] : [],
    ),
  );
  // The range of the run's landings also has what a person took back since.
  const landings = new Map([...commits, ...landingsOf(model)]);
  const [lines, behind, earlier, { later, worked }, givenUp, places, tails] = await Promise.all([
    linesOf(repo, landings, summary).catch(() => undefined),
    place === 0 ? checkoutsBehind(repo, target).catch(() => []) : [],
    otherRuns(root, ref.project, runs.slice(index + 1, index + 1 + MOST_EARLIER), warn),
    sinceThen(root, ref.project, runs.slice(0, Math.max(0, place)), model),
    abandonedIdeas(root, ref.project),
    placesOf(repo, target, !open),
    wantsTails ? gateTails(model) : undefined,
  ]);
  // Somebody brought back what had been taken off during the run.
  for (const { id, status, atEnd: then } of model.ideas.values())
    if (status === 'landed' && then && then.status !== 'landed') later.set(id, `its work is on ${target} again`);
  const still = open ? await nothingMoves(context, ref.project) : undefined;
  const extra: Extra = {
    ...{ now, zone: Intl.DateTimeFormat().resolvedOptions().timeZone, over: !open },
    ...{ night, slotTime: slots.time, earlier, later, givenUp: new Set(givenUp.keys()), ...placesThen(places, worked) },
    ...(tails ? { gateTails: tails } : {}),
    ...(place > 0 ? { older: true } : {}),
    ...(still ? { still: still.text } : {}),
    ...(!open && !ended ? { terminated: true } : {}),
    ...(lines ? { lines } : {}),
    ...(behind.length > 0 ? { behind: behind.join('. ') } : {}),
    // The newest run tells of all that has left the target, whichever run landed it; an older one of its own.
    ...(gone
      ? { gone: new Map([...gone].filter((one) => (place === 0 ? open || isTask(model, one) : commits.has(one[0])))) }
      : {}),
  };
  return { model, extra };
}

/** A branch on which a newer run worked has its commits, too: the run has its own number. */
const placesThen = (places: Awaited<ReturnType<typeof placesOf>>, worked: ReadonlySet<string>): typeof places => {
  const { commitsOf } = places;
  return commitsOf ? { ...places, commitsOf: (idea) => (worked.has(idea) ? undefined : commitsOf(idea)) } : places;
};

/** An agent may have worked on it since it left the target: then it stands as that left it. */
export function isTask({ ideas }: Pick<RunModel, 'ideas'>, [id, { part }]: readonly [string, Gone]): boolean {
  const idea = ideas.get(id);
  return part !== undefined || idea === undefined || idea.off !== undefined;
}

/** Undefined where its files cannot be read; `warn` then gets the sentence about it. */
export async function gatherReadable(
  context: Context,
  ref: RunRef,
  gathering: Gathering = {},
): Promise<Gathered | undefined> {
  const { warn = warnOnce } = gathering;
  try {
    const found = await gather(context, ref, gathering);
    if (!found) warn(await leftOut(context.root, ref, undefined));
    return found;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    await tellLeftOut(context.root, ref, error, warn);
    return undefined;
  }
}

/** As the run kept them at its end; of a run that is open or of an older version, git tells. */
async function linesOf(
  repo: string,
  landed: ReadonlyMap<string, string>,
  summary: SummaryFile | undefined,
): Promise<Map<string, LandedLines>> {
  const known = (summary?.landings ?? []).filter(({ idea, commit }) => landed.get(idea) === commit);
  const kept = new Map(known.map(({ idea, commit: _, ...lines }) => [idea, lines] as const));
  return new Map([...kept, ...(await landedLines(repo, new Map([...landed].filter(([idea]) => !kept.has(idea)))))]);
}

async function otherRuns(
  root: string,
  project: string,
  runs: readonly string[],
  warn: (problem: string) => void,
): Promise<OtherRun[]> {
  const found = await Promise.all(
    runs.map(async (runId): Promise<OtherRun> => {
      const summary = await readSummary(root, { project, runId }, warn);
      const open = new Map((summary?.notLanded ?? []).map(({ idea, status }) => [idea, status] as const));
      return { runId, open };
    }),
  );
  return found;
}

/** Ideas that a newer run landed, with the time, and those that it worked on. `runs`: newest first. */
async function sinceThen(
  root: string,
  project: string,
  runs: readonly string[],
  model: RunModel,
): Promise<{ later: Map<string, string>; worked: Set<string> }> {
  const later = new Map<string, string>();
  const worked = new Set<string>();
  const left = new Set([...model.ideas.values()].filter(({ status }) => status !== 'landed').map(({ id }) => id));
  for (const runId of runs.toReversed()) {
    if (left.size === 0) break;
    const unreadable = (): void => {};
    let on: string | undefined;
    for await (const event of followEvents(eventsPath(root, { project, runId }), AbortSignal.abort(), { unreadable })) {
      if (event.kind === 'iteration' && left.has(event.idea)) worked.add(event.idea);
      if (event.kind !== 'idea' || event.status !== 'landed' || !left.delete(event.idea)) continue;
      on ??= await targetOf(root, { project, runId });
      const where = on === undefined || on === model.target ? '' : ` on ${on}`;
      later.set(event.idea, `landed${where} ${dayText(Date.parse(event.at))}`);
    }
  }
  return { later, worked };
}

const targetOf = async (root: string, ref: RunRef): Promise<string | undefined> =>
  (await loadRun(root, ref).catch(() => undefined))?.file.target;

const dayText = (at: number): string =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short' }).format(at).replace(',', '');

/*
 * Adds the texts of answers to a model. Events record an answer without its text, which is in the idea's folder.
 * Invariant: an answer with a text keeps it.
 */

export async function takeAnswers(root: string, { project, runId }: RunRef, model: RunModel): Promise<void> {
  for (const idea of model.ideas.values()) {
    if (!idea.said.some(({ verb, text }) => verb === 'answer' && text === undefined)) continue;
    const kept = await answersInRun(ideaDir(root, project, runId, idea.id)).catch(() => []);
    fill(
      idea,
      kept.map(({ answer }) => answer),
    );
  }
}

function fill(idea: IdeaModel, answers: readonly string[]): void {
  const given = idea.said.filter(({ verb, done }) => verb === 'answer' && done !== undefined);
  for (const [place, one] of given.entries()) {
    const text = answers[place];
    if (one.text !== undefined || text === undefined) continue;
    one.text = text;
    const moment = idea.moments.find(({ kind, at }) => kind === 'said' && at === one.at);
    if (moment) moment.text = `answer: ${text}`;
  }
}

/* Whether a run is open. Invariant: starts nothing. */

/** A run without a recorded end counts as open when no server answers. */
export async function isOpen(context: Context, { project, runId }: RunRef): Promise<boolean> {
  const embedded = (await resolveConnection(context)).kind === 'embedded';
  if (embedded && !(await runningServer(context.root))) return true;
  const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
  try {
    const connected = await connect(context, { start: false, project });
    try {
      const facts = await new RunApi(connected.client, project).facts();
      return facts === undefined || (facts.open && facts.runId === runId);
    } finally {
      await connected.close();
    }
  } catch {
    return true;
  }
}
