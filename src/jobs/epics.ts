/**
 * Finds the epics of a run whose children have all landed, by what the target says. With pull requests, nobody knows
 * this when a request opens: several children may be in review at once.
 * Invariant: reads only. A child in review is not done.
 */
import { landedIdeas } from '../git/landing/landed.js';
import { fileIn } from '../git/landing/tick.js';
import type { Idea } from '../protocol/idea.js';
import type { RunRef } from '../protocol/run-ref.js';
import { splitIdeas } from '../run-files/amendments.js';
import { knownIdeas, type LoadedRun, loadIdea } from '../run-files/run.js';
import { repositoryPath, type TickFile, tickedText } from '../run-files/ticks.js';

/**
 * `just`: an idea that counts as landed, whatever the target says; then only the epics above it, the nearest first. An
 * idea that the run does again although it had landed counts only as `just`.
 */
export async function completeEpics(root: string, ref: RunRef, run: LoadedRun, just?: string): Promise<string[]> {
  const ideas = await allIdeas(root, ref, run);
  const split = await splitIdeas(root, ref.project).catch(() => []);
  const children = childrenOf(ideas, new Set(split.map(({ idea }) => idea)));
  if (children.size === 0) return [];
  const { repo, target, backlog, again = [] } = run.file;
  const landed = new Set(await landedIdeas(repo, target, repositoryPath(repo, backlog.file)));
  const isDone = (id: string, above: readonly string[]): boolean => {
    if (id === just) return true;
    const own = children.get(id);
    // A circle never ends.
    if (own) return !above.includes(id) && own.every((child) => isDone(child, [...above, id]));
    return !again.includes(id) && (landed.has(id) || ideas.get(id)?.done === true);
  };
  const asked = just === undefined ? [...children.keys()] : aboveOf(ideas, just);
  return asked.filter((id) => children.has(id) && isDone(id, []));
}

/** Which of these epics have no tick in the target's files: a sentence for a person. */
export async function untickedText(run: LoadedRun, files: readonly TickFile[]): Promise<string | undefined> {
  const { repo, target } = run.file;
  const told: string[] = [];
  for (const one of files) {
    const found = one.place === undefined ? undefined : await fileIn(repo, `refs/heads/${target}`, one.place);
    if (!found || !('text' in found)) continue;
    const { text } = found;
    const open = one.ids.filter((id) => tickedText(run.file, { ...one, ids: [id] }, text) !== undefined);
    const many = open.length > 1;
    if (open.length > 0)
      told.push(
        `${open.join(', ')} ${many ? 'are' : 'is'} complete, and ${one.place} has no tick for ${many ? 'them' : 'it'}: the next pull request sets it, or set it by hand.`,
      );
  }
  return told.length > 0 ? told.join(' ') : undefined;
}

async function allIdeas(root: string, ref: RunRef, run: LoadedRun): Promise<Map<string, Idea>> {
  const ideas = new Map(run.ideas);
  for (const id of await knownIdeas(root, ref)) {
    const added = ideas.has(id) ? undefined : await loadIdea(root, ref, id).catch(() => undefined);
    if (added) ideas.set(id, added);
  }
  return ideas;
}

/** By epic; also by an idea that a person split in this run. Another idea with children has work of its own. */
function childrenOf(ideas: ReadonlyMap<string, Idea>, split: ReadonlySet<string>): Map<string, string[]> {
  const children = new Map<string, string[]>();
  for (const { id, parent } of ideas.values())
    if (parent !== undefined && (ideas.get(parent)?.blue || split.has(parent))) {
      const known = children.get(parent);
      if (known) known.push(id);
      else children.set(parent, [id]);
    }
  return children;
}

function aboveOf(ideas: ReadonlyMap<string, Idea>, id: string): string[] {
  const above = new Set<string>();
  for (let up = ideas.get(id)?.parent; up !== undefined && !above.has(up); up = ideas.get(up)?.parent) above.add(up);
  return [...above];
}
