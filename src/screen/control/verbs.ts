/**
 * Turns the keys of an idea and of the run into a command, a confirmation before it, or a refusal with its reason.
 * Invariant: pure. Offers only commands that the run accepts now; the run decides in the end.
 */
import { refusedAfterRun } from '../../decide/idea/after-run.js';
import { ideaEffect, unfit } from '../../decide/idea/table.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import { startArgs } from '../../model/start-again.js';
import type { IdeaVerb } from '../../protocol/command.js';
import { saysAnything } from '../../protocol/escapes.js';
import {
  afterRunOf,
  ideaVerbs,
  isLastTry,
  isOver,
  pauseOrResume,
  refusedNow,
  runTakes,
  situationOf,
} from '../idea/possible.js';
import type { Action } from '../keys.js';
import { listsOf, openWarnings } from '../lists.js';
import { many } from '../text/numbers.js';
import type { Act } from './act.js';
import { moreOf } from './more.js';
import { questionBefore } from './way.js';

/** `draft`: where the text stays until the run accepts it. `note`: beside the input. `next`: a command after it. */
export interface Typing {
  type: string;
  args: readonly string[];
  start?: string;
  draft?: string;
  note?: string;
  next?: readonly string[];
}

export type Wish =
  | { act: Act }
  /** Runs after `y`. */
  | { ask: string; act: Act }
  /** Text input comes first; `args` precede it. */
  | Typing
  /** Opens the answer editor. */
  | { answer: string; question?: string; since?: number }
  /**
   * `asks`: the command whose refusal the run itself words. A command that needs a confirmation or a text is never sent
   * for that; `own` is the run's sentence from its table.
   */
  | { refused: string; asks?: readonly string[]; own?: string };

const lastTry = ({ single }: IdeaModel): string =>
  single ? 'its only attempt: read only after a retry' : 'its last iteration: read only after + or a retry';

const tell = (...args: string[]): Wish => ({ act: { do: 'tell', args } });
const asked = (ask: string, ...args: string[]): Wish => ({ ask, act: { do: 'tell', args } });
/** With the question that its command line asks, too. */
const sure = (model: RunModel, ...args: string[]): Wish =>
  asked(questionBefore(args, model) ?? args.join(' '), ...args);

const stopAsked = (id: string): Wish => ({ refused: `${id} stops after its running step; then p resumes it` });

/** `draft`: the unsent answer to it. */
export function ideaWish(action: Action, model: RunModel, idea: IdeaModel, draft?: string): Wish | undefined {
  const { id } = idea;
  const verbs = ideaVerbs(model, idea);
  const only = (verb: IdeaVerb, wish: Wish): Wish => {
    if (verbs.has(verb)) return wish;
    const stops = refusedNow(model);
    if (stops !== undefined)
      return { refused: `${stops}${verb === 'answer' ? '. Once it has stopped, a answers it' : ''}` };
    if (isOver(model))
      return {
        refused: `${verb} does not apply: ${refusedAfterRun(id, afterRunOf(idea), verb, '', unfit(idea)) ?? 'the run is over'}`,
      };
    const legal = ideaEffect(id, situationOf(idea, model.landing), verb, (one) => !verbs.has(one));
    return {
      refused: `${id} is ${stateOf(idea)}: ${verb} does not apply to it`,
      ...('refusal' in legal ? { own: legal.refusal } : {}),
      ...('act' in wish && !('ask' in wish) && wish.act.do === 'tell' ? { asks: wish.act.args } : {}),
    };
  };
  const answer = {
    answer: id,
    ...(idea.questionId === undefined ? {} : { question: idea.questionId }),
    ...(idea.since === undefined ? {} : { since: idea.since }),
  };
  switch (action) {
    case 'answer':
      if (idea.status === 'needs-human' && !idea.approval) return only('answer', answer);
      // What it did lands then, with the finding that made it ask.
      if (verbs.has('approve') && idea.status === 'needs-human') return asked(`land ${id} as it is`, 'approve', id);
      if (verbs.has('approve')) return tell('approve', id);
      return only('answer', answer);
    case 'hint':
      // An answer that came too late can go out as a hint.
      return only('hint', {
        type: `hint for ${id}`,
        args: ['hint', id, '--'],
        ...(isLastTry(idea) ? { note: lastTry(idea) } : {}),
        ...(draft ? { start: draft, draft: id } : { draft: `hint ${id}` }),
      });
    case 'pause':
      if (idea.restAsked === 'stop') return stopAsked(id);
      return verbs.has('resume') ? tell('resume', id) : only('pause', tell('pause', id));
    case 'stop':
      if (idea.restAsked === 'stop') return stopAsked(id);
      if (verbs.has('stop') && idea.status !== 'pending') return sure(model, 'stop', id);
      return only('abandon', sure(model, 'abandon', id));
    case 'retry':
      return only('retry', tell('retry', id));
    case 'unblock':
      return only('unblock', tell('unblock', id));
    case 'more-iterations':
      return moreOf(idea, only, verbs.has('retry'));
    case 'edit':
      return only('edit', { act: { do: 'edit', args: ['edit', id] } });
    case 'split':
      return only('split', {
        ...{ type: `split ${id} into (titles, with ; between them)`, args: ['split', id], draft: `split ${id}` },
      });
    case 'rollback':
      return only('rollback', sure(model, 'rollback', id));
    case 'cleanup':
      return only('cleanup', sure(model, 'cleanup', id));
    case 'bump':
      return model.mode === 'semi-auto' ? only('assign', tell('assign', id)) : only('bump', tell('bump', id));
    case 'continue':
      return openWarnings(idea).length > 0 ? tell('warn', id, 'continue') : { refused: `${id} has no warnings` };
    default:
      return undefined;
  }
}

export function runWish(action: Action, model: RunModel): Wish | undefined {
  switch (action) {
    case 'pause-run': {
      if (isOver(model)) return startAgain(model);
      const verb = pauseOrResume(model);
      if (verb) return tell(verb);
      const refused = `the run is ${model.state}: ${refusedPause(model)}`;
      return model.review ? { refused } : { refused, asks: ['pause'] };
    }
    case 'stop-run':
      return runTakes(model, 'stop')
        ? sure(model, 'stop')
        : { refused: `the run is ${model.state}: stop does not apply` };
    case 'review':
      return runTakes(model, 'review') ? tell('review') : { refused: 'the run waits for no review', asks: ['review'] };
    case 'worker':
      return { act: { do: 'worker' } };
    default:
      return undefined;
  }
}

/** Ideas that the question before a start names. */
const MOST_NAMED = 4;

function startAgain(model: RunModel): Wish {
  const { ready, waiting } = listsOf(model);
  const ids = [...ready, ...waiting.map(({ id }) => id)];
  const named = `${ids.slice(0, MOST_NAMED).join(', ')}${ids.length > MOST_NAMED ? ' …' : ''}`;
  const what =
    ids.length === 0 ? 'with the backlog as it is now' : `with ${many(ids.length, 'idea')}, and new ones: ${named}`;
  return asked(`start a new run ${what}`, ...startArgs(model.startAgain), '--detach');
}

const refusedPause = ({ state, review }: RunModel): string => {
  if (review) return 'V says that you have looked at it, and it goes on';
  return `${state === 'pausing' || state === 'paused' ? 'resume' : 'pause'} does not apply`;
};

const WORDS: Readonly<Partial<Record<IdeaModel['status'], string>>> = {
  'needs-human': 'waiting for your answer',
  'wants-slot': 'waiting for a slot',
  landing: 'about to land',
  timeout: 'timed out',
};
const stateOf = ({ status, held, group }: IdeaModel): string =>
  group ? 'an epic' : held ? 'held' : (WORDS[status] ?? status);

/** Arguments of the command with the typed text; undefined for an empty text. */
export function withText(args: readonly string[], text: string): string[] | undefined {
  const said = text.trim();
  if (!saysAnything(said)) return undefined;
  if (args[0] === 'split') {
    const titles = said.split(';').map((one) => one.trim());
    return [...args, ...titles.filter((one) => one !== '').flatMap((title) => ['--into', title])];
  }
  return [...args, said];
}
