/**
 * The parts of the schema of events.
 * Invariant: each has exactly the fields of its type in the protocol; the compiler compares the two.
 */
import { z } from 'zod';
import type { Usage } from '../../protocol/agent-run.js';
import type { Spent } from '../../protocol/budget.js';
import type { RunMode, Teller } from '../../protocol/command.js';
import type { Asking, RunEvent } from '../../protocol/events.js';
import type { GateCommandResult, TestCounts } from '../../protocol/gate.js';
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
export const counted = (about: string) => z.int().min(0).describe(about);
const amount = (about: string) => z.number().describe(about);
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
export const warningKind = oneOf<WarningLine['kind']>('Kind of the warning.', {
  ...{ stuck: true, iterations: true, budget: true, outside: true, worker: true, errors: true },
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
    exitCode: z.number().nullable().describe('null: it did not finish.'),
    durationMs: duration,
  },
  { tests: testCounts('Its tests.') },
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
