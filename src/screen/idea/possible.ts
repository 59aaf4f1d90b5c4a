/**
 * The commands that the run accepts now, as far as the model tells. The run decides in the end.
 * Invariant: the run refuses every command that is missing here. The table of situations is the run's own.
 */
import { type AfterRun, stateAfterRun, verbsAfterRun } from '../../decide/idea/after-run.js';
import { legalVerbs, type Situation, unfit } from '../../decide/idea/table.js';
import { type RunEvent, runTransition } from '../../decide/run/table.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import type { IdeaVerb } from '../../protocol/command.js';
import type { RunState } from '../../protocol/states.js';

const OVER = new Set<string>(['completed', 'stopped', 'aborted', 'terminated']);
export const isOver = ({ state }: Pick<RunModel, 'state'>): boolean => OVER.has(state);

export function situationOf(idea: IdeaModel, landing: string | undefined): Situation {
  if (idea.group) return 'group';
  switch (idea.status) {
    case 'pending':
      return idea.held ? 'held' : 'pending';
    case 'paused':
      return idea.approval ? 'awaits-approval' : 'paused';
    case 'landing':
      if (landing === idea.id) return 'landing';
      return idea.approval ? 'awaits-landing' : 'ready';
    case 'needs-human':
      return idea.approval ? 'asks-approval' : 'needs-human';
    default:
      return idea.status;
  }
}

/** No iteration follows the one that runs. */
export function isLastTry({ status, iterations, max, step }: IdeaModel): boolean {
  const last = iterations.at(-1);
  const most = max ?? last?.max;
  if (most === 1 && step && step.number < step.of) return false;
  return status === 'running' && last !== undefined && most !== undefined && last.number >= most;
}

/** How the idea stands once its run is over, for the commands that work then. */
export function afterRunOf(idea: IdeaModel): AfterRun {
  const { status, group, held, forNext, off, iterations } = idea;
  const signal = iterations.at(-1)?.signal;
  return stateAfterRun({
    ...{ status, group, held, off: off !== undefined, leftOut: forNext?.leftOut === true },
    ...{ givenUp: forNext?.givenUp === true || (status === 'abandoned' && !forNext?.queued) },
    ...{ asked: signal?.kind === 'needs-human', begun: signal !== undefined },
  });
}

/** Verbs that the idea accepts now. */
export function ideaVerbs(model: RunModel, idea: IdeaModel): ReadonlySet<IdeaVerb> {
  const over = isOver(model);
  if (refusedNow(model) !== undefined) return new Set();
  const verbs = new Set(over ? verbsAfterRun(afterRunOf(idea)) : legalVerbs(situationOf(idea, model.landing)));
  for (const verb of verbs) if (unfit(idea)(verb)) verbs.delete(verb);
  if (over) return verbs;
  if (model.mode !== 'semi-auto') verbs.delete('assign');
  // What waits for an approval goes on with that alone.
  const rests = idea.held || idea.restAsked === 'pause' || (idea.status === 'paused' && !idea.approval);
  if (!rests) verbs.delete('resume');
  return verbs;
}

const EVENTS = {
  pause: 'PAUSE',
  resume: 'RESUME',
  stop: 'STOP',
  review: 'REVIEW',
  slots: 'SLOTS',
} as const satisfies Record<string, RunEvent>;
export type RunKey = keyof typeof EVENTS;

/** Why a run that stops refuses every command to an idea, in its words; undefined while it takes some. */
export function refusedNow({ state, mode, review }: RunModel): string | undefined {
  if (state !== 'stopping') return undefined;
  const rest = { pausedIdeas: 0, asking: 0, limited: false, budgeted: false };
  const next = runTransition({ state, mode, review, ...rest }, 'IDEA');
  return 'refusal' in next ? next.refusal : undefined;
}

/** Whether the run accepts the command now. Events can be newer than the worker's last answer. */
export function runTakes(model: RunModel, verb: RunKey): boolean {
  if (isOver(model)) return false;
  const { live } = model;
  if (live?.possible && live.state === model.state) return live.possible.includes(verb);
  const states: readonly string[] = ['idle', 'running', 'pausing', 'paused', 'waiting_user', 'stopping', 'completed'];
  const state = (states.includes(model.state) ? model.state : 'running') as RunState;
  const facts = {
    state,
    mode: model.mode,
    review: model.review,
    pausedIdeas: 0,
    asking: 0,
    limited: false,
    budgeted: false,
  };
  return 'to' in runTransition(facts, EVENTS[verb]);
}

/**
 * What `P` does. A running run also takes `resume` while one of its ideas is paused, but the key is about the run. Only
 * a run that is not paused takes `pause`.
 */
export function pauseOrResume(model: RunModel): 'pause' | 'resume' | undefined {
  if (runTakes(model, 'pause')) return 'pause';
  return runTakes(model, 'resume') ? 'resume' : undefined;
}
