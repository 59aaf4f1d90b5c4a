/**
 * Shows the full screen for an attached `start`, and watches the run's end and its worker meanwhile.
 * Invariant: it ends for the same reasons as the line output of `start`.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { RunSummary } from '../../protocol/run.js';
import { loadRun } from '../../run-files/run.js';
import { type Context, say } from '../context.js';
import { type FollowEnd, leaveWhenWaiting } from '../follow/follow.js';
import { type Attachment, RunClosed } from '../open-run/attachment.js';
import { endProgress } from '../progress.js';
import { farewell } from './farewell.js';
import { Screen } from './screen.js';

/** A run closes shortly after its last event. */
const LAST_MS = 30_000;

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
      // The screen finds out by itself, and shows how the run ended.
      if (!(error instanceof RunClosed)) screen.leave();
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
  let shown = ref.runId;
  let open = false;
  let lines: string[] = [];
  try {
    const { model } = await screen.show();
    shown = model.runId;
    open = model.endedAt === undefined;
    lines = farewell(model);
  } finally {
    stop.abort();
    await watching;
    attachment.tell = say;
  }
  if (broken && shown === runId) throw broken;
  // The screen followed a run that the person started on it: that one is the newest of the project.
  if (shown !== runId && !open) {
    const summary = await within(LAST_MS, (signal) => attachment.result(signal));
    return summary ? { why: 'ended', summary, runId: shown } : { why: 'detached', lines };
  }
  if (shown !== runId) return waits ?? { why: 'detached', lines };
  if (ended) return { why: 'ended', summary: ended };
  return waits ?? { why: 'detached', lines };
}

/** Undefined: it took longer. Without a worker a run never closes, and the wait for its result has no end of its own. */
export async function within<T>(ms: number, wait: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const late = new AbortController();
  const done = wait(late.signal);
  // Whoever no longer waits takes no error either.
  done.catch(() => undefined);
  const stop = new AbortController();
  try {
    return await Promise.race([done, delay(ms, undefined, { signal: stop.signal })]);
  } finally {
    stop.abort();
    late.abort();
  }
}
