/**
 * Lands finished work on the target: rebased or merged, gated on the merged tree, moved by compare-and-swap.
 * Idempotent after a crash at any point: what has landed is found and not done again.
 */
import { tickBacklog } from '../backlog/tick.js';
import { landIdea as landOnTarget } from '../git/landing.js';
import type { LandInput, LandResult } from '../protocol/git-work.js';
import { tickUntracked } from '../runs/backlog-place.js';
import type { WorkContext, WorkDeps } from './deps.js';
import { laneWork } from './lane-options.js';
import { noteTakenBack } from './note-taken-back.js';
import { dropPlace } from './plan-place.js';
import { asWorkError } from './prepare-idea.js';
import { cleanLanding, redactorOf } from './secrets.js';
import { whoWorked } from './who-worked.js';

export async function landIdea(deps: WorkDeps, input: LandInput, { signal }: WorkContext): Promise<LandResult> {
  const { run, options, ticks, place } = await laneWork(deps, input, 'landing', signal);
  const { landing, commit } = run.file.config;
  const { branch, base, head } = input;
  const tolerated = new Set<string>();
  const result = await landOnTarget({
    ...options,
    gate: async (dir, onto) => {
      const gate = await options.gate(dir, onto);
      for (const command of gate.tolerated ?? []) tolerated.add(command);
      return gate;
    },
    ...{ branch, base, head },
    ...(await whoWorked(deps, input, run.file.config)),
    strategy: landing.strategy,
    type: commit.type,
    ...(place === undefined ? {} : { backlogPath: place }),
    tick: async (read) => {
      const before = place === undefined ? undefined : await read(place);
      const text = place && before !== undefined ? tickBacklog(place, before, input.idea) : undefined;
      return place && text !== undefined ? { path: place, text } : undefined;
    },
  }).catch(asWorkError);
  if (result.kind === 'landed') await dropPlace(deps, input);
  if (result.kind === 'landed' && ticks) await tickUntracked(run.file, input.idea);
  const known = result.kind === 'landed' && tolerated.size > 0 ? noted(result, [...tolerated]) : result;
  return cleanLanding(await noteTakenBack(known, run.file, input.idea), redactorOf(deps));
}

/** What was let through belongs to what is said of the landing. */
function noted<R extends { note?: string }>(result: R, commands: readonly string[]): R {
  const red = `${commands.join(', ')} ${commands.length === 1 ? 'is' : 'are'} red, as on the target before (gate.baseline: tolerate)`;
  return { ...result, note: result.note ? `${result.note} ${red}` : red };
}
