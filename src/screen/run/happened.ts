/** One event as a line of *Lately* and of the log. The phrase book has its words. */
import type { IdeaModel, RunModel } from '../../model/model.js';
import { isReported } from '../../model/tally.js';
import type { StampedEvent } from '../../protocol/events.js';
import { staysLanded } from '../../protocol/taken-off.js';
import type { Colour } from '../text/line.js';
import { dollars, UNKNOWN } from '../text/numbers.js';
import { clean } from '../text/text.js';
import { clock, lasted } from '../text/time.js';
import { eventWords, listWords, type Writing } from '../words/event-words.js';
import { isEnding } from '../words/state-words.js';

export interface Happened {
  at: number;
  sign: string;
  colour?: Colour;
  /** Idea, agents of an account, or `run`. */
  who: string;
  text: string;
  /** Title of the idea, where space allows. */
  title?: string;
  /** Cost of a landed idea: iterations, time, money. */
  took?: { iterations: number; ms: number; cost: string };
}

/** Kinds that *Lately* omits. */
const SMALL = new Set<StampedEvent['kind']>([
  'gate-start',
  'activity',
  'landing',
  'waiting',
  'delivered',
  'answered',
  'iteration',
  'asks',
  'warning-over',
]);
/** States that only lead to others. */
const PASSING = new Set<string>(['wants-slot', 'landing']);

export const isSmall = (event: StampedEvent): boolean =>
  SMALL.has(event.kind) || (event.kind === 'idea' && PASSING.has(event.status));

const keys = new WeakMap<StampedEvent, string>();
let keyed = 0;

/** Gives each event its own key, even when two events share a line. */
export function eventKey(event: StampedEvent): string {
  const known = keys.get(event);
  if (known !== undefined) return known;
  keyed += 1;
  const key = `${event.at} ${keyed}`;
  keys.set(event, key);
  return key;
}

export function happened(event: StampedEvent, model: RunModel, now: number): Happened {
  const writing: Writing = {
    clean,
    took: lasted,
    clock: (at) => clock(at, now),
    question: (asking) => {
      const question = clean(wholeQuestion(asking, model));
      return question === '' ? '' : `: ${question}`;
    },
    account: () => '',
    hasNext: (idea) => !lastTry(idea, model),
    stops: (ended) => isEnding(stateThen(model, ended)),
    begun: ({ idea, at }) => hadBegun(model.ideas.get(idea), Date.parse(at)),
  };
  const said = eventWords(event, writing);
  const { sign, colour, about = 'idea' in event && event.idea !== undefined ? event.idea : 'run' } = said;
  const one: Happened = {
    ...{ at: Date.parse(event.at), sign, who: about, text: listWords(said) },
    ...(colour ? { colour } : {}),
  };
  return event.kind === 'idea' && event.status === 'landed' && !staysLanded(event)
    ? { ...one, title: clean(event.title), ...tookOf(model, event.idea) }
    : one;
}

/** The state of the run when the event came. */
function stateThen({ log }: RunModel, event: StampedEvent): string | undefined {
  const then = log.findLast((one) => one.kind === 'run' && one.at <= event.at);
  return then?.kind === 'run' ? then.state : undefined;
}

/** An earlier run counts, too. */
const hadBegun = (idea: IdeaModel | undefined, at: number): boolean =>
  idea === undefined || idea.landedBefore || (idea.startedAt !== undefined && idea.startedAt <= at);

/** No iteration follows. */
function lastTry(idea: string, model: RunModel): boolean {
  const last = model.ideas.get(idea)?.iterations.at(-1);
  return last?.max !== undefined && last.number >= last.max;
}

/** The event holds a shortened question; an open idea and the event of its question hold the whole one. */
function wholeQuestion({ idea, reason = '' }: { idea: string; reason?: string }, { ideas, log }: RunModel): string {
  if (!reason.endsWith('…')) return reason;
  const begins = reason.slice(0, -1);
  const isWhole = (question: string | undefined): question is string => question?.startsWith(begins) === true;
  const open = ideas.get(idea)?.question;
  if (isWhole(open)) return open;
  const told = log.findLast((one) => one.kind === 'asks' && one.idea === idea && isWhole(one.question));
  return told?.kind === 'asks' ? told.question : reason;
}

function tookOf(model: RunModel, id: string): Pick<Happened, 'took'> {
  const idea = model.ideas.get(id);
  if (!idea || idea.spent.iterations === 0) return {};
  const { iterations, ms, dollars: cost } = idea.spent;
  return { took: { iterations, ms, cost: isReported(idea.spent, 'Dollars') ? dollars(cost) : UNKNOWN } };
}

/** Higher rates tell a reader nothing. */
const MOST_A_MINUTE = 500;

export function perMinute(model: RunModel, now: number): number {
  let count = 0;
  for (let index = model.log.length - 1; index >= 0 && count < MOST_A_MINUTE; index -= 1) {
    const event = model.log[index];
    if (!event || now - Date.parse(event.at) > 60_000) break;
    if (!isSmall(event)) count += 1;
  }
  return count;
}
