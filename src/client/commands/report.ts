/** `ralphctl report`: what a run brought, what to do first, and why the rest did not land. Works without a server. */
import { makeReport } from '../../report/build.js';
import { markdownReport } from '../../report/markdown.js';
import { textReport } from '../../report/text.js';
import { listRuns } from '../../run-files/run.js';
import { type Context, findProjectId, printJson } from '../context.js';
import { EXIT, UserError } from '../errors.js';
import { gather } from '../report/gather.js';
import { printLines, textWidth } from '../report/print.js';

export interface ReportOptions {
  run?: string;
  html?: string | true;
  md?: boolean;
  all?: boolean;
}

export async function report(context: Context, options: ReportOptions): Promise<number> {
  const project = await findProjectId(context);
  const runId = await chosenRun(context, project, options.run);
  const found = await gather(context, { project, runId });
  if (!found) throw new UserError(`run ${runId} left no files here. List the runs: ralphctl runs`, EXIT.noRun);
  const made = makeReport(found.model, found.extra);
  if (context.json) printJson(made);
  else if (options.md) process.stdout.write(markdownReport(made));
  else {
    const width = textWidth();
    printLines(textReport(made, { ...(width === undefined ? {} : { width }), all: options.all === true }));
  }
  return EXIT.ok;
}

/** The run that was named, else the newest. @throws UserError where there is none */
export async function chosenRun(context: Context, project: string, named: string | undefined): Promise<string> {
  const runs = await listRuns(context.root, project);
  const runId = named ?? runs[0];
  if (!runId) throw new UserError('this repository has had no run yet. Start one with: ralphctl start', EXIT.noRun);
  if (!runs.includes(runId)) throw new UserError(`there is no run ${runId}. List the runs: ralphctl runs`, EXIT.noRun);
  return runId;
}
