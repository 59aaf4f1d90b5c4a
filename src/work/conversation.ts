/**
 * The conversation of an iteration that has not ended: what a worker that dies leaves for the next attempt to go on with.
 * Invariant: written once the model has answered, so never of a run that did not get to work; a finished iteration says
 * the same in its result. A file that cannot be written or read means a new conversation, nothing worse.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunAgentResult } from '../protocol/activities.js';
import { writeAtomically } from '../runs/run-files.js';

/** `step`: of a plan, from 0. */
type Session = NonNullable<RunAgentResult['session']> & { step?: number | undefined };
type CutOff = Pick<RunAgentResult, 'outcome' | 'session' | 'step'>;

const fileOf = (dir: string): string => join(dir, 'session.json');

export const noteConversation = (dir: string, session: Session): Promise<void> =>
  writeAtomically(fileOf(dir), JSON.stringify(session)).catch(() => {});

/** How an earlier attempt at this iteration ended, if it was cut off in the middle of a conversation. */
export async function cutOff(dir: string): Promise<CutOff | undefined> {
  try {
    const { step, ...session } = JSON.parse(await readFile(fileOf(dir), 'utf8')) as Session;
    const outcome = { kind: 'failed', failure: 'killed', message: 'the worker was lost' } as const;
    return { outcome, session, ...(step === undefined ? {} : { step }) };
  } catch {
    return undefined;
  }
}
