/** Says how an open run stands that does nothing by itself, and which command changes that. */
import { say } from '../context.js';
import { workerNow } from '../views/worker-ends.js';

interface Api {
  facts(): Promise<{ open: boolean; progress?: { state: string } | undefined } | undefined>;
}

const STANDS: Readonly<Record<string, string>> = {
  pausing: 'it is pausing: running agents finish their iteration, and nothing new starts. To go on: ralphctl resume',
  paused: 'it is paused, and nothing starts. To go on: ralphctl resume',
  stopping:
    'it is stopping: running agents finish their iteration, and nothing new starts. Once it has ended: ralphctl start',
  waiting_user: 'it waits for you to start ideas: ralphctl assign IDEA, or ralphctl mode autopilot',
};

/** Nothing for a run that works, or waits for an answer: `status` and the view name the idea. */
export async function sayStanding(api: Api, json: boolean, at: { root: string; project: string }): Promise<void> {
  const facts = json ? undefined : await api.facts().catch(() => undefined);
  const { crashes } = facts?.open ? await workerNow(at.root, at.project).catch(() => ({ crashes: undefined })) : {};
  if (crashes !== undefined) say(`nothing moves: ${crashes}`);
  const text = facts?.open ? STANDS[facts.progress?.state ?? ''] : undefined;
  if (text) say(text);
}
