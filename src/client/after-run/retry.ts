/**
 * `retry` while no run is open: what a retry that begins again does at once, and what the next start does with the idea.
 * Invariant: like `act.ts`, under the lock of the closed project.
 */
import { ideaBranch, readTip } from '../../git/refs.js';
import { type GoneBranch, goneBranchText, goneWork } from '../../git/saves/gone-branch.js';
import { commitsBehind } from '../../git/worktrees/behind.js';
import { leftOutBefore } from '../../model/left-out.js';
import { many } from '../views/live-lines.js';
import { type Closed, type ClosedIdea, runOf, startOf } from './closed.js';
import type { DoneNow } from './git-now.js';
import { ALREADY } from './kept-says.js';

/** `keep` makes the next start carry the retry out; `already`: it does so without it. */
export async function retryFresh(
  closed: Closed,
  idea: ClosedIdea,
  keep: () => Promise<unknown>,
  already: boolean,
): Promise<DoneNow> {
  const { onTarget, rollbackNow } = await import('./git-now.js');
  const anew = already && (await beginsAnew(closed, idea.id));
  const over = await rollbackNow(closed, idea, true);
  const nothing = anew && !over.status;
  if (!nothing) await keep();
  if (over.status) return over;
  const none = 'its branch has no commits of its own to take back';
  const next = `The next start runs it from the beginning${await onTarget(closed, idea)}: ${startOf(closed, idea)}`;
  const done = `${idea.id} is queued again${nothing ? ALREADY : ''}; ${none}. No run is open. ${next}`;
  return { done, ...(nothing ? { nothing } : {}) };
}

/** Whether the next start begins it on the target in any case, as far as it has no work in a branch or worktree. */
async function beginsAnew(closed: Closed, id: string): Promise<boolean> {
  const run = await runOf(closed, id);
  if (!run) return true;
  const lost = await goneWork(run.repo, run.target, id).catch(() => undefined);
  return !lost?.save && (await behindText(run, id)) === undefined;
}

/** `already`: to add where it was queued before. */
export async function retrySays(closed: Closed, idea: ClosedIdea, already = ''): Promise<string> {
  const { id, state } = idea;
  const before = state === 'abandoned' ? `${id} is no longer abandoned` : `${id} is queued again${already}`;
  const run = await runOf(closed, id);
  const lost = run && (await goneWork(run.repo, run.target, id).catch(() => undefined));
  const how =
    state === 'gone' && !(run && (await hasBranch(run.repo, id)))
      ? 'runs it from its beginning'
      : run && lost
        ? `runs it with a new iteration count: ${lostSays(id, lost, run.target)}`
        : `runs it with a new iteration count; its work so far is kept${await behindSays(closed, id)}`;
  const out = leftOutBefore([...(idea.recorded?.model.ideas.values() ?? [])], id);
  if (out.length === 0) return `${before}. No run is open. The next start ${how}: ${startOf(closed, idea)}`;
  const fix = out.map((one) => `ralphctl retry ${one}`).join('; ');
  const wait = `It waits for ${out.join(', ')}, which the next start leaves out until: ${fix}`;
  return `${before}. No run is open. ${wait}. Then a start ${how}: ${startOf(closed, idea)}`;
}

/** `saves restore` takes the same save to a branch of another name. */
const lostSays = (id: string, lost: GoneBranch, target: string): string =>
  `${goneBranchText(id, lost, target)}${
    lost.save
      ? `; to look at it: ralphctl saves restore ${id} ${lost.save.n}; to begin anew on ${target}: ralphctl retry ${id} --fresh`
      : ''
  }`;

async function behindSays(closed: Closed, id: string): Promise<string> {
  const run = await runOf(closed, id);
  const text = run && (await behindText(run, id));
  return text ? ` (${text})` : '';
}

/** A later run may have begun again what was taken off the target. Without an answer of git: no. */
export const hasBranch = async (repo: string, idea: string): Promise<boolean> =>
  (await readTip(repo, `refs/heads/${ideaBranch(idea)}`).catch(() => undefined)) !== undefined;

/** Undefined: its branch has all of the target, or git does not answer. */
export async function behindText(
  { repo, target }: { repo: string; target: string },
  idea: string,
): Promise<string | undefined> {
  const behind = await commitsBehind(repo, target, idea).catch(() => 0);
  if (behind === 0) return undefined;
  return `its branch is ${many(behind, 'commit')} behind ${target}; --fresh begins on ${target}`;
}
