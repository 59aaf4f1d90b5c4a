/**
 * A person's answer on its way through the run to the idea that asks, and back as taken or refused.
 * Invariant: only the idea decides whether it takes an answer. The run says that it was taken after the idea has said
 * so. Every answer that was sent ends in one sentence: taken, refused, or the end of the idea.
 * May import protocol and decide only.
 */
import { type AnswerTaken, MAX_TAKEN_TEXT, type SentAnswer } from '../../protocol/answers.js';
import { type Intervention, TELLERS } from '../../protocol/command.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { asksNothing } from '../idea/answers.js';
import { ideaEffect, legalVerbs, possibleNow, refusedFor, SITUATION_WORDS, situationOf } from '../idea/table.js';
import { clip, MAX_REASON } from '../text.js';
import type { Board } from './board.js';
import { resumeCommand, tellIdea } from './control.js';
import { type Plan, refuse } from './effects.js';

type Settled = { done: string } | { refusal: string };

/** What became of a command. `sent`: an answer, by its command's id; the idea has not said yet. */
export type Outcome = Settled | { sent: string };

/** Situations in which older versions passed an answer on, whether the idea asked or not. */
const OLDER: ReadonlySet<string> = new Set([
  ...['running', 'awaits-approval', 'paused', 'needs-human', 'asks-approval', 'wants-slot'],
]);

/** `older`: as a run of an older version did it, for its history. */
export function planAnswer(board: Board, entry: IdeaEntry, command: Intervention, older: boolean): Plan {
  const id = entry.card.id;
  const situation = situationOf(entry, board.state.landing);
  const refused = refusedFor(entry, board.state);
  const takes = older ? OLDER.has(situation) : 'effect' in ideaEffect(id, situation, 'answer', refused);
  if (!takes) {
    const mayHint = legalVerbs(situation).includes('hint') && !refused('hint');
    return refuse(asksNothing(entry, SITUATION_WORDS[situation], mayHint) + possibleNow(situation, refused));
  }
  const text = command.text?.trim() ?? '';
  if (text === '') return refuse(`answer ${id} needs a text: ralphctl answer ${id} "…"`);
  if (older) return { carryOut: () => passOn(board, entry, command, text) };
  return {
    carryOut: () => {
      const sent = sentOf(command, text);
      entry.answers = [...(entry.answers ?? []), sent];
      const question = command.question ?? entry.course?.question;
      const { id: about, by, who } = sent;
      tellIdea(board, entry, 'answer', [text, { id: about, ...(question ? { question } : {}), by, who }]);
      return '';
    },
  };
}

function passOn(board: Board, entry: IdeaEntry, { reason }: Intervention, text: string): string {
  entry.told = { verb: 'answer', reason: reason?.trim() ? clip(reason.trim(), MAX_REASON) : undefined };
  tellIdea(board, entry, 'answer', [text]);
  return textTaken(board, entry.card.id);
}

const sentOf = ({ id = '', reason, by, who }: Intervention, text: string): SentAnswer => ({
  id,
  text,
  ...(reason?.trim() ? { reason: reason.trim() } : {}),
  ...(by !== undefined && TELLERS.includes(by) ? { by } : {}),
  ...(typeof who === 'string' ? { who: clip(who, MAX_TAKEN_TEXT) } : {}),
});

const textTaken = (board: Board, id: string): string =>
  `${id} has your answer; its next prompt contains it${afterPause(board)}`;

const TAKEN: Record<NonNullable<AnswerTaken['took']>, (board: Board, id: string) => string> = {
  text: textTaken,
  approval: (_board, id) => `approved: ${id} lands as it is`,
  budget: (board, id) => `${id} has your answer about its budget${afterPause(board)}`,
};

/** A paused run starts nothing, whatever the idea was told. */
export function afterPause({ state, settings }: Board): string {
  const command = resumeCommand(state, settings);
  return command === undefined ? '' : `. The run is paused, so it starts nothing until: ${command}`;
}

/** Outcomes that are remembered for the person who waits. */
const MOST_SETTLED = 100;

/** The answers of a run that are under way. Settled ones are remembered for callers in this execution only. */
export class Answers {
  readonly #board: Board;
  readonly #settled = new Map<string, Settled>();

  constructor(board: Board) {
    this.#board = board;
  }

  /** What became of the answer; undefined while the idea has not said. */
  settled(id: string): Settled | undefined {
    return this.#settled.get(id);
  }

  /** The idea says whether it took an answer. Repeats change nothing. */
  said({ idea, id, took = 'text', refusal }: AnswerTaken): void {
    const entry = this.#board.graph.entry(idea);
    const sent = entry?.answers?.find((one) => one.id === id);
    if (!entry || !sent) return;
    if (refusal !== undefined) {
      this.#settle(entry, sent, { refusal });
      return;
    }
    entry.told = { verb: 'answer', reason: sent.reason ? clip(sent.reason, MAX_REASON) : undefined };
    this.#settle(entry, sent, { done: TAKEN[took](this.#board, idea) });
  }

  /** The idea has ended, so it takes no more answers. */
  ended(entry: IdeaEntry): void {
    for (const sent of entry.answers ?? [])
      this.#settle(entry, sent, { refusal: `${entry.card.id} ended before it took your answer` });
  }

  #settle(entry: IdeaEntry, sent: SentAnswer, outcome: Settled): void {
    entry.answers = entry.answers?.filter((one) => one !== sent);
    if (entry.answers?.length === 0) delete entry.answers;
    const { id, who: _, ...about } = sent;
    this.#board.told.push({ verb: 'answer', idea: entry.card.id, ...about, ...outcome });
    this.#settled.set(id, outcome);
    for (const old of this.#settled.keys()) {
      if (this.#settled.size <= MOST_SETTLED) return;
      this.#settled.delete(old);
    }
  }
}
