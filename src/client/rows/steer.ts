/**
 * The commands of the group Steer: everything that changes the course of a run or an idea.
 * Invariant: imports nothing heavy; a command loads its module when it is called.
 */
import { InvalidArgumentError, type Command as Program } from 'commander';
import { RUN_MODES, type RunMode } from '../../protocol/command.js';
import { MOST_GRANTED, MOST_POINTS, numberProblem } from '../../protocol/command-numbers.js';
import { EXIT, UserError } from '../../protocol/user-error.js';
import type { EditOptions } from '../commands/steer/edit.js';
import type { SplitOptions } from '../commands/steer/split.js';
import {
  ALL_FAILED,
  about,
  adding,
  collect,
  FORGET,
  forgets,
  given,
  IDEA,
  interventions,
  json,
  type Run,
  type Said,
  type Several,
  slotCount,
  tell,
  tellSome,
  WHERE,
  whole,
} from './options.js';

const runMode = (text: string): RunMode => {
  const mode = RUN_MODES.find((one) => one === text);
  if (!mode) throw new InvalidArgumentError(`The modes are ${RUN_MODES.join(', ')}.`);
  return mode;
};
const more = (text: string): number => {
  const n = Number(text);
  if (!/^\+?\d+$/.test(text) || numberProblem('limit', n) !== undefined)
    throw new InvalidArgumentError(`Use a whole number from 1 to ${MOST_GRANTED}.`);
  return n;
};
const points = (text: string): number => {
  const n = Number(text);
  if (!/^[+-]?\d+$/.test(text) || numberProblem('score', n) !== undefined)
    throw new InvalidArgumentError(`Use a whole number from -${MOST_POINTS} to ${MOST_POINTS}.`);
  return n;
};
const minutes = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('Use a number of minutes above 0.');
  return value;
};

/** A step belongs to the plan of one idea. */
function oneIdea(idea: string | undefined, { allFailed, where }: Several): string {
  if (idea !== undefined && !allFailed && !where) return idea;
  throw new UserError('skip --step takes one idea: ralphctl skip --step IDEA', EXIT.usage);
}

export function addSteering(program: Program, run: Run): void {
  const add = adding(program);

  add(
    'mode',
    'choose who starts ideas',
    'Sets who starts ideas. autopilot: ralphctl. semi-auto: you, with assign. step: ralphctl, and every iteration and landing waits for approve.',
  )
    .argument('<mode>', 'autopilot, semi-auto or step', runMode)
    .action(run((context, mode: RunMode, said: Said) => tell(context, { verb: 'mode', mode }, said)));
  add('slots', 'set how many agents run at once', 'Sets how many agents run at once. Running agents continue.')
    .argument('<n>', 'agents that run at once, 1 to 100', slotCount)
    .action(run((context, n: number, said: Said) => tell(context, { verb: 'slots', n }, said)));
  add(
    'approve [idea]',
    'let what waits for your approval continue',
    'In mode step: lets the next iteration or landing continue, of one idea or of all. Also lands an idea whose gate is green and asks you to check a change.',
  ).action(
    run((context, idea: string | undefined, said: Said) => tell(context, { verb: 'approve', ...about(idea) }, said)),
  );
  add(
    'answer <idea>',
    'answer an idea’s question',
    'Answers the open question of an idea. The answer goes into its next prompt, once. The first answer counts; later ones are refused. To an idea that asks nothing, send a hint.',
  )
    .argument('<text...>', 'the answer')
    .option('--question <id>', 'answer only if this question is still open; alerts and why --json give its id')
    .action(
      run(async (context, idea: string, words: string[], { reason, question }: Said & { question?: string }) =>
        (await import('../commands/steer/answer.js')).answer(context, idea, {
          text: words.join(' '),
          reason,
          question,
        }),
      ),
    );
  add('hint <idea>', 'add advice to an idea’s next prompt', 'Adds advice to the next prompt of an idea, once.')
    .argument('[text...]', 'the advice')
    .option('--forget', FORGET)
    .action(
      run(async (context, idea: string, words: string[], said: Several) =>
        said.forget
          ? (await forgets()).forgetCarried(context, idea, 'hint')
          : (await interventions()).hint(context, idea, words.join(' '), said.reason),
      ),
    );
  add(
    'assign <idea>',
    'start an idea in the next free slot',
    'In mode semi-auto: starts this idea in the next free slot.',
  ).action(run((context, idea: string, said: Said) => tell(context, { verb: 'assign', idea }, said)));
  add('bump <idea>', 'put an idea ahead of all ready ideas', 'Puts an idea ahead of all other ready ideas.')
    .option('--forget', FORGET)
    .action(
      run(async (context, idea: string, said: Several) =>
        said.forget
          ? (await forgets()).forgetCarried(context, idea, 'bump')
          : tell(context, { verb: 'bump', idea }, said),
      ),
    );
  add(
    'score <idea>',
    'add points of your own to an idea’s score',
    'Adds points of your own to the score of an idea. `ralphctl why` shows the score.',
  )
    .argument('[points]', 'points to add; write negative points after --', points)
    .option('--forget', FORGET)
    .action(
      run(async (context, idea: string, n: number | undefined, said: Several) => {
        if (said.forget) return (await forgets()).forgetCarried(context, idea, 'score');
        return tell(context, { verb: 'score', idea, n: given(n, `score ${idea} 20`) }, said);
      }),
    );
  add(
    'limit [idea]',
    'grant an idea more iterations',
    'Grants an idea more iterations. An idea that timed out continues.',
  )
    .argument('[n]', 'iterations to add', more)
    .option('--by <n>', 'iterations to add, with --all-failed or --where', more)
    .option('--all-failed', ALL_FAILED)
    .option('--where <status>', WHERE, collect)
    .option('--forget', FORGET)
    .action(
      run(async (context, idea: string | undefined, n: number | undefined, said: Several & { by?: number }) => {
        if (said.forget && idea !== undefined) return (await forgets()).forgetCarried(context, idea, 'limit');
        const several = said.allFailed ? '--all-failed' : said.where ? '--where timed-out' : undefined;
        const many = given(n ?? said.by, several ? `limit ${several} --by 10` : `limit ${idea ?? 'IDEA'} 10`);
        return tellSome(context, idea, { verb: 'limit', n: many }, said);
      }),
    );
  program
    .command('warn')
    .argument('<idea>', IDEA)
    .argument('[answer]', 'continue, stop, +N (N more iterations) or review (default)')
    .summary('show an idea’s warnings, or answer them')
    .description('Shows the warnings of an idea, or answers them. The idea continues meanwhile.')
    .addOption(json)
    .action(
      run(async (context, idea: string, said: string | undefined) => (await interventions()).warn(context, idea, said)),
    );
  add(
    'edit <idea>',
    'change an idea’s title, text, criteria or limits',
    'Changes an idea, in $VISUAL or $EDITOR or with options. In an open run, the change applies from its next iteration; without one, from the next start.',
  )
    .option('--title <text>', 'new title')
    .option('--text <text>', 'new text of the whole task')
    .option('--success <text>', 'success criterion, repeatable; replaces all of them', collect)
    .option('--max-iterations <n>', 'maximum number of iterations', whole)
    .option('--timeout <minutes>', 'maximum working time of the idea', minutes)
    .option('--iteration-timeout <minutes>', 'maximum time of one agent run', minutes)
    .option('--forget', 'drop the edit: later runs read the idea from the backlog again')
    .action(
      run(async (context, idea: string, options: EditOptions) =>
        (await import('../commands/steer/edit.js')).edit(context, idea, options),
      ),
    );
  add(
    'split <idea>',
    'replace an idea with smaller ones',
    'Replaces an idea with smaller ones. Ideas that depend on it wait for all parts.',
  )
    .option('--into <title>', 'title of a part, repeatable', collect)
    .option('--file <path>', 'a roadmap or ideas file with the parts')
    .option('--forget', 'drop the split: later runs read the idea from the backlog again')
    .action(
      run(async (context, idea: string, options: SplitOptions) =>
        (await import('../commands/steer/split.js')).split(context, idea, options),
      ),
    );
  add(
    'skip [idea]',
    'leave an idea out of this run',
    'Leaves an idea out of this run, or of the next one where none is open. If it runs, ralphctl ends it and saves its work.',
  )
    .option('--step', 'skip only the current step of its plan; the next step starts')
    .option('--all-failed', ALL_FAILED)
    .option('--where <status>', WHERE, collect)
    .option('--forget', FORGET)
    .action(
      run(async (context, idea: string | undefined, said: Several & { step?: boolean }) => {
        if (said.forget && idea !== undefined)
          return (await forgets()).forgetCarried(context, idea, said.step ? 'skip-step' : 'skip');
        if (said.step) return (await interventions()).skipStep(context, oneIdea(idea, said), said.reason);
        return tellSome(context, idea, { verb: 'skip' }, said);
      }),
    );
  add(
    'abandon [idea]',
    'give an idea up, in later runs too',
    'Gives an idea up, in later runs too, until retry. Its branch and worktree stay.',
  )
    .option('--all-failed', ALL_FAILED)
    .option('--where <status>', WHERE, collect)
    .action(
      run(async (context, idea: string | undefined, said: Several) =>
        (await import('../commands/steer/abandon.js')).abandon(context, idea, said),
      ),
    );
}
