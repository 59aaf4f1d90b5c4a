/**
 * `ralphctl why IDEA`: prints the score breakdown (A2), the blockers and the result of an idea. Works without a run
 * too.
 */
import { verbsAfterRun } from '../../../decide/idea/after-run.js';
import { unfit } from '../../../decide/idea/table.js';
import { BUMPED, FIRST, SET_POINTS } from '../../../decide/scheduler/score.js';
import { withoutDoneNote } from '../../../git/landing/checkout-note.js';
import { putAwayOf } from '../../../git/saves/put-away.js';
import { listSaves } from '../../../git/saves/saves.js';
import { beginsAnew } from '../../../model/begins-anew.js';
import { leftOutBefore } from '../../../model/left-out.js';
import { refusedRollback } from '../../../model/refused.js';
import { EXIT } from '../../../protocol/user-error.js';
import type { WhyView } from '../../../protocol/views.js';
import { recordOf } from '../../../run-files/carried.js';
import { listRuns } from '../../../run-files/run.js';
import { afterRunOf } from '../../../screen/idea/possible.js';
import { retriesText } from '../../../screen/text/numbers.js';
import { resolveConnection } from '../../../server/connection.js';
import { runningServer } from '../../../server/embedded.js';
import { runningWorker } from '../../../worker/record.js';
import { needsLine } from '../../after-run/act.js';
import { lastLine } from '../../after-run/line-gone.js';
import { ideaNotPushed } from '../../after-run/not-pushed.js';
import { asOfNow } from '../../after-run/now.js';
import { behindText, hasBranch } from '../../after-run/retry.js';
import type { LeftWorking } from '../../api/left-working.js';
import { type Context, findProjectId, print, printJson } from '../../context.js';
import { ideaInRuns, isUntouched, workedOn } from '../../model/idea-runs.js';
import { whyLeft } from '../../model/left-asking.js';
import { rejectedReport, tellRejected } from '../../model/rejected-report.js';
import { recordedWith } from '../../model/run-with.js';
import { takeOpen } from '../../model/take-open.js';
import type { AfterRun } from '../../views/commands-now.js';
import { describeIdea } from '../../views/idea-lines.js';
import { type IdeaReport, reportOn } from '../../views/idea-report.js';
import { nothingMoves } from '../../views/nothing-moves.js';
import { newestRecorded, type Recorded, recordedRun } from '../../views/recorded.js';

export async function why(context: Context, idea: string): Promise<number> {
  const project = await findProjectId(context);
  const rejected = await rejectedReport(context.root, project, idea);
  // What an agent has worked on is an idea, whatever triage said of it since.
  if (rejected && (await ideaInRuns(context.root, project, idea)).length === 0) return tellRejected(context, rejected);
  const report = await explain(context, project, idea);
  if (context.json) printJson(report);
  else for (const line of describeIdea(report)) print(line);
  return EXIT.ok;
}

interface Answer {
  /** Absent when the run does not know the idea, or nobody answers. */
  view?: WhyView;
  open: boolean;
  runId?: string;
  /** The run was terminated, and this idea of it is open. */
  left?: LeftWorking;
}

async function explain(context: Context, project: string, idea: string): Promise<IdeaReport> {
  const { root } = context;
  const asked = await fromRun(context, project, idea);
  const told = asked?.runId === undefined ? undefined : await recordedRun(root, project, asked.runId);
  const last = told ?? (asked?.open ? undefined : await newestRecorded(root, project));
  // Without a server, the run's files tell whether it has ended.
  const over = asked ? !asked.open : (last?.over ?? true);
  // An open run that does not know the idea may take it yet, so the backlog tells of it.
  const recorded = over ? ((await recordedWith(root, project, idea, last)) ?? last) : last;
  const runId = recorded?.run.file.runId ?? asked?.runId;
  const view = asked?.view ?? (await offline(context, idea, { last, recorded }));
  if (over) {
    delete view.possible;
    delete view.paused;
  }
  const after = over ? await standsAfter(context, project, { view, recorded }) : undefined;
  const held = over && recorded && view.status === 'landed' ? await ideaNotPushed(root, recorded.run, idea) : undefined;
  if (held) view.reason = [view.reason, `not pushed: ${held}`].filter(Boolean).join('. ');
  if (!over && recorded) await standsNow(view, recorded);
  if (recorded) await dropDoneNote(view, recorded);
  if (!over && recorded) whyLeft(view, recorded.model);
  const still = over ? undefined : (await nothingMoves(context, project))?.text;
  return reportOn(view, {
    ...{ root, project, over },
    ...(still ? { still } : {}),
    ...(over && asked?.left ? { left: asked.left } : {}),
    runId,
    repo: recorded?.run.file.repo,
    told: recorded?.model.ideas.get(idea),
    runs: await ideaInRuns(root, project, idea),
    ...(after ? { after } : {}),
    refused: recorded && refusedRollback(recorded.model, idea),
    renamed: (over ? after : recorded?.model)?.renamed,
  });
}

/** The run looks at its target with its next landing only. */
async function standsNow(view: WhyView, { model, run }: Recorded): Promise<void> {
  await takeOpen(model, run.file);
  const told = model.ideas.get(view.idea);
  if (!told?.recorded || view.status !== 'landed') return;
  if (told.reason === undefined) delete view.reason;
  else view.reason = told.reason;
}

/** The checkout that a landing left behind may be level by now. */
async function dropDoneNote(view: WhyView, { run }: Recorded): Promise<void> {
  if (view.status !== 'landed' || view.reason === undefined) return;
  const reason = await withoutDoneNote(view.reason, run.file.repo, run.file.target);
  if (reason === undefined) delete view.reason;
  else view.reason = reason;
}

/** As the score names them. */
const RETRIES = /^tried again \b/;

/** What a person gave its score for the next start. */
function addKept(view: WhyView, kept: readonly { verb: string; n?: number }[]): void {
  for (const { verb, n = 0 } of kept) {
    if (verb === 'bump') view.parts.push({ label: `${BUMPED}, with the next start`, value: FIRST });
    if (verb === 'score' && n !== 0) view.parts.push({ label: `${SET_POINTS}, with the next start`, value: n });
  }
  view.score = view.parts.reduce((sum, { value }) => sum + value, 0);
}

/** What the idea accepts while no run is open. The target may have changed since the run: the view says so, too. */
async function standsAfter(
  { root }: Context,
  project: string,
  { view, recorded }: { view: WhyView; recorded: Recorded | undefined },
): Promise<AfterRun> {
  const { idea } = view;
  const { kept = [], abandoned } = await recordOf(root, project, idea);
  const has = (verb: string): boolean => kept.some((one) => one.verb === verb);
  const [worked, saves] = await Promise.all([
    listRuns(root, project).then((runs) => workedOn(root, project, idea, runs)),
    recorded ? listSaves(recorded.run.file.repo, idea).catch(() => []) : [],
  ]);
  const start = recorded?.model.startAgain;
  const left = abandoned ? 'abandoned' : has('skip') || has('closed') ? 'skipped' : undefined;
  const rest = {
    out: left,
    worked: worked !== undefined,
    saved: saves.length > 0,
    putAway: recorded && (await putAwayOf(recorded.run.file.repo, saves).catch(() => undefined)),
    queued: has('retry'),
    start,
  } as const;
  const entry = recorded?.graph.entry(idea);
  const told = recorded?.model.ideas.get(idea);
  if (!recorded || !entry || !told || view.group) {
    if (view.status !== 'landed' && !view.group) addKept(view, kept);
    return rest;
  }
  await asOfNow(root, recorded);
  if (told.recorded || told.off) {
    view.status = told.status;
    if (told.reason) view.reason = told.reason;
    // A rollback alone is no retry.
    if (!has('retry')) view.parts = view.parts.filter(({ label }) => !RETRIES.test(label));
    view.score = view.parts.reduce((sum, { value }) => sum + value, 0);
  }
  // Of what has landed since, no command counts any more.
  if (view.status === 'landed') view.waitsFor = [];
  else addKept(view, kept);
  for (const part of view.parts)
    if (RETRIES.test(part.label) && part.label !== retriesText(told.retries)) part.label += ', with the next start';
  const anew = beginsAnew(told);
  const out = left ?? (has('rollback') && told.status !== 'landed' ? 'rolled back' : undefined);
  const untouched = await isUntouched(root, project, idea, recorded.run.file.repo);
  const accepts = [...verbsAfterRun(afterRunOf(told), untouched)].filter(
    (verb) => !(told.lineGone && needsLine(verb)) && !unfit(told)(verb),
  );
  const first = leftOutBefore([...recorded.model.ideas.values()], idea);
  const starts = told.status !== 'landed' && !told.off && !told.lineGone && out !== 'rolled back';
  const behind = starts ? await behindText(recorded.run.file, idea) : undefined;
  const last = told.lineGone && (await lastLine(root, recorded.run.file, idea));
  return {
    ...{ ...rest, accepts, out, anew, commit: told.commit, off: told.off, renamed: recorded.model.renamed },
    ...(told.off && (await hasBranch(recorded.run.file.repo, idea)) ? { branch: true as const } : {}),
    ...(behind ? { behind } : {}),
    ...(first.length > 0 ? { first } : {}),
    ...(told.lineGone ? { lineGone: { ...told.lineGone, command: last?.command } } : {}),
  };
}

/** Loaded only here: the readers of backlogs and configurations take longer to load than a query takes. */
async function offline(
  context: Context,
  idea: string,
  runs: { last: Recorded | undefined; recorded: Recorded | undefined },
): Promise<WhyView> {
  const { whyFromFiles } = await import('../../plan/why-offline.js');
  return whyFromFiles(context, idea, runs);
}

/** Undefined when no server is known to run. */
async function fromRun(context: Context, project: string, idea: string): Promise<Answer | undefined> {
  const embedded = (await resolveConnection(context)).kind === 'embedded';
  if (embedded && !(await runningServer(context.root))) return undefined;
  const [{ connect }, { RunApi }, { leftWorking }] = await Promise.all([
    import('../../api/connection.js'),
    import('../../api/run.js'),
    import('../../api/left-working.js'),
  ]);
  const connected = await connect(context, { start: false, project });
  try {
    const api = new RunApi(connected.client, project);
    const facts = await api.facts();
    if (!facts) return { open: false };
    // Only a worker answers, and a query without one costs the whole wait.
    const noWorker = embedded && (await runningWorker(context.root, project)) === undefined;
    const view = facts.open && !noWorker ? await api.why(idea) : undefined;
    const { open, runId } = facts;
    const found = open ? [] : await leftWorking(connected.client, project).catch(() => []);
    const left = found.find((one) => one.idea === idea);
    return { open, runId, view, ...(left ? { left } : {}) };
  } finally {
    await connected.close();
  }
}
