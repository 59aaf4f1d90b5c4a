/**
 * Answers the comments that an idea's agent had before its push, and resolves their threads (`landing.pr.answer`).
 * Invariant: one answer for each comment, whatever was cut off: a hidden mark in each answer names what it answers. It
 * counts from ralphctl's own login only. No word of people or agents is repeated. What the forge refuses is a note and no
 * failure; a forge that is down is waited for. A thread stays open while it holds a word that the agent has not had, or where no file changed since.
 */
import { type Forge, ForgeError, type Thread } from './forge.js';
import { answeredBy, answerMark, isOwn, type Remark, type SaidKind } from './said.js';

export interface Round {
  number: number;
  /** The pushed commit. */
  candidate: string;
  /** What the agent had before this push and not before an earlier one. */
  fresh: readonly string[];
  /** All that it ever had. */
  had: readonly string[];
  how: 'reply' | 'resolve';
  /** The agent changed no file since the push before. */
  idle: boolean;
}

type Note = (what: string, error: unknown) => void;

export interface Answers {
  /** What the forge refused, as sentences. */
  note?: string;
  /** Of this round, also by an earlier try. */
  answered: string[];
}

export async function answerComments(forge: Forge, round: Round): Promise<Answers> {
  const done = new Set<string>();
  const notes = new Map<string, string>();
  const note: Note = (what, error) => {
    if (!(error instanceof ForgeError) || error.later) throw error;
    notes.set(what, `${what}: ${error.message}`);
  };
  const has = (kind: SaidKind): boolean => round.fresh.some((key) => key.startsWith(`${kind} `));
  try {
    if (has('line')) await answerThreads(forge, round, done, note);
    if (has('review') || has('comment')) await answerTalk(forge, round, done);
  } catch (error) {
    note('comments of the pull request got no answer', error);
  }
  return { answered: [...done], ...(notes.size === 0 ? {} : { note: [...notes.values()].join('; ') }) };
}

const sentence = (what: string, { idle, candidate }: Round): string =>
  idle
    ? `The agent of ralphctl had ${what} and changed no file. The branch is at ${candidate}.`
    : `The agent of ralphctl has worked on ${what}, up to ${candidate}.`;

interface Open extends Thread {
  /** Of this round. */
  fresh: Remark[];
}

function threadsOf(lines: readonly Remark[], fresh: readonly string[]): Open[] {
  const threads = new Map<string, Open>();
  for (const one of lines) {
    const id = one.thread ?? one.key;
    const thread = threads.get(id) ?? { id, first: one, all: [], fresh: [] };
    threads.set(id, thread);
    thread.all.push(one);
    if (fresh.includes(one.key)) thread.fresh.push(one);
  }
  return [...threads.values()].filter((thread) => thread.fresh.length > 0);
}

async function answerThreads(forge: Forge, round: Round, done: Set<string>, note: Note): Promise<void> {
  const { number, fresh, had, how } = round;
  const lines = await forge.remarks(number, ['line']);
  const own = await ownOf(forge, lines);
  const answered = new Set([...own].flatMap(answeredBy));
  const over: Thread[] = [];
  for (const thread of threadsOf(lines, fresh)) {
    const keys = thread.fresh.map(({ key }) => key);
    const open = keys.filter((key) => !answered.has(key));
    const told = (some: readonly string[]): void => {
      for (const key of some) done.add(key);
    };
    told(keys.filter((key) => answered.has(key)));
    const about = open.length === 1 ? 'this comment' : 'these comments';
    if (open.length > 0)
      await forge
        .reply(number, thread, `${answerMark(open)}\n${sentence(about, round)}`)
        .then(() => told(open))
        .catch((error: unknown) => note('comments of the pull request got no answer', error));
    if (thread.all.every((one) => own.has(one) || had.includes(one.key))) over.push(thread);
  }
  if (how === 'reply' || round.idle || over.length === 0) return;
  await forge
    .resolve(number, over)
    .catch((error: unknown) => note('threads of the pull request stay unresolved', error));
}

/** Anybody can write a mark. A login that may not say its own name, as that of an app, trusts every one. */
async function ownOf(forge: Forge, all: readonly Remark[]): Promise<ReadonlySet<Remark>> {
  const marked = all.filter(isOwn);
  if (marked.length === 0) return new Set();
  const me = await forge.me().catch((error: unknown) => {
    if (!(error instanceof ForgeError) || error.later) throw error;
    return undefined;
  });
  return new Set(me === undefined ? marked : marked.filter(({ author }) => author === me));
}

/** One comment for all that has no thread. */
async function answerTalk(forge: Forge, round: Round, done: Set<string>): Promise<void> {
  const { number, fresh } = round;
  const talk = await forge.remarks(number, ['review', 'comment']);
  const answered = new Set([...(await ownOf(forge, talk))].flatMap(answeredBy));
  // The lines of a review without words have answers of their own.
  const words = talk.filter(({ key, body }) => body.trim() !== '' && fresh.includes(key));
  for (const { key } of words) if (answered.has(key)) done.add(key);
  const open = words.filter(({ key }) => !answered.has(key));
  if (open.length === 0) return;
  const mark = answerMark(open.map(({ key }) => key));
  await forge.comment(number, `${mark}\n${sentence(open.map(linkOf).join(', '), round)}`);
  for (const { key } of open) done.add(key);
}

/** No mention: its author has got a message already. */
const linkOf = ({ kind, author, url }: Remark): string => {
  const words = `${kind === 'review' ? 'the review' : 'the comment'} of ${author?.replace(/[^\w-]/g, '') ?? 'somebody'}`;
  return url ? `[${words}](${url})` : words;
};
