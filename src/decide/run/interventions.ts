/**
 * Applies the commands of a person to the run or to an idea. Checking and doing use the same plan, so that an accepted
 * command has exactly the checked effect.
 * Invariant: `planCommand` changes nothing; only `carryOut` of its answer does. A command never interrupts a landing in
 * progress.
 * May import protocol and decide only.
 */

import {
  type Intervention,
  MAX_COMMAND_TEXT,
  RUN_MODES,
  RUN_VERBS,
  type RunVerb,
  TELLERS,
} from '../../protocol/command.js';
import { many } from '../../protocol/many.js';

import { DIMENSIONS } from '../budget/amounts.js';
import { budgetProblem, raise, raiseProblem } from '../budget/control.js';
import type { Raise } from '../budget/run.js';
import { patchProblem } from '../idea/amendments.js';
import { idleFor } from '../idea/idle.js';
import { planIdeaIntervention } from '../idea/interventions.js';
import { isIdeaVerb } from '../idea/table.js';
import { isName } from '../messages/shape.js';
import { clip, MAX_REASON } from '../text.js';
import type { Outcome } from './answers.js';
import type { Board, Told } from './board.js';
import {
  abortRun,
  approveAll,
  isActive,
  modeEvent,
  pauseRun,
  resumeRun,
  reviewRun,
  runFacts,
  setMode,
  stopRun,
} from './control.js';
import { type Plan, refuse } from './effects.js';
import { type RunEvent, runTransition } from './table.js';

/** Longest id of an idea or a command, in characters. */
const MAX_ID = 200;
/** Longest list of ideas in one command, as JSON: workflow state holds it. */
const MAX_CARDS = 256_000;

const EVENT: Record<Exclude<RunVerb, 'mode'>, RunEvent> = {
  pause: 'PAUSE',
  'pause-now': 'PAUSE_NOW',
  resume: 'RESUME',
  review: 'REVIEW',
  stop: 'STOP',
  abort: 'ABORT',
  slots: 'SLOTS',
  approve: 'APPROVE',
  'retry-limit': 'RETRY_LIMITS',
  'raise-budget': 'RAISE_BUDGET',
  'reload-config': 'RELOAD_CONFIG',
};

type Levers = Record<RunVerb, (board: Board, command: Intervention) => string>;
const LEVERS: Levers = {
  pause: (board, { reason }) => {
    pauseRun(board, reason);
    return 'pausing: running iterations finish first. Resume with: ralphctl resume';
  },
  'pause-now': (board, { reason }) => {
    pauseRun(board, reason, true);
    return 'pausing now: running agents are ended, their work is saved, their iterations are not charged. Resume with: ralphctl resume';
  },
  resume: (board) => {
    resumeRun(board);
    return 'resumed';
  },
  review: (board) => {
    reviewRun(board);
    return 'reviewed; the run resumes';
  },
  stop: (board, { reason }) => {
    stopRun(board, reason);
    return 'stopping: running iterations finish first, finished work still lands; the rest stays on its branches';
  },
  abort: (board, { reason }) => {
    abortRun(board, reason);
    return 'aborting: agents are ended now, their changes are saved; nothing more lands';
  },
  slots: (board, { n = 1 }) => {
    board.state.slots = n;
    return many(n, 'slot');
  },
  mode: (board, { mode = 'autopilot' }) => {
    setMode(board, mode);
    return MODE_SAYS[mode];
  },
  approve: (board) => {
    const waiting = board.approvals;
    approveAll(board);
    return `approved: the next step of ${many(waiting, 'idea')}`;
  },
  'retry-limit': (board, { text }) => {
    board.breakers?.retry(text);
    return `${text ?? 'every account'} is retried now: one idea goes first, the others follow if its agent works`;
  },
  'raise-budget': (board, command) => {
    raise(board, raiseOf(command));
    return command.n === undefined ? 'raised by as much again' : `raised by ${command.n}`;
  },
  'reload-config': (board, { revision = 0 }) => {
    board.outbox.push({ do: 'configure', revision });
    return 'the configuration is reloaded: it applies from the next iteration, gate and landing on';
  },
};

const raiseOf = ({ scope, dimension, n }: Intervention): Raise => ({
  scope,
  dimension,
  by: n,
});

/** What a command needs besides a fitting state. */
const NEEDS: Partial<Record<RunVerb, (board: Board, command: Intervention) => string | undefined>> = {
  'retry-limit': ({ breakers }, { text }) => {
    const closed = breakers?.lines().filter((line) => line.state !== 'open') ?? [];
    if (text === undefined || closed.some(({ key, agents }) => key === text || agents.includes(text))) return undefined;
    const waiting = closed.flatMap(({ agents, key }) => (agents.length > 0 ? agents : key)).join(', ');
    return `no account or agent "${text}" is waiting. Waiting: ${waiting || 'none'}. See: ralphctl limits`;
  },
  'raise-budget': (board, command) => raiseProblem(board, raiseOf(command)),
  'reload-config': (_, { revision }) =>
    revision === undefined ? 'the revision is missing; use: ralphctl config reload' : undefined,
};
const MODE_SAYS = {
  autopilot: 'mode autopilot: ideas start by themselves',
  'semi-auto': 'mode semi-auto: start each idea with: ralphctl assign IDEA',
  step: 'mode step: every iteration, and every landing, waits for: ralphctl approve',
} as const;

/** The outcome of the command, without doing it. The command comes from outside, so every field is checked. */
export function planIntervention(board: Board, command: Intervention, older = false): Plan {
  const problem = shapeProblem(command);
  if (problem) return refuse(problem);
  if (command.idea !== undefined) return planForIdea(board, command, command.idea, older);
  if (!isRunVerb(command.verb)) return refuse(`${command.verb} needs an idea`);
  const { verb } = command;
  const event = verb === 'mode' ? modeEvent(command.mode ?? 'autopilot') : EVENT[verb];
  const next = runTransition(runFacts(board), event);
  if ('refusal' in next) return refuse(next.refusal);
  const missing = NEEDS[verb]?.(board, command);
  if (missing !== undefined) return refuse(missing);
  return { carryOut: () => LEVERS[verb](board, command) };
}

function planForIdea(board: Board, command: Intervention, id: string, older: boolean): Plan {
  const { verb } = command;
  if (!isIdeaVerb(verb)) return refuse(`${verb} applies to the whole run; omit the idea`);
  const entry = board.graph.entry(id);
  if (!entry) return refuse(`there is no idea ${id} in this run`);
  const next = runTransition(runFacts(board), verb === 'assign' ? 'ASSIGN_IDEA' : 'IDEA');
  if ('refusal' in next) {
    const later = verb === 'answer' && board.state.run === 'stopping';
    return refuse(`${next.refusal}${later ? `. Once it has stopped, answer with: ralphctl answer ${id} "…"` : ''}`);
  }
  return planIdeaIntervention(board, entry, { ...command, verb }, older);
}

function shapeProblem(command: unknown): string | undefined {
  if (typeof command !== 'object' || command === null) return 'a command must be an object with a verb';
  const { verb, idea, id, n, mode, text, reason, title, patch, revision, ...more } = command as Record<string, unknown>;
  if (typeof verb !== 'string' || !(isRunVerb(verb) || isIdeaVerb(verb))) {
    return `there is no command ${String(verb).slice(0, MAX_ID)}`;
  }
  if (!isId(idea)) return 'idea must be an id';
  if (!isId(more.question)) return 'question must be the id of a question';
  if (!isId(more.who)) return `who must be a text of at most ${MAX_ID} characters`;
  if (!isId(id)) return `id must be a text of at most ${MAX_ID} characters`;
  if (more.cards !== undefined && JSON.stringify(more.cards).length > MAX_CARDS) {
    return `these ideas are longer than ${MAX_CARDS} characters together. Put some into another file, then: ralphctl enqueue FILE`;
  }
  for (const [name, value] of Object.entries({ text, reason, title })) {
    if (value !== undefined && typeof value !== 'string') return `${name} must be a text`;
    if (typeof value === 'string' && value.length > MAX_COMMAND_TEXT) {
      return `the ${name} is longer than ${MAX_COMMAND_TEXT} characters; put it into a file of the repository and name it`;
    }
  }
  if (verb === 'slots' && !(Number.isInteger(n) && Number(n) >= 1 && Number(n) <= 100)) {
    return 'slots must be a whole number from 1 to 100';
  }
  if (verb === 'raise-budget') {
    const { scope, dimension } = more;
    if (n !== undefined && typeof n !== 'number')
      return 'an amount must be a number above 0. Example: ralphctl budget raise +5';
    if (scope !== undefined && scope !== 'run' && scope !== 'day') return 'the scope must be run or day';
    if (dimension !== undefined && !DIMENSIONS.some((one) => one === dimension))
      return `the kind of a budget must be one of ${DIMENSIONS.join(', ')}`;
  }
  if (verb === 'mode' && !RUN_MODES.some((one) => one === mode))
    return `the mode must be one of ${RUN_MODES.join(', ')}`;
  if (revision !== undefined && !(Number.isInteger(revision) && Number(revision) >= 1))
    return 'revision must be a whole number from 1';
  return patch === undefined ? undefined : patchProblem(patch);
}

const isId = (value: unknown): boolean => value === undefined || (typeof value === 'string' && value.length <= MAX_ID);

const isRunVerb = (verb: string): verb is RunVerb => RUN_VERBS.some((one) => one === verb);

/*
 * How the run takes an intervention of a person.
 * Invariant: an intervention with an id is applied once. A refused one changes nothing but what the run answers.
 * May import protocol and decide only.
 */

/** How many command ids are remembered. */
const SEEN_KEPT = 50;

/** Why the command is not legal now; undefined when it is. Changes nothing. */
export function refusalOf(board: Board, command: Intervention): string | undefined {
  const plan = planIntervention(board, command);
  return 'refusal' in plan ? plan.refusal : undefined;
}

/** Why a legal command would change nothing. */
export function idleProblem(board: Board, { verb, idea }: Intervention): string | undefined {
  const entry = idea === undefined ? undefined : board.graph.entry(idea);
  if (entry) return isIdeaVerb(verb) ? idleFor(entry, verb, board.state.run) : undefined;
  if (verb !== 'resume' || isActive(board)) return undefined;
  const over = budgetProblem(board);
  return over && `the run stays ${board.state.run}: ${over}`;
}

/** What the person said, and where. */
function words({ verb, text, by }: Intervention): Pick<Told, 'text' | 'by'> {
  const said = (verb === 'hint' || verb === 'answer') && typeof text === 'string' ? text.trim() : '';
  return {
    ...(said ? { text: clip(said, MAX_COMMAND_TEXT) } : {}),
    ...(by !== undefined && TELLERS.includes(by) ? { by } : {}),
  };
}

/** `older`: as a run of an older version did it, for its history. */
export function takeCommand(board: Board, command: Intervention, older = false): Outcome {
  const { state, told } = board;
  const { verb, idea, reason, id } = command;
  if (id !== undefined && state.seen?.includes(id)) return { done: 'already taken' };
  if (isName(id)) state.seen = [...(state.seen ?? []), id].slice(-SEEN_KEPT);
  const plan = planIntervention(board, command, older);
  if ('refusal' in plan) {
    // The value may be anything: only a known text is passed on.
    const said = typeof idea === 'string' ? { idea: clip(idea, MAX_REASON) } : {};
    told.push({ verb: clip(verb, MAX_REASON), ...said, ...words(command), refusal: plan.refusal });
    return plan;
  }
  const about = { verb, idea: idea || undefined, reason: reason || undefined, ...words(command) };
  const done = plan.carryOut();
  if (verb === 'answer' && !older) return { sent: id ?? '' };
  told.push({ ...about, done });
  return { done };
}
