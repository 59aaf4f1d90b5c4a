/**
 * The parts of the schema of events.
 * Invariant: each has exactly the fields of its type in the protocol; the compiler compares the two.
 */
import { z } from 'zod';
import type { Usage } from '../../protocol/agent-run.js';
import type { Spent } from '../../protocol/budget.js';
import type { RunMode, Teller } from '../../protocol/command.js';
import { HELD_CAUSES } from '../../protocol/delivery.js';
import type { Activity, Asking, RunEvent } from '../../protocol/events.js';
import type { GateCommandResult, TestCounts } from '../../protocol/gate.js';
import { IDEA_ID } from '../../protocol/idea.js';
import type { AccountLine, Trouble, TroubleKind } from '../../protocol/limits.js';
import { IDEA_STATUSES, type ShownState } from '../../protocol/states.js';
import type { Rung, WarningLine } from '../../protocol/warnings.js';

type MayMiss<T, K extends keyof T> = T extends Record<K, T[K]> ? false : true;

/** A schema for each required field of `T`, and for each optional one. */
export type Fields<T> = { [K in keyof T as MayMiss<T, K> extends true ? never : K]: z.ZodType<T[K]> };
export type MayFields<T> = {
  [K in keyof T as MayMiss<T, K> extends true ? K : never]-?: z.ZodType<Exclude<T[K], undefined>>;
};

export const text = (about: string) => z.string().describe(about);
export const texts = (about: string) => z.array(z.string()).describe(about);
/** The bounds keep every sum and every date of a view valid, whatever somebody writes into the file. */
export const counted = (about: string) => z.int().min(0).max(1e9).describe(about);
export const amount = (about: string) => z.number().min(0).max(1e15).describe(about);
export const exitCode = (about: string) => z.int().nullable().describe(about);
export const flag = (about: string) => z.literal(true).describe(about);
export const duration = amount('Duration in milliseconds.');

/** All values of a type: the compiler refuses a list with one missing. */
const oneOf = <T extends string>(about: string, all: Record<T, true>) =>
  z.enum(Object.keys(all) as [T, ...T[]]).describe(about);

const part =
  <T>(fields: Fields<T>, optional: MayFields<T>) =>
  (about: string): z.ZodType<T> => {
    const may = Object.entries<z.ZodType>(optional).map(([name, one]) => [
      name,
      one.optional().describe(one.description ?? ''),
    ]);
    return z.object({ ...fields, ...Object.fromEntries(may) }).describe(about) as unknown as z.ZodType<T>;
  };

export const shown = oneOf<ShownState>('State of the run. The last three: how it ended.', {
  ...{ idle: true, running: true, pausing: true, paused: true, waiting_user: true, stopping: true },
  ...{ 'waits for you': true, completed: true, stopped: true, aborted: true },
});
export const ideaStatus = z.enum(IDEA_STATUSES).describe('Status of the idea.');
export const mode = oneOf<RunMode>('Who starts ideas.', { autopilot: true, 'semi-auto': true, step: true });
export const teller = oneOf<Teller>('Where the person spoke from; signal: a Temporal signal.', {
  ...{ cli: true, screen: true, signal: true },
});
export const asking = oneOf<Asking>('Kind of the question.', {
  ...{ question: true, approval: true, tripwire: true, budget: true, confinement: true, baseline: true },
  ...{ escalation: true, landing: true, trouble: true },
});
export const stepState = oneOf<Extract<RunEvent, { kind: 'step' }>['state']>('How the step ended.', {
  ...{ complete: true, skipped: true, failed: true },
});
export const rung = oneOf<Rung['do']>('The reaction.', {
  ...{ nudge: true, fresh: true, stronger: true, other: true, ask: true },
});
export const warningKind = oneOf<Exclude<WarningLine['kind'], 'files'>>('Kind of the warning.', {
  ...{
    stuck: true,
    iterations: true,
    budget: true,
    outside: true,
    worker: true,
    errors: true,
    push: true,
    target: true,
  },
});
const troubleKind = oneOf<TroubleKind>('Kind of the cause.', {
  ...{ limited: true, provider: true, auth: true, launch: true },
});

const reason = text('What the agent said.');
const kind = (name: string) => z.literal(name).describe('Kind of the signal.');
export const signal = z
  .union([
    z.object({ kind: kind('complete') }),
    z.object({ kind: kind('blocked'), reason }),
    z.object({ kind: kind('needs-human'), question: text('The whole question.') }),
    z.object({ kind: kind('progress'), percent: amount('0 to 100.') }),
    z.object({ kind: kind('none') }),
  ])
  .describe('Signal at the end of the agent’s output.') as unknown as z.ZodType<
  Extract<RunEvent, { kind: 'iteration-end' }>['signal']
>;

export const spent = part<Spent>(
  {
    iterations: counted('Agent runs.'),
    ms: duration,
    tokens: amount('Tokens in and out.'),
    dollars: amount('US dollars.'),
    unknownTokens: counted('Agent runs that did not report their tokens.'),
    unknownDollars: counted('Agent runs that did not report their cost.'),
  },
  {},
);
export const testCounts = part<TestCounts>(
  {
    passed: counted('Tests that passed.'),
    failed: counted('Tests that failed.'),
    skipped: counted('Tests that were skipped.'),
    total: counted('All tests.'),
  },
  {},
);
export const gateCommand = part<GateCommandResult>(
  {
    command: text('The command.'),
    exitCode: exitCode('null: it did not finish.'),
    durationMs: duration,
  },
  {
    tests: testCounts('Its tests.'),
    waitedMs: amount('How long it waited for its locks, in milliseconds.'),
    again: part<NonNullable<GateCommandResult['again']>>(
      { exitCode: exitCode('null: it did not finish.') },
      { tests: testCounts('Its tests.') },
    )('It failed, and ran once more on the same files.'),
    flakyTests: texts('Tests that failed the first time, where the command passed the second time: at most ten.'),
  },
)('One command of the gate.');
export const trouble = part<Trouble>(
  { kind: troubleKind, agent: text('Agent from the configuration.'), message: text('What it reported.') },
  { account: text('Key of its account.'), resetAt: amount('When the limit ends, epoch milliseconds.') },
);
export const account = part<AccountLine>(
  {
    key: text('Key of the account, or agent:NAME.'),
    agents: texts('Agents that use it.'),
    state: oneOf<AccountLine['state']>('parked: no agent runs; probing: one idea tries it.', {
      ...{ open: true, parked: true, probing: true },
    }),
  },
  {
    kind: troubleKind,
    reason: text('Why it is closed.'),
    since: amount('When it was closed, epoch milliseconds.'),
    until: amount('When ralphctl tries it again, epoch milliseconds.'),
    probe: text('The idea that tries it.'),
  },
);
export const usage = part<Usage>(
  {},
  {
    inputTokens: amount('Tokens in.'),
    outputTokens: amount('Tokens out.'),
    costUsd: amount('US dollars.'),
  },
);
export const step = part<Required<Extract<RunEvent, { kind: 'iteration' }>>['step']>(
  {
    number: counted('Its number, from 1.'),
    of: counted('Number of steps.'),
    id: text('Id of the step.'),
    phase: text('Name of its phase.'),
  },
  {},
);

export const idea = z.string().regex(IDEA_ID).describe('Id of the idea.');

/** Of a push: its fields, and those that may be missing. */
export const push = [
  {
    state: z.enum(['pushed', 'held']).describe('held: the remote lacks commits that have landed.'),
    to: text('Remote and branch there.'),
    ideas: texts('Ideas in the commits that the remote did not have.'),
  },
  {
    commit: text('Tip of the target, which the remote has now.'),
    commits: counted('Commits that the remote did not have.'),
    again: texts('Ideas that landed again, on top of a remote that had moved.'),
    cause: z.enum(HELD_CAUSES).describe('Why the push did not work.'),
    why: text('What happened and the fix, as sentences; of a push: a note.'),
  },
] as const;

export const leftWhy = text('Why this run does not work on it.');

/** Of landed work that a person took off. */
export const reverted = [
  { idea, by: text('The commit, abbreviated.'), text: text('What happened, with the command that runs it again.') },
  { part: z.literal(true).describe('Only some of its files.') },
] as const;

/** Of a pull request. */
export const review = [
  {
    idea,
    state: z
      .enum(['open', 'checks', 'comments', 'apart', 'astray', 'merged', 'closed'])
      .describe(
        'checks, comments: its agent gets the idea back. apart: it conflicts with its base and lands again. astray: it ended with the branch of the pull request below it and lands again.',
      ),
    number: counted('Number of the pull request.'),
    url: text('Its page.'),
  },
  {
    by: text('Who merged or closed it.'),
    below: z
      .strictObject({ idea: text('The idea.'), number: counted('Number of its pull request.') })
      .describe('Of an open one: the pull request that it stands on.'),
    why: text(
      'Red checks, or people who ask for changes; of an open one: what the forge refused; of a closed one: the closing comment.',
    ),
  },
] as const;

/** Of a gate. */
export const gateParts = {
  newTests: texts('Failing tests that pass where the idea began.'),
  knownTests: texts('Failing tests that fail there, too.'),
  command: text('The command that failed.'),
  exitCode: exitCode('Of the command that failed; null: it was stopped.'),
  why: text('Where the exit code does not say why the gate is red: the reason, to follow the command.'),
  log: text('File with the whole output of the command that failed, else of the last one.'),
  tests: testCounts('Of all commands together.'),
  flaky: texts('Commands that passed on a retry.'),
  tolerated: texts('Commands that also fail on the base and were tolerated.'),
  tripwires: texts('Changes that a person should check, as sentences.'),
};

/** Of a tracker. */
export const trackerState = z
  .enum(['claimed', 'taken', 'told', 'done', 'released', 'waits', 'failed'])
  .describe(
    'claimed: its item is this idea’s. taken: somebody else has it. told: the comment has the newest state. done: the tracker knows that it landed. released: given back. waits: the tracker takes nothing now, and ralphctl tells it later. failed: it refused.',
  );

/** Of an idea without a slot. */
export const held = [{ idea, why: text('The budget, and its use.') }, {}] as const;

/** Of an idea whose agent could not work. */
export const parked = [{ idea, trouble: trouble('Why the agent could not work.') }, {}] as const;

export const cleaned = [
  { bytes: amount('Bytes of disk space that are free now.'), what: text('What it removed, as words.') },
  { more: flag('Its time was up; the next cleaning goes on.') },
] as const;

export const serial = counted('Number of the agent run of this idea: 1 for its first, never used twice.');
export const iteration = counted('Number of the iteration. A run that is not charged repeats the number.');
export const asked = text('Id of the question, for: ralphctl answer --question.');
export const merged = flag('On the tree that is about to land.');
export const escaped = texts('Processes that had left the run and were ended: program and pid.');

type Of<Kind extends RunEvent['kind']> = Omit<Extract<RunEvent, { kind: Kind }>, 'kind'>;

export const at = z.iso.datetime().describe('When it happened: ISO 8601, UTC.');

/** The schema of one kind of event. */
export function event<Kind extends RunEvent['kind']>(
  kind: Kind,
  about: string,
  fields: Fields<Of<Kind>>,
  optional: MayFields<Of<Kind>>,
): z.ZodObject {
  const may = Object.entries<z.ZodType>(optional).map(([name, one]) => [
    name,
    one.optional().describe(one.description ?? ''),
  ]);
  const named = z.literal(kind).describe('Kind of the event.');
  return z.object({ at, kind: named, ...fields, ...Object.fromEntries(may) }).describe(about);
}

/** A command of a list. */
export const command = {
  command: text('The command.'),
  number: counted('Its number, from 1.'),
  of: counted('Number of commands.'),
};

export const activity = oneOf<Activity>(
  'What begins. set-up: of the worktree. base: the gate on the commit that the work started from. base-tests: the tests of that commit on this work. again: a failed command of the gate once more.',
  { 'set-up': true, 'base-set-up': true, base: true, 'base-tests-set-up': true, 'base-tests': true, again: true },
);
