/**
 * The `backlog` part of the configuration where it names a tracker instead of a file.
 * Invariant: without `write`, ralphctl only reads. Imports zod, protocol and this folder only.
 */
import { z } from 'zod';
import { TRACKER_NAMES } from '../../protocol/tracker.js';
import { envName, text } from './common.js';

const wholeWrite = z.strictObject({
  claim: z
    .enum(['assign', 'label', 'off'])
    .default('off')
    .describe(
      'assign: before an idea starts, its issue is assigned to you. label: it gets `claimLabel`. Both comment.',
    ),
  progress: z.boolean().default(false).describe('Comment on the issue: one comment, which ralphctl edits.'),
  done: z
    .enum(['close', 'link', 'off'])
    .default('off')
    .describe('When an idea lands. close: close its issue, with the commit in the comment. link: only comment.'),
});

const write = z
  .union([
    z.boolean().transform((on) => wholeWrite.parse(on ? { claim: 'assign', progress: true, done: 'close' } : {})),
    wholeWrite,
  ])
  .prefault({})
  .describe('What ralphctl may write to the tracker. true: assign, comment, close. Default: nothing.');

/** Keys that other trackers would ignore. */
const ONLY_OF = {
  ...{ file: ['jsonl'], run: ['command'], repository: ['github', 'gitlab'] },
  milestone: ['github', 'gitlab', 'command'],
};

export const tracker = z
  .strictObject({
    tracker: z.enum(TRACKER_NAMES).describe('Where ideas come from. command: a program of yours.'),
    repository: z
      .string()
      .regex(/^(?:[A-Za-z0-9][A-Za-z0-9.:-]*\/)?[\w.-]+(?:\/[\w.-]+)+$/, 'must be owner/name, or host/owner/name')
      .optional()
      .describe('Of github and gitlab: owner/name, or host/owner/name. Default: that of the remote `origin`.'),
    file: text.optional().describe('Of jsonl: the file of reports, relative to the repository root.'),
    run: z
      .array(z.string())
      .min(1)
      .optional()
      .describe(
        'Of command: program and arguments; no shell runs them. A relative path starts at the repository root.',
      ),
    passEnv: z.array(envName).default([]).describe('Of command: like gate.passEnv, for this program.'),
    labels: z.array(text).default([]).describe('Only issues with all of these labels.'),
    author: text.optional().describe('Only issues of this author.'),
    milestone: text.optional().describe('Only issues of the milestone with this title. Not for jsonl.'),
    query: text.optional().describe('Only issues that this search finds, in the words of the tracker.'),
    trust: z
      .enum(['members', 'anyone'])
      .default('members')
      .describe('members: only issues of people who may write to the repository. anyone: those of strangers, too.'),
    trustLabel: text
      .optional()
      .describe('Issues of strangers with this label count, too. Only people with rights can set a label.'),
    claimLabel: text.default('ralphctl').describe('Label of `claim: label`.'),
    idPrefix: z
      .string()
      .regex(/^[A-Za-z][A-Za-z0-9_-]{0,19}$/, 'must begin with a letter, and hold letters, digits, "_" and "-"')
      .optional()
      .describe('Begins the ids of ideas. Default: issue-, report- (jsonl) or item- (command).'),
    most: z.int().min(1).max(20_000).default(5000).describe('Most issues that one start reads.'),
    timeoutSeconds: z.number().min(1).max(3600).default(60).describe('Seconds until one call times out.'),
    write,
  })
  .superRefine((given, ctx) => {
    const needed = { jsonl: 'file', command: 'run' }[given.tracker as string] as 'file' | 'run' | undefined;
    if (needed !== undefined && given[needed] === undefined)
      ctx.addIssue({ code: 'custom', path: [needed], message: `is required where tracker is ${given.tracker}` });
    for (const [key, trackers] of Object.entries(ONLY_OF))
      if (given[key as keyof typeof ONLY_OF] !== undefined && !trackers.includes(given.tracker))
        ctx.addIssue({
          code: 'custom',
          path: [key],
          message: `is for the tracker ${trackers.join(' or ')} only, and this one is ${given.tracker}: remove one of them`,
        });
    const commas = [...given.labels, given.claimLabel].find((label) => label.includes(','));
    if (given.tracker === 'gitlab' && commas !== undefined)
      ctx.addIssue({ code: 'custom', path: ['labels'], message: `GitLab has no label with a comma ("${commas}")` });
  });

/** The tracker of a backlog, with every default filled in. */
export type TrackerConfig = z.output<typeof tracker>;

export const writesTo = ({ write: { claim, progress, done } }: TrackerConfig): boolean =>
  claim !== 'off' || progress || done !== 'off';

type Named = { backlog?: string | TrackerConfig | undefined };

/** Undefined where the backlog is a file. */
export const trackerOf = ({ backlog }: Named): TrackerConfig | undefined =>
  typeof backlog === 'object' ? backlog : undefined;

/** The configured file; undefined where none is named, or a tracker is. */
export const backlogFileOf = ({ backlog }: Named): string | undefined =>
  typeof backlog === 'string' ? backlog : undefined;
