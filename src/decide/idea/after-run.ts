/**
 * Which commands an idea accepts while no run is open: one table, as `table.ts` is for an open run.
 * Invariant: a command outside the table is refused, and the refusal lists the legal ones.
 * May import protocol types only.
 */
import type { IdeaVerb } from '../../protocol/command.js';
import type { IdeaStatus } from '../../protocol/states.js';

/** Its state after the last run. `cut-off`: the end of the run interrupted it. */
export type AfterRun =
  | 'group'
  | 'pending'
  | 'cut-off'
  | 'asks'
  | 'landed'
  /** It landed, and its work is no longer on the target. */
  | 'gone'
  | 'blocked'
  | 'timeout'
  | 'failed'
  | 'skipped'
  | 'abandoned';

/** `keep`: the next run carries it out. `now`: git is all that it needs. */
type When = 'keep' | 'now';
type Row = Partial<Record<IdeaVerb, When>>;

const REST: Row = {
  ...{ limit: 'keep', hint: 'keep', edit: 'keep', split: 'keep', skip: 'keep', 'skip-step': 'keep', abandon: 'keep' },
  ...{ bump: 'keep', score: 'keep', rollback: 'now', cleanup: 'now' },
};
const AGAIN: Row = { ...REST, retry: 'keep' };

const TABLE: Readonly<Record<AfterRun, Row>> = {
  group: {},
  pending: REST,
  'cut-off': AGAIN,
  asks: { ...AGAIN, answer: 'keep' },
  landed: { rollback: 'now', cleanup: 'now' },
  gone: AGAIN,
  blocked: { ...AGAIN, unblock: 'keep' },
  timeout: AGAIN,
  failed: AGAIN,
  skipped: AGAIN,
  abandoned: { retry: 'keep', rollback: 'now', cleanup: 'now' },
};

const WORDS: Record<AfterRun, string> = {
  group: 'is an epic: give the command to its ideas instead',
  pending: 'has not started; the next start runs it',
  'cut-off': 'has not landed; the next start continues it',
  asks: 'waits for an answer',
  landed: 'has landed',
  gone: 'landed, and was taken off its target',
  blocked: 'is blocked',
  timeout: 'timed out',
  failed: 'failed',
  skipped: 'was skipped',
  abandoned: 'was abandoned',
};

const STATES: Partial<Record<IdeaStatus, AfterRun>> = {
  ...{ pending: 'pending', 'needs-human': 'asks', landed: 'landed', blocked: 'blocked', timeout: 'timeout' },
  ...{ failed: 'failed', skipped: 'skipped', abandoned: 'abandoned' },
};

/** What the record and the target tell of an idea, and what people said since the run. */
export interface Told {
  status: IdeaStatus;
  group?: boolean;
  /** It landed, and its work is no longer on the target. */
  off?: boolean;
  givenUp?: boolean;
  /** The next start leaves it out. */
  leftOut?: boolean;
  held?: boolean;
  /** The last signal of its agent asked something. */
  asked?: boolean;
  /** An agent has worked on it. */
  begun?: boolean;
}

/** The one state that commands and keys go by. The end of a run makes the ideas that it interrupts pending. */
export function stateAfterRun({ status, group, off, givenUp, leftOut, held, asked, begun }: Told): AfterRun {
  if (group) return 'group';
  if (status === 'landed') return 'landed';
  if (givenUp) return 'abandoned';
  if (off) return 'gone';
  if (leftOut) return 'skipped';
  const state = STATES[status] ?? 'cut-off';
  // A retry reversed it.
  if (state === 'abandoned') return 'skipped';
  if (state !== 'pending') return state;
  if (asked) return 'asks';
  if (held) return 'skipped';
  return begun ? 'cut-off' : 'pending';
}

/** Verbs that take back or remove what an agent did. */
const OF_ITS_WORK: ReadonlySet<IdeaVerb> = new Set<IdeaVerb>(['rollback', 'cleanup']);

/** Verbs that an idea accepts in this state. `untouched`: no agent has worked on it, and it has no branch. */
export const verbsAfterRun = (state: AfterRun, untouched = false): ReadonlySet<IdeaVerb> =>
  new Set((Object.keys(TABLE[state]) as IdeaVerb[]).filter((verb) => !hasNone(state, verb, untouched)));

/** What landed or ended has had work, also where its files are gone. */
const hasNone = (state: AfterRun, verb: IdeaVerb, untouched: boolean): boolean =>
  untouched && state === 'pending' && OF_ITS_WORK.has(verb);

/** Why an idea that the next start begins anew takes no answer; undefined for every other command. */
export const questionGone = (idea: string, state: AfterRun, verb: IdeaVerb, anew: boolean): string | undefined =>
  anew && verb === 'answer' && (state === 'cut-off' || state === 'pending')
    ? `${idea} has no open question: its question is gone with the fresh start. The next start begins it anew. To tell its agent something: ralphctl hint ${idea} "…"`
    : undefined;

/**
 * Why the command is refused; undefined: it is accepted. `anew`: the command that runs landed work again, if any.
 * `left`: verbs that are not offered, because the idea refuses them for another reason than its state. `untouched`: as for
 * {@link verbsAfterRun}.
 */
export function refusedAfterRun(
  idea: string,
  state: AfterRun,
  verb: IdeaVerb,
  anew: string | undefined = `ralphctl start --again ${idea}`,
  left: (verb: IdeaVerb) => boolean = () => false,
  untouched = false,
): string | undefined {
  const verbs = verbsAfterRun(state, untouched);
  if (verbs.has(verb)) return undefined;
  const over = state === 'landed';
  const again = over && anew !== '' ? `. To run it again: ${anew}` : '';
  const legal = [...verbs]
    .filter((one) => !left(one))
    .map((one) => (one === 'skip-step' ? 'skip --step' : one))
    .sort();
  const possible = legal.length === 0 ? '' : `. Possible without a run: ${legal.join(', ')}`;
  const why = hasNone(state, verb, untouched) ? `${idea} has no work yet that ${verb} could take away. ` : '';
  return `${why}${idea} ${WORDS[state]}${possible}${again}`;
}
