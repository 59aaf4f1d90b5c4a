/**
 * The run as a state machine (A5, A6, A7, C1): one table of states and events.
 * Invariant: no event leads from `completed` or `stopping` to a state that starts something. An event outside the table
 * is refused, and the refusal lists the legal ones.
 * May import protocol types only.
 */
import type { RunMode } from '../../protocol/command.js';
import type { RunState } from '../../protocol/states.js';

/** Events of a run. The first two start it, the last three come from rules, and people send the rest. */
export const RUN_EVENTS = [
  'START_AUTOPILOT',
  'START_SEMI_AUTO',
  'PAUSE',
  'PAUSE_NOW',
  'RESUME',
  'REVIEW',
  'STOP',
  'ABORT',
  'SLOTS',
  'MODE_AUTOPILOT',
  'MODE_SEMI_AUTO',
  'MODE_STEP',
  'APPROVE',
  'ASSIGN_IDEA',
  'RETRY_LIMITS',
  'RAISE_BUDGET',
  'RELOAD_CONFIG',
  'ENQUEUE',
  'IDEA',
  'ERROR_THRESHOLD',
  'AT_REST',
  'NO_MORE_IDEAS',
] as const;
export type RunEvent = (typeof RUN_EVENTS)[number];

/** `active`: running, or waiting_user in semi-auto mode. `same`: the state stays. */
type To = RunState | 'same' | 'active';
type Row = Partial<Record<RunEvent, To>>;

/** Events of a run that works, whether it picks ideas itself or a person assigns them. */
const ACTIVE: Row = {
  PAUSE: 'pausing',
  PAUSE_NOW: 'pausing',
  RESUME: 'same',
  STOP: 'stopping',
  ABORT: 'stopping',
  SLOTS: 'same',
  MODE_AUTOPILOT: 'running',
  MODE_SEMI_AUTO: 'waiting_user',
  MODE_STEP: 'running',
  APPROVE: 'same',
  RETRY_LIMITS: 'same',
  RAISE_BUDGET: 'same',
  RELOAD_CONFIG: 'same',
  ENQUEUE: 'same',
  IDEA: 'same',
  ERROR_THRESHOLD: 'pausing',
  NO_MORE_IDEAS: 'completed',
};
/** Events of a run that is paused or about to pause. */
const HOLDING: Row = {
  RESUME: 'active',
  REVIEW: 'active',
  STOP: 'stopping',
  ABORT: 'stopping',
  SLOTS: 'same',
  MODE_AUTOPILOT: 'same',
  MODE_SEMI_AUTO: 'same',
  MODE_STEP: 'same',
  ASSIGN_IDEA: 'same',
  RETRY_LIMITS: 'same',
  RAISE_BUDGET: 'same',
  RELOAD_CONFIG: 'same',
  ENQUEUE: 'same',
  IDEA: 'same',
  ERROR_THRESHOLD: 'same',
};

export const RUN_TABLE: Readonly<Record<RunState, Row>> = {
  idle: { START_AUTOPILOT: 'running', START_SEMI_AUTO: 'waiting_user' },
  running: ACTIVE,
  waiting_user: { ...ACTIVE, ASSIGN_IDEA: 'same' },
  pausing: { ...HOLDING, PAUSE_NOW: 'same', AT_REST: 'paused' },
  paused: HOLDING,
  stopping: { ABORT: 'same', NO_MORE_IDEAS: 'completed' },
  completed: {},
};

/** The facts that the guards need besides the state. */
export interface RunFacts {
  state: RunState;
  mode: RunMode;
  /** Too many ideas failed in a row: only a review resumes the run (A7). */
  review: boolean;
  /** Ideas that are paused although the run is not. */
  pausedIdeas: number;
  /** Ideas that wait for an approval. */
  asking: number;
  /** An account or agent is closed or being tried. */
  limited: boolean;
  /** The run or the day has a budget. */
  budgeted: boolean;
  /** It is used up: a resumed run would pause again at once. */
  usedUp?: true;
  /** None of its agents can work before a limit ends. */
  still?: true;
}

/** Conditions besides the state, as sentences that explain the refusal. */
const GUARDS: Partial<Record<RunEvent, (facts: RunFacts) => string | undefined>> = {
  RESUME: ({ state, review, pausedIdeas, still }) => {
    if (review) return 'a review is needed first: look at the ideas that failed, then: ralphctl review';
    if ((state === 'running' || state === 'waiting_user') && pausedIdeas === 0 && still)
      return 'the run waits for its agents’ limits and resumes by itself. To retry now: ralphctl limits retry';
    if ((state === 'running' || state === 'waiting_user') && pausedIdeas === 0)
      return `the run is already ${words(state)}`;
    return undefined;
  },
  REVIEW: ({ review }) => (review ? undefined : 'no review is needed; resume with: ralphctl resume'),
  ASSIGN_IDEA: ({ mode }) =>
    mode === 'semi-auto'
      ? undefined
      : `in mode ${mode} ideas start by themselves; put one first with: ralphctl bump IDEA   or switch: ralphctl mode semi-auto`,
  APPROVE: ({ mode, asking }) => {
    if (asking > 0) return undefined;
    return mode === 'step' ? 'nothing waits for an approval now' : 'approvals are for: ralphctl mode step';
  },
  RETRY_LIMITS: ({ limited }) => (limited ? undefined : 'every account is open'),
  RAISE_BUDGET: ({ budgeted }) =>
    budgeted
      ? undefined
      : 'neither the run nor the day has a budget; set budget.run or budget.day in ralphctl.yaml. See: ralphctl budget',
  MODE_AUTOPILOT: ({ mode }) => (mode === 'autopilot' ? 'the mode is already autopilot' : undefined),
  MODE_SEMI_AUTO: ({ mode }) => (mode === 'semi-auto' ? 'the mode is already semi-auto' : undefined),
  MODE_STEP: ({ mode }) => (mode === 'step' ? 'the mode is already step' : undefined),
};

/** Commands that cause an event, as a person types them. Rules have none. */
const COMMANDS: Partial<Record<RunEvent, string>> = {
  START_AUTOPILOT: 'start',
  START_SEMI_AUTO: 'start --mode semi-auto',
  PAUSE: 'pause',
  PAUSE_NOW: 'pause --now',
  RESUME: 'resume',
  REVIEW: 'review',
  STOP: 'stop',
  ABORT: 'abort',
  SLOTS: 'slots',
  MODE_AUTOPILOT: 'mode autopilot',
  MODE_SEMI_AUTO: 'mode semi-auto',
  MODE_STEP: 'mode step',
  APPROVE: 'approve',
  ASSIGN_IDEA: 'assign',
  RETRY_LIMITS: 'limits retry',
  RAISE_BUDGET: 'budget raise',
  RELOAD_CONFIG: 'config reload',
  ENQUEUE: 'enqueue',
};

export type Transition = { to: RunState } | { refusal: string };

/** The state after the event; or the refusal with the legal events. */
export function runTransition(facts: RunFacts, event: RunEvent): Transition {
  const to = RUN_TABLE[facts.state][event];
  const unmet = GUARDS[event]?.(facts);
  const no = to === undefined && !(unmet && isActive(facts)) ? `the run is ${words(facts.state)}` : unmet;
  if (no !== undefined || to === undefined) return { refusal: `${no}. ${legalNow(facts)}` };
  if (to === 'same') return { to: facts.state };
  if (to === 'active') return { to: facts.mode === 'semi-auto' ? 'waiting_user' : 'running' };
  return { to };
}

/** Commands that would be accepted now. */
export function legalInterventions(facts: RunFacts): string[] {
  return RUN_EVENTS.flatMap((event) => {
    const command = COMMANDS[event];
    const legal = RUN_TABLE[facts.state][event] !== undefined && GUARDS[event]?.(facts) === undefined;
    // Refused when a person sends it (see `idleProblem`); histories of open runs contain it.
    if (event === 'RESUME' && facts.usedUp && !isActive(facts)) return [];
    return command !== undefined && legal ? [command] : [];
  });
}

function legalNow(facts: RunFacts): string {
  const commands = legalInterventions(facts);
  if (facts.state === 'completed') return 'Start another one with: ralphctl start';
  return commands.length === 0 ? 'It takes no commands now' : `Possible now: ${commands.join(', ')}`;
}

/** Where the state allows the event, the missing condition is the better reason. */
const isActive = ({ state }: RunFacts): boolean => state === 'running' || state === 'waiting_user';

const words = (state: RunState): string => (state === 'waiting_user' ? 'waiting for you to assign ideas' : state);
