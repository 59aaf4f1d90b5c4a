/**
 * The parts of the configuration about checking and landing work: gate, setup, commit, landing.
 * Invariant: after parsing, every gate command has its name and timeout.
 * Imports zod only.
 */
import { z } from 'zod';
import { envName, minutes, repoPath, run, text } from './common.js';

interface GateEntry {
  run: string | string[];
  name?: string;
  timeoutMinutes?: number;
  reports?: string[];
  locks?: string[];
}
type GateItem = string | GateEntry;

/** Also the name of a folder. */
const lockName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, 'must be a short name of letters, digits, "-" and "_"');

const gateCommand: z.ZodType<GateItem> = z.union([
  z.string().regex(/\S/, 'must not be empty'),
  z.strictObject({
    run: run.describe('The command. A shell runs text; a list runs without a shell.'),
    name: text.optional().describe('Name in reports. Default: the command.'),
    timeoutMinutes: minutes.optional().describe('Minutes until the command times out and fails. Default: the gate’s.'),
    reports: z
      .array(repoPath)
      .optional()
      .describe('JUnit XML files that the command writes (globs), for exact test counts.'),
    locks: z
      .array(lockName)
      .max(10)
      .optional()
      .describe(
        'Names of what the command uses alone, e.g. db. Commands with the same name run one after another, in all projects of this machine. Waiting does not count for the time limit.',
      ),
  }),
]);
const commandList = z.array(gateCommand);
const tripwire = z.enum(['ask', 'warn', 'off']).default('ask');

const wholeGate = z.strictObject({
  commands: commandList
    .default([])
    .describe('Commands that must all pass. They run in this order in the worktree, up to the first failure.'),
  timeoutMinutes: minutes.default(20).describe('Minutes each command may take.'),
  when: z
    .enum(['claim', 'always'])
    .default('claim')
    .describe('claim: the gate runs when the agent says it is done. always: it runs after every iteration.'),
  parallel: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe(
      'Most gates of ideas at a time. An idea gives its slot back when its agent has ended, and another agent starts while the gate runs. Where as many gates run, the idea waits for its gate and holds its slot. Default: as many as slots beside the slots.',
    ),
  baseline: z
    .enum(['ask', 'tolerate', 'strict'])
    .default('ask')
    .describe(
      'For a command that fails in the same way on the commit the work started from. ask: a person decides. tolerate: the idea may land, because it is no worse. strict: the agent must fix it.',
    ),
  rerun: z
    .boolean()
    .default(true)
    .describe('Retry a failed command once. If it passes then, ralphctl calls it flaky and green.'),
  reuse: z
    .boolean()
    .default(true)
    .describe(
      'Do not gate a tree again that the gate of this run has found green, with the same commands, set-up and environment. false: each landing runs the gate.',
    ),
  baseTests: z
    .enum(['ask', 'require', 'off'])
    .default('ask')
    .describe(
      'If an idea changes or removes tests or gate files, the gate also runs the old tests and gate files over the idea’s code. For tests that passed on the base and fail now: ask: a person decides. require: the idea goes back to the agent. off: the old tests do not run.',
    ),
  protect: z
    .array(repoPath)
    .default([])
    .describe('Paths (git globs) that ralphctl restores before the gate runs, e.g. "ci/**".'),
  passEnv: z
    .array(envName)
    .default([])
    .describe(
      'Names of variables that gate commands get from the worker’s environment, e.g. DATABASE_URL. They always get those that common tool chains need, and no others.',
    ),
  tripwires: z
    .strictObject({
      deletedTests: tripwire.describe(
        'Missing tests: deleted files, and tests that ran on the base and no longer run. With ask, a command that reports tests on the base and none now is red.',
      ),
      newSkips: tripwire.describe(
        'Tests that are newly skipped, focused or ignored, in the files or in the runner’s report.',
      ),
      gateFiles: tripwire.describe(
        'New and changed files that decide what the gate checks: settings of test runners and linters, and scripts that the gate commands run. Also what the next run reads: the configuration file, the prompt template, and scripts that set-up and agents run.',
      ),
    })
    .prefault({})
    .describe(
      'Changes that can make the gate green although the work is wrong. ask: a person looks before the idea lands.',
    ),
});

export const gate = z
  .union([commandList.transform((commands) => wholeGate.parse({ commands })), wholeGate])
  .prefault({})
  .transform(({ commands, ...rest }) => {
    return {
      ...rest,
      commands: commands.map((item) => {
        const { run: what, name, reports, locks, ...more }: GateEntry = typeof item === 'string' ? { run: item } : item;
        const full = name ?? (typeof what === 'string' ? what : what.join(' '));
        const timeoutMinutes = more.timeoutMinutes ?? rest.timeoutMinutes;
        return { name: full, run: what, timeoutMinutes, reports: reports ?? [], ...(locks?.length ? { locks } : {}) };
      }),
    };
  })
  .describe('The quality commands that decide whether work is done. A bare list is a list of commands.');

export const setup = z
  .strictObject({
    run: run.optional().describe('Command that prepares a new worktree, e.g. "npm ci".'),
    copy: z
      .array(repoPath)
      .default([])
      .describe(
        'Ignored files and folders that ralphctl copies from your checkout into worktrees (globs), e.g. ".env". It also copies the files that .worktreeinclude lists.',
      ),
    timeoutMinutes: minutes.default(10).describe('Minutes until the setup command times out.'),
    passEnv: z.array(envName).default([]).describe('Like gate.passEnv, for the setup command, e.g. NPM_TOKEN.'),
  })
  .prefault({})
  .describe('How ralphctl prepares a fresh worktree before an agent works in it.');

export const commit = z
  .strictObject({
    hooks: z.boolean().default(false).describe('Run the repository’s commit hooks.'),
    sign: z.boolean().default(false).describe('Sign commits. The signer must not ask anything.'),
    type: z
      .string()
      .regex(/^[a-z][a-z0-9-]*(?:\([\w./-]+\))?$/, 'must be a commit type such as "feat" or "fix(api)"')
      .default('feat')
      .describe('Commit type at the start of messages.'),
  })
  .prefault({})
  .describe('How ralphctl commits uncommitted work and landings.');

const remoteName = z
  .string()
  .regex(/^[A-Za-z0-9][\w.-]*$/, 'must be the name of a remote, such as "origin"')
  .max(100);

export const landing = z
  .strictObject({
    mode: z
      .enum(['local', 'push', 'pr'])
      .default('local')
      .describe(
        'local: landed work stays in this repository. push: after each landing ralphctl also pushes the target branch to the remote. It never overwrites commits there. pr: ralphctl pushes each idea’s branch and opens a pull request on GitHub, or a merge request on GitLab; the idea has landed when people merge it.',
      ),
    remote: remoteName.default('origin').describe('With mode push or pr: the remote to push to.'),
    passEnv: z
      .array(envName)
      .default([])
      .describe(
        'Names of variables that a push gets from the worker’s environment, for a credential helper. It always gets those that git, ssh and the common forges need.',
      ),
    secretsAllowed: z
      .array(repoPath)
      .default([])
      .describe(
        'Files (git globs) in which a text that looks like a secret may be pushed, e.g. "test/fixtures/**". Elsewhere such a text stops the landing.',
      ),
    retrySeconds: z
      .number()
      .min(1)
      .max(3600)
      .default(30)
      .describe('Seconds before ralphctl tries a failed push again. The wait doubles each time, up to 15 minutes.'),
    strategy: z
      .enum(['rebase', 'merge', 'squash'])
      .default('rebase')
      .describe('How ralphctl puts an idea’s commits onto the target branch.'),
    maxRounds: z
      .int()
      .min(0)
      .max(20)
      .default(2)
      .describe(
        'How often a conflict or a red merge goes back to the agent before ralphctl asks you. A round that failed only because the target moved on meanwhile does not count, up to six in a row.',
      ),
    maxWaiting: z
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe(
        'Most finished ideas in the landing queue. When it is full, new ideas wait, because their work would be stale when they land. Default: twice the slots, at least four.',
      ),
    parallel: z
      .int()
      .min(1)
      .max(100)
      .default(1)
      .describe(
        'Most gates of finished ideas at a time on what will land: the target, the ideas ahead in the landing queue, and the idea. Each has an integration worktree of its own, with its set-up. An idea whose gate was green there lands without another gate if that tree comes. 1: each idea is gated in its own worktree, and again when it lands.',
      ),
    tick: z.boolean().default(true).describe('Tick the idea in the backlog file when it lands.'),
    stack: z
      .boolean()
      .default(false)
      .describe(
        'With mode pr: an idea need not wait until what it depends on is merged. It starts on the branch of that open pull request, and its own is opened on top of it.',
      ),
    pr: z
      .strictObject({
        repo: z
          .string()
          .regex(/^[\w.-]+(?:\/[\w.-]+)+$/, 'must be owner/name or host/owner/name')
          .optional()
          .describe(
            'Repository of the pull requests, owner/name or host/owner/name. Default: the one of the remote’s address.',
          ),
        forge: z
          .enum(['github', 'gitlab'])
          .optional()
          .describe(
            'Where the pull requests are. Default: gitlab if the host of the remote has that word in its name, such as gitlab.com or gitlab.example.com, else github.',
          ),
        draft: z.boolean().default(false).describe('Open pull requests as drafts.'),
        labels: z.array(text).default([]).describe('Labels of each pull request.'),
        linkIssue: z
          .boolean()
          .optional()
          .describe(
            'A pull request for an issue has a line with its address, `For: …`, which closes nothing. With a template: its placeholder {{issue}} alone. Default: true where `backlog.write` lets ralphctl write to the tracker.',
          ),
        reviewers: z.array(text).default([]).describe('People who are asked for a review.'),
        title: text
          .max(200)
          .regex(/^[^\r\n]*$/, 'must be one line')
          .optional()
          .describe(
            'Title of pull requests, with the placeholders of template. One line of at most 200 characters. Default: {{title}} ({{id}}).',
          ),
        template: repoPath
          .optional()
          .describe(
            'File with your own text of pull requests. Placeholders: {{id}}, {{title}}, {{issue}}, {{text}}, {{criteria}}, {{gate}}, {{how}}.',
          ),
        autoMerge: z
          .enum(['off', 'merge', 'squash', 'rebase'])
          .default('off')
          .describe(
            'Ask the forge to merge each pull request in this way once its checks and reviews allow it. GitHub needs "Allow auto-merge" in the settings of the repository. GitLab merges or rebases as its project says.',
          ),
        answer: z
          .enum(['resolve', 'reply', 'off'])
          .default('resolve')
          .describe(
            'After a push that follows comments. reply: ralphctl answers each comment that the agent had, once, and names the commit. resolve: it also resolves their threads. off: it writes nothing.',
          ),
        pollSeconds: z
          .number()
          .min(1)
          .max(3600)
          .default(30)
          .describe('Seconds between two looks at a pull request. The wait grows to 5 minutes while nothing happens.'),
      })
      .prefault({})
      .describe('With mode pr: the pull requests.'),
  })
  .superRefine(({ stack, mode }, ctx) => {
    if (stack && mode !== 'pr')
      ctx.addIssue({
        code: 'custom',
        path: ['stack'],
        message: `is for landing.mode: pr only, and this one is ${mode}: without pull requests nothing can be on top of one. Set landing.mode: pr, or remove it`,
      });
  })
  .prefault({})
  .describe('How work with a green gate reaches the target branch.');
