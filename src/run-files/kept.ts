/**
 * Stores commands about ideas that people gave while no run was open; the next run applies them at its start. They
 * belong to the records of `carried.ts`.
 * Invariant: of commands that exclude each other, the last one counts. A record that a terminated run took and never
 * returned starts fresh. Call only under the lock of the closed project, never during an open run.
 */
import { isAdvice } from '../protocol/advice.js';
import { answerIn } from '../protocol/command.js';
import { allCarried, type Carried, type Kept, LASTING, LEAVES_OUT, recordOf, writeCarried } from './carried.js';

/** The kinds that a command replaces, besides its own kind. */
const REPLACES: Partial<Record<Kept['verb'], readonly Kept['verb'][]>> = {
  retry: ['skip', 'unblock', 'rollback', 'closed'],
  unblock: ['skip', 'retry'],
  skip: ['retry', 'unblock'],
  rollback: ['retry', 'unblock', 'skip'],
};

async function freshRecord(root: string, project: string, idea: string): Promise<Carried> {
  const { takenBy, hints, kept = [], ...rest } = await recordOf(root, project, idea);
  const free = takenBy === undefined;
  const lasting = free ? kept : kept.filter(({ verb }) => LASTING.has(verb));
  return { ...rest, ...(free && hints ? { hints } : {}), ...(lasting.length > 0 ? { kept: lasting } : {}) };
}

/** Whether `keep` would change nothing. A reason of its own changes what the views show. */
export async function hasKept(
  root: string,
  project: string,
  idea: string,
  { verb, n, reason }: { verb: Kept['verb']; n?: number | undefined; reason?: string | undefined },
): Promise<boolean> {
  const { abandoned, kept = [] } = await freshRecord(root, project, idea);
  // A retry queues the idea, too.
  const isAlike = (one: Kept): boolean => one.verb === verb || (verb === 'unblock' && one.verb === 'retry');
  const same = kept.some((one) => isAlike(one) && one.n === n && (!reason || one.reason === reason));
  const ends = kept.some((one) => !isAlike(one) && REPLACES[verb]?.includes(one.verb));
  return same && !ends && !(abandoned && verb === 'retry');
}

/** Returns the resulting command: a second limit adds to the first. */
export async function keep(root: string, project: string, idea: string, command: Kept): Promise<Kept> {
  const { abandoned, kept = [], ...record } = await freshRecord(root, project, idea);
  const before = kept.find(({ verb }) => verb === command.verb);
  const next = command.verb === 'limit' ? { ...command, n: (command.n ?? 0) + (before?.n ?? 0) } : command;
  const gone = new Set([command.verb, ...(REPLACES[command.verb] ?? [])]);
  const givenUp = abandoned && command.verb !== 'retry' ? { abandoned } : {};
  // Without a word of a person, the closed pull request would turn the idea down once more.
  const anew: Kept[] =
    command.verb === 'retry' && kept.some(({ verb }) => verb === 'closed') ? [{ verb: 'anew', at: command.at }] : [];
  await writeCarried(root, project, {
    ...record,
    ...givenUp,
    kept: [...kept.filter(({ verb }) => !gone.has(verb)), ...anew, next],
  });
  return next;
}

export async function keepHint(root: string, project: string, idea: string, note: string): Promise<void> {
  const record = await freshRecord(root, project, idea);
  await writeCarried(root, project, { ...record, hints: [...(record.hints ?? []), note] });
}

export const keptHints = async (root: string, project: string, idea: string): Promise<readonly string[]> =>
  (await freshRecord(root, project, idea)).hints ?? [];

/** False when no command of that kind existed. `hint` and `answer` count as one kind. */
export async function forgetKept(
  root: string,
  project: string,
  idea: string,
  what: Kept['verb'] | 'hint',
): Promise<boolean> {
  const { hints, kept = [], ...record } = await recordOf(root, project, idea);
  const left = kept.filter(({ verb }) => verb !== what);
  const notes = what === 'hint' ? undefined : hints;
  if (left.length === kept.length && notes?.length === hints?.length) return false;
  await writeCarried(root, project, {
    ...record,
    ...(notes ? { hints: notes } : {}),
    ...(left.length > 0 ? { kept: left } : {}),
  });
  return true;
}

export interface KeptFor {
  idea: string;
  kept: Kept[];
  /** Numbers of hints and of answers. */
  hints: number;
  answers: number;
  /** Whether a note of ralphctl itself waits. */
  advice?: true;
  abandoned: boolean;
}

/** The commands for the next run, without the ones that a run has taken. `runId`: treat that run as the next one. */
export async function keptForNext(root: string, project: string, runId?: string): Promise<KeptFor[]> {
  return (await allCarried(root, project)).flatMap(({ idea, kept = [], hints = [], takenBy, abandoned }) => {
    const free = takenBy === undefined || takenBy === runId;
    const next = kept.filter(({ verb }) => free || LASTING.has(verb));
    const notes = free ? hints : [];
    const answers = notes.filter((note) => answerIn(note) !== undefined).length;
    const own = notes.filter(isAdvice).length;
    const advice = own > 0 ? { advice: true as const } : {};
    return next.length + notes.length > 0 || abandoned
      ? [
          {
            idea,
            kept: next,
            hints: notes.length - answers - own,
            answers,
            ...advice,
            abandoned: abandoned !== undefined,
          },
        ]
      : [];
  });
}

const has = ({ kept }: KeptFor, ...verbs: Kept['verb'][]): boolean => kept.some(({ verb }) => verbs.includes(verb));

/** Whether a person asked the next run to include the idea, or to leave it out. */
export const askedFor = (one: KeptFor): { queued?: true; leftOut?: true; rolledBack?: true; turnedDown?: true } => ({
  ...(has(one, 'retry', 'unblock') && !one.abandoned ? { queued: true } : {}),
  ...(has(one, ...LEAVES_OUT) ? { leftOut: true } : {}),
  ...(has(one, 'rollback') ? { rolledBack: true } : {}),
  ...(has(one, 'closed') ? { turnedDown: true } : {}),
});

/**
 * The ideas that the next start leaves out until a retry: abandoned, rolled back or skipped by a person, or turned down by
 * whoever closed the pull request. Every view asks here, so that all count the same. `open`: ideas that would run, in
 * their order. `again`: those that a person wants again, which reverses all but a skip.
 */
export function leftOutOf(all: readonly KeptFor[], open: Iterable<string>, again: readonly string[] = []): string[] {
  const out = new Set(
    all.flatMap((one) => {
      const wanted = again.includes(one.idea);
      return has(one, 'skip') || (!wanted && (one.abandoned || has(one, 'rollback', 'closed'))) ? [one.idea] : [];
    }),
  );
  return [...open].filter((id) => out.has(id));
}

/** `retry a-1`, `limit b-2 +5`, `hint for c-3`, `answer for d-4`. The next start carries over nothing for an abandoned idea. */
export function keptWords({ idea, kept, hints, answers, advice, abandoned }: KeptFor): string[] {
  if (abandoned) return [];
  return [
    ...kept.flatMap(({ verb, n, reason }) => {
      // A retry says it.
      if (verb === 'anew') return [];
      if (verb === 'closed') return `${idea} stays out`;
      const why = reason ? ` (${reason})` : '';
      if (verb === 'limit') return `limit ${idea} +${n}${why}`;
      if (verb === 'score') return `score ${idea} ${n}${why}`;
      if (verb === 'skip-step') return `skip ${idea} --step${why}`;
      return `${verb} ${idea}${why}`;
    }),
    ...(hints > 0 ? [`${hints === 1 ? 'hint' : `${hints} hints`} for ${idea}`] : []),
    ...(advice ? [`the advice of ralphctl for ${idea}`] : []),
    ...(answers > 0 ? [`${answers === 1 ? 'answer' : `${answers} answers`} for ${idea}`] : []),
  ];
}
