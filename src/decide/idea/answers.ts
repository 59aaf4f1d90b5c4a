/**
 * Answers to an idea's question: which one counts, and the words of a refusal.
 * Invariant: the idea takes one answer per question, the first one. An answer to another question than the open one
 * changes nothing. May import protocol and decide only.
 */
import { answerCommand } from '../../protocol/answer-command.js';
import type { Asked, TakenAnswer } from '../../protocol/answers.js';
import { answerIn, answerNote, type Intervention, type Teller } from '../../protocol/command.js';
import { saysAnything } from '../../protocol/escapes.js';
import type { IdeaEntry } from '../../protocol/run.js';
import type { SaidAnswer } from '../messages/said.js';
import { clip, utcMinute } from '../text.js';

export const FROM: Readonly<Record<Teller, string>> = {
  cli: 'with ralphctl answer',
  screen: 'on the full screen',
  signal: 'with a Temporal signal',
};

/** `at 2026-01-02 03:04 UTC by ada, with ralphctl answer: “blue”` */
export function takenText({ at, who, by, text }: TakenAnswer): string {
  const whence = [...(who ? [`by ${who}`] : []), ...(by === undefined ? [] : [FROM[by]])].join(', ');
  return `at ${utcMinute(at)}${whence && ' '}${whence}: “${oneLine(text)}”`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const hintFor = (idea: string): string => `To add something: ralphctl hint ${idea} "…"`;

/** Why a hint or an answer without a text is refused; undefined for every other command. */
export const emptyText = ({
  verb,
  idea,
  text = '',
}: Pick<Intervention, 'verb' | 'idea' | 'text'>): string | undefined =>
  (verb === 'hint' || verb === 'answer') && !saysAnything(text)
    ? `${verb} ${idea} needs a text: ralphctl ${verb} ${idea} "…"`
    : undefined;

/** Why a text copied from a command that ralphctl names is refused; undefined for every other text. */
export const placeholderText = (verb: 'hint' | 'answer', idea: string, text: string): string | undefined =>
  /^["'“”]?(?:…|\.{3}|~)["'“”]?$/.test(text.trim())
    ? `${text.trim()} only stands for your text. Write the text in its place: ralphctl ${verb} ${idea} "your text"`
    : undefined;

interface Asking {
  /** Absent without an open question. */
  question?: string | undefined;
  asked?: Asked | undefined;
  /** The last answer that the idea took. */
  answer?: TakenAnswer | undefined;
}

/** Why the idea does not take this answer; undefined when it does. */
export function answerRefusal(
  idea: string,
  { question, asked, answer }: Asking,
  said: Pick<SaidAnswer, 'question'>,
): string | undefined {
  const meant = said.question;
  const before = answer && (meant === undefined || answer.question === meant) ? answer : undefined;
  if (question === undefined) {
    if (before) return `the question of ${idea} was answered ${takenText(before)}. ${hintFor(idea)}`;
    return `${idea} asks nothing now. ${hintFor(idea)}`;
  }
  if (meant === undefined || asked === undefined || asked.id === meant) return undefined;
  const old = before ? `was answered ${takenText(before)}` : 'is no longer open';
  return `question ${meant} of ${idea} ${old}. It asks another question now: “${clip(oneLine(question), MOST_SHOWN)}”. Answer that one: ${answerCommand(idea, asked.id)}`;
}

const MOST_SHOWN = 120;

/** Why an idea takes no answer in this situation: `words` say what it does. */
export function asksNothing({ card, course }: IdeaEntry, words: string, mayHint: boolean): string {
  const id = card.id;
  const answer = course?.answer;
  const before = answer ? `. Its last question was answered ${takenText(answer)}` : '';
  return `${id} ${words} and asks nothing now${before}${mayHint ? `. ${hintFor(id)}` : ''}`;
}

/** Most hints and answers that an idea leaves to its next start, and their characters: the run's state holds them. */
const MOST_LEFT = { count: 20, size: 24_000 };
/** Of a question in a kept answer, in characters. */
export const MOST_KEPT_QUESTION = 2000;

/** An answer that waits for the next start of its idea, with the beginning of its question. */
export const keptAnswer = (question: string, answer: string): string =>
  answerNote({ question: clip(question, MOST_KEPT_QUESTION), answer });

/** Hints and answers that no prompt had when the idea ended. `dropped`: beyond the limit, answers last. */
export function leftNotes(notes: readonly string[]): { kept: string[]; dropped: string[] } {
  const short = notes.map((note) => {
    const one = answerIn(note);
    return one ? keptAnswer(one.question, one.answer) : note;
  });
  const isAnswer = (note: string): boolean => answerIn(note) !== undefined;
  const kept = new Set<string>();
  let room = MOST_LEFT.size;
  for (const note of [...short.filter(isAnswer), ...short.filter((one) => !isAnswer(one))]) {
    if (kept.size === MOST_LEFT.count || note.length > room) continue;
    room -= note.length;
    kept.add(note);
  }
  return { kept: short.filter((note) => kept.has(note)), dropped: short.filter((note) => !kept.has(note)) };
}
