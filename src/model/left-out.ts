/**
 * What the next start leaves out until a retry, and what waits for that.
 * Invariant: pure. Of the newest run, as its ideas stand now.
 */
import type { IdeaModel } from './model.js';

/** Because of what a person said, or because its work was taken off. A skip in the run was for that run. */
export function staysOut({ status, off, forNext }: IdeaModel): boolean {
  if (status === 'landed') return false;
  if (forNext?.leftOut) return true;
  if (forNext?.queued) return false;
  if (off) return !off.runs && !off.noBranch;
  return status === 'abandoned';
}

/** The ideas that need a retry before a start can run this one, also those that its dependencies wait for. */
export function leftOutBefore(ideas: readonly IdeaModel[], idea: string): string[] {
  const byId = new Map(ideas.map((one) => [one.id, one]));
  const found: string[] = [];
  const seen = new Set([idea]);
  const ahead = firstOf(byId.get(idea));
  for (let id = ahead.pop(); id !== undefined; id = ahead.pop()) {
    const one = byId.get(id);
    if (!one || seen.has(id) || one.lineGone || (!one.group && one.status === 'landed')) continue;
    seen.add(id);
    if (!one.group && staysOut(one)) found.push(id);
    ahead.push(...(one.group ? one.children : firstOf(one)));
  }
  return found;

  /** What it waits for itself, and what the epics above it wait for. */
  function firstOf(one: IdeaModel | undefined): string[] {
    const all: string[] = [];
    const above = new Set<string>();
    for (let at = one; at && !above.has(at.id); at = byId.get(at.parent ?? '')) {
      above.add(at.id);
      all.push(...at.dependsOn);
    }
    return all;
  }
}

/** For each idea that a start leaves out, the ideas that wait for it, also through others. */
export function waitForLeftOut(ideas: readonly IdeaModel[]): Map<string, Set<string>> {
  const out = ideas.filter((one) => !one.group && !one.lineGone && staysOut(one));
  if (out.length === 0) return new Map();
  const next = new Map<string, string[]>();
  const link = (from: string, to: string): void => {
    const known = next.get(from);
    if (known) known.push(to);
    else next.set(from, [to]);
  };
  const open = ideas.filter(({ group, status }) => group || status !== 'landed');
  for (const { id, dependsOn, group, children } of open) {
    for (const one of dependsOn) link(one, `${START}${id}`);
    // An epic is done with its last child, and its children wait for what it waits for.
    for (const child of group ? children : []) link(`${START}${id}`, `${START}${child}`);
    for (const child of group ? children : []) link(child, id);
    if (!group) link(`${START}${id}`, id);
  }
  return new Map(out.map(({ id }) => [id, after(next, id)] as const).filter(([, { size }]) => size > 0));
}

/** Before the id of an idea that cannot start. */
const START = '\0';

function after(next: ReadonlyMap<string, readonly string[]>, from: string): Set<string> {
  const seen = new Set<string>();
  const ahead = [from];
  for (let at = ahead.pop(); at !== undefined; at = ahead.pop())
    for (const one of next.get(at) ?? []) {
      if (seen.has(one)) continue;
      seen.add(one);
      ahead.push(one);
    }
  return new Set([...seen].flatMap((one) => (one.startsWith(START) ? [one.slice(START.length)] : [])));
}
