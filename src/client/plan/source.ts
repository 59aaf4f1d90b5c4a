/**
 * Reads the ideas of a run from where they are: a backlog file or a tracker.
 * Invariant: only reads. A tracker that limits requests for a short time is waited for, and the command says so.
 */
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { isAbsolute, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LeftOut } from '../../backlog/formats/format.js';
import { findBacklog, readBacklog } from '../../backlog/index.js';
import { projectDir } from '../../config/paths.js';
import type { Config } from '../../config/schema/config.js';
import { backlogFileOf, type TrackerConfig, trackerOf } from '../../config/schema/tracker.js';
import { git } from '../../git/runner.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { Idea } from '../../protocol/idea.js';
import type { BugReport } from '../../protocol/triage.js';
import { UserError } from '../../protocol/user-error.js';
import { heldOf, ideasOf, type LeftItem } from '../../trackers/ideas.js';
import { openTracker, repositoryOf, type TrackerPlace } from '../../trackers/open.js';
import { reportsOf } from '../../trackers/report.js';
import { endOfWait, type Item, type Tracker, TrackerError } from '../../trackers/tracker.js';
import { type Context, say } from '../context.js';

export interface Source {
  /** Of a tracker: a path that does not exist, outside the repository. */
  file: string;
  format: FormatName;
  sha256: string;
  ideas: Idea[];
  leftOut: LeftOut[];
  /** Its configuration with the repository filled in, and its name for people. */
  tracker?: { config: TrackerConfig; where: string };
}

export interface Where {
  project: string;
  /** Of the repository. */
  root: string;
  /** Of the configuration file. */
  folder: string;
}

export interface Named {
  backlog?: string | undefined;
  format?: FormatName | undefined;
  /** Of `ralphctl run`. */
  waves?: object;
}

/** A named file counts more than the configuration. */
export async function readSource(
  context: Context,
  where: Where,
  config: Pick<Config, 'backlog' | 'backlogFormat'>,
  { backlog, format, waves }: Named,
): Promise<Source> {
  const tracker = backlog === undefined ? trackerOf(config) : undefined;
  if (tracker) return readTracker(context, where, tracker);
  const command = waves ? 'ralphctl run' : 'ralphctl start';
  const file =
    backlog === undefined
      ? await findBacklog(where.folder, backlogFileOf(config), command)
      : await backlogFile(context, where.root, backlog);
  const read = await readBacklog(file, {
    format: format ?? config.backlogFormat,
    command: waves ? `${command} <source>` : `${command} <file>`,
  });
  return { file, format: read.format, sha256: read.sha256, ideas: read.ideas, leftOut: read.leftOut };
}

export async function backlogFile(context: Context, root: string, named: string): Promise<string> {
  if (isAbsolute(named)) return named;
  const here = resolve(context.cwd, named);
  const exists = await access(here).then(
    () => true,
    () => false,
  );
  return exists ? here : resolve(root, named);
}

export async function readTracker(
  context: Context,
  { project, root }: Omit<Where, 'folder'>,
  given: TrackerConfig,
): Promise<Source> {
  const { where, config, items } = await itemsOf(context, root, given);
  const { ideas, leftOut } = ideasOf(items, config, where);
  const sha256 = createHash('sha256').update(JSON.stringify(items)).digest('hex');
  const file = join(projectDir(context.root, project), 'tracker');
  return { file, format: 'ideas', sha256, ideas, leftOut, tracker: { config, where } };
}

/** The open items of a tracker. */
export async function itemsOf(
  context: Context,
  root: string,
  given: TrackerConfig,
): Promise<{ where: string; config: TrackerConfig; items: Item[] }> {
  const { tracker, config } = await trackerHere(context, root, given);
  return { where: tracker.where, config, items: await asUserError(() => patiently(() => tracker.list())) };
}

export interface TrackedReports {
  where: string;
  /** All open ones, also those without an idea, and those that were closed lately. */
  reports: BugReport[];
  /** What a run would take. */
  ideas: Idea[];
  /** Open reports that no run takes. */
  leftOut: LeftItem[];
  /** Ids of reports that a person's label keeps back. */
  held: string[];
}

/** As the waves of a run read them. */
export async function reportsIn(context: Context, root: string, given: TrackerConfig): Promise<TrackedReports> {
  const { tracker, config } = await trackerHere(context, root, given);
  const { where } = tracker;
  const read = async () => {
    const items = await tracker.list();
    return { where, reports: await reportsOf(tracker, items), ...ideasOf(items, config, where), held: heldOf(items) };
  };
  return asUserError(() => patiently(read));
}

/** Opens the tracker; the repository stands in the configuration that it returns. */
export async function trackerHere(
  context: Context,
  root: string,
  given: TrackerConfig,
): Promise<{ tracker: Tracker; config: TrackerConfig }> {
  const place = { env: context.env, cwd: root, timeoutMs: given.timeoutSeconds * 1000, remote: await remoteOf(root) };
  return asUserError(() => {
    const config = pinned(given, place);
    return Promise.resolve({ tracker: openTracker(config, place), config });
  });
}

function pinned(config: TrackerConfig, place: TrackerPlace): TrackerConfig {
  if (config.tracker !== 'github' && config.tracker !== 'gitlab') return config;
  const { host, path } = repositoryOf(config, place);
  return { ...config, repository: `${host}/${path}` };
}

const remoteOf = (root: string): Promise<string | undefined> =>
  git(root)
    .result(['remote', 'get-url', 'origin'], { ok: [0, 1, 2, 128], read: true })
    .then(({ code, stdout }) => (code === 0 ? stdout.trim() : undefined));

/** Longest end of a limit that a command waits for. */
const LONGEST_WAIT_MS = 20 * 60_000;
const FAILURES = 3;

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof TrackerError) || !error.retry || error.needsPerson) throw error;
      const now = Date.now();
      const at = endOfWait(error, now);
      const waitMs = at === undefined ? 1000 * failures : at - now + 1000;
      if (waitMs > LONGEST_WAIT_MS || (at === undefined && failures >= FAILURES)) throw error;
      say(`${error.message}; waiting`);
      await sleep(waitMs);
    }
  }
}

async function asUserError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TrackerError)) throw error;
    throw new UserError(`the tracker cannot be read: ${error.message}. Check it with: ralphctl doctor`);
  }
}

/** What a run with this configuration writes to the tracker, in one line. */
export function trackerLine({ config, where }: NonNullable<Source['tracker']>): string {
  const { claim, progress, done } = config.write;
  const does = [
    ...(claim === 'assign' ? ['assigns each issue to you before it starts'] : []),
    ...(claim === 'label' ? [`sets the label ${config.claimLabel} before an issue starts`] : []),
    ...(claim !== 'off' || progress ? ['keeps one comment on it'] : []),
    ...(done === 'close' ? ['closes it when it lands'] : []),
    ...(done === 'link' ? ['comments when it lands'] : []),
  ];
  return does.length === 0 ? `${where}: only read; nothing is written there` : `${where}: ralphctl ${does.join(', ')}`;
}
