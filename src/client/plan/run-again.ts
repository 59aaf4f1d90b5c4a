/** The ideas that `--again` and a retry name: they count as open, whether they landed or are ticked. */
import { nearest } from '../../config/problems.js';
import type { Idea } from '../../protocol/idea.js';
import { UserError } from '../../protocol/user-error.js';

/** `ideas`: as the run has them, where an idea that was split is a group. @throws UserError that names its ideas instead */
export function refuseGroups(ideas: readonly Idea[], again: readonly string[]): void {
  for (const { id, blue } of ideas) {
    if (!blue || !again.includes(id)) continue;
    const within = ideas.filter(({ parent }) => parent === id).map((one) => one.id);
    const instead = within.length > 0 ? `. Name its ideas: ${within.map((one) => `--again ${one}`).join(' ')}` : '';
    throw new UserError(`--again ${id}: it is an epic, or was split${instead}`);
  }
}

/** Takes their ticks away before anything reads them. */
export function reopen(ideas: readonly Idea[], again: readonly string[]): void {
  for (const idea of ideas) if (!idea.blue && again.includes(idea.id)) idea.done = false;
}

/** `parts`: those of splits, which have no line in the backlog. @throws UserError that names an idea that is not there */
export function refuseUnknown(written: readonly Idea[], parts: readonly string[], again: readonly string[]): void {
  const known = new Set([...written.filter(({ blue }) => !blue).map(({ id }) => id), ...parts]);
  for (const id of again) {
    if (known.has(id)) continue;
    const close = nearest(id, [...written.map((one) => one.id), ...parts]);
    throw new UserError(`--again ${id}: the backlog has no such idea${close ? `. Did you mean ${close}?` : ''}`);
  }
}
