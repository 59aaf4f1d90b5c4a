/**
 * The phrase book: the words of every event, the same in the logs, in *Lately* and on *Log*.
 * Invariant: an event has one wording. A line of its own begins with the words that a list shows and adds to them; only
 * an event whose subject is no idea words both. Every kind has words, even an unknown one. Foreign text passes through
 * the cleaner. Pure.
 */
import { cleanedText } from '../../decide/retention/words.js';
import type { StampedEvent } from '../../protocol/events.js';
import { isNoGate } from '../../protocol/gate.js';
import { beginsAgain } from '../../protocol/idea-news.js';
import type { AccountLine } from '../../protocol/limits.js';
import { LONGEST_WARNING } from '../../protocol/warnings.js';
import { type Colour, dim, type Line, line, type Part, plainLine } from '../text/line.js';
import { many } from '../text/numbers.js';
import { activityWords } from './activity-words.js';
import { alertWords, trackerWords } from './delivered-words.js';
import { whyRed } from './gate-words.js';
import { ideaWords } from './idea-words.js';
import { leftWords } from './left-words.js';
import { pushWords, reviewText } from './push-words.js';
import { type Cleaner, claimLine, receivedText } from './signal-words.js';
import { limitWord, stateWord, troubleVerb, warningWord } from './state-words.js';
import { rejectedWords, waveWords } from './wave-words.js';

export type Of<Kind extends StampedEvent['kind']> = Extract<StampedEvent, { kind: Kind }>;

/** How the reader of the words writes. */
export interface Writing {
  clean: Cleaner;
  /** How long something took. */
  took: (ms: number) => string;
  clock: (at: number) => string;
  /** The question of an idea that asks, with what stands before it. */
  question: (event: Of<'idea'>) => string;
  /** An account in a line of its own. */
  account: (account: AccountLine) => string;
  /** Whether another iteration follows a red gate; undefined where nobody knows. */
  hasNext?: (idea: string) => boolean;
  /** Whether the run was at its end when the idea went back to the backlog. */
  stops?: (event: Of<'idea'>) => boolean;
  /** Whether the idea had begun before the event; undefined where nobody knows. */
  begun?: (event: Of<'idea'>) => boolean;
}

export interface EventWords {
  sign: string;
  colour?: Colour;
  /** The subject, where it is neither the event's idea nor the run. */
  about?: string;
  /** Beside the subject in a list. */
  words: Line;
  /** What a line of its own adds. */
  more?: Line;
  /** Replaces all but the sign in a line of its own, whose subject is no idea. */
  alone?: Line;
  /** An idea changed its state: a line of its own prints its name bold. */
  loud?: true;
  /** Another line of the logs has it already, or it is too small for them. */
  quiet?: true;
}

/** The reason may name several commands. */
const LONGEST = 700;

const RUNGS: Readonly<Record<Of<'escalated'>['rung'], string>> = {
  nudge: 'its next prompt asks for another way',
  fresh: 'its next prompt asks for a fresh start',
  stronger: 'it continues with a stronger model or effort',
  other: 'another agent continues',
  ask: 'it asks you',
};

export const rungWords = (rung: string): string => RUNGS[rung as keyof typeof RUNGS] ?? rung;

export function eventWords(event: StampedEvent, as: Writing): EventWords {
  const { clean, took } = as;
  const say = (sign: string, colour: Colour | undefined, ...words: Part[]): EventWords => ({
    sign,
    ...(colour ? { colour } : {}),
    words: line(...words),
  });
  const why = (text: string | undefined): string => (text ? `: ${clean(text)}` : '');
  switch (event.kind) {
    case 'run':
      return runWords(event, as);
    case 'idea':
      return ideaWords(event, as);
    case 'iteration': {
      const by = event.agent ? `, ${clean(event.agent)}` : '';
      return { ...say('▸', 'blue', `iteration ${event.iteration} of ${event.max} begins${by}`), quiet: true };
    }
    case 'iteration-end': {
      const end: Part = event.outcome === 'ok' ? claimLine(event, clean) : { text: endWords(event, as), colour: 'red' };
      const commits = event.commits > 0 ? `, ${many(event.commits, 'commit')}` : '';
      const one = say('·', 'gray', `iteration ${event.iteration}: `, end, dim(`${commits}, ${took(event.durationMs)}`));
      return { ...one, more: line(...repaired(event, clean), ...escaped(event, clean)) };
    }
    case 'gate':
      return gateEvent(event, as);
    case 'gate-start':
      return { ...say('▹', 'blue', `gate ${event.number} of ${event.of}: ${clean(event.command)}`), quiet: true };
    case 'activity':
      return { ...say('▹', 'blue', activityWords(event, clean)), quiet: true };
    case 'landing':
      return { ...say('▴', 'blue', 'lands'), quiet: true };
    case 'bounced':
      return say('↺', 'yellow', `does not land: ${clean(event.why)}; its agent gets it back`);
    case 'step-start': {
      const words = `step ${event.number} of ${event.of} begins: ${clean(event.step)}`;
      return { ...say('▸', 'blue', words), quiet: true };
    }
    case 'step': {
      const [sign, colour]: [string, Colour] = event.state === 'complete' ? ['·', 'green'] : ['·', 'yellow'];
      return say(sign, colour, `step ${clean(event.step)} ${event.state}${why(event.why)}`);
    }
    case 'waiting':
      return say('◷', 'yellow', `waits ${took(event.ms)}: ${clean(event.why)}`);
    case 'asks':
      // In the logs, the event of the idea's state asks.
      return { ...say('?', 'cyan', `asks: ${clean(event.question)}`), quiet: true };
    case 'answered': {
      // In the logs, the event of the command shows it.
      const words = event.text ? `you answered: ${clean(event.text)}` : 'takes your answer';
      return { ...say('›', 'cyan', words), quiet: true };
    }
    case 'command': {
      if (beginsAgain(event)) return { ...say('·', 'gray', clean(event.done)), alone: line(clean(event.done)) };
      const told = event.text ?? event.reason;
      const end = `${told ? ` (${clean(told)})` : ''}: ${clean(event.done)}`;
      return { ...say('›', 'cyan', `you: ${event.verb}${end}`), alone: line(`you: ${verbOf(event)}${end}`) };
    }
    case 'refused': {
      const end = ` was refused: ${clean(event.why)}`;
      return { ...say('!', 'yellow', `${event.verb}${end}`), alone: line(`${verbOf(event)}${end}`) };
    }
    case 'delivered':
      return say('›', 'cyan', `received ${receivedText(event)} (agent run ${event.serial})`);
    case 'left':
      return say('!', 'yellow', leftWords(clean(event.why)));
    case 'gone':
      return say('!', 'yellow', clean(event.text));
    case 'interrupted':
      return event.gate
        ? say('◫', 'gray', `the gate of iteration ${event.iteration} was interrupted; it runs again`)
        : say('◫', 'gray', `iteration ${event.iteration} was interrupted; it is not charged`);
    case 'parked': {
      const { agent, kind, message } = event.trouble;
      return say('◷', 'yellow', `could not work: ${clean(agent)} ${troubleVerb(kind)}: ${clean(message)}`);
    }
    case 'held': {
      const more = line(dim('; to continue: ralphctl budget raise'));
      return { ...say('◷', 'yellow', `holds and keeps its work: ${clean(event.why)}`), more };
    }
    case 'account':
      return accountWords(event.account, as);
    case 'agent': {
      const before = event.before ? ` instead of ${clean(event.before)}` : '';
      return say('⇄', 'blue', `continues with ${clean(event.agent)}${before}${why(event.why)}`);
    }
    case 'all-limited':
      // In the logs, the event of the run's state shows it.
      return { ...say('◷', 'yellow', `no agent can work: ${clean(event.why)}`), quiet: true };
    case 'escalated':
      return say('!', 'yellow', `made no progress in ${many(event.iterations, 'iteration')}: ${rungWords(event.rung)}`);
    case 'alert':
      return alertWords(event, as);
    case 'review':
      return say('⇡', 'blue', clean(reviewText(event), LONGEST));
    case 'reverted':
      return say('⊖', 'yellow', `landed, and ${clean(event.text, LONGEST)}`);
    case 'push': {
      const [what, of, rest] = pushWords(event).map((part) => clean(part, LONGEST));
      const one = say(...pushSign(event), what ?? '', dim(of ?? ''), rest ?? '');
      return { ...one, alone: one.words };
    }
    case 'tracker':
      return trackerWords(event, as);
    case 'wave': {
      const [sign, colour]: [string, Colour] = ['≋', event.state === 'waits' ? 'yellow' : 'blue'];
      const one = { ...say(sign, colour, waveWords(event, clean, took)), about: `wave ${event.wave}` };
      return event.state === 'over' ? { ...one, alone: one.words } : { ...one, loud: true };
    }
    case 'rejected': {
      const words = rejectedWords(event, clean);
      const about = clean(event.report, 60);
      return { ...say('⊘', 'gray', ...words), about, alone: line(`report ${about} `, ...words) };
    }
    case 'warning': {
      const more = event.idea ? line(dim(`; ralphctl warn ${event.idea} continue|stop|+N`)) : [];
      return { ...say('!', 'yellow', `${warningWord(event.warning)}: ${clean(event.text, LONGEST_WARNING)}`), more };
    }
    case 'cleaned':
      return say('·', 'gray', `cleaned: ${cleanedText(event)}`);
    case 'warning-over':
      return say('·', 'gray', `warning over: ${warningWord(event.warning)}`);
    default:
      return { ...say('·', 'gray', clean(String((event as { kind: unknown }).kind))), quiet: true };
  }
}

const verbOf = ({ verb, idea }: { verb: string; idea?: string }): string => (idea ? `${verb} ${idea}` : verb);
const pushSign = ({ state }: Of<'push'>): [string, Colour] => (state === 'held' ? ['!', 'yellow'] : ['⇡', 'green']);

function runWords({ state, why, landed, total, before }: Of<'run'>, { clean }: Writing): EventWords {
  const word = stateWord(state);
  const end = why ? `: ${clean(why)}` : '';
  const counts = ` (${landed}/${total} landed${before ? `, ${before} of them before this run` : ''})`;
  const alone = line({ text: `run ${word}`, bold: true }, `${end}${counts}`);
  return { sign: '·', colour: 'gray', words: line(`${word}${end}`), alone };
}

const endWords = ({ outcome, message }: Of<'iteration-end'>, { clean }: Writing): string =>
  outcome === 'timeout' ? 'timed out' : `failed: ${clean(message ?? '')}`;

function gateEvent(event: Of<'gate'>, { clean, took, hasNext }: Writing): EventWords {
  if (isNoGate(event)) {
    const words = event.merged ? 'lands without a gate' : 'no gate judges its work';
    return { sign: '·', colour: 'gray', words: line(words), more: escaped(event, clean) };
  }
  const where = event.merged ? 'gate on the merged tree' : 'gate';
  const tests = dim(event.tests ? `, ${event.tests.passed}/${event.tests.total} passing` : '');
  const flaky = event.flaky?.length ? `, flaky: ${clean(event.flaky.join(', '))}` : '';
  if (!event.pass) {
    const next = !event.merged && hasNext?.(event.idea) ? '; the failure is in its next prompt' : '';
    const words = line(`${where} red: ${clean(event.command ?? '')}`, tests, next);
    const why = whyRed(event).flatMap((text) => under(clean(text)));
    return { sign: '✗', colour: 'red', words, more: line(...why, ...escaped(event, clean)) };
  }
  const tolerated = event.tolerated?.length
    ? `, tolerated: ${clean(event.tolerated.join(', '))} (red on the base, too)`
    : '';
  const notes: Part = { text: `${flaky}${tolerated}`, colour: 'yellow' };
  const trips = event.tripwires?.length ? under(clean(event.tripwires.join('; '))) : [];
  const time = event.same === undefined ? took(event.durationMs) : `same tree as ${clean(event.same)}`;
  const more = line(dim(`, ${time}`), ...trips, ...escaped(event, clean));
  return { sign: '✓', colour: 'green', words: line(`${where} green`, tests, notes), more };
}

/** A line below the event's own. */
const under = (text: string): Line => line('\n  ', { text: '!', colour: 'yellow' }, ` ${text}`);

const repaired = ({ repaired: how = [] }: Of<'iteration-end'>, clean: Cleaner): Line =>
  how.length > 0 ? under(`the agent had left its branch; ralphctl ${clean(how.join(', '))}`) : [];

function escaped({ escaped: gone = [], late = [] }: { escaped?: string[]; late?: string[] }, clean: Cleaner): Line {
  const processes = gone.length === 1 ? 'a process' : 'processes';
  return line(
    ...(gone.length > 0 ? under(`ended ${processes} that had left the run: ${clean(gone.join(', '))}`) : []),
    ...(late.length > 0 ? under(`changed after the agent had ended: ${clean(late.join(', '))}`) : []),
  );
}

export const agentsOf = ({ agents, key }: AccountLine, clean: Cleaner): string => clean(agents.join(', ') || key);

function accountWords(account: AccountLine, { clean, clock, account: whole }: Writing): EventWords {
  const one = { about: agentsOf(account, clean), alone: line(whole(account)) };
  if (account.state === 'open') return { ...one, sign: '✓', colour: 'green', words: line('open again') };
  const until = account.until === undefined ? '' : `, until ${clock(account.until)}`;
  const tried = account.state === 'probing' ? '; tried again' : '';
  return { ...one, sign: '◷', colour: 'yellow', words: line(`${limitWord(account)}${until}${tried}`) };
}

/** Beside the subject in a list. */
export const listWords = (words: EventWords): string => plainLine(words.words);

/** A line of its own, without its time; undefined for what the logs leave out. */
export function ownLine(event: StampedEvent, as: Writing): Line | undefined {
  const { sign, colour, about, words, more = [], alone, loud, quiet } = eventWords(event, as);
  if (quiet) return undefined;
  // The state of the run needs no sign: its words are bold.
  const start: Line = event.kind === 'run' ? [] : line({ text: sign, ...(colour ? { colour } : {}) }, ' ');
  if (alone) return line(...start, ...alone);
  const who = about ?? ('idea' in event ? event.idea : undefined);
  const subject: Part = who === undefined ? '' : { text: who, ...(loud ? { bold: true } : {}) };
  return line(...start, subject, who === undefined ? '' : ' ', ...words, ...more);
}
