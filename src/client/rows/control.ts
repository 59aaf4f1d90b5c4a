/**
 * The commands that tell a run or an idea something, as rows: name, what it takes, what it sends.
 * Invariant: nothing heavy is imported here; the modules behind are loaded when a command is called.
 */
import { InvalidArgumentError, Option, type Command as Program } from 'commander';
import { type Intervention, RUN_MODES, type RunMode } from '../../protocol/command.js';
import type { EditOptions } from '../commands/edit.js';
import type { SplitOptions } from '../commands/split.js';
import type { Context } from '../context.js';

type Action<Args extends unknown[]> = (context: Context, ...args: Args) => Promise<number>;
/** Wraps what a command does into what commander calls. */
export type Run = <Args extends unknown[]>(
  action: Action<Args>,
) => (...all: [...Args, Record<string, unknown>, Program]) => Promise<void>;

interface Said {
  reason?: string;
}

const reason = new Option('--reason <text>', 'why; kept with the run, shown in status, why and the events');
const json = new Option('--json', 'machine-readable output, one JSON value a line');
const whole = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) < 1) throw new InvalidArgumentError('a whole number from 1 is needed.');
  return Number(text);
};
const slotCount = (text: string): number => {
  if (!/^\d+$/.test(text) || Number(text) < 1 || Number(text) > 100) {
    throw new InvalidArgumentError('a whole number from 1 to 100 is needed.');
  }
  return Number(text);
};
const runMode = (text: string): RunMode => {
  const mode = RUN_MODES.find((one) => one === text);
  if (!mode) throw new InvalidArgumentError(`the modes are ${RUN_MODES.join(', ')}.`);
  return mode;
};
const more = (text: string): number => whole(text.replace(/^\+/, ''));
const points = (text: string): number => {
  if (!/^[+-]?\d+$/.test(text)) throw new InvalidArgumentError('a whole number is needed.');
  return Number(text);
};
const minutes = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('minutes are needed.');
  return value;
};
const collect = (value: string, before: string[] = []): string[] => [...before, value];

const tell = async (context: Context, command: Intervention, said: Said): Promise<number> => {
  const control = await import('../commands/interventions.js');
  return control.tell(context, { ...command, ...(said.reason ? { reason: said.reason } : {}) });
};
const about = (idea: string | undefined): { idea?: string } => (idea === undefined ? {} : { idea });

export function addRunControls(program: Program, run: Run): void {
  const add = (name: string, text: string): Program =>
    program.command(name).description(text).addOption(reason).addOption(json);

  add('pause [idea]', 'start nothing new; running iterations finish, then everything holds (or one idea alone)')
    .option('--now', 'end running agents: their work is saved, their iterations are not charged')
    .action(
      run((context, idea: string | undefined, said: Said & { now?: boolean }) =>
        tell(context, { verb: said.now ? 'pause-now' : 'pause', ...about(idea) }, said),
      ),
    );
  add('resume [idea]', 'go on after a pause; an idea: let it go on, or go again').action(
    run((context, idea: string | undefined, said: Said) => tell(context, { verb: 'resume', ...about(idea) }, said)),
  );
  add('review', 'go on after too many ideas failed in a row, once you have looked at them').action(
    run((context, said: Said) => tell(context, { verb: 'review' }, said)),
  );
  add(
    'stop [idea]',
    'end the run: running iterations finish, finished work lands, the rest stays on its branches',
  ).action(
    run((context, idea: string | undefined, said: Said) => tell(context, { verb: 'stop', ...about(idea) }, said)),
  );
  add('abort', 'end the run at once: agents are ended, their changes saved, nothing more lands').action(
    run((context, said: Said) => tell(context, { verb: 'abort' }, said)),
  );
  add('slots', 'change how many agents run at once')
    .argument('<n>', 'agents at once, 1 to 100', slotCount)
    .action(run((context, n: number, said: Said) => tell(context, { verb: 'slots', n }, said)));
  add(
    'mode',
    'who starts ideas: autopilot, semi-auto (you assign them), step (every iteration and landing waits for approve)',
  )
    .argument('<mode>', 'autopilot, semi-auto or step', runMode)
    .action(run((context, mode: RunMode, said: Said) => tell(context, { verb: 'mode', mode }, said)));
  add(
    'approve [idea]',
    'mode step: let the next iteration run, of one idea or of all; or land what the gate asks about',
  ).action(
    run((context, idea: string | undefined, said: Said) => tell(context, { verb: 'approve', ...about(idea) }, said)),
  );
}

export function addIdeaControls(program: Program, run: Run): void {
  const add = (name: string, text: string): Program =>
    program.command(`${name} <idea>`).description(text).addOption(reason).addOption(json);
  const plain = (verb: Intervention['verb'], text: string): void => {
    add(verb, text).action(run((context, idea: string, said: Said) => tell(context, { verb, idea }, said)));
  };

  add('answer', 'answer what an idea asked; while it runs, the same as a hint')
    .argument('<text...>')
    .action(
      run(async (context, idea: string, words: string[], said: Said) =>
        (await import('../commands/answer.js')).answer(context, idea, words.join(' '), said.reason),
      ),
    );
  add('hint', 'say something in the idea’s next prompt, once')
    .argument('<text...>')
    .action(
      run(async (context, idea: string, words: string[], said: Said) =>
        (await import('../commands/interventions.js')).hint(context, idea, words.join(' '), said.reason),
      ),
    );
  plain('assign', 'mode semi-auto: start this idea in the next free slot');
  add('retry', 'start an idea again that failed, ran out, is blocked or was skipped; its work so far is kept')
    .option('--fresh', 'drop its work so far (it is saved first)')
    .action(
      run(async (context, idea: string, said: Said & { fresh?: boolean }) =>
        (await import('../commands/abandon.js')).retry(context, idea, said),
      ),
    );
  plain('unblock', 'a blocked idea is pending again');
  add('limit', 'give an idea more iterations; one that ran out goes on')
    .argument('<n>', 'iterations to add', more)
    .action(run((context, idea: string, n: number, said: Said) => tell(context, { verb: 'limit', idea, n }, said)));
  add('skip', 'leave an idea out of this run; one that runs is ended, its work saved')
    .option('--step', 'only the step of its plan that it is at; it goes on with the next one')
    .action(
      run(async (context, idea: string, said: Said & { step?: boolean }) =>
        said.step
          ? (await import('../commands/interventions.js')).skipStep(context, idea, said.reason)
          : tell(context, { verb: 'skip', idea }, said),
      ),
    );
  add('abandon', 'give an idea up for good, in later runs too, until retry; its branch and worktree are kept').action(
    run(async (context, idea: string, said: Said) =>
      (await import('../commands/abandon.js')).abandon(context, idea, said.reason),
    ),
  );
  plain('rollback', 'take an idea’s commits back: on its branch, or on the target if it has landed');
  add('cleanup', 'remove the worktree of an idea that is over; what is in it is saved first')
    .option('--force', 'also a locked or broken one')
    .action(
      run((context, idea: string, said: Said & { force?: boolean }) =>
        tell(context, { verb: 'cleanup', idea, ...(said.force ? { force: true } : {}) }, said),
      ),
    );
  plain('bump', 'put an idea first among those that are ready');
  add('score', 'give an idea points of your own; see: why')
    .argument('<points>', 'added to its score; may be negative, after --', points)
    .action(run((context, idea: string, n: number, said: Said) => tell(context, { verb: 'score', idea, n }, said)));
  add('edit', 'change an idea of the open run, in $EDITOR or by flags; counts from its next iteration on')
    .option('--title <text>')
    .option('--text <text>', 'the whole task text')
    .option('--success <text>', 'success criterion, repeatable; replaces all', collect)
    .option('--max-iterations <n>', '', whole)
    .option('--timeout <minutes>', 'working time of the idea', minutes)
    .option('--iteration-timeout <minutes>', 'time of one agent run', minutes)
    .option('--forget', 'later runs read it from the backlog again')
    .action(
      run(async (context, idea: string, options: EditOptions) =>
        (await import('../commands/edit.js')).edit(context, idea, options),
      ),
    );
  add('split', 'put smaller ideas in the place of one; what waits for it waits for all of them')
    .option('--into <title>', 'a part, repeatable', collect)
    .option('--file <path>', 'the parts as a roadmap or ideas file')
    .option('--forget', 'later runs read it from the backlog again')
    .action(
      run(async (context, idea: string, options: SplitOptions) =>
        (await import('../commands/split.js')).split(context, idea, options),
      ),
    );
}
