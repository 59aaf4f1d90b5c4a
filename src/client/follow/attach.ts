/**
 * Follows a run on the screen or in lines, and says how that ended: the run is over, waits for a person, or the person
 * detached. Returns the exit code.
 */
import { took } from '../../decide/duration.js';
import type { RunSummary } from '../../protocol/run.js';
import { EXIT } from '../../protocol/user-error.js';
import { type Context, print, printJson, say } from '../context.js';
import type { Attachment } from '../open-run/attachment.js';
import { goneAtEnd } from '../open-run/landed-report.js';
import { untickedAtEnd } from '../open-run/not-committed.js';
import { statusWord } from '../views/idea-lines.js';
import { clean, landedText, many, paragraphs } from '../views/live-lines.js';
import { follow } from './follow.js';

/** Follows the run to its end and explains what did not land. */
export async function attach(
  context: Context,
  attachment: Attachment,
  runId: string,
  { wait, screen }: { wait: boolean; screen: boolean },
): Promise<number> {
  const end = screen
    ? await (await import('../screen/attached.js')).followOnScreen(context, attachment, runId, !wait)
    : await follow(context, attachment, runId, { leaveWhenWaiting: !wait });
  if (end.why === 'detached' && screen) {
    say('The run continues. Attach again: ralphctl   inspect: ralphctl status   end the run: ralphctl stop');
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
          `the run is paused${status.why ? `: ${status.why}` : ''}${status.review ? '' : `. Resume with: ralphctl ${status.accounts ? 'limits retry' : 'resume'}`}`,
        );
      if (status.state === 'waiting_user')
        say('the run waits for you: ralphctl assign IDEA, or ralphctl mode autopilot');
      if (status.attention.some((one) => one.approval))
        say('iterations or landings wait for your approval: ralphctl approve');
      for (const line of status.attention.filter((one) => one.status === 'needs-human')) {
        say(
          `${line.id} waits for you:\n${paragraphs(line.reason ?? '', '  | ').join('\n')}\n  ralphctl answer ${line.id} "…"`,
        );
      }
    }
    return EXIT.needsHuman;
  }
  const gone = await goneAtEnd(context, attachment.api.project, runId, end.summary);
  const unticked = await untickedAtEnd(context, { project: attachment.api.project, runId });
  showSummary(context, end.summary, { gone, unticked });
  if (!context.json) {
    const { reportAtEnd } = await import('../report/keep.js');
    await reportAtEnd(context, { project: attachment.api.project, runId });
  }
  return end.summary.notLanded.length + gone.length === 0 ? EXIT.ok : EXIT.notLanded;
}

interface Beside {
  gone: readonly string[];
  unticked: readonly string[];
}

function showSummary(context: Context, summary: RunSummary, { gone, unticked }: Beside): void {
  if (context.json) {
    const beside = { gone: gone.length > 0 ? gone : undefined, unticked: unticked.length > 0 ? unticked : undefined };
    printJson({ kind: 'summary', ...summary, ...beside });
    return;
  }
  const { statistics } = summary.status;
  print('');
  print(
    `${summary.outcome}: ${landedText(summary)}${gone.length > 0 ? `, ${gone.length} of them no longer on the target` : ''}, ${summary.notLanded.length} did not land, in ${took(statistics.runtimeMs)}; ` +
      `${many(statistics.iterations.total, 'iteration')}, ${many(statistics.merges.conflictsResolved, 'conflict')} resolved`,
  );
  for (const one of summary.notLanded) {
    print(`  ${one.idea} ${statusWord(one.status)}${one.reason ? `: ${clean(one.reason)}` : ''}`);
  }
  for (const line of [...gone, ...unticked]) print(`  ${line}`);
  if (summary.notLanded.length > 0) print('reasons: ralphctl why IDEA   output: ralphctl logs IDEA');
}
