/**
 * The schema of a run's events, one JSON line each (G6): it is published, and every line that is read must fit it. A file
 * may be damaged, or someone may have edited it, and no view may fail because of one line.
 * Invariant: it has exactly the kinds and the fields of `protocol/events.ts`; the compiler compares the two. Unknown
 * fields stay allowed, because a newer version may write more.
 */
import { z } from 'zod';
import type { RunEvent, StampedEvent } from '../../protocol/events.js';
import { inputSchema, type JsonSchema } from '../zod-problems.js';
import {
  account,
  amount,
  asked,
  asking,
  at,
  cleaned,
  counted,
  duration,
  escaped,
  event,
  flag,
  held,
  idea,
  ideaStatus,
  iteration,
  leftWhy,
  mode,
  parked,
  push,
  reverted,
  review,
  rung,
  serial,
  shown,
  signal,
  spent,
  step,
  stepState,
  teller,
  text,
  texts,
  trackerState,
  usage,
  warningKind,
} from './event-parts.js';
import { around, gateEnd, gateStart } from './gate-events.js';
import { rejected, wave } from './wave-events.js';

const KINDS: { [Kind in RunEvent['kind']]: z.ZodObject } = {
  run: event(
    'run',
    'The run came to this state.',
    {
      state: shown,
      landed: counted('Ideas that have landed.'),
      total: counted('Ideas of the run.'),
    },
    {
      why: text('Why it is in this state.'),
      before: counted('Of the landed ideas, those from before this run.'),
      ticked: texts('When the run begins: ideas that are ticked and not on the target. No number counts them.'),
      mode,
      slots: counted('Agents that run at once.'),
      spent: spent('By all ideas of this run so far.'),
    },
  ),
  idea: event(
    'idea',
    'An idea came to this status.',
    { idea, title: text('Title of the idea.'), status: ideaStatus },
    {
      agentName: text('Name of its slot.'),
      gating: flag(
        'Running: its agent has ended, its slot is free for others, and its work is settled or its gate runs.',
      ),
      reason: text('Why it has this status. A question is cut here; the event `asks` has it whole.'),
      commit: text('Commit on the target, of a landed idea.'),
      waits: flag('Its work is done and lands later; the reason says why.'),
      held: flag('Pending, but on hold by a person.'),
      approval: flag('Waits for an approval, or an approval answers its question.'),
      retries: counted('Failed tries before this one.'),
      unworked: flag('It failed before an iteration of it counted, so it may have no worktree.'),
    },
  ),
  landing: event('landing', 'An idea begins to land.', { idea }, {}),
  bounced: event(
    'bounced',
    'A landing did not go through; the agent gets the idea back.',
    { idea, why: text('Why it did not land.') },
    {},
  ),
  iteration: event(
    'iteration',
    'An agent run begins.',
    {
      idea,
      serial,
      iteration,
      max: counted('Iterations that the idea may use.'),
      agentName: text('Name of its slot.'),
    },
    {
      agent: text('Agent from the configuration.'),
      model: text('Model of the agent.'),
      limitMs: amount('Time that the idea may work in all, milliseconds.'),
      base: text('Commit that the work of the idea stands on.'),
      step: step('Current step of its plan.'),
    },
  ),
  'iteration-end': event(
    'iteration-end',
    'An agent run ended.',
    {
      idea,
      serial,
      iteration,
      signal,
      outcome: z.enum(['ok', 'timeout', 'failed']).describe('How the agent run ended.'),
      durationMs: duration,
      commits: counted('Commits of this run.'),
    },
    {
      turnedDown: text('Why its COMPLETE does not count.'),
      message: text('Why the run failed.'),
      agent: text('Agent from the configuration.'),
      model: text('Model that it used.'),
      usage: usage('As the agent reported it; missing where it reported nothing.'),
      words: text('Last words of the agent, cut.'),
      ...{ escaped, uncharged: flag('It cost no iteration.') },
      unused: flag('It had no turn, so that it used nothing.'),
      repaired: texts("How ralphctl brought the worktree back to the idea's branch, which the agent had left."),
    },
  ),
  'gate-start': gateStart,
  activity: around,
  gate: gateEnd,
  'step-start': event(
    'step-start',
    'A step of a plan begins.',
    {
      idea,
      step: text('Id of the step.'),
      phase: text('Name of its phase.'),
      number: counted('Its number, from 1.'),
      of: counted('Number of steps.'),
    },
    {},
  ),
  step: event(
    'step',
    'A step of a plan is over.',
    { idea, step: text('Id of the step.'), phase: text('Name of its phase.'), state: stepState },
    {
      why: text('Why it was skipped, or failed.'),
      number: counted('Its number, from 1.'),
      of: counted('Number of steps.'),
    },
  ),
  waiting: event(
    'waiting',
    'An idea waits before it tries again.',
    { idea, why: text('Why it waits.'), ms: duration },
    {},
  ),
  asks: event('asks', 'An idea asks a person.', { idea, asking, question: text('The whole question.') }, { id: asked }),
  answered: event(
    'answered',
    'A question was answered.',
    { idea },
    { text: text('The answer.'), by: teller, id: asked, who: text('Account of the person on their machine.') },
  ),
  command: event(
    'command',
    'A command of a person, and its outcome.',
    { verb: text('Name of the command.'), done: text('What it did, as a sentence.') },
    {
      ...{ idea, reason: text('Reason that the person gave.'), text: text('Text that the person gave.'), by: teller },
      afterRun: flag('No run was open: it changes how the idea stands, and not what the run did.'),
      forgets: flag(
        '`--forget`: the next start does not carry out the earlier commands of this kind. Answers go with hints.',
      ),
    },
  ),
  refused: event(
    'refused',
    'A command or message that was refused.',
    { verb: text('Name of the command.'), why: text('Why it was refused.') },
    { idea, text: text('Text that the person gave.'), by: teller },
  ),
  delivered: event(
    'delivered',
    'Hints and answers were in the prompt of this agent run.',
    { idea, serial, notes: counted('Number of hints and answers.') },
    { fromProgram: counted('Of these, the ones that ralphctl wrote.') },
  ),
  gone: event(
    'gone',
    'Somebody had deleted the branch and the worktree of an idea before it went on.',
    { idea, text: text('From which save it goes on, or that it begins anew.') },
    {},
  ),
  interrupted: event(
    'interrupted',
    'A person ended an agent run; it is not charged.',
    { idea, iteration },
    { gate: flag('Only the gate of this iteration was ended; it runs again.') },
  ),
  left: event('left', 'An earlier run left the idea open, and this one tells it to end.', { idea, why: leftWhy }, {}),
  parked: event(
    'parked',
    'An agent could not work. The idea waits for another agent, or for the end of the limit.',
    ...parked,
  ),
  held: event('held', 'A budget is used up. The idea released its slot and resumes later where it stopped.', ...held),
  account: event(
    'account',
    'An account or agent was closed, is being tried, or is open again.',
    { account: account('The account.') },
    {},
  ),
  'all-limited': event(
    'all-limited',
    'No agent can work, so nothing runs.',
    { why: text('Why, for each account.') },
    {
      until: amount('When the run resumes by itself, epoch milliseconds. Missing: only a person can resume it.'),
    },
  ),
  agent: event(
    'agent',
    'The idea continues with another agent.',
    { idea, agent: text('The agent from now on.') },
    { before: text('The agent until now.'), why: text('Why ralphctl changed the agent.') },
  ),
  escalated: event(
    'escalated',
    'The idea made no progress, and ralphctl reacts.',
    { idea, rung, iterations: counted('Iterations without progress.') },
    {},
  ),
  review: event('review', 'The pull request of an idea is open, or there is news about it.', ...review),
  reverted: event('reverted', 'A commit of a person took landed work of the idea off the target.', ...reverted),
  push: event('push', 'The target reached its remote, or did not.', ...push),
  alert: event(
    'alert',
    'An alert left for a row of `notify`, rings in attached terminals, or could not be delivered.',
    {
      row: text('Name of the row.'),
      state: z.enum(['delivered', 'failed', 'bell']).describe('bell: attached terminals ring.'),
      events: counted('How many events it tells.'),
    },
    { why: text('Why it could not be delivered.') },
  ),
  tracker: event(
    'tracker',
    'What a tracker was told of an idea, or answered.',
    { idea, state: trackerState },
    { why: text('Who has it, or why it did not work.') },
  ),
  wave: event('wave', 'A wave began or ended, or waits, or no further one begins.', ...wave),
  rejected: event('rejected', 'Triage rejects a report of the source.', ...rejected),
  cleaned: event('cleaned', 'Ralphctl removed what `retention` in the configuration lets go.', ...cleaned),
  warning: event(
    'warning',
    'A warning. Without an idea it is about the run.',
    { warning: warningKind, text: text('The warning, as a sentence.') },
    { idea },
  ),
  'warning-over': event(
    'warning-over',
    'A warning is over: its cause is gone, or a person has answered it.',
    { warning: warningKind },
    { idea },
  ),
};

const SHAPES: ReadonlyMap<unknown, z.ZodType> = new Map(Object.entries(KINDS));
/** Of a kind that only a newer version knows. */
const UNKNOWN = z.object({ at, kind: z.string(), idea: idea.optional() });
const KIND = z.object({ kind: z.string() });

/** Also true for an unknown kind, and for unknown fields. Never throws. */
export function isEvent(value: unknown): value is StampedEvent {
  const named = KIND.safeParse(value);
  return named.success && (SHAPES.get(named.data.kind) ?? UNKNOWN).safeParse(value).success;
}

export function eventsJsonSchema(): JsonSchema {
  const [first, ...rest] = Object.values(KINDS);
  if (!first) throw new Error('there are no events');
  return {
    ...inputSchema(z.union([first, ...rest])),
    title: 'Events of a ralphctl run',
    description: 'One JSON line of `ralphctl events`. A newer version may add kinds and fields.',
  };
}
