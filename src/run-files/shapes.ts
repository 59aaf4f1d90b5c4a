/**
 * Types and shapes of a run's pinned files, and shapes that other files of a run and a project share. ralphctl checks a
 * file against its shape on every load.
 * Invariant: a field that an older version did not write is optional here; unknown fields are allowed.
 */
import { dirname } from 'node:path';
import { z } from 'zod';
import type { Config } from '../config/schema/config.js';
import type { TrackerConfig } from '../config/schema/tracker.js';
import type { StoredKind } from '../config/stored.js';
import type { RemoteRecord } from '../git/delivery/remote.js';
import { FORMAT_NAMES, type FormatName } from '../protocol/backlog-formats.js';
import type { Idea } from '../protocol/idea.js';
import { shellWord } from '../protocol/shell-words.js';
import type { WaveSettings } from '../protocol/waves.js';

export const texts = z.array(z.string());
const count = z.number().optional();

/** Flags of `start` that override the configuration file. */
export interface ConfigFlags {
  agent?: string;
  slots?: number;
  gate?: string[];
  maxIterations?: number;
  tick?: boolean;
  /** Of `run`: named in place of `backlog`. */
  source?: TrackerConfig;
}

/** What the command of the start named; what is missing came from the configuration or the checkout. */
export interface Named {
  /** A tracker's name or a file: relative to the repository where it is inside. */
  source?: string;
  /** The source is a tracker's name, or a file that a tracker reads. */
  tracker?: true;
  format?: FormatName;
  target?: string;
  maxWaves?: number;
  batchSize?: number;
  confirm?: boolean;
}

export interface RunFile {
  version: 1;
  project: string;
  runId: string;
  /** Root of the user's checkout. */
  repo: string;
  /** Folder of its configuration file; absent in runs of 0.1: the root of the checkout. */
  folder?: string;
  target: string;
  config: Config;
  /** `from`: the tracker, for people; `file` then names no file. `repository`: of its issues, with the host. */
  backlog: { file: string; format: FormatName; sha256: string; from?: string; repository?: string };
  tick: boolean;
  /** Landed ideas that a person wants again. */
  again?: string[];
  createdAt: string;
  /** With `landing.mode: push`: the remote as it was when the run began. */
  remote?: RemoteRecord;
  /** Command-line flags besides the configuration file. */
  flags?: ConfigFlags;
  /** The run has waves: its backlog begins empty, and every wave reads the source. */
  waves?: WaveSettings;
  named?: Named;
}

/**
 * Requires only the fields that every run has: configurations of older versions lack newer keys, and defaults must not
 * change an open run.
 */
export const configShape = z.looseObject({
  slots: z.number(),
  agent: z.string(),
  agents: z.record(z.string(), z.unknown()),
  gate: z.looseObject({ commands: z.array(z.unknown()) }),
  maxIterations: z.number(),
  landing: z.looseObject({}),
}) as unknown as z.ZodType<Config>;

export const versionShape = z.literal(1).optional();

export const ideaShape = z.looseObject({
  id: z.string().min(1),
  title: z.string(),
  text: z.string(),
  blue: z.boolean(),
  dependsOn: texts,
  tags: texts,
  done: z.boolean(),
  ralph: z.boolean(),
  success: texts,
  allowEmpty: z.boolean(),
  maxIterations: count,
  timeoutMinutes: count,
  iterationTimeoutMinutes: count,
  plan: z.array(z.looseObject({ name: z.string(), steps: z.array(z.looseObject({ id: z.string() })) })).optional(),
}) as unknown as z.ZodType<Idea>;

export const editedFields = { title: z.string().optional(), text: z.string().optional(), success: texts.optional() };

/** Commands leave out what was moved away: its name is no name of a run. */
export const moveAway = (dir: string): string => `mv ${shellWord(dir)} ${shellWord(`${dir}.away`)}`;

/** For a file that a run cannot do without. An open run ends without its files; one that is over only needs the second command. */
export const runFix = (dir: string): string =>
  `If the run is open, end it first: ralphctl abort. Then move its folder away: ${moveAway(dir)}`;

const ofFolder = (path: string): string => runFix(dirname(path));

export const RUN_FILE: StoredKind<RunFile> = {
  schema: z.looseObject({
    version: z.literal(1),
    project: z.string(),
    runId: z.string(),
    repo: z.string(),
    target: z.string(),
    config: configShape,
    backlog: z.looseObject({ file: z.string(), format: z.enum(FORMAT_NAMES), sha256: z.string() }),
    tick: z.boolean(),
    again: texts.optional(),
    createdAt: z.string(),
    waves: z
      .looseObject({ maxWaves: z.number(), batchSize: z.number(), confirm: z.literal(true).optional() })
      .optional(),
    named: z.looseObject({ source: z.string().optional(), target: z.string().optional() }).optional(),
    remote: z.looseObject({ name: z.string(), branch: z.string(), shown: z.string(), mark: z.string() }).optional(),
  }) as unknown as z.ZodType<RunFile>,
  fix: ofFolder,
};

export const RUN_IDEAS: StoredKind<Idea[]> = { schema: z.array(ideaShape), fix: ofFolder };
export const ADDED_IDEA: StoredKind<Idea> = {
  schema: ideaShape,
  fix: 'Remove the file, then add the idea again with: ralphctl enqueue',
};
