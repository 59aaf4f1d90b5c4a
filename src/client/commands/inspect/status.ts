/**
 * `ralphctl status` always answers. A live worker gives the full view. Without a worker the server's record answers,
 * and without a server the files of the last run do.
 */

import { join } from 'node:path';
import { projectDir } from '../../../config/paths.js';
import { ideaPage } from '../../../decide/views/pages.js';
import { MAX_LISTED } from '../../../decide/views/survey.js';
import { allBehind } from '../../../git/landing/behind.js';
import { outcomeOfStatus, type SinceThen, sinceThen } from '../../../model/at-end.js';
import type { IdeaFacts, RunFacts as Overall, SummaryFile } from '../../../model/facts.js';
import { ideaFacts, runFacts, withSize } from '../../../model/facts.js';
import type { Renamed, RunModel } from '../../../model/model.js';
import { type RevertedIdea, revertedIn } from '../../../model/reverted.js';
import { startCommand } from '../../../model/start-again.js';
import { runsOf, spentOf } from '../../../model/tally.js';
import type { AgentHeartbeat } from '../../../protocol/agent-run.js';
import { many } from '../../../protocol/many.js';
import { EXIT, type ExitCode, UserError } from '../../../protocol/user-error.js';
import type { IdeaPage, IdeaPageRequest, IdeaView, RunStatus } from '../../../protocol/views.js';
import { keptForNext } from '../../../run-files/kept.js';
import { readModel } from '../../../run-files/read-model.js';
import { newestRun } from '../../../run-files/readable.js';
import { listRuns } from '../../../run-files/run.js';
import type { RunFile } from '../../../run-files/shapes.js';
import { readSummary } from '../../../run-files/summary.js';
import { outcomeWords } from '../../../screen/outcome-words.js';
import { stateWord } from '../../../screen/words/state-words.js';
import { resolveConnection } from '../../../server/connection.js';
import { runningServer } from '../../../server/embedded.js';
import { dropPushed, notPushedLine } from '../../after-run/not-pushed.js';
import type { RunFacts } from '../../api/facts.js';
import type { LeftWorking } from '../../api/left-working.js';
import { webPage } from '../../api/web-page.js';
import { type Context, findProject, findProjectId, print, printJson } from '../../context.js';
import { stateAtClose } from '../../model/closing.js';
import { nextStartLines } from '../../model/for-next.js';
import { takeLeft } from '../../model/left-asking.js';
import { takeOpen } from '../../model/take-open.js';
import { ownNotes } from '../../own-notes.js';
import { type GoneIdea, goneLines } from '../../report/gone.js';
import { branchSizes } from '../../report/places.js';
import { lastAsOfNow, type SinceEnd } from '../../report/since-end.js';
import { warnOnce } from '../../report/summaries.js';
import { stateTrouble } from '../../state-folder.js';
import { type GroupLine, groupsOf } from '../../views/beside-lines.js';
import { asOfNow } from '../../views/elapsed.js';
import { wholeQuestion } from '../../views/idea-report.js';
import { describeLast, lastRunLine } from '../../views/last-run-lines.js';
import { noAnswer } from '../../views/left-git.js';
import { leftLines } from '../../views/left-working-lines.js';
import { attention, SHOWN } from '../../views/need-lines.js';
import { strandedText } from '../../views/nothing-moves.js';
import { recordedRun, recordedStatus, strandedRun } from '../../views/recorded.js';
import { describeLive, nextSteps, stillLines } from '../../views/status-lines.js';
import { describeList, listIdeas, listNeedsRun, listProblem, type StatusOptions } from '../../views/status-list.js';
import { workerNow } from '../../views/worker-ends.js';

/** Each running idea needs a query of its own. With a hundred slots that would keep the worker busy for seconds. */
const MOST_ASKED = 20;

interface Found {
  facts?: RunFacts;
  status?: RunStatus;
  list?: IdeaPage;
  ideas: IdeaView[];
  /** Folder with the worker's logs. */
  logs: string;
  /** The last progress of running agents, by idea. */
  progress: Record<string, AgentHeartbeat>;
  uiUrl?: string;
  worker: boolean;
  /** The worker ends again and again: how, and where its log is. */
  crashes?: string;
  last?: SummaryFile;
  /** What the run's events tell: of the run, and of each idea in the lists of `status`. */
  run?: Overall;
  told?: Record<string, IdeaFacts>;
  /** Epics of the run, each with its landed ideas. */
  groups?: GroupLine[];
  /** What people did since the last run ended. */
  since?: SinceThen[];
  reverted?: RevertedIdea[] | undefined;
  asks?: SinceEnd['asks'];
  /** Left out of the JSON. */
  model?: RunModel;
  /** Checkouts that are behind their branch after landings. */
  behind?: string[];
  /** Nobody answers: `status` and `list` come from the run's files. */
  recorded?: true;
  /** What keeps the state folder from taking files, where nobody answers. */
  disk?: string;
  /** The newest run has no summary and the embedded server does not run, so the run is open and nothing moves. */
  stranded?: string;
  /** The same in words. */
  still?: string;
  /** Ideas that still work for the last run, which somebody terminated. */
  left?: LeftWorking[];
  /** Landed ideas of the last run that have left the target since. */
  gone?: GoneIdea[];
  /** The target of the last run does not exist any more, and another branch has its landings. */
  renamed?: Renamed | undefined;
}

export async function status(context: Context, options: StatusOptions = {}): Promise<number> {
  const problem = listProblem(options);
  if (problem) throw new UserError(problem, EXIT.usage);
  const id = await findProjectId(context);
  const found = await look(context, id, options);
  const behind = await behindBranches(context).catch(() => []);
  if (behind.length > 0) found.behind = behind;
  const kept = await keptForNext(context.root, id).catch(() => []);
  const since = found.last && (await lastAsOfNow(context.root, id, found.last, kept));
  const gone = found.facts?.open ? [] : (since?.gone ?? []);
  if (since?.model) found.since = sinceThen(since.model);
  if (since?.asks) found.asks = since.asks;
  found.renamed = (found.facts?.open || found.stranded ? found.model : since?.model)?.renamed;
  if (gone.length > 0) found.gone = gone;
  if (context.json) {
    const { model: _, still: __, ...shown } = found;
    if (shown.status && (found.facts?.open || found.stranded)) shown.status = asOfNow(shown.status, Date.now());
    printJson({ project: id, ...shown });
    return exitCode(found);
  }
  const unusable = (error: unknown): string[] => {
    if (!(error instanceof UserError)) throw error;
    return [`! ${error.message}`];
  };
  describe(found, since, await noAnswer({ root: context.root, project: id }));
  if (!found.facts?.open && !found.stranded) {
    for (const line of await nextStartLines(context.root, id, since?.model).catch(unusable)) print(line);
    if (found.renamed) print(`! ${found.renamed.text}. ${found.renamed.fix}`);
    for (const line of goneLines(gone, since?.model?.target ?? '', SHOWN)) print(line);
    const push = await notPushedLine(context.root, id, found);
    if (push) print(push);
  }
  for (const line of [...behind, ...(await ownNotes(context, id))]) print(`! ${line}`);
  if (found.facts?.open || found.list) describeList(found.list, options);
  else for (const line of listNeedsRun(options)) print(line);
  return exitCode(found);
}

/** Needs the repository, which may be gone. */
async function behindBranches(context: Context): Promise<string[]> {
  const { root } = (await findProject(context)).repository;
  return allBehind(root);
}

async function look(context: Context, project: string, options: StatusOptions): Promise<Found> {
  const logs = join(projectDir(context.root, project), 'logs');
  const found: Found = { ideas: [], logs, progress: {}, ...(await workerNow(context.root, project)) };
  const embedded = (await resolveConnection(context)).kind === 'embedded';
  if (!embedded || (await runningServer(context.root))) {
    const [{ connect }, { RunApi }, { leftWorking }, { withIdeas }] = await Promise.all([
      import('../../api/connection.js'),
      import('../../api/run.js'),
      import('../../api/left-working.js'),
      import('../../api/running-ideas.js'),
    ]);
    const connected = await connect(context, { start: false, project });
    try {
      const api = new RunApi(connected.client, project);
      found.facts = await api.facts();
      const page = webPage(connected.target, project);
      if (page !== undefined && found.facts) found.uiUrl = page;
      const left = found.facts && !found.facts.open ? await leftWorking(connected.client, project).catch(() => []) : [];
      if (left.length > 0) found.left = left;
      // Only a worker answers queries. Without one, a query would only cost the wait.
      if (found.facts?.open && (found.worker || !embedded)) {
        const [live, list] = await Promise.all([api.status(), listIdeas(api, options)]);
        if (list) found.list = list;
        if (live) Object.assign(found, await withIdeas(api, live, options.all ? live.active.length : MOST_ASKED));
      }
    } finally {
      await connected.close();
    }
  } else {
    const stranded = await strandedRun(context.root, project);
    if (stranded) Object.assign(found, { stranded, still: await strandedText(context.root, stranded) });
  }
  if (!found.facts?.open && !found.stranded) {
    await newestRun(context.root, project, warnOnce);
    found.last = await summaryOf(context, project, found.facts?.runId);
  }
  if (found.status) {
    const { runId } = found.status;
    const told = await readModel(context.root, { project, runId }).catch(() => undefined);
    if (told) await addFacts(found, found.status, told.model, told.run.file);
    const ended = await readSummary(context.root, { project, runId }, () => {});
    found.status.state = stateAtClose(found.status, told?.model, ended);
  } else if (!found.last) await fromFiles(context, project, found, options);
  const silent = found.stranded !== undefined || (found.facts?.open && (!found.status || found.recorded));
  const trouble = silent ? await stateTrouble(context, { write: true }) : undefined;
  if (trouble) found.disk = trouble.message;
  return found;
}

/** The run's files answer when nobody else does. */
async function fromFiles(context: Context, project: string, found: Found, options: StatusOptions): Promise<void> {
  const runId = found.facts?.runId ?? found.stranded;
  const recorded = runId === undefined ? undefined : await recordedRun(context.root, project, runId);
  if (!recorded) return;
  found.recorded = true;
  found.status = recordedStatus(recorded);
  const { state, graph } = recorded;
  const pages = { ideas: (asked: IdeaPageRequest) => Promise.resolve(ideaPage(state.entries, graph, asked)) };
  const list = await listIdeas(pages, options);
  if (list) found.list = list;
  await addFacts(found, found.status, recorded.model, recorded.run.file);
}

/** The worker keeps the beginning of a long question, and no times, gates or costs; the events have them whole. */
async function addFacts(found: Found, status: RunStatus, model: RunModel, file: RunFile): Promise<void> {
  if (found.facts?.open || found.stranded) {
    await takeOpen(model, file);
    await dropPushed(status, file);
  }
  takeLeft(status, model);
  if (status.spent || runsOf(model.spent) > 0) status.spent = spentOf(model.spent);
  for (const line of status.attention) {
    const whole = line.status === 'needs-human' ? wholeQuestion(model.ideas.get(line.id), line.reason) : undefined;
    if (whole) line.reason = whole;
  }
  const ids = [...status.active, ...status.attention, ...(status.held ?? []), ...(found.list?.lines ?? [])].map(
    ({ id }) => id,
  );
  const size = ids.length > 0 ? await branchSizes(file.repo, file.target) : undefined;
  const told = [...new Set(ids)].flatMap((id) => {
    const idea = model.ideas.get(id);
    return idea?.since === undefined ? [] : [[id, withSize(ideaFacts(idea), size)] as const];
  });
  Object.assign(found, { run: runFacts(model), model });
  const groups = groupsOf(model).slice(0, MAX_LISTED);
  if (groups.length > 0) found.groups = groups;
  found.reverted = revertedIn(model, MAX_LISTED);
  if (told.length > 0) found.told = Object.fromEntries(told);
}

/** The summary of the server's last run; a terminated run has none. Without a server, the newest summary. */
async function summaryOf(context: Context, project: string, wanted?: string): Promise<SummaryFile | undefined> {
  for (const runId of wanted === undefined ? await listRuns(context.root, project) : [wanted]) {
    // A run without a summary, or with a damaged one: an older run may have one.
    const summary = await readSummary(context.root, { project, runId }, warnOnce);
    if (summary) return summary;
  }
  return undefined;
}

function exitCode({ facts, status: live, stranded }: Found): ExitCode {
  if (stranded) return EXIT.unreachable;
  if (!facts?.open) return EXIT.noRun;
  return live && live.counts['needs-human'] > 0 ? EXIT.needsHuman : EXIT.ok;
}

/** A run without a summary was ended on the server. */
const OVER = { start: 'ralphctl start' };

function describe(found: Found, since: SinceEnd | undefined, silent: string): void {
  const { facts, status: live, last } = found;
  if (found.disk) print(`! ${found.disk}`);
  if (found.stranded) {
    print(found.still ?? '');
    if (live) describeLive(live, [], {}, { ...found, recorded: true });
    return;
  }
  if (!facts?.open) {
    print('no run is open');
    if (facts || last) print(lastRunLine(facts, last, since?.model));
    for (const line of leftLines(found.left ?? [], startCommand(found.model?.startAgain))) print(line);
    if (facts && !last) {
      print('  it left no summary. What it did: ralphctl logs');
      if (live) {
        print(`  as last recorded: ${outcomeWords(outcomeOfStatus(live), live.target, 'did not land').join(', ')}`);
        for (const line of live.attention.slice(0, SHOWN)) attention(line, found.told?.[line.id], OVER);
      }
    }
    if (since) {
      describeLast(since);
      for (const line of nextSteps(since.open, since.out, since.start, since.waiting)) print(line);
    }
    return;
  }
  const recorded = !live || found.recorded;
  // The first line says whether anything moves: what follows does not.
  if (recorded) for (const line of stillLines(found, facts.failing, silent)) print(line);
  if (live) describeLive(live, found.ideas, found.progress, found);
  else {
    const { progress } = facts;
    const known = progress ? `${stateWord(progress.state)}, ${progress.landed}/${progress.total} landed` : 'open';
    print(`run ${facts.runId ?? ''}: ${known} (as last recorded)`);
    if (progress && progress.asking > 0)
      print(`${many(progress.asking, 'idea')} ${progress.asking === 1 ? 'waits' : 'wait'} for an answer`);
  }
  if (recorded && found.worker && (facts.failing || found.crashes)) return;
  if (!found.worker && live && !found.recorded) print('the worker runs elsewhere');
  if (found.uiUrl) print(`Web UI ${found.uiUrl}`);
}
