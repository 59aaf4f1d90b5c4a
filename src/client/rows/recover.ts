/**
 * The commands of the group Recover.
 * Invariant: imports nothing heavy; a command loads its module when it is called.
 */
import type { Command as Program } from 'commander';
import type { CleanOptions } from '../commands/recover/clean.js';
import type { ResetOptions } from '../commands/recover/reset.js';
import {
  ALL_FAILED,
  adding,
  collect,
  FORGET,
  forgets,
  IDEA,
  json,
  type Run,
  type Said,
  type Several,
  tell,
  tellSome,
  WHERE,
  whole,
} from './options.js';

const savedWork = () => import('../commands/recover/saves.js');

export function addRecovery(program: Program, run: Run): void {
  const add = adding(program);

  add(
    'review',
    'continue after too many ideas failed in a row',
    'Continues a run that paused because too many ideas failed in a row. Look at them first: ralphctl status --only failed.',
  ).action(run((context, said: Said) => tell(context, { verb: 'review' }, said)));
  add(
    'retry [idea]',
    'queue a failed, blocked or skipped idea again',
    'Queues an idea again that failed, timed out, is blocked, was skipped or was abandoned. Its work so far stays.',
  )
    .option('--fresh', 'save its work so far, then drop it and start over')
    .option('--take-over', 'first take its issue from another ralphctl, which claimed it and is gone')
    .option('--all-failed', ALL_FAILED)
    .option('--where <status>', WHERE, collect)
    .option('--forget', FORGET)
    .action(
      run(async (context, idea: string | undefined, said: Several & { fresh?: boolean; takeOver?: boolean }) => {
        if (said.forget && idea !== undefined) return (await forgets()).forgetCarried(context, idea, 'retry');
        if (said.takeOver) await (await import('../commands/recover/take-over.js')).takeOver(context, idea);
        return (await import('../commands/steer/abandon.js')).retry(context, idea, said);
      }),
    );
  add('unblock [idea]', 'queue a blocked idea again', 'Queues a blocked idea again.')
    .option('--where <status>', WHERE, collect)
    .option('--forget', FORGET)
    .action(
      run(async (context, idea: string | undefined, said: Several) =>
        said.forget && idea !== undefined
          ? (await forgets()).forgetCarried(context, idea, 'unblock')
          : tellSome(context, idea, { verb: 'unblock' }, said),
      ),
    );
  add(
    'rollback <idea>',
    'take an idea’s commits back',
    'Takes the commits of an idea back: on its branch, or with a revert on the target if it has landed.',
  ).action(
    run(async (context, idea: string, { reason }: Said) =>
      (await import('../commands/steer/rollback.js')).rollback(context, idea, reason),
    ),
  );
  add(
    'cleanup <idea>',
    'save and remove a finished idea’s worktree',
    'Removes the worktree of a finished idea. ralphctl saves its contents first.',
  )
    .option(
      '--force',
      'also remove a locked or broken worktree, and end an agent of a run that has ended that works in it',
    )
    .action(
      run(async (context, idea: string, { force, reason }: Said & { force?: boolean }) => {
        const { cleanup } = await import('../commands/recover/cleanup.js');
        return cleanup(context, { verb: 'cleanup', idea, force: force || undefined, ...(reason ? { reason } : {}) });
      }),
    );

  addReset(program, run);
  addClean(program, run);
  addSaves(program, run);
  addSync(program, run);
}

function addReset(program: Program, run: Run): void {
  program
    .command('reset')
    .argument('[ideas...]', 'ids of ideas, as status shows them')
    .summary('begin ideas again as if no run had been')
    .description(
      'Removes branches and worktrees of ideas that have not landed, after saving them, and forgets what later runs would carry over. Works only while no run is open.',
    )
    .option('--all', 'every idea of the project')
    .option('--history', 'with --all: also remove the files of all runs (events, prompts, output)')
    .option('--force', 'do not ask before it ends agents that still work for a run that has ended')
    .option('--dry-run', 'print what it would do and change nothing')
    .addOption(json)
    .action(
      run(async (context, ideas: string[], options: ResetOptions) =>
        (await import('../commands/recover/reset.js')).reset(context, ideas, options),
      ),
    );
}

function addClean(program: Program, run: Run): void {
  program
    .command('clean')
    .summary('remove old transcripts, logs, worktrees and saves')
    .description(
      'Removes what is older or larger than `retention` in ralphctl.yaml says. Work that has neither landed nor been saved stays, and so does all that an open run has.',
    )
    .option('--dry-run', 'print what it would remove and change nothing')
    .addOption(json)
    .action(
      run(async (context, options: CleanOptions) =>
        (await import('../commands/recover/clean.js')).clean(context, options),
      ),
    );
}

function addSaves(program: Program, run: Run): void {
  const saves = program
    .command('saves')
    .argument('[idea]', 'only the saves of this idea')
    .summary('list saved work; restore a save as a branch')
    .description('Lists what ralphctl saved before it removed or changed any work, and restores a save as a branch.')
    .addOption(json)
    .action(run(async (context, idea: string | undefined) => (await savedWork()).saves(context, idea)));
  saves
    .command('restore')
    .argument('<idea>', IDEA)
    .argument('<n>', 'number of the save', whole)
    .description('restore a save as a branch; overwrites nothing')
    .option('--to <branch>', 'a new branch, or one that the save contains (default: restored/<idea>-<n>)')
    .addOption(json)
    .action(
      run(async (context, idea: string, n: number, options: { to?: string }) =>
        (await savedWork()).restore(context, idea, n, options.to),
      ),
    );
}

function addSync(program: Program, run: Run): void {
  program
    .command('sync')
    .summary('update a checkout that fell behind its branch')
    .description(
      'Updates a checkout that fell behind its branch when work landed. Keeps your edits. With landing.mode: push, it also pushes landed work that is not on the remote yet.',
    )
    .option('--conflicts', 'leave conflict markers where your edits and landed work change the same lines')
    .addOption(json)
    .action(
      run(async (context, options: { conflicts?: boolean }) =>
        (await import('../commands/recover/sync.js')).sync(context, options),
      ),
    );
}
