/**
 * Finds cycles in a directed graph: one per strongly connected component, the shortest through its first node.
 * Works without recursion, so a chain of ten thousand nodes does not exhaust the stack. Must not import anything.
 */

type Graph = readonly (readonly number[])[];

/** Strongly connected components of more than one node, or of one node that points at itself (Tarjan). */
export function knots(graph: Graph): number[][] {
  const index = new Int32Array(graph.length).fill(-1);
  const low = new Int32Array(graph.length);
  const onStack = new Uint8Array(graph.length);
  const stack: number[] = [];
  const found: number[][] = [];
  let counter = 0;
  const frames: { node: number; next: number }[] = [];
  const enter = (node: number): void => {
    index[node] = low[node] = counter++;
    stack.push(node);
    onStack[node] = 1;
    frames.push({ node, next: 0 });
  };
  for (let root = 0; root < graph.length; root++) {
    if (index[root] !== -1) continue;
    enter(root);
    for (let frame = frames.at(-1); frame; frame = frames.at(-1)) {
      const { node } = frame;
      const target = graph[node]?.[frame.next++];
      if (target !== undefined) {
        if (index[target] === -1) enter(target);
        else if (onStack[target]) low[node] = Math.min(low[node] ?? 0, index[target] ?? 0);
        continue;
      }
      frames.pop();
      const above = frames.at(-1);
      if (above) low[above.node] = Math.min(low[above.node] ?? 0, low[node] ?? 0);
      if (low[node] !== index[node]) continue;
      const members = stack.splice(stack.lastIndexOf(node));
      for (const member of members) onStack[member] = 0;
      if (members.length > 1 || graph[node]?.includes(node)) found.push(members);
    }
  }
  return found;
}

/** Shortest path from `start` back to itself inside `members`, found breadth first. */
function shortest(graph: Graph, members: readonly number[], start: number): number[] {
  const inside = new Set(members);
  const from = new Map<number, number>();
  const queue = [start];
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at] ?? start;
    for (const target of graph[node] ?? []) {
      if (target === start) {
        const path = [start];
        for (let back: number | undefined = node; back !== undefined && back !== start; back = from.get(back))
          path.push(back);
        return [...path, start].reverse();
      }
      if (inside.has(target) && !from.has(target)) {
        from.set(target, node);
        queue.push(target);
      }
    }
  }
  return [];
}

/** Each cycle as node numbers; first and last are the same. The first node is the lowest of its component. */
export function findCycles(graph: Graph): number[][] {
  return knots(graph).map((members) =>
    shortest(
      graph,
      members,
      members.reduce((a, b) => Math.min(a, b)),
    ),
  );
}
