/**
 * Applies another configuration to the open run: the changed file, or flags of `start`.
 * Invariant: keys that cannot change in an open run stay, and the command prints their names (the table in
 * config/reload.ts). ralphctl writes the new revision before it sends its number to the run, and removes a refused
 * revision.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { stringify } from 'yaml';
import { type Change, COUNTS_TEXT, changesOf, reloaded } from '../../config/reload.js';
import type { Config } from '../../config/schema/config.js';
import type { Idea } from '../../protocol/idea.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { dropRevision, writeRevision } from '../../run-files/revisions.js';
import { knownIdeas, loadIdea } from '../../run-files/run.js';
import type { ConfigFlags } from '../../run-files/shapes.js';
import type { OpenRun } from '../commands/steer/interventions.js';
import type { Context } from '../context.js';
import { checkAgents } from '../plan/agents.js';
import { checkNewKeys } from '../plan/payload-keys.js';
import { configFor, configOf, configOfRun, type RunConfig, readConfig, withFlags } from '../plan/run-config.js';
import { checkSandbox } from '../plan/sandbox.js';
import { type Overridden, overriddenBy } from './overridden.js';

/** How long a command waits for the run to read a revision. */
const TAKEN_MS = 10_000;

export interface Reloaded {
  /** Absent: nothing changes. */
  revision?: number;
  /** True: the run uses it. False: the run uses it when a worker starts. */
  taken: boolean;
  changed: Change[];
  /** Changes that an open run cannot apply. */
  kept: Change[];
}

/** Of the changed file. */
export interface ReloadedFile extends Reloaded {
  /** Values that do not apply, because a flag of `start` set others. */
  overridden: Overridden[];
}

/** The changes that the current file would make in the open run. */
export async function fileChanges(now: RunConfig): Promise<Change[]> {
  const { file, flags, config } = now;
  return changesOf(config, configFor(await readConfig(file.folder ?? file.repo), flags, configOf(file)));
}

export async function reloadFile(context: Context, run: OpenRun): Promise<ReloadedFile> {
  const now = await configOfRun(context.root, run);
  const { file, flags } = now;
  const read = await readConfig(file.folder ?? file.repo);
  const of = configOf(file);
  const done = await bring(context, run, now, configFor(read, flags, of), flags);
  return { ...done, overridden: overriddenBy(read, flags, of) };
}

/** Applies the flags of a `start` that found an open run, and ignores the configuration file. */
export async function reloadFlags(context: Context, run: OpenRun, flags: ConfigFlags): Promise<Reloaded> {
  const now = await configOfRun(context.root, run);
  return bring(context, run, now, withFlags(now.config, flags), { ...now.flags, ...flags });
}

async function bring(
  context: Context,
  run: OpenRun,
  now: RunConfig,
  wanted: Config,
  flags: ConfigFlags,
): Promise<Reloaded> {
  const ref = { project: run.project, runId: run.runId };
  const all = changesOf(now.config, wanted);
  const kept = all.filter(({ counts }) => counts === 'never');
  const changed = all.filter(({ counts }) => counts !== 'never');
  const tick = flags.tick ?? true;
  if (tick !== now.tick) changed.push({ key: 'landing.tick', from: now.tick, to: tick, counts: 'landing' });
  if (changed.length === 0) return { taken: true, changed, kept };
  await checkNewKeys({ env: context.env, root: context.root, project: run.project }, now.config, wanted);
  await checkSandbox(context.env, wanted);
  await checkAgents(context, wanted, await ideasOf(context.root, ref), {
    root: now.file.repo,
    later: now.file.waves !== undefined,
  });
  const revision = await writeRevision(context.root, ref, { config: reloaded(now.config, wanted), tick, flags });
  try {
    const answer = await run.api.tell({ verb: 'reload-config', revision }, run.worker);
    return { revision, taken: answer !== undefined && (await isTaken(run, revision)), changed, kept };
  } catch (error) {
    await dropRevision(context.root, ref, revision);
    throw error;
  }
}

/** Those of the start, and those that waves, people and splits added. */
async function ideasOf(root: string, ref: RunRef): Promise<Idea[]> {
  const ids = await knownIdeas(root, ref);
  const ideas = await Promise.all([...ids].map((id) => loadIdea(root, ref, id)));
  return ideas.filter((idea) => idea !== undefined);
}

async function isTaken({ api }: OpenRun, revision: number): Promise<boolean> {
  const end = performance.now() + TAKEN_MS;
  while (performance.now() < end) {
    if (((await api.status())?.config ?? 0) >= revision) return true;
    await delay(100);
  }
  return false;
}

/** The value as in `ralphctl.yaml`, on one line. */
function shown(value: unknown): string {
  if (value === undefined) return 'not set';
  const text = stringify(value, { collectionStyle: 'flow', flowCollectionPadding: false, lineWidth: 0 }).trimEnd();
  // YAML writes some values on several lines, and it reads JSON.
  return text.includes('\n') ? JSON.stringify(value) : text;
}

/** Never print the values of environment variables. */
const isSecret = (key: string): boolean => /^agents\..+\.env\./.test(key);

export const showValue = (key: string, value: unknown): string =>
  isSecret(key) && value !== undefined ? '(set)' : shown(value);

export function describeChange({ key, from, to, counts, why }: Change): string {
  const what = isSecret(key) ? `${key}: changed` : `${key}: ${shown(from)} → ${shown(to)}`;
  return counts === 'never'
    ? `${what} stays until the next run${why ? `: ${why}` : ''}`
    : `${what} (${COUNTS_TEXT[counts]})`;
}

/** A value of the file that a flag overrides. */
export function describeOverridden({ key, flag, file, run, command }: Overridden): string {
  const fix = command === undefined ? '' : `. To use that in this run: ${command}`;
  return `${key} stays ${shown(run)}: ${flag} set it, and the file has ${shown(file)}${fix}`;
}
