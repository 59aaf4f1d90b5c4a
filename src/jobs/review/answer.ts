/**
 * Answers the comments that an idea's agent had before its push, and resolves their threads (`landing.pr.answer`).
 * Invariant: one answer for each comment, whatever was cut off: a hidden mark in each answer names what it answers. No
 * word of people or agents is repeated. What the forge refuses is a note and no failure; a forge that is down is waited
 * for. A thread stays open while it holds a word that the agent has not had, or where no file changed since.
 */
import { ForgeError, type Gh } from './gh.js';
import { answeredBy, answerMark, isOwn, keyOf, type SaidJson, type SaidKind } from './said.js';
import { resolveThreads } from './threads.js';

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

/** Returns what the forge refused, as sentences. */
export async function answerComments(gh: Gh, round: Round): Promise<string | undefined> {
  const notes = new Map<string, string>();
  const note: Note = (what, error) => {
    if (!(error instanceof ForgeError) || error.later) throw error;
    notes.set(what, `${what}: ${error.message}`);
  };
  const has = (kind: SaidKind): boolean => round.fresh.some((key) => key.startsWith(`${kind} `));
  try {
    if (has('line')) await answerThreads(gh, round, note);
    if (has('review') || has('comment')) await answerTalk(gh, round);
  } catch (error) {
    note('comments of the pull request got no answer', error);
  }
  return notes.size === 0 ? undefined : [...notes.values()].join('; ');
}

const sentence = (what: string, { idle, candidate }: Round): string =>
  idle
    ? `The agent of ralphctl had ${what} and changed no file. The branch is at ${candidate}.`
    : `The agent of ralphctl has worked on ${what}, up to ${candidate}.`;

interface Thread {
  first: SaidJson;
  all: SaidJson[];
  /** Of this round. */
  fresh: SaidJson[];
}

function threadsOf(lines: readonly SaidJson[], fresh: readonly string[]): Thread[] {
  const threads = new Map<number, Thread>();
  for (const one of lines) {
    const id = one.in_reply_to_id ?? one.id;
    const thread = threads.get(id) ?? { first: one, all: [], fresh: [] };
    threads.set(id, thread);
    if (one.id === id) thread.first = one;
    thread.all.push(one);
    if (fresh.includes(keyOf('line', one))) thread.fresh.push(one);
  }
  return [...threads.values()].filter((thread) => thread.fresh.length > 0);
}

async function answerThreads(gh: Gh, round: Round, note: Note): Promise<void> {
  const { number, fresh, had, how } = round;
  const lines = await gh.list<SaidJson>(`pulls/${number}/comments`);
  const answered = new Set(lines.flatMap(answeredBy));
  const over: SaidJson[] = [];
  for (const thread of threadsOf(lines, fresh)) {
    const open = thread.fresh.map((one) => keyOf('line', one)).filter((key) => !answered.has(key));
    const about = open.length === 1 ? 'this comment' : 'these comments';
    const path = `pulls/${number}/comments/${thread.first.id}/replies`;
    if (open.length > 0)
      await gh
        .send('POST', path, { body: `${answerMark(open)}\n${sentence(about, round)}` })
        .catch((error: unknown) => note('comments of the pull request got no answer', error));
    if (thread.all.every((one) => isOwn(one) || had.includes(keyOf('line', one)))) over.push(thread.first);
  }
  if (how === 'reply' || round.idle || over.length === 0) return;
  await resolveThreads(gh, number, over).catch((error: unknown) =>
    note('threads of the pull request stay unresolved', error),
  );
}

/** One comment for all that has no thread. */
async function answerTalk(gh: Gh, round: Round): Promise<void> {
  const { number, fresh } = round;
  const talk = await gh.list<SaidJson>(`issues/${number}/comments`);
  const reviews = await gh.list<SaidJson>(`pulls/${number}/reviews`);
  const answered = new Set(talk.flatMap(answeredBy));
  const keyed = (kind: SaidKind, all: readonly SaidJson[]) => all.map((one) => ({ ...one, key: keyOf(kind, one) }));
  // The lines of a review without words have answers of their own.
  const open = [...keyed('review', reviews), ...keyed('comment', talk)].filter(
    ({ key, body }) => (body ?? '').trim() !== '' && fresh.includes(key) && !answered.has(key),
  );
  if (open.length === 0) return;
  const mark = answerMark(open.map(({ key }) => key));
  const text = sentence(open.map(linkOf).join(', '), round);
  await gh.send('POST', `issues/${number}/comments`, { body: `${mark}\n${text}` });
}

/** No mention: its author has got a message already. */
const linkOf = ({ key, user, html_url: url }: SaidJson & { key: string }): string => {
  const words = `${key.startsWith('review') ? 'the review' : 'the comment'} of ${user?.login.replace(/[^\w-]/g, '') ?? 'somebody'}`;
  return url ? `[${words}](${url})` : words;
};
