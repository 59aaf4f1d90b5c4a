/** What landing an idea and taking it off the target have in common: place, room, gate and the backlog file. */
import { join } from 'node:path';
import { ideaDir, integrationDir } from '../config/paths.js';
import { RepositoryError } from '../git/errors.js';
import { linkText, linkTrouble } from '../git/gitlinks.js';
import type { LaneOptions } from '../git/lane.js';
import type { RunRef } from '../protocol/run-ref.js';
import { repositoryPath } from '../runs/backlog-place.js';
import type { LoadedRun } from '../runs/run-files.js';
import type { WorkDeps } from './deps.js';
import { loadOne } from './load.js';
import { assertRoom } from './room.js';
import { gateLanding } from './run-gate.js';
import { setUp } from './set-up.js';
import { SEATS } from './slot-environment.js';
import { inSectionOrThrow, landingGate, wallOf } from './walls.js';

export interface LaneInput extends RunRef {
  idea: string;
  title: string;
  agentName: string;
}

export interface LaneWork {
  run: LoadedRun;
  options: LaneOptions & { title: string; agentName: string; sign: boolean };
  /** The run ticks ideas in their backlog. */
  ticks: boolean;
  /** The backlog file relative to the repository; undefined when it is not in it, or nothing is ticked. */
  place: string | undefined;
}

/** `folder`: where the logs of its gate go, below those of the idea. */
export async function laneWork(
  deps: WorkDeps,
  input: LaneInput,
  folder: 'landing' | 'undo',
  signal: AbortSignal,
): Promise<LaneWork> {
  const [run] = await loadOne(deps, input);
  const { repo, target, config, backlog, tick } = run.file;
  const integrationRoot = integrationDir(deps.root, input.project);
  await assertRoom([integrationRoot, repo], config, true);
  const ticks = tick && config.landing.tick;
  const logDir = join(ideaDir(deps.root, input.project, input.runId, input.idea), folder);
  // The idea's own slot may belong to another idea by now.
  const where = (dir: string) => ({ ...input, agentName: SEATS.landing, dir, logDir, signal });
  const { idea, title, agentName } = input;
  const options = {
    ...{ repo, integrationRoot, target, idea, title, agentName, signal },
    sign: config.commit.sign,
    keep: config.worktrees.keep,
    setup: async (dir: string) =>
      inSectionOrThrow(await wallOf(deps, run), `set-up-${idea}`, () =>
        setUp(deps, run, { ...where(dir), shared: true }),
      ),
    gate: async (dir: string, onto: string) => {
      await refuseLinks(dir, onto, idea);
      return landingGate(await wallOf(deps, run), idea, () => gateLanding(deps, run, { ...where(dir), base: onto }));
    },
  };
  return { run, options, ticks, place: ticks ? repositoryPath(repo, backlog.file) : undefined };
}

/** An agent's run is looked at in the same way; this is for what comes to a landing by another way. */
async function refuseLinks(dir: string, onto: string, idea: string): Promise<void> {
  const text = linkText(await linkTrouble({ worktree: dir, base: onto }));
  if (text)
    throw new RepositoryError(`${idea} cannot land: ${text}.`, `Mend it in its worktree, then: ralphctl retry ${idea}`);
}
