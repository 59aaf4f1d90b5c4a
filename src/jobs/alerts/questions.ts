/**
 * The whole questions of an alert. Workflows store only the beginning of a question; the result of the agent run that
 * asked has all of it.
 * Invariant: an unreadable file leaves the beginning, never fails the alert.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readOwn } from '../../config/own-files.js';
import { ideaDir } from '../../config/paths.js';
import type { RunAgentResult } from '../../protocol/agent-run.js';
import type { Alert, AlertItem } from '../../protocol/alerts.js';

export async function withQuestions(root: string, project: string, alert: Alert): Promise<Alert> {
  const items = await Promise.all(alert.items.map((item) => whole(root, project, item)));
  return { ...alert, items };
}

async function whole(root: string, project: string, item: AlertItem): Promise<AlertItem> {
  const { kind, idea, run, text } = item;
  if (kind !== 'question' || idea === undefined || !text?.endsWith('…')) return item;
  const question = await lastQuestion(ideaDir(root, project, run, idea)).catch(() => undefined);
  return question?.startsWith(text.slice(0, -1)) ? { ...item, text: question } : item;
}

async function lastQuestion(dir: string): Promise<string | undefined> {
  const runs = (await readdir(dir)).filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(a) - Number(b));
  const text = (await readOwn(join(dir, runs.at(-1) ?? '', 'result.json'))) ?? '';
  const { signal } = JSON.parse(text) as Partial<RunAgentResult>;
  return signal?.kind === 'needs-human' ? signal.question : undefined;
}
