/**
 * The `retention` part of the configuration: how long ralphctl keeps what it wrote.
 * Imports zod and types only.
 */
import { z } from 'zod';
import type { Retention } from '../../protocol/retention.js';

const NEVER = z.literal('never');
const days = z.union([z.int().min(1).max(36_500), NEVER]);
const megabytes = z.union([z.int().min(1).max(1_000_000_000), NEVER]);

export const retention = z
  .strictObject({
    automatic: z
      .boolean()
      .default(true)
      .describe('Clean when a run starts and when it ends. false: only `ralphctl clean` cleans.'),
    keepDays: z
      .int()
      .min(1)
      .max(36_500)
      .default(7)
      .describe('Nothing younger goes, however large it is and whatever the other keys say.'),
    transcriptDays: days
      .default(90)
      .describe('Prompts, output and messages of agents go this many days after their run ended.'),
    gateLogDays: days.default(30).describe('Output of gates, set-up and landings goes this many days after the run.'),
    runDays: days
      .default(365)
      .describe('The events of a run go after this many days. Its summary, its report and its results stay.'),
    worktreeDays: days
      .default(30)
      .describe('Worktrees without uncommitted work that nobody used for this many days go; their branches stay.'),
    saveDays: days.default(90).describe('Saves whose work is on the target go after this many days.'),
    unlandedSaveDays: days
      .default(365)
      .describe(
        'Saves whose work is not on the target go after this many days. Only `ralphctl clean` removes them, and it names each one first.',
      ),
    goneProjectDays: days
      .default(90)
      .describe(
        'Transcripts, gate logs, events and caches of a project go this many days after its last run, if its repository is gone. Other projects are never touched.',
      ),
    serverHistoryDays: z
      .int()
      .min(1)
      .max(3650)
      .default(30)
      .describe(
        'Days that the embedded server keeps closed workflows for its Web UI. The largest value of all projects counts.',
      ),
    maxMegabytes: megabytes
      .default(10_000)
      .describe(
        'Megabytes for the runs of this project. Above it, transcripts and gate logs of the oldest runs go first.',
      ),
    warnMegabytes: megabytes
      .default(20_000)
      .describe('`status` and `doctor` tell when the whole state folder is larger, as the last cleaning measured it.'),
  } satisfies { [Key in keyof Retention]: z.ZodType<Retention[Key]> })
  .prefault({})
  .describe('How long ralphctl keeps what it wrote. never: no limit.');

export const DEFAULT_RETENTION: Retention = retention.parse({});

/** Of a run, which has none where an older version began it. */
export const retentionOf = (config: { retention?: Partial<Retention> }): Retention => ({
  ...DEFAULT_RETENTION,
  ...config.retention,
});
