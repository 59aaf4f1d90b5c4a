/**
 * `ralphctl clean`: removes what is older or larger than `retention` in the configuration says, of this project and of
 * projects whose repository is gone. Needs neither server nor worker.
 * Invariant: what holds work that has neither landed nor been saved stays. A save with such work is named before it goes.
 */
import { configFolder, loadConfig } from '../../../config/load.js';
import { bytesText, groupsOf } from '../../../decide/retention/words.js';
import { clean as cleanProject } from '../../../jobs/clean/clean.js';
import { lastSizes, measure } from '../../../jobs/clean/measure.js';
import { recordCleaned } from '../../../jobs/clean/record.js';
import type { Cleaned, CleanedItem } from '../../../protocol/retention.js';
import { EXIT } from '../../../protocol/user-error.js';
import { makeReport } from '../../../report/build.js';
import { newestRun } from '../../../run-files/readable.js';
import { repositoryPath } from '../../../run-files/ticks.js';
import { runningServer } from '../../../server/embedded.js';
import { keepHistory } from '../../../server/history.js';
import { type Context, findProject, print, printJson, say } from '../../context.js';
import { doing, endProgress } from '../../progress.js';
import { gather, isOpen } from '../../report/gather.js';
import { keepReport } from '../../report/keep.js';
import { assertStateFolder } from '../../state-folder.js';
import { clean as safe } from '../../views/live-lines.js';

export interface CleanOptions {
  dryRun?: boolean;
}

/** Another cleaning of the project: a run's own takes half a minute at most. */
const MOST_WAIT_MS = 5 * 60_000;
const MEASURE_MS = 60_000;

export async function clean(context: Context, { dryRun = false }: CleanOptions): Promise<number> {
  const { root, json } = context;
  if (!dryRun) await assertStateFolder(context, { mayBeFull: true });
  const { id: project, repository } = await findProject(context);
  const { config } = await loadConfig(await configFolder(context.cwd, repository.root));
  const run = await newestRun(root, project);
  const target = run?.file.target ?? config.target ?? repository.branch;
  const backlogPath = run && repositoryPath(repository.root, run.file.backlog.file);
  const worktreesRoot = run?.file.config.worktrees?.root;
  const stopped = new AbortController();
  process.once('SIGINT', () => stopped.abort());
  doing('cleaning');
  const now = new Date();
  const cleaned = await cleanProject({
    ...{ root, project, rules: config.retention, dryRun, byItself: false, now, waitMs: MOST_WAIT_MS },
    ...(dryRun ? {} : { record: (done) => recordCleaned(root, project, done, { moment: 'command' }) }),
    ...(target === undefined ? {} : { place: { repo: repository.root, target, backlogPath, worktreesRoot } }),
    stop: () => stopped.signal.aborted,
    open: () => (run ? isOpenNow(context, { project, runId: run.file.runId }) : Promise.resolve(false)),
    report: (runId) => reportOf(context, project, runId),
    announce: (item) => {
      endProgress();
      if (!json) print(`${dryRun ? 'would remove' : 'removes'} ${saveLine(item)}`);
    },
    onWait: (pid) => say(`waiting for another cleaning of this project (process ${pid})`),
  });
  if (!dryRun) {
    const server = await runningServer(root);
    if (server) await keepHistory(root, project, config.retention.serverHistoryDays, server.address);
    const end = performance.now() + MEASURE_MS;
    await measure(root, () => stopped.signal.aborted || performance.now() > end);
  }
  endProgress();
  if (json) tellJson(cleaned, dryRun);
  else await tell(context, cleaned, dryRun);
  return stopped.signal.aborted ? EXIT.interrupted : EXIT.ok;
}

/** A run with a recorded end that somebody reset on the server. Without a server the files count. */
async function isOpenNow(context: Context, ref: { project: string; runId: string }): Promise<boolean> {
  return (await runningServer(context.root)) !== undefined && (await isOpen(context, ref));
}

async function reportOf(context: Context, project: string, runId: string): Promise<void> {
  const found = await gather(context, { project, runId }, { gone: false, tails: true });
  if (!found) throw new Error(`run ${runId} cannot be read`);
  await keepReport(context.root, { project, runId }, makeReport(found.model, { ...found.extra, over: true }));
}

const saveLine = ({ name, why, commit = '' }: CleanedItem): string =>
  `the save ${safe(name)}: ${why}. To keep it: git branch NAME ${commit.slice(0, 12)}`;

function tellJson({ items, bytes, stays, more }: Cleaned, dryRun: boolean): void {
  for (const item of items) printJson({ kind: dryRun ? 'would-clean' : 'cleaned', ...item });
  printJson({ kind: 'summary', dryRun, items: items.length, bytes, stays, ...(more ? { more } : {}) });
}

/** Names of these are few, and a person may look for one. */
const NAMED = new Set(['restored', 'worktree', 'kept', 'save', 'project']);

async function tell({ root }: Context, { items, bytes, stays }: Cleaned, dryRun: boolean): Promise<void> {
  for (const { what, words, items: own } of groupsOf(items)) {
    const size = own.reduce((sum, item) => sum + item.bytes, 0);
    print(`${words}${size > 0 ? `  ${bytesText(size)}` : ''}`);
    if (NAMED.has(what)) for (const { name, why } of own) print(`  ${safe(name)}  ${safe(why)}`);
  }
  for (const line of stays) print(`! ${safe(line, LONGEST)}`);
  const total = dryRun ? undefined : await lastSizes(root);
  const left = total ? `; the state folder has ${total.partial ? 'more than ' : ''}${bytesText(total.bytes)}` : '';
  if (items.length === 0) print(`nothing to clean${left}`);
  else print(`${dryRun ? 'would free' : 'freed'} ${bytesText(bytes)}${left}`);
  if (items.some(({ what }) => what === 'save') && !dryRun)
    say('git frees the space of saves when it collects garbage; until then their commits are there');
}

const LONGEST = 700;
