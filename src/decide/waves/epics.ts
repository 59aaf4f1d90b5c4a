/**
 * Dependencies between ideas where some of them are epics. A wave takes ideas only, and its run does not know epics.
 * Invariant: an epic stands for the ideas in it, one without any for what it depends on; what is in an epic waits for
 * what the epic waits for. A cycle ends. Pure; must not import anything.
 */

export interface Grouped {
  id: string;
  blue: boolean;
  parent?: string | undefined;
  dependsOn: readonly string[];
}

/** By idea, without epics: the ideas that come first. */
export function withoutEpics(all: readonly Grouped[]): ReadonlyMap<string, string[]> {
  const byId = new Map(all.map((one) => [one.id, one]));
  const children = new Map<string, string[]>();
  for (const { id, parent } of all) {
    if (parent === undefined) continue;
    const below = children.get(parent);
    if (below) below.push(id);
    else children.set(parent, [id]);
  }

  const ideasOf = (id: string, seen: ReadonlySet<string>): string[] => {
    const one = byId.get(id);
    if (!one?.blue) return [id];
    if (seen.has(id)) return [];
    const below = children.get(id) ?? one.dependsOn;
    return below.flatMap((next) => ideasOf(next, new Set([...seen, id])));
  };
  const asked = ({ dependsOn, parent }: Grouped, seen: ReadonlySet<string>): string[] => {
    const above = parent === undefined || seen.has(parent) ? undefined : byId.get(parent);
    return [...dependsOn, ...(above ? asked(above, new Set([...seen, above.id])) : [])];
  };
  return new Map(
    all.flatMap((one) => {
      if (one.blue) return [];
      const first = asked(one, new Set()).flatMap((id) => ideasOf(id, new Set()));
      return [[one.id, [...new Set(first)].filter((id) => id !== one.id)] as const];
    }),
  );
}
