/**
 * Commands about ideas while no run is open. ralphctl carries them out at once when they need only git, and keeps the
 * others for the next run.
 * Invariant: the caller holds the lock of the closed project. The last run's events record every command, so that
 * `why`, `logs` and the report show it.
 */

import { verbsAfterRun } from '../../decide/idea/after-run.js';
import { notesProblem, singleAttempt, sizeOf } from '../../decide/idea/amendments.js';
import { answerRefusal, keptAnswer, MOST_KEPT_QUESTION } from '../../decide/idea/answers.js';
import { clip } from '../../decide/text.js';
import {
  answerIn,
  type IdeaVerb,
  type Intervention,
  MAX_COMMAND_TEXT,
  MOST_KEPT_NOTES,
} from '../../protocol/command.js';
import { numberProblem } from '../../protocol/command-numbers.js';
import { saysAnything } from '../../protocol/escapes.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import { fixSentence, lineGoneText } from '../../report/gone-text.js';
import { noteAbandoned, recordOf } from '../../run-files/carried.js';
import { EventWriter } from '../../run-files/events.js';
import { keepHint, keptHints } from '../../run-files/kept.js';
import { worksNow } from '../api/left-working.js';
import { print, printJson, say, teller } from '../context.js';
import { leftOutText } from '../views/left-working-lines.js';
import { clean } from '../views/live-lines.js';
import { assertAccepts, type Closed, type ClosedIdea, closedIdea, isSingle, runOf, startOf } from './closed.js';
import { ALREADY, isKept, keepOne, keptSays } from './kept-says.js';

export type About = Intervention & { verb: IdeaVerb; idea: string };

/** Verbs that apply without an open run. */
const WITHOUT_RUN: ReadonlySet<string> = new Set([
  ...['retry', 'unblock', 'limit', 'skip', 'skip-step', 'abandon', 'hint', 'answer', 'bump', 'score'],
  ...['rollback', 'cleanup'],
]);

export const noSteps = (idea: string): string =>
  `${idea} has no plan with steps. To leave the whole idea out: ralphctl skip ${idea}`;

export const worksWithoutRun = (command: Intervention): command is About =>
  command.idea !== undefined && WITHOUT_RUN.has(command.verb);

/** Carries the command out and returns the sentence about it. @throws UserError where the idea does not accept it */
export async function actWithoutRun(closed: Closed, command: About): Promise<string> {
  const bad = numberProblem(command.verb, command.n);
  if (bad !== undefined) throw new UserError(bad);
  const idea = await closedIdea(closed, command.idea, { planned: command.verb === 'skip-step' });
  await assertAccepts(closed, idea, command.verb);
  await assertHasLine(closed, idea, command.verb);
  const problem = problemOf(command) ?? (await answeredProblem(closed, idea, command));
  if (problem !== undefined) throw new UserError(problem, EXIT.refused);
  if (command.verb === 'limit' && (await isSingle(closed, idea)))
    throw new UserError(singleAttempt(idea.id, verbsAfterRun(idea.state).has('retry')), EXIT.refused);
  // Without the backlog nobody knows; the next run leaves the command out then.
  if (command.verb === 'skip-step' && idea.idea && !idea.idea.plan) throw new UserError(noSteps(idea.id));
  const shown = command.verb === 'rollback' && (await showsLanding(closed, idea));
  const { done: effect, status, reason, nothing } = await effectOf(closed, idea, command);
  const tellTracker = async () => (shown ? giveBackNow(closed, idea.id) : undefined);
  // Only a tracker may still have to hear of it.
  const repeated = nothing ? await tellTracker() : undefined;
  if (nothing && repeated === undefined) throw new UserError(effect, EXIT.refused);
  const done = `${effect}${LEAVES_OUT.has(command.verb) ? await stillWorking(closed, idea.id) : ''}`;
  await recordCommand(closed, idea, { ...command, done, ...(status ? { status, fact: reason } : {}) });
  return `${done}${(nothing ? repeated : await tellTracker()) ?? ''}`;
}

const LEAVES_OUT: ReadonlySet<string> = new Set(['skip', 'abandon']);

async function stillWorking({ left }: Closed, idea: string): Promise<string> {
  const [one] = (await left.among([idea])).filter(worksNow);
  return one ? `. ${leftOutText(one)}` : '';
}

/** What the next start carries out, or what it runs, needs the line in the backlog. */
const NEEDS_LINE: ReadonlySet<string> = new Set([
  ...['retry', 'unblock', 'limit', 'skip-step', 'hint', 'answer', 'bump', 'score'],
]);

export const needsLine = (verb: string): boolean => NEEDS_LINE.has(verb);

/** @throws UserError where no start would carry the command out, with the way back */
async function assertHasLine({ context }: Closed, { id, lineGone, recorded }: ClosedIdea, verb: string): Promise<void> {
  if (!lineGone || !recorded || !needsLine(verb)) return;
  const { lastLine } = await import('./line-gone.js');
  const last = await lastLine(context.root, recorded.run.file, id);
  const back = last ? `. ${last.text.charAt(0).toUpperCase()}${last.text.slice(1)}` : '';
  const see = last?.command ? `: ${last.command}` : '';
  throw new UserError(
    `${verb} ${id} would do nothing: ${lineGoneText(lineGone)}${back}${see}. ${lineGone.ticked ? 'Untick it' : 'Put the line back'}, then: ralphctl ${verb} ${id}`,
    EXIT.refused,
  );
}

/** A tracker may show the idea as done. Also after a rollback that could not tell it, so that a person can repeat it. */
async function showsLanding({ context, project }: Closed, { id, state }: ClosedIdea): Promise<boolean> {
  if (state === 'landed' || state === 'gone') return true;
  const { kept = [] } = await recordOf(context.root, project, id);
  return kept.some(({ verb }) => verb === 'rollback');
}

async function giveBackNow(closed: Closed, idea: string): Promise<string | undefined> {
  const [{ giveBack }, { stopOnSignal }] = await Promise.all([import('./give-back.js'), import('./git-now.js')]);
  return giveBack(closed, idea, stopOnSignal());
}

/** Like `actWithoutRun`, and prints the sentence. */
export async function doWithoutRun(closed: Closed, command: About): Promise<number> {
  const done = await actWithoutRun(closed, command);
  const { verb, idea } = command;
  if (closed.context.json) printJson({ done, verb, idea, worker: false, run: false });
  else print(done);
  return EXIT.ok;
}

function problemOf({ verb, text, reason, idea }: About): string | undefined {
  if ((verb === 'hint' || verb === 'answer') && !saysAnything(text ?? ''))
    return `${verb} ${idea} needs a text: ralphctl ${verb} ${idea} "…"`;
  const long = [text, reason].some((one) => (one?.length ?? 0) > MAX_COMMAND_TEXT);
  return long
    ? `the text is longer than ${MAX_COMMAND_TEXT} characters; put it into a file of the repository and name it`
    : undefined;
}

/** Why the question takes no answer: the first answer counts, and only one to this question. */
async function answeredProblem({ context, project }: Closed, idea: ClosedIdea, { verb, question: meant }: About) {
  if (verb !== 'answer') return undefined;
  const { id, question = '', questionId, said = [] } = idea;
  const kept = await keptHints(context.root, project, id);
  const before = kept.map(answerIn).find((one) => one?.question === clip(question, MOST_KEPT_QUESTION));
  const last = before && said.findLast((one) => one.verb === 'answer' && one.text === before.answer);
  return answerRefusal(
    id,
    {
      ...(before ? {} : { question }),
      ...(questionId ? { asked: { id: questionId, at: 0 } } : {}),
      ...(before
        ? { answer: { text: before.answer, question: questionId, at: last?.at ?? Date.now(), by: last?.by } }
        : {}),
    },
    { question: meant },
  );
}

export interface Outcome {
  done: string;
  status?: 'pending';
  reason?: string;
  /** It changed nothing. */
  nothing?: true;
}

async function effectOf(closed: Closed, idea: ClosedIdea, command: About): Promise<Outcome> {
  const { verb, reason, force } = command;
  const { context, project } = closed;
  const { id } = idea;
  switch (verb) {
    case 'rollback': {
      const { rollbackNow, undoNow, UndoRefused } = await import('./git-now.js');
      // What ralphctl has rolled back itself may have a branch again.
      const { state, gone } = idea;
      if (state !== 'landed' && !(gone && (gone.stays || !gone.by))) return rollbackNow(closed, idea);
      const undone = await undoNow(closed, idea).catch(async (error: unknown) => {
        if (error instanceof UndoRefused) await noteRefused(closed, idea, error.message);
        throw error;
      });
      await keepOne(closed, command, 'rollback');
      return undone;
    }
    case 'cleanup':
      return (await import('./git-now.js')).cleanupNow(closed, idea, force ?? false);
    case 'abandon':
      await noteAbandoned(context.root, project, id, reason);
      return { done: `${id} is abandoned. No run is open. Later runs leave it out until: ralphctl retry ${id}` };
    case 'hint':
    case 'answer':
      return keepNote(closed, idea, command);
    case 'retry': {
      // Once it is back, it has landed again, and a start onto another branch runs the idea in any case.
      if (idea.gone?.noBranch)
        throw new UserError(`${id} is not queued: ${idea.gone.text}. ${fixSentence(idea.gone)}`, EXIT.refused);
      const { retryFresh, retrySays } = await import('./retry.js');
      const kept = () => keepOne(closed, command, 'retry');
      const already = await isKept(closed, command, 'retry');
      if (command.fresh) return retryFresh(closed, idea, kept, already);
      if (already) return { done: await retrySays(closed, idea, ALREADY), nothing: true };
      await kept();
      return { done: await retrySays(closed, idea) };
    }
    default:
      return keptSays(closed, idea, command);
  }
}

async function keepNote(closed: Closed, idea: ClosedIdea, { verb, text = '' }: About): Promise<Outcome> {
  const { context, project } = closed;
  const { id, question = '' } = idea;
  const waiting = sizeOf([...(await keptHints(context.root, project, id))]);
  const note = verb === 'answer' ? keptAnswer(question, text.trim()) : text.trim();
  const problem = notesProblem(id, waiting, note, verb === 'answer' ? undefined : MOST_KEPT_NOTES);
  if (problem !== undefined) throw new UserError(problem, EXIT.refused);
  await keepHint(context.root, project, id, note);
  const what = verb === 'answer' ? 'your answer' : 'your text';
  return {
    done: `${id} gets ${what} with its first prompt in the next run. No run is open. Start one with: ${startOf(closed, idea)}`,
  };
}

/** Writes to the events of the last run that had the idea. */
export async function recordCommand(
  closed: Pick<Closed, 'context' | 'project'>,
  idea: Pick<ClosedIdea, 'id' | 'title'>,
  {
    verb,
    reason,
    text,
    done,
    forgets,
    status,
    fact = done,
  }: { verb: string; forgets?: true; fact?: string | undefined } & Pick<Intervention, 'reason' | 'text'> &
    Omit<Outcome, 'reason' | 'nothing'>,
): Promise<void> {
  const ref = await runOf(closed, idea.id);
  if (!ref) return;
  const events = writerOf(closed);
  const at = Date.now();
  const said = { ...(reason ? { reason } : {}), ...(text ? { text } : {}), ...(forgets ? { forgets } : {}) };
  events.write(ref, { kind: 'command', verb, idea: idea.id, ...said, by: teller(), done, afterRun: true }, at);
  if (status) events.write(ref, { kind: 'idea', idea: idea.id, title: idea.title, status, reason: fact }, at);
  await events.flush();
}

const writerOf = ({ context: { root, json } }: Pick<Closed, 'context'>): EventWriter =>
  new EventWriter(
    root,
    (error) =>
      json ||
      say(
        `warning: the run's events lack this command: ${clean(String(error instanceof Error ? error.message : error), 500)}`,
      ),
  );

/** So that `why` does not offer the same rollback again. */
async function noteRefused(closed: Closed, { id }: ClosedIdea, why: string): Promise<void> {
  const ref = await runOf(closed, id);
  if (!ref) return;
  const events = writerOf(closed);
  const refused = { kind: 'refused', verb: 'rollback', idea: id, by: teller(), why: clip(why, MOST_REFUSED) } as const;
  events.write(ref, refused, Date.now());
  await events.flush();
}

const MOST_REFUSED = 600;
