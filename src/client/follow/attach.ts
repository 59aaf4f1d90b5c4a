/**
 * Follows a run on the screen or in lines, and says how that ended: the run is over, waits for a person, or the person
 * detached. Returns the exit code.
 */

import { took } from '../../decide/duration.js';
import { outcomeOfSummary } from '../../model/at-end.js';
import type { RunModel } from '../../model/model.js';
import type { RunSummary } from '../../protocol/run.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { readModel } from '../../run-files/read-model.js';
import { endWord, pullLeft } from '../../screen/cut-off.js';
import { outcomeWords } from '../../screen/outcome-words.js';
import { type Context, print, printJson, say } from '../context.js';
import type { Attachment } from '../open-run/attachment.js';
import { untickedAtEnd } from '../open-run/not-committed.js';
import { goneAtEnd } from '../report/gone-at-end.js';
import { textWidth } from '../report/print.js';
import { wholeQuestion } from '../views/idea-report.js';
import { clean, many } from '../views/live-lines.js';
import { waitText } from '../views/need-lines.js';
import { iterationsText, resumeWith, withStart } from '../views/status-lines.js';
import { cleanAtEnd } from './clean-at-end.js';
import { follow } from './follow.js';
import { exitOfSummary } from './run-end.js';

/** Follows the run to its end and explains what did not land. */
export async function attach(
  context: Context,
  attachment: Attachment,
  runId: string,
  { wait, screen, again }: { wait: boolean; screen: boolean; again: boolean },
): Promise<number> {
  const attachedAt = new Date().toISOString();
  // People who come back want to know how it stands, then what happened last.
  const first = again && !context.json ? { first: () => sayStatus(context) } : {};
  const end = screen
    ? await (await import('../screen/attached.js')).followOnScreen(context, attachment, runId, !wait)
    : await follow(context, attachment, runId, { leaveWhenWaiting: !wait, ...first });
  if (end.why === 'detached' && screen) {
    for (const line of end.lines ?? []) print(line);
    return EXIT.ok;
  }
  if (end.why === 'detached') {
    say(
      '\ndetached; the run continues. Attach again: ralphctl start   inspect: ralphctl status   end the run: ralphctl stop',
    );
    return EXIT.interrupted;
  }
  if (end.why === 'waits') {
    const { status } = end;
    if (context.json) printJson({ kind: 'waits', status });
    else {
      if (status.state === 'paused')
        say(
          `the run is paused${status.why ? `: ${status.why}` : ''}${status.review ? '' : `. Resume with: ${resumeWith(status)}`}`,
        );
      if (status.state === 'waiting_user')
        say('the run waits for you: ralphctl assign IDEA, or ralphctl mode autopilot');
      if (status.attention.some((one) => one.approval))
        say('iterations or landings wait for your approval: ralphctl approve');
      const model = await modelOf(context, { project: attachment.api.project, runId });
      for (const line of status.attention.filter((one) => one.status === 'needs-human')) {
        const question = wholeQuestion(model?.ideas.get(line.id), line.reason) ?? line.reason ?? '';
        say(waitText(line, question, textWidth()));
      }
    }
    return EXIT.needsHuman;
  }
  const ref = { project: attachment.api.project, runId: end.runId ?? runId };
  const gone = await goneAtEnd(context, ref.project, ref.runId, end.summary);
  const unticked = await untickedAtEnd(context, ref);
  const model = await modelOf(context, ref);
  const ms =
    model?.startedAt !== undefined && model.endedAt !== undefined ? model.endedAt - model.startedAt : undefined;
  showSummary(context, end.summary, { gone, unticked, ms, model });
  if (!context.json) {
    const { reportAtEnd } = await import('../report/keep.js');
    await reportAtEnd(context, ref);
  }
  // Those of earlier days are among the first lines.
  const { cleanedAt } = end;
  await cleanAtEnd(context, ref, cleanedAt && cleanedAt > attachedAt ? cleanedAt : attachedAt);
  return exitOfSummary(end.summary, gone);
}

const modelOf = (context: Context, ref: RunRef): Promise<RunModel | undefined> =>
  readModel(context.root, ref).then(
    (found) => found?.model,
    () => undefined,
  );

/** Never keeps a person from attaching. */
async function sayStatus(context: Context): Promise<void> {
  const { status } = await import('../commands/inspect/status.js');
  await status(context).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
    say(`warning: ${error.message}`);
  });
  print('');
}

/** Of the text about a push. */
const LONGEST = 700;

interface Beside {
  gone: readonly string[];
  unticked: readonly string[];
  /** By the files of the run, as the report has it. */
  ms: number | undefined;
  model: RunModel | undefined;
}

function showSummary(context: Context, summary: RunSummary, { gone, unticked, ms, model }: Beside): void {
  if (context.json) {
    const beside = { gone: gone.length > 0 ? gone : undefined, unticked: unticked.length > 0 ? unticked : undefined };
    printJson({ kind: 'summary', ...summary, ...beside });
    return;
  }
  const { statistics } = summary.status;
  const outcome = { ...outcomeOfSummary(summary), gone: gone.length };
  print('');
  print(
    `${summary.outcome}: ${outcomeWords(outcome, 'the target', 'did not land').join(', ')}, in ${took(ms ?? statistics.runtimeMs)}; ` +
      `${iterationsText(statistics)}, ${many(statistics.merges.conflictsResolved, 'conflict')} resolved`,
  );
  for (const one of summary.notLanded) {
    const reason = one.reason ? `: ${clean(withStart(one.reason, model?.startAgain))}` : '';
    const word = endWord(model, one);
    const now = model?.ideas.get(one.idea);
    print(`  ${one.idea} ${word}${reason}${now && word === 'stopped' ? pullLeft(now) : ''}`);
  }
  for (const line of [...gone, ...unticked]) print(`  ${line}`);
  if (summary.status.delivery) print(`  not pushed: ${clean(summary.status.delivery.text, LONGEST)}`);
  if (summary.notLanded.length > 0) print('reasons: ralphctl why IDEA   output: ralphctl logs IDEA');
}
