/**
 * What people and ralphctl said about an idea, and its moments in order.
 * Invariant: an answer counts once, though its command is an event of its own, and so does work that the run does later,
 * though its result is one. Both lists are bounded. May import protocol only.
 */
import { HINT_KEPT } from '../protocol/command.js';
import type { StampedEvent } from '../protocol/events.js';
import { beginsAgain } from '../protocol/idea-news.js';
import { takenOffSaid } from '../protocol/taken-off.js';
import type { IdeaModel, Moment, Said } from './model.js';

type Of<Kind extends StampedEvent['kind']> = Extract<StampedEvent, { kind: Kind }>;

/** Maximum number of moments, and of messages, per idea. */
const MOST_KEPT = 500;

/** The command that answered is a separate event, before this one or after it. */
export function answered(idea: IdeaModel, { text, by }: Of<'answered'>, at: number): void {
  const told = saidSince(idea, ({ done }) => done !== undefined);
  if (told) {
    if (text !== undefined) told.text ??= text;
    return;
  }
  said(idea, { at, verb: 'answer', ...questionOf(idea), ...(text ? { text } : {}), ...(by ? { by } : {}) });
}

/** The event of the answer may come after the one that ends the wait. */
function questionOf({ question, iterations }: IdeaModel): Pick<Said, 'question'> {
  const signal = iterations.at(-1)?.signal;
  const asked = question ?? (signal?.kind === 'needs-human' ? signal.question : undefined);
  return asked ? { question: asked } : {};
}

/** A message since the idea's question. */
function saidSince(idea: IdeaModel, which: (one: Said) => boolean): Said | undefined {
  const { said: all, iterations, status, since = 0 } = idea;
  const from = Math.max(iterations.at(-1)?.endedAt ?? 0, status === 'needs-human' ? since : 0);
  return all.findLast((one) => (one.verb === 'answer' || one.verb === 'approve') && one.at >= from && which(one));
}

export function command(idea: IdeaModel, event: Of<'command'>, at: number): void {
  const bare = event.verb === 'answer' ? saidSince(idea, ({ done }) => done === undefined) : undefined;
  if (bare) {
    idea.said = idea.said.filter((one) => one !== bare);
    idea.moments = idea.moments.filter((one) => one.kind !== 'said' || one.at !== bare.at);
  }
  if (event.verb === 'rollback' || event.verb === 'retry') {
    delete idea.percent;
    delete idea.partly;
  }
  if (event.verb === 'rollback') idea.commits = 0;
  const off = event.verb === 'rollback' && !event.afterRun ? takenOffSaid(event.done) : undefined;
  if (off) idea.takenOffAs = { commit: off.commit, at };
  // Of what an abort saves, nobody asked.
  if (event.verb === 'stash' && event.by === undefined) return;
  if (isKeptForNext(event)) {
    const told = idea.said.find(
      ({ verb, text, finished }) => verb === 'hint' && !finished && text && event.done.includes(text.slice(0, 40)),
    );
    if (told) Object.assign(told, { done: event.done, finished: true });
    return;
  }
  const text = event.text ?? event.reason;
  const asked = event.by === undefined ? unfinished(idea, event.verb) : undefined;
  if (asked) {
    asked.done = event.done;
    asked.finished = true;
    return;
  }
  if (beginsAgain(event)) return;
  if (event.forgets) {
    takeBack(idea, event.verb);
    idea.told = { verb: `${event.verb} --forget` };
    said(idea, { at, ...idea.told, done: event.done, ...(event.by ? { by: event.by } : {}) });
    return;
  }
  askRest(idea, event.verb);
  idea.told = { verb: event.verb, ...(event.reason ? { reason: event.reason } : {}) };
  said(idea, {
    at,
    verb: event.verb,
    ...(bare?.question ? { question: bare.question } : event.verb === 'answer' ? questionOf(idea) : {}),
    done: event.done,
    ...(text === undefined ? {} : { text }),
    ...(event.by ? { by: event.by } : {}),
  });
}

/** The messages that no prompt had yet. Answers go with hints. */
function takeBack(idea: IdeaModel, verb: string): void {
  const last = Math.max(idea.iterations.at(-1)?.startedAt ?? 0, idea.givenTo ?? 0);
  for (const one of idea.said)
    if (one.at > last && (one.verb === verb || (verb === 'hint' && one.verb === 'answer'))) one.takenBack = true;
}

function askRest(idea: IdeaModel, verb: string): void {
  if (verb === 'resume') delete idea.restAsked;
  if (idea.status !== 'running') return;
  if (verb === 'pause' || verb === 'pause-now') idea.restAsked = 'pause';
  if (verb === 'stop') idea.restAsked = 'stop';
}

/** At its end the run tells what becomes of a hint that no prompt had. That is no other hint. */
const isKeptForNext = ({ verb, text, done }: Of<'command'>): boolean =>
  verb === 'hint' && text === undefined && done.startsWith(HINT_KEPT);

/** What an agent run had in its prompt: the oldest messages that none had before. */
export function delivered(idea: IdeaModel, { notes, fromProgram = 0 }: Of<'delivered'>): void {
  const { said: all, givenTo = 0 } = idea;
  const waiting = all.filter(({ at, verb, done }) => at > givenTo && done !== undefined && NOTES.has(verb));
  const last = waiting[notes - fromProgram - 1];
  if (last) idea.givenTo = last.at;
}

const NOTES: ReadonlySet<string> = new Set(['hint', 'answer']);

/** Work that the run does later: it tells the result with a command event of its own, which no person sent. */
const DONE_LATER: ReadonlySet<string> = new Set(['rollback', 'cleanup']);

/** A retry that begins anew takes a rollback, which nobody asked for by that name. */
const isFresh = ({ verb, done }: Said): boolean => verb === 'retry' && done?.includes(' starts over on ') === true;

function unfinished({ said: all }: IdeaModel, verb: string): Said | undefined {
  const last = DONE_LATER.has(verb) ? all.findLast((one) => one.verb === verb) : undefined;
  if (last && !last.finished) return last;
  return verb === 'rollback' ? all.findLast((one) => isFresh(one) && !one.finished) : undefined;
}

function said(idea: IdeaModel, one: IdeaModel['said'][number]): void {
  idea.said.push(one);
  if (idea.said.length > MOST_KEPT) idea.said.shift();
  moment(idea, { at: one.at, kind: 'said', text: one.text ? `${one.verb}: ${one.text}` : one.verb });
}

export function moment(idea: IdeaModel, one: Moment): void {
  idea.moments.push(one);
  if (idea.moments.length > MOST_KEPT) idea.moments.shift();
}
