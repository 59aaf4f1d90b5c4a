/** Pushes the target of a run to the remote that its start recorded. A push that does not work is a result, not an error. */
import { join } from 'node:path';
import { z } from 'zod';
import { runDir } from '../../config/paths.js';
import { readNote } from '../../config/stored.js';
import { landAgain } from '../../git/delivery/again.js';
import { lastSeen } from '../../git/delivery/look.js';
import { openRemote, RemoteChanged } from '../../git/delivery/remote.js';
import { unpushedSince } from '../../git/delivery/unpushed.js';
import { secretFinder } from '../../process/redact.js';
import type { PushTargetInput, PushTargetResult } from '../../protocol/delivery.js';
import { knownIdeas, type LoadedRun, loadIdea, writeAtomically } from '../../run-files/run.js';
import { tickFiles, ticksIn } from '../../run-files/ticks.js';
import { SEATS } from '../command-environment.js';
import type { WorkContext, WorkDeps } from '../job.js';
import { landingWork } from '../land.js';
import { load } from '../load.js';
import { asWorkError } from '../prepare.js';
import { assertRepository } from '../repository-gone.js';
import { redactorOf } from '../secrets.js';
import { deliver } from './deliver.js';

export async function pushTarget(
  deps: WorkDeps,
  input: PushTargetInput,
  { signal }: WorkContext,
): Promise<PushTargetResult> {
  const run = await load(deps, input);
  await assertRepository(run);
  const result = await pushOf(deps, run, input, signal).catch(asWorkError);
  const redact = redactorOf(deps);
  return result.kind === 'held' ? { ...result, why: redact(result.why) } : result;
}

async function pushOf(
  deps: WorkDeps,
  run: LoadedRun,
  input: PushTargetInput,
  signal: AbortSignal,
): Promise<PushTargetResult> {
  const { repo, target, remote: record, config } = run.file;
  if (!record) return { kind: 'pushed', commit: '', commits: 0, ideas: [] };
  try {
    const before = await baseline(deps, input, () => lastSeen(repo, record, target));
    const access = { root: repo, record, env: deps.env, passEnv: config.landing.passEnv, signal };
    // Ideas of waves and added ones too. Before its first wave, a run may have none.
    const own = await knownIdeas(deps.root, input);
    return await deliver({
      remote: await openRemote(access),
      target,
      find: secretFinder(deps.env),
      secretsAllowed: config.landing.secretsAllowed,
      known: input.known,
      before,
      ...(own.size > 0 ? { again: (move) => again(deps, run, { ...input, own }, move, signal) } : {}),
    });
  } catch (error) {
    if (!(error instanceof RemoteChanged)) throw error;
    const { commits, ideas } = await unpushedSince(repo, await lastSeen(repo, record, target), `refs/heads/${target}`);
    return { kind: 'held', cause: 'remote', why: error.message, commits, ideas };
  }
}

const NOTED = z.looseObject({ serial: z.number(), before: z.string().optional() });

/**
 * What the remote had before the first try of this push. A try that is cut off after its push leaves no result, and the
 * next one finds everything there: it tells of the commits since then.
 */
async function baseline(
  { root }: WorkDeps,
  { project, runId, serial }: PushTargetInput,
  seen: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (serial === undefined) return seen();
  const path = join(runDir(root, project, runId), 'push.json');
  // Without it, or with half of it, only the number of commits that people are told may be too small.
  const noted = await readNote(path, NOTED, 'skip').catch(() => undefined);
  if (noted?.serial === serial) return noted.before;
  const before = await seen();
  await writeAtomically(path, JSON.stringify({ serial, ...(before === undefined ? {} : { before }) }));
  return before;
}

async function again(
  deps: WorkDeps,
  run: LoadedRun,
  { own, ...input }: PushTargetInput & { own: ReadonlySet<string> },
  { from, onto, ideas }: { from: string; onto: string; ideas: readonly string[] },
  signal: AbortSignal,
): ReturnType<typeof landAgain> {
  const { remote, config, project, runId } = run.file;
  const idea = ideas.find((id) => own.has(id)) ?? [...own][0] ?? '';
  const title = (await loadIdea(deps.root, input, idea))?.title ?? idea;
  const about = { ...input, idea, title, agentName: SEATS.landing };
  const { options, ticks, place } = await landingWork(deps, about, 'landing', signal);
  const { upstream: _, ...context } = options;
  const ref = { project, runId };
  return landAgain({
    ...context,
    ...{ from, onto, strategy: config.landing.strategy, backlogPath: place },
    upstreamName: `${remote?.name}/${remote?.branch}`,
    tick: async (ids) => ticksIn(run.file, ticks ? await tickFiles(deps.root, ref, run.file, ids) : []),
  });
}
