/** Finds cycles in a directed graph that is given as a function. Without recursion: chains may be long. Imports nothing. */

/** The first cycle reachable from `roots`, its first node repeated at the end; undefined when there is none. */
export function findCycle<T>(roots: Iterable<T>, next: (node: T) => readonly T[]): T[] | undefined {
  const closed = new Set<T>();
  for (const root of roots) {
    if (closed.has(root)) continue;
    const path: { node: T; todo: T[] }[] = [{ node: root, todo: [...next(root)] }];
    const onPath = new Set<T>([root]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const node = top.todo.shift();
      if (node === undefined) {
        path.pop();
        onPath.delete(top.node);
        closed.add(top.node);
      } else if (onPath.has(node)) {
        const nodes = path.map((step) => step.node);
        return [...nodes.slice(nodes.indexOf(node)), node];
      } else if (!closed.has(node)) {
        path.push({ node, todo: [...next(node)] });
        onPath.add(node);
      }
    }
  }
  return undefined;
}
