/**
 * The parts of the configuration about checking and landing work: gate, setup, commit, landing, worktrees.
 * Invariant: every gate command leaves here with its name and timeout filled in. Imports zod only.
 */
import { z } from 'zod';
import { envName, minutes, repoPath, run, text } from './schema-common.js';

type GateItem = string | { run: string | string[]; name?: string; timeoutMinutes?: number; reports?: string[] };

const gateCommand: z.ZodType<GateItem> = z.union([
  z.string().regex(/\S/, 'must not be empty'),
  z.strictObject({
    run: run.describe('The command: text is run by the shell, a list as it is.'),
    name: text.optional().describe('Name in reports. Default: the command.'),
    timeoutMinutes: minutes.optional().describe('Minutes until it counts as failed. Default: the gate’s.'),
    reports: z.array(repoPath).optional().describe('JUnit XML files it writes (globs), for exact test counts.'),
  }),
]);
const commandList = z.array(gateCommand);
const tripwire = z.enum(['ask', 'warn', 'off']).default('ask');

const wholeGate = z.strictObject({
  commands: commandList
    .default([])
    .describe('Commands that must all pass, run in this order in the worktree; the first failure stops.'),
  timeoutMinutes: minutes.default(20).describe('Minutes each command may take.'),
  when: z
    .enum(['claim', 'always'])
    .default('claim')
    .describe('claim: run the gate when the agent says it is done. always: after every iteration.'),
  baseline: z
    .enum(['ask', 'tolerate', 'strict'])
    .default('ask')
    .describe(
      'When a command fails that also fails, in the same way, on the commit the work started from. ask: a person decides. tolerate: it may land, as it is no worse. strict: the agent has to mend it.',
    ),
  rerun: z
    .boolean()
    .default(true)
    .describe('Run a failed command once more; if it passes then, it is flaky and no failure.'),
  baseTests: z
    .enum(['ask', 'require', 'off'])
    .default('ask')
    .describe(
      'When an idea changes or removes tests or files of the gate, the gate also runs with those of the commit the work started from over the idea’s code. What passed there and fails here: ask: a person decides. require: it goes back to the agent. off: they are not run.',
    ),
  protect: z
    .array(repoPath)
    .default([])
    .describe('Paths (git globs) that are put back to what they were before the gate runs, e.g. "ci/**".'),
  passEnv: z
    .array(envName)
    .default([])
    .describe(
      'Names of variables that gate commands get from the environment of the worker, beside those that ordinary tool chains need, e.g. DATABASE_URL. All others are withheld.',
    ),
  tripwires: z
    .strictObject({
      deletedTests: tripwire.describe(
        'Tests that are gone: deleted files, and tests that ran on the base and do not any more. With ask, a command that reports no test at all where it did on the base is red.',
      ),
      newSkips: tripwire.describe(
        'Tests that are newly skipped, focused or ignored: in the files, or as the runner reports.',
      ),
      gateFiles: tripwire.describe(
        'New and changed files that decide what the gate checks: settings of runners and linters, and scripts that the gate’s commands run.',
      ),
    })
    .prefault({})
    .describe('Changes that can make the gate green without making the work right. ask: a person looks first.'),
});

export const gate = z
  .union([commandList.transform((commands) => wholeGate.parse({ commands })), wholeGate])
  .prefault({})
  .transform(({ commands, ...rest }) => {
    return {
      ...rest,
      commands: commands.map((item) => {
        const { run: what, name, timeoutMinutes, reports } = typeof item === 'string' ? { run: item } : item;
        const full = name ?? (typeof what === 'string' ? what : what.join(' '));
        return { name: full, run: what, timeoutMinutes: timeoutMinutes ?? rest.timeoutMinutes, reports: reports ?? [] };
      }),
    };
  })
  .describe('The commands that decide whether work is done. A bare list is a list of commands.');

export const setup = z
  .strictObject({
    run: run.optional().describe('Command that makes a new worktree ready, e.g. "npm ci".'),
    copy: z
      .array(repoPath)
      .default([])
      .describe(
        'Ignored files and folders copied from your checkout into worktrees (globs), e.g. ".env". What .worktreeinclude lists is copied, too.',
      ),
    timeoutMinutes: minutes.default(10).describe('Minutes the setup command may take.'),
    passEnv: z
      .array(envName)
      .default([])
      .describe('The same for the setup command as gate.passEnv for the gate, e.g. NPM_TOKEN.'),
  })
  .prefault({})
  .describe('What a fresh worktree needs before an agent can work in it.');

export const commit = z
  .strictObject({
    hooks: z.boolean().default(false).describe('Run the repository’s commit hooks.'),
    sign: z.boolean().default(false).describe('Sign commits; needs a signer that asks nothing.'),
    type: z
      .string()
      .regex(/^[a-z][a-z0-9-]*(?:\([\w./-]+\))?$/, 'must be a commit type such as "feat" or "fix(api)"')
      .default('feat')
      .describe('Type in front of commit messages.'),
  })
  .prefault({})
  .describe('How leftovers and landings are committed.');

export const landing = z
  .strictObject({
    strategy: z
      .enum(['rebase', 'merge', 'squash'])
      .default('rebase')
      .describe('How an idea’s commits come onto the target branch.'),
    maxRounds: z
      .int()
      .min(0)
      .max(20)
      .default(2)
      .describe('Times a conflict or a red merge goes back to the agent before it goes to you.'),
    maxWaiting: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe(
        'Finished ideas that may wait to land before new ones wait, too: what starts now would be stale when its turn comes. Default: twice the slots, at least four.',
      ),
    tick: z.boolean().default(true).describe('Tick the idea in the backlog file when it has landed.'),
  })
  .prefault({})
  .describe('How gated work reaches the target branch.');

/** Folders that package managers and build tools fill and that are dear to build again. */
const DEPENDENCY_FOLDERS = [
  'node_modules',
  '.pnpm-store',
  '.yarn/cache',
  '.venv',
  'venv',
  'vendor/bundle',
  '.bundle',
  'vendor',
  'target',
  '.gradle',
  '.m2',
  'Pods',
  '.build',
  'deps',
  '_build',
  '.dart_tool',
  '.stack-work',
  'dist-newstyle',
  '.tox',
];

export const worktrees = z
  .strictObject({
    root: text
      .optional()
      .describe('Folder for worktrees. Default: inside ralphctl’s state folder, outside the repository.'),
    keep: z
      .array(repoPath)
      .default(DEPENDENCY_FOLDERS)
      .describe(
        'Ignored folders that stay when a worktree is used again, such as node_modules, as set-up left them. Replaces the default list.',
      ),
    cache: z
      .array(repoPath)
      .default([])
      .describe(
        'Those of them that later ideas and landings find as the last gate left them: build caches, such as target. Faster, and what one idea’s tests write there can make another’s green.',
      ),
    recycle: z.boolean().default(true).describe('Use a worktree again once its idea has landed and it is clean.'),
  })
  .prefault({})
  .describe('Where agents work.');
