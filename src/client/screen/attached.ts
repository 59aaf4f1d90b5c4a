/**
 * Shows the full screen for an attached `start`, and watches the run's end and its worker meanwhile.
 * Invariant: it ends for the same reasons as the line output of `start`.
 */
import type { RunSummary } from '../../protocol/run.js';
import { loadRun } from '../../run-files/run.js';
import { type Context, say } from '../context.js';
import { type FollowEnd, leaveWhenWaiting } from '../follow/follow.js';
import type { Attachment } from '../open-run/attachment.js';
import { endProgress } from '../progress.js';
import { Screen } from './screen.js';

export async function followOnScreen(
  context: Context,
  attachment: Attachment,
  runId: string,
  leaves: boolean,
): Promise<FollowEnd> {
  endProgress();
  const ref = { project: attachment.api.project, runId };
  const { file } = await loadRun(context.root, ref);
  const stop = new AbortController();
  const screen = new Screen(context, { ref, repo: file.repo });
  let ended: RunSummary | undefined;
  let broken: unknown;
  const over = attachment.result(stop.signal).then(
    (summary) => {
      ended = summary;
    },
    (error: unknown) => {
      broken = error;
      screen.leave();
    },
  );
  over.catch(() => undefined);
  let waits: FollowEnd | undefined;
  attachment.tell = (text) => screen.say(text);
  const watching = attachment.watchWorker(stop.signal);
  if (leaves)
    void leaveWhenWaiting(
      () => attachment.api,
      stop.signal,
      (end) => {
        waits = end;
        screen.leave();
      },
    );
  try {
    await screen.show();
  } finally {
    stop.abort();
    await watching;
    attachment.tell = say;
  }
  if (broken) throw broken;
  if (ended) return { why: 'ended', summary: ended };
  return waits ?? { why: 'detached' };
}
