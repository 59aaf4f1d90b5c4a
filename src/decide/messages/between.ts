/**
 * Checks of the messages between the two workflows. The Web UI and `temporal workflow signal` can send anything under
 * these names, so each message is checked before use.
 * May import protocol and decide only.
 */
import type { IdeaLimits, Reopen } from '../../protocol/activities.js';
import type { AgentEnded, Feedback } from '../../protocol/agent-run.js';
import type { AnswerTaken, TakenAnswer } from '../../protocol/answers.js';
import type { BudgetReached, BudgetScope, Ceilings, Dimension, Spent } from '../../protocol/budget.js';
import type { LimitPatch, Teller } from '../../protocol/command.js';
import type { Asking } from '../../protocol/events.js';
import type { IdeaCourse, IdeaReport, Verdict, Worked } from '../../protocol/idea-run.js';
import type { AgentChoice, Trouble } from '../../protocol/limits.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import type { IdeaOutcome, IterationStats, ReadyWork } from '../../protocol/states.js';
import type { Warning } from '../../protocol/warnings.js';
import { patchProblem } from '../idea/amendments.js';
import {
  type Check,
  isAmount,
  isAmounts,
  isBoolean,
  isCount,
  isLimits,
  isName,
  isSettings,
  isText,
  isTrue,
  listOf,
  maybe,
  oneOf,
  shaped,
} from './shape.js';

const isStats = shaped<IterationStats>({ count: isCount, totalMs: isAmount, minMs: isAmount, maxMs: isAmount });
const isSpent = shaped<Spent>({
  ...{ iterations: isCount, ms: isAmount, tokens: isAmount, dollars: isAmount },
  ...{ unknownTokens: isCount, unknownDollars: isCount },
});
const isScope = oneOf<Exclude<BudgetScope, 'idea'>>({ run: true, day: true });
const isDimension = oneOf<Dimension>({ iterations: true, minutes: true, tokens: true, dollars: true });
const isReached = shaped<BudgetReached>({
  ...{ scope: isScope, dimension: isDimension, used: isAmount, most: isAmount, unknown: isCount },
  shared: maybe(isTrue),
});
const isTrouble = shaped<Trouble>({
  // Kinds are compared, never looked up: a kind that this version does not know does no harm.
  kind: isName as Check<Trouble['kind']>,
  ...{ agent: isText, account: maybe(isText), message: isText, resetAt: maybe(isAmount) },
});
const isWarning = shaped<Warning>({ kind: isName as Check<Warning['kind']>, text: isText, since: isAmount });
const isWork = shaped<ReadyWork>({
  ...{ worktree: isText, branch: isName, base: isName, head: isName, agentName: isName },
});
const isChoice = shaped<AgentChoice>({ agent: isName, probe: maybe(isTrue), why: maybe(isText) });

const isTaken = shaped<TakenAnswer>({
  ...{ question: maybe(isName), command: maybe(isName), text: isText, at: isAmount, who: maybe(isName) },
  by: maybe(isName as Check<Teller>),
});

const isCourse = shaped<IdeaCourse>({
  ...{ percent: maybe(isAmount), agent: maybe(isText), model: maybe(isText), spent: maybe(isSpent) },
  step: maybe(shaped<NonNullable<IdeaCourse['step']>>({ number: isCount, of: isCount })),
  asking: maybe(isName as Check<Asking>),
  at: maybe(isAmount),
  ...{ question: maybe(isName), answer: maybe(isTaken) },
});

const isReportKind = oneOf<IdeaReport['kind']>({
  ...{ ready: true, 'needs-human': true, 'wants-slot': true, paused: true, approval: true, resumed: true },
  gating: true,
  ...{ closed: true, parked: true, probing: true, recovered: true, spent: true, warnings: true },
});
const isOutcome = oneOf<IdeaOutcome>({
  landed: true,
  blocked: true,
  timeout: true,
  failed: true,
  stopped: true,
  skipped: true,
});

export const isReport = shaped<IdeaReport>({
  ...{ idea: isName, life: isCount, seq: isCount, kind: isReportKind, iterations: isStats },
  ...{
    work: maybe(isWork),
    reason: maybe(isText),
    outcome: maybe(isOutcome),
    approvable: maybe(isTrue),
    beside: maybe(isTrue),
  },
  ...{ trouble: maybe(isTrouble), passed: maybe(isName), reached: maybe(isReached), spent: maybe(isSpent) },
  ...{ warnings: maybe(listOf(isWarning)), worked: maybe(shaped<Worked>({ agent: isName, at: isAmount })) },
  ...{ lost: maybe(isCount), course: maybe(isCourse), notes: maybe(listOf(isText)) },
});

export const isAnswerTaken = shaped<AnswerTaken>({
  ...{ idea: isName, id: isName, refusal: maybe(isText) },
  took: maybe(oneOf<NonNullable<AnswerTaken['took']>>({ text: true, approval: true, budget: true })),
});

export const isAgentEnded = shaped<AgentEnded>({ idea: isName, run: isName, life: isCount, after: isCount });

export interface Granted {
  agentName: string;
  choice?: AgentChoice;
}
export const isGranted = shaped<Granted>({ agentName: isName, choice: maybe(isChoice) });

export interface UseAgent {
  choice?: AgentChoice;
  /** None of its agents can work. Runs of 0.1 said so by leaving `choice` out. */
  none?: true;
}
export const isUseAgent = shaped<UseAgent>({ choice: maybe(isChoice), none: maybe(isTrue) });
/** An object without either says nothing. */
export const saysAgent = ({ choice, none }: UseAgent): boolean => choice !== undefined || none === true;

export interface Edited {
  patch?: LimitPatch;
  revision?: number;
  ceilings?: Ceilings;
}
const isPatch: Check<LimitPatch> = (value): value is LimitPatch => patchProblem(value) === undefined;
export const isEdited = shaped<Edited>({
  ...{ patch: maybe(isPatch), revision: maybe(isCount) },
  ceilings: maybe(shaped<Ceilings>({ run: maybe(isAmounts), day: maybe(isAmounts) })),
});

/** The run changes its configuration. */
export interface Configured {
  runId: string;
  config: number;
  settings: RunSettings;
  limits?: IdeaLimits;
}
export const isConfigured = shaped<Configured>({
  ...{ runId: isName, config: isCount, settings: isSettings, limits: maybe(isLimits) },
});

export interface Resync {
  parent: string;
  runId?: string;
}
export const isResync = shaped<Resync>({ parent: isName, runId: maybe(isName) });
export const isStep: Check<boolean> = isBoolean;

type OfKind<T, Kind> = Extract<T, { kind: Kind }>;
const isFiles = listOf(isText, 100_000);
const isCode: Check<number | null> = (value): value is number | null => value === null || Number.isInteger(value);

const REOPEN: { [Kind in Reopen['kind']]: Check<OfKind<Reopen, Kind>> } = {
  conflict: shaped<OfKind<Reopen, 'conflict'>>({
    ...{ kind: oneOf({ conflict: true }), onto: isName, files: isFiles, after: maybe(isName) },
  }),
  red: shaped<OfKind<Reopen, 'red'>>({ kind: oneOf({ red: true }), onto: isName, candidate: isName }),
};
/** The agent's feedback about a landing that failed. */
const FEEDBACK: { [Kind in 'landing-conflict' | 'landing-red' | 'review']: Check<OfKind<Feedback, Kind>> } = {
  'landing-conflict': shaped<OfKind<Feedback, 'landing-conflict'>>({
    ...{ kind: oneOf({ 'landing-conflict': true }), files: isFiles, detail: isText },
  }),
  'landing-red': shaped<OfKind<Feedback, 'landing-red'>>({
    ...{ kind: oneOf({ 'landing-red': true }), command: isText, exitCode: isCode, tail: isText, log: isText },
    others: maybe(listOf(isName)),
  }),
  review: shaped<OfKind<Feedback, 'review'>>({
    ...{ kind: oneOf({ review: true }), about: oneOf({ checks: true, comments: true }) },
    ...{ what: isText, tail: isText, url: isText },
  }),
};
const isReopen: Check<Reopen> = (value): value is Reopen => REOPEN.conflict(value) || REOPEN.red(value);
const isFeedback: Check<Feedback> = (value): value is Feedback =>
  FEEDBACK['landing-conflict'](value) || FEEDBACK['landing-red'](value) || FEEDBACK.review(value);

const VERDICT: { [Kind in Verdict['kind']]: Check<OfKind<Verdict, Kind>> } = {
  landed: shaped<OfKind<Verdict, 'landed'>>({ kind: oneOf({ landed: true }), commit: isName }),
  reopen: shaped<OfKind<Verdict, 'reopen'>>({
    ...{ kind: oneOf({ reopen: true }), agentName: isName, reopen: isReopen, feedback: isFeedback },
    choice: maybe(isChoice),
  }),
  ask: shaped<OfKind<Verdict, 'ask'>>({ kind: oneOf({ ask: true }), question: isText, lands: maybe(isTrue) }),
  close: shaped<OfKind<Verdict, 'close'>>({
    ...{ kind: oneOf({ close: true }), outcome: oneOf({ failed: true, skipped: true }), reason: isText },
  }),
};
export const isVerdict: Check<Verdict> = (value): value is Verdict =>
  VERDICT.landed(value) || VERDICT.reopen(value) || VERDICT.ask(value) || VERDICT.close(value);
