/** `ralphctl report`: shows what to do first, what landed, and why the rest did not. Works without a server. */
import { resolve } from 'node:path';
import type { RunRef } from '../../../protocol/run-ref.js';
import type { IdeaStatus } from '../../../protocol/states.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { makeReport } from '../../../report/build.js';
import { runsText } from '../../../report/history.js';
import { htmlReport } from '../../../report/html.js';
import { markdownReport } from '../../../report/markdown.js';
import type { Report } from '../../../report/schema.js';
import { textReport } from '../../../report/text.js';
import { newestRun, noneReadable } from '../../../run-files/readable.js';
import { listRuns } from '../../../run-files/run.js';
import { type Context, findProjectId, print, printJson, say } from '../../context.js';
import { type Gathered, gather, gatherReadable } from '../../report/gather.js';
import { historyRuns, projectName } from '../../report/history.js';
import { keepReport } from '../../report/keep.js';
import { keptReport } from '../../report/kept.js';
import { printLines, textWidth } from '../../report/print.js';
import { warnOnce } from '../../report/summaries.js';
import { writePage } from '../../report/write-page.js';

export interface ReportOptions {
  run?: string;
  html?: string | true;
  md?: boolean;
  all?: boolean;
}

export async function report(context: Context, options: ReportOptions): Promise<number> {
  if ([context.json, options.md, options.html].filter(Boolean).length > 1)
    throw new UserError('--json, --md and --html do not work together. Use one of them');
  const project = await findProjectId(context);
  const { ref: newest, found: first } = await chosen(context, project, options.run);
  const worked = first && options.run === undefined && isIdle(first) ? await lastWithWork(context, newest) : undefined;
  const { ref, found } = worked ?? { ref: newest, found: first };
  if (worked)
    say(
      `run ${newest.runId} did no work. This is the report of run ${ref.runId}, the last one that did; the other: ralphctl report --run ${newest.runId}`,
    );
  if (!found) throw new UserError(`run ${ref.runId} left no files here. List the runs: ralphctl runs`, EXIT.noRun);
  const made = makeReport(found.model, found.extra);
  const kept = made.run.over ? await keepReport(context.root, ref, made).catch(() => undefined) : undefined;
  if (options.html) return page(context, made, { ref, to: options.html, kept });
  const text = context.json ? undefined : await keptReport(context.root, ref);
  if (context.json) printJson(made);
  else if (text !== undefined) {
    process.stdout.write(`${text}\n`);
    for (const { kind, text: why } of found.model.warnings) if (kind === 'files') warnOnce(why);
  } else if (options.md) process.stdout.write(markdownReport(made));
  else {
    const width = textWidth();
    printLines(textReport(made, { ...(width === undefined ? {} : { width }), all: options.all === true }));
    if (kept) say(`kept with the run: ${kept}`);
  }
  return EXIT.ok;
}

async function chosen(
  context: Context,
  project: string,
  named: string | undefined,
): Promise<{ ref: RunRef; found: Gathered | undefined }> {
  const ref = { project, runId: await chosenRun(context, project, named) };
  if (named !== undefined) return { ref, found: await gather(context, ref, { tails: true }) };
  for (const runId of await listRuns(context.root, project)) {
    if (runId > ref.runId) continue;
    const found = await gatherReadable(context, { project, runId }, { asNewest: true, tails: true });
    if (found) return { ref: { project, runId }, found };
  }
  throw noneReadable();
}

const UNTOUCHED = new Set<IdeaStatus>(['pending', 'skipped', 'abandoned']);

/**
 * A run that is over, and only pushed, or ended before an agent began and before anything failed. A wave is work, also
 * where triage rejects every report.
 */
const isIdle = ({ model, extra }: Gathered): boolean =>
  extra.over &&
  model.waves.size + model.rejected.size === 0 &&
  [...model.ideas.values()].every(
    ({ iterations, status, landedBefore, approval, group }) =>
      group ||
      (iterations.length === 0 && !approval && (UNTOUCHED.has(status) || (status === 'landed' && landedBefore))),
  );

/** Number of older runs to look at. */
const MOST_IDLE = 10;

async function lastWithWork(
  context: Context,
  { project, runId }: RunRef,
): Promise<{ ref: RunRef; found: Gathered } | undefined> {
  const older = (await listRuns(context.root, project)).filter((one) => one < runId);
  for (const one of older.slice(0, MOST_IDLE)) {
    const ref = { project, runId: one };
    const found = await gatherReadable(context, ref, { asNewest: true });
    if (found && !isIdle(found)) return { ref, found };
  }
  return undefined;
}

async function page(
  context: Context,
  report: Report,
  { ref, to, kept }: { ref: RunRef; to: string | true; kept: string | undefined },
): Promise<number> {
  if (to === '-') {
    process.stdout.write(htmlReport(report));
    return EXIT.ok;
  }
  const path = to === true ? (kept ?? (await keepReport(context.root, ref, report))) : resolve(context.cwd, to);
  if (to !== true)
    await writePage(path, htmlReport(report)).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      throw new UserError(`cannot write ${path}: ${why}. Name another file: ralphctl report --html FILE`);
    });
  print(path);
  return EXIT.ok;
}

/**
 * The named run, otherwise the newest one that can be read; a warning names newer ones.
 * @throws UserError when there is none
 */
export async function chosenRun(context: Context, project: string, named: string | undefined): Promise<string> {
  const runs = await listRuns(context.root, project);
  if (runs.length === 0)
    throw new UserError('this repository has had no run yet. Start one with: ralphctl start', EXIT.noRun);
  const runId = named ?? (await newestRun(context.root, project, warnOnce))?.file.runId;
  if (runId === undefined) throw noneReadable();
  if (!runs.includes(runId)) throw new UserError(`there is no run ${runId}. List the runs: ralphctl runs`, EXIT.noRun);
  return runId;
}

/* `ralphctl runs`: the history of all runs of the project. Works without a server. */

export async function runs(context: Context): Promise<number> {
  const project = await findProjectId(context);
  if ((await listRuns(context.root, project)).length === 0) {
    say('this repository has had no run yet. Start one with: ralphctl start');
    return EXIT.ok;
  }
  const history = await historyRuns(context, project);
  if (context.json) for (const run of history.runs) printJson(run);
  else {
    const [newest] = history.runs;
    const name = newest && (await projectName(context.root, { project, runId: newest.runId }).catch(() => undefined));
    printLines(runsText({ name: name ?? project, ...history }, Date.now(), textWidth()));
  }
  return EXIT.ok;
}
