/** Checks the tracker of the backlog: its program, login, place and rights. Only reads. */
import type { TrackerConfig } from '../../config/schema/tracker.js';
import { which } from '../../server/install/probe.js';
import { TrackerError } from '../../trackers/tracker.js';
import type { Context } from '../context.js';
import { trackerHere, trackerLine } from '../plan/source.js';
import { type Check, fail, ok, problem } from './check.js';

const PROGRAMS = { github: 'gh', gitlab: 'glab' } as const;
const PAGES = { gh: 'https://cli.github.com', glab: 'https://gitlab.com/gitlab-org/cli' } as const;

export async function checkTracker(context: Context, root: string, given: TrackerConfig): Promise<Check[]> {
  const name = given.tracker;
  const program = name === 'github' || name === 'gitlab' ? PROGRAMS[name] : undefined;
  if (program !== undefined && (await which(program, context.env)) === undefined)
    return [
      fail('tracker', `${program} is not on PATH`, `install it (${PAGES[program]}), then: ${program} auth login`),
    ];
  try {
    const { tracker, config } = await trackerHere(context, root, given);
    const { login } = await tracker.check();
    const as = login === undefined ? '' : `, as ${login}`;
    return [ok('tracker', `${trackerLine({ config, where: tracker.where })}${as}`)];
  } catch (error) {
    if (error instanceof TrackerError && error.at !== undefined) return [ok('tracker', error.message)];
    return [problem('tracker', error, 'fix backlog: in ralphctl.yaml')];
  }
}
