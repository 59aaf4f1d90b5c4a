/**
 * `ralphctl answer IDEA TEXT`. The answer goes to the question that is open when the command starts, or to the named one:
 * a question that follows it needs an answer of its own. People often answer a question about a gate that was red before
 * by changing the configuration file. The run reloads the file first, so that the next iteration uses the new gate.
 */
import { userInfo } from 'node:os';
import { placeholderText } from '../../../decide/idea/answers.js';
import { BASELINE_KEY } from '../../../decide/idea/tripwires.js';
import { UserError } from '../../../protocol/user-error.js';
import { type Context, say } from '../../context.js';
import { knownIdea, type OpenRun, send, withRunOr } from './interventions.js';

export interface AnswerSaid {
  text: string;
  reason?: string | undefined;
  /** Id of the question; absent: the open one. */
  question?: string | undefined;
}

export async function answer(context: Context, idea: string, { text, reason, question }: AnswerSaid): Promise<number> {
  const { describeChange, reloadFile } = await import('../../open-run/reload.js');
  const { changedFile } = await import('../../open-run/flags.js');
  const placeholder = placeholderText('answer', idea, text);
  if (placeholder !== undefined) throw new UserError(placeholder);
  const who = account();
  const command = {
    ...({ verb: 'answer', idea, text } as const),
    ...(reason ? { reason } : {}),
    ...(question ? { question } : {}),
    ...(who ? { who } : {}),
  };
  const act = async (run: OpenRun): Promise<number> => {
    await knownIdea(context, run, idea, 'answer');
    const view = run.worker ? await run.api.idea(idea).catch(() => undefined) : undefined;
    if (view?.question?.includes(BASELINE_KEY)) {
      const { changed, kept } = await reloadFile(context, run);
      for (const change of [...changed, ...kept]) say(`the configuration file has changed: ${describeChange(change)}`);
    } else if (!context.json) for (const line of await changedFile(context, run)) say(line);
    const open = question ?? view?.questionId;
    return send(context, run, { ...command, ...(open ? { question: open } : {}) });
  };
  return withRunOr(context, act, command);
}

/** Undefined where the system knows no name for the account. */
function account(): string | undefined {
  try {
    return userInfo().username || undefined;
  } catch {
    return undefined;
  }
}
