/**
 * Turns the keys of an idea and of the run into a command, a confirmation before it, or a refusal with its reason.
 * Invariant: pure. Offers only commands that the run accepts now; the run decides in the end.
 */
import type { IdeaModel, RunModel } from '../../model/model.js';
import type { Action } from '../keys.js';
import { ideaVerbs, isOver, runTakes } from '../possible.js';
import type { Act } from './act.js';

export type Wish =
  | { act: Act }
  /** Runs after `y`. */
  | { ask: string; act: Act }
  /** Text input comes first; `args` precede it. */
  | { type: string; args: readonly string[]; start?: string }
  /** Opens the answer editor. */
  | { answer: string }
  | { refused: string };

const tell = (...args: string[]): Wish => ({ act: { do: 'tell', args } });
const asked = (ask: string, ...args: string[]): Wish => ({ ask, act: { do: 'tell', args } });

export function ideaWish(action: Action, model: RunModel, idea: IdeaModel): Wish | undefined {
  const { id } = idea;
  const verbs = ideaVerbs(model, idea);
  const only = (verb: Parameters<typeof verbs.has>[0], wish: Wish): Wish =>
    verbs.has(verb) ? wish : { refused: `${id} is ${stateOf(idea)}: ${verb} does not apply to it` };
  switch (action) {
    case 'answer':
      if (idea.status === 'needs-human' && !idea.approval) return only('answer', { answer: id });
      if (verbs.has('approve')) return tell('approve', id);
      return only('answer', { answer: id });
    case 'hint':
      return only('hint', { type: `hint for ${id}`, args: ['hint', id, '--'] });
    case 'pause':
      return verbs.has('resume') ? tell('resume', id) : only('pause', tell('pause', id));
    case 'stop':
      if (verbs.has('stop') && idea.status !== 'pending')
        return asked(`stop ${id}: its iteration ends at its next boundary, its work stays`, 'stop', id);
      return only('abandon', asked(`give ${id} up, in later runs too; its branch stays`, 'abandon', id));
    case 'retry':
      return only('retry', tell('retry', id));
    case 'unblock':
      return only('unblock', tell('unblock', id));
    case 'more-iterations':
      return only('limit', { type: `more iterations for ${id}`, args: ['limit', id], start: '5' });
    case 'edit':
      return only('edit', { act: { do: 'lend', args: ['edit', id] } });
    case 'split':
      return only('split', { type: `split ${id} into (titles, with ; between them)`, args: ['split', id] });
    case 'rollback':
      return only(
        'rollback',
        asked(
          `take the commits of ${id} back${idea.status === 'landed' ? ` off ${model.target}` : ''}`,
          'rollback',
          id,
        ),
      );
    case 'cleanup':
      return only('cleanup', asked(`save the worktree of ${id}, then remove it`, 'cleanup', id));
    case 'bump':
      return model.mode === 'semi-auto' ? only('assign', tell('assign', id)) : only('bump', tell('bump', id));
    case 'continue':
      return idea.warnings.length > 0 ? tell('warn', id, 'continue') : { refused: `${id} has no open warning` };
    default:
      return undefined;
  }
}

export function runWish(action: Action, model: RunModel): Wish | undefined {
  switch (action) {
    case 'pause-run':
      if (runTakes(model, 'resume')) return tell('resume');
      return runTakes(model, 'pause') ? tell('pause') : { refused: `the run is ${model.state}: pause does not apply` };
    case 'stop-run':
      return runTakes(model, 'stop')
        ? asked('stop the run: running iterations finish, finished work lands, the rest stays on its branches', 'stop')
        : { refused: `the run is ${model.state}: stop does not apply` };
    case 'review':
      return runTakes(model, 'review') ? tell('review') : { refused: 'the run waits for no review' };
    case 'again':
      return isOver(model)
        ? asked('start a run with everything that has not landed', 'start', '--detach')
        : { refused: 'a run is open: r on an idea retries that idea' };
    case 'worker':
      return { act: { do: 'worker' } };
    default:
      return undefined;
  }
}

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
  if (said === '') return undefined;
  if (args[0] === 'split') {
    const titles = said.split(';').map((one) => one.trim());
    return [...args, ...titles.filter((one) => one !== '').flatMap((title) => ['--into', title])];
  }
  return [...args, said];
}
