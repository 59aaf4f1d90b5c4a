/**
 * Formats run events as lines that a person can read while they scroll by. Pure.
 * Invariant: the glyph has the meaning without colour (G3). Text from agents has no control characters.
 */
import pc from 'picocolors';
import { took } from '../../decide/duration.js';
import type { AgentSignal } from '../../protocol/agent-run.js';
import type { BudgetLine, Spent } from '../../protocol/budget.js';
import { inOneLine } from '../../protocol/escapes.js';
import type { StampedEvent } from '../../protocol/events.js';
import type { AccountLine } from '../../protocol/limits.js';
import type { WarningLine } from '../../protocol/warnings.js';
import { pushLine, reviewLine } from './push-line.js';
import { dayOf, localTime } from './terminal.js';
import { rejectedLine, waveLine } from './wave-lines.js';
import { REFUSED, stateWord, trackerProblem, warningWord } from './words.js';

type Paint = ReturnType<typeof pc.createColors>;

/** One line; undefined for events without one. */
export function liveLine(event: StampedEvent, colour: boolean): string | undefined {
  const paint = pc.createColors(colour);
  const text = body(event, paint);
  return text === undefined ? undefined : `${paint.dim(clock(event.at))} ${text}`;
}

/** Formats the events of a run in their order. Adds the date when it changes, and whole questions. */
export class LiveLines {
  readonly #colour: boolean;
  readonly #questions = new Map<string, string>();
  /** What was shown of a question whose whole text comes later. */
  readonly #cut = new Map<string, string>();
  #day = dayOf(Date.now());

  constructor(colour: boolean) {
    this.#colour = colour;
  }

  lines(event: StampedEvent): string[] {
    const line = event.kind === 'asks' ? this.#rest(event) : liveLine(this.#whole(event), this.#colour);
    if (line === undefined) return [];
    const day = dayOf(Date.parse(event.at));
    if (day === this.#day) return [line];
    this.#day = day;
    return [dayLine(day, this.#colour), line];
  }

  /** The question, where only its beginning was shown. */
  #rest({ idea, question, at }: Extract<StampedEvent, { kind: 'asks' }>): string | undefined {
    this.#questions.set(idea, question);
    const shown = this.#cut.get(idea);
    this.#cut.delete(idea);
    if (shown === undefined || !question.startsWith(shown)) return undefined;
    const paint = pc.createColors(this.#colour);
    return `${paint.dim(clock(at))} ${paint.cyan('?')} ${paint.bold(idea)} asks, in full${asked(question)}`;
  }

  #whole(event: StampedEvent): StampedEvent {
    if (event.kind === 'iteration-end') {
      if (event.signal.kind === 'needs-human') this.#questions.set(event.idea, event.signal.question);
      else this.#questions.delete(event.idea);
    }
    if (event.kind !== 'idea' || event.status !== 'needs-human' || !event.reason?.endsWith('…')) return event;
    const question = this.#questions.get(event.idea);
    const shown = event.reason.slice(0, -1);
    if (question?.startsWith(shown)) return { ...event, reason: question };
    this.#cut.set(event.idea, shown);
    return event;
  }
}

export const dayLine = (day: string, colour: boolean): string => pc.createColors(colour).dim(`── ${day} ──`);

function body(event: StampedEvent, paint: Paint): string | undefined {
  switch (event.kind) {
    case 'run':
      return `${paint.bold(`run ${stateWord(event.state)}`)}${event.why ? `: ${clean(event.why)}` : ''} (${event.landed}/${event.total} landed${event.before ? `, ${event.before} of them before this run` : ''})`;
    case 'idea':
      return ideaBody(event, paint);
    case 'iteration':
      return undefined;
    case 'iteration-end': {
      const commits = event.commits === 0 ? '' : `, ${event.commits} ${event.commits === 1 ? 'commit' : 'commits'}`;
      const what = event.outcome === 'ok' ? claimText(event, paint) : paint.red(outcomeText(event));
      return `${paint.dim('·')} ${event.idea} iteration ${event.iteration}: ${what}${paint.dim(`${commits}, ${took(event.durationMs)}`)}${escapedText(event, paint)}`;
    }
    case 'gate': {
      const tests = event.tests ? `, ${event.tests.passed}/${event.tests.total} tests passing` : '';
      const flaky = event.flaky ? paint.yellow(`, flaky: ${clean(event.flaky.join(', '))}`) : '';
      const tolerated = event.tolerated
        ? paint.yellow(`, tolerated: ${clean(event.tolerated.join(', '))} (red on the base, too)`)
        : '';
      const look = event.tripwires ? `\n  ${paint.yellow('!')} ${clean(event.tripwires.join('; '))}` : '';
      if (event.pass)
        return `${paint.dim('·')} ${event.idea} gate green${event.merged ? ' on the merged tree' : ''}${paint.dim(`${tests}, ${took(event.durationMs)}`)}${flaky}${tolerated}${look}${escapedText(event, paint)}`;
      return `${paint.red('✗')} ${event.idea} gate red${event.merged ? ' on the merged tree' : ''}: ${clean(event.command ?? '')}${paint.dim(tests)}${escapedText(event, paint)}`;
    }
    case 'landing':
    case 'gate-start':
    case 'step-start':
    case 'asks':
      return undefined;
    case 'bounced':
      return `${paint.yellow('↺')} ${event.idea} does not land: ${clean(event.why)}; its agent gets it back`;
    case 'step':
      return `${event.state === 'complete' ? paint.green('▣') : paint.yellow('▢')} ${event.idea} step ${clean(event.step)} ${event.state}${event.why ? paint.dim(`: ${clean(event.why)}`) : ''}`;
    case 'waiting':
      return `${paint.dim('…')} ${event.idea} waits ${took(event.ms)}: ${clean(event.why)}`;
    case 'answered':
      // The event of the command shows it.
      return undefined;
    case 'command': {
      const about = event.idea ? `${event.verb} ${event.idea}` : event.verb;
      const reason = event.reason ? ` (${clean(event.reason)})` : '';
      return `${paint.cyan('!')} ${about}${reason}: ${clean(event.done)}`;
    }
    case 'refused':
      return `${paint.yellow('!')} ${event.idea ? `${event.verb} ${event.idea}` : event.verb} was refused: ${clean(event.why)}`;
    case 'delivered':
      return `${paint.cyan('!')} ${event.idea} received ${receivedText(event)} (agent run ${event.serial})`;
    case 'interrupted':
      return `${paint.yellow('◫')} ${event.idea} iteration ${event.iteration} was interrupted; it is not charged`;
    case 'parked':
      return `${paint.yellow('◷')} ${event.idea} could not work: ${event.trouble.agent} ${REFUSED[event.trouble.kind]}: ${clean(event.trouble.message)}`;
    case 'held':
      return `${paint.yellow('◷')} ${event.idea} holds and keeps its work: ${clean(event.why)}${paint.dim('; to continue: ralphctl budget raise')}`;
    case 'account':
      return `${paint.yellow('◷')} ${accountText(event.account)}`;
    case 'warning':
      return `${paint.yellow('!')} ${event.idea ? `${event.idea} ` : ''}${warningWord(event.warning)}: ${clean(event.text)}${event.idea ? paint.dim(`; ralphctl warn ${event.idea} continue|stop|+N`) : ''}`;
    case 'warning-over':
      return `${paint.dim('·')} ${event.idea ? `${event.idea} ` : ''}warning over: ${warningWord(event.warning)}`;
    case 'review':
      return reviewLine(event, paint);
    case 'push':
      return pushLine(event, paint);
    case 'alert':
      return event.state === 'failed'
        ? `${paint.yellow('!')} the alert to ${clean(event.row)} could not be delivered: ${clean(event.why ?? '')}`
        : undefined;
    case 'tracker':
      return trackerProblem(event.state) === undefined
        ? undefined
        : `${paint.yellow('!')} ${trackerProblem(event.state)} ${event.idea}: ${clean(event.why ?? '')}`;
    case 'wave':
      return waveLine(event, paint);
    case 'rejected':
      return rejectedLine(event, paint);
    case 'escalated':
      return `${paint.yellow('↑')} ${event.idea} made no progress in ${event.iterations} iterations: ${RUNG[event.rung]}`;
    case 'agent':
      return `${paint.blue('⇄')} ${event.idea} continues with ${event.agent}${event.before ? paint.dim(` instead of ${event.before}`) : ''}${event.why ? paint.dim(`: ${clean(event.why)}`) : ''}`;
    case 'all-limited':
      // The event of the run's state shows it.
      return undefined;
  }
}

const RUNG = {
  nudge: 'its next prompt asks for another way',
  fresh: 'its next prompt asks for a fresh start',
  stronger: 'it continues with a stronger model or effort',
  other: 'another agent continues',
  ask: 'it asks you',
} as const;

/** One account, its agents and why it waits. Times are local. */
export function accountText({ key, agents, state, kind, reason, until, probe }: AccountLine): string {
  const name = agents.length > 0 ? `${agents.join(', ')} (${key})` : key;
  if (state === 'open') return `${name} is open`;
  const why = `${REFUSED[kind ?? 'limited']}: ${clean(reason ?? '')}`;
  if (state === 'probing') return `${probe ?? 'the next idea'} retries ${name}; it ${why}`;
  const again = kind === 'auth' ? '; log in, then: ralphctl limits retry' : '';
  return `${name} ${why}${until === undefined ? again : `; resumes at ${localTime(until)}`}`;
}

/** One budget, its use, and how much is unknown. */
export function budgetText({ dimension, used, most, unknown }: BudgetLine): string {
  const shown = Math.round(used * 100) / 100;
  const runs = unknown === 1 ? '1 run' : `${unknown} runs`;
  return `${shown} of ${most} ${dimension} used${unknown > 0 ? `, not counting ${runs} that did not report it` : ''}`;
}

/** Tokens and money of one idea. */
export function spentText({ tokens, dollars, unknownTokens, unknownDollars }: Spent): string {
  const some = (unknown: number): string => (unknown > 0 ? '+?' : '');
  if (tokens === 0 && dollars === 0 && unknownTokens > 0 && unknownDollars > 0) return 'tokens and cost not reported';
  const used = tokens > 0 ? `${tokens}${some(unknownTokens)}` : unknownTokens > 0 ? 'unknown' : '0';
  const cost =
    dollars > 0 ? `$${dollars.toFixed(2)}${some(unknownDollars)}` : unknownDollars > 0 ? 'cost unknown' : '$0';
  return `${used} tokens, ${cost}`;
}

export function warningText({ idea, kind, text }: WarningLine): string {
  return `${idea ? `${idea} ` : ''}${warningWord(kind)}: ${clean(text)}${idea ? `; ralphctl warn ${idea} continue|stop|+N` : ''}`;
}

/** Indents a text below a line, after its time. */
const UNDER = ' '.repeat(11);

/** Advice of ralphctl itself is nobody's message. */
function receivedText({ notes, fromProgram = 0 }: { notes: number; fromProgram?: number }): string {
  const yours = notes - fromProgram;
  const parts = [
    ...(yours > 0 ? [yours === 1 ? 'your message' : `${yours} of your messages`] : []),
    ...(fromProgram > 0 ? ['the advice of ralphctl'] : []),
  ];
  return parts.join(' and ');
}

/** A whole question, with its line breaks. */
function asked(question: string | undefined): string {
  if (!question) return '';
  const lines = paragraphs(question);
  return lines.length === 1 ? `: ${lines[0]}` : `:\n${lines.map((line) => `${UNDER}| ${line}`).join('\n')}`;
}

function ideaBody(event: Extract<StampedEvent, { kind: 'idea' }>, paint: Paint): string | undefined {
  const reason = event.reason ? `: ${clean(event.reason)}` : '';
  switch (event.status) {
    case 'running':
      return `${paint.blue('▸')} ${paint.bold(event.idea)} ${clean(event.title)} ${paint.dim(event.agentName ?? '')}`;
    case 'landed':
      return `${paint.green('✓')} ${paint.bold(event.idea)} landed ${paint.dim(event.commit?.slice(0, 8) ?? '')}${reason}`;
    case 'needs-human':
      return `${paint.cyan('?')} ${paint.bold(event.idea)} asks${asked(event.reason)}\n${UNDER}answer with: ralphctl answer ${event.idea} "…"`;
    case 'blocked':
      return `${paint.yellow('⊗')} ${paint.bold(event.idea)} blocked${reason}`;
    case 'timeout':
      return `${paint.yellow('◔')} ${paint.bold(event.idea)} timed out${reason}; its worktree is kept`;
    case 'failed':
      return `${paint.red('✗')} ${paint.bold(event.idea)} failed${reason}; its worktree is kept`;
    case 'paused':
      return `${paint.dim('◫')} ${event.idea} paused`;
    case 'skipped':
      return `${paint.dim('⊘')} ${event.idea} skipped${reason}`;
    case 'abandoned':
      return `${paint.dim('⊘')} ${event.idea} abandoned${reason}`;
    case 'pending':
      return `${paint.dim('◦')} ${event.idea} is pending again${reason}`;
    case 'wants-slot':
    case 'landing':
      return undefined;
  }
}

export function signalText(signal: AgentSignal, paint: Paint = pc.createColors(false)): string {
  switch (signal.kind) {
    case 'complete':
      return paint.green('COMPLETE');
    case 'blocked':
      return paint.yellow(`BLOCKED: ${clean(signal.reason)}`);
    case 'needs-human':
      return paint.cyan(`NEEDS_HUMAN: ${clean(signal.question, 80)}`);
    case 'progress':
      return paint.blue(`PROGRESS ${signal.percent} %`);
    case 'none':
      return paint.gray('(no signal)');
  }
}

/** The signal, and why a COMPLETE does not count. */
export function claimText(
  { signal, turnedDown }: { signal: AgentSignal; turnedDown?: string },
  paint: Paint = pc.createColors(false),
): string {
  const said = signalText(signal, paint);
  return turnedDown === undefined ? said : `${said}${paint.yellow(`, turned down: ${clean(turnedDown)}`)}`;
}

function escapedText({ escaped = [], late = [] }: { escaped?: string[]; late?: string[] }, paint: Paint): string {
  const lines = [
    ...(escaped.length > 0
      ? [
          `ended ${escaped.length === 1 ? 'a process' : 'processes'} that had left the run: ${clean(escaped.join(', '))}`,
        ]
      : []),
    ...(late.length > 0 ? [`changed after the agent had ended: ${clean(late.join(', '))}`] : []),
  ];
  return lines.map((line) => `\n  ${paint.yellow('!')} ${line}`).join('');
}

function outcomeText(event: Extract<StampedEvent, { kind: 'iteration-end' }>): string {
  return event.outcome === 'timeout' ? 'timed out' : `failed: ${clean(event.message ?? '')}`;
}

/** `1 idea`, `2 ideas`. */
export const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

const clock = (at: string): string => new Date(at).toTimeString().slice(0, 8);

/** A whole text with its line breaks, each line after `indent`, without terminal control characters. */
export const paragraphs = (text: string, indent = ''): string[] =>
  text.split(/\r?\n/).map((line) => `${indent}${clean(line, Number.POSITIVE_INFINITY)}`.trimEnd());

/** One line, without terminal control characters. */
export function clean(text: string, most = 300): string {
  const plain = inOneLine(text);
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}
