/**
 * Checks relations across the ideas of one backlog. Pure: takes ideas, returns problems.
 * Invariant: no problems means that some order completes every idea. May import protocol and config's helpers only.
 */
import { type Problem, suggest } from '../config/problems.js';
import { IDEA_ID, type Idea } from '../protocol/idea.js';
import { findCycles } from './cycles.js';

/** A suggestion costs a comparison with every id, so only the first errors get one. */
const MAX_SUGGESTIONS = 50;

const problem = (idea: Idea, message: string, fix?: string): Problem => ({
  ...idea.source,
  message,
  ...(fix === undefined ? {} : { fix }),
});

const ID_RULE = 'use letters, digits, ".", "_" and "-" (at most 64), starting with a letter or digit';

function checkIds(ideas: readonly Idea[], twice?: string): Problem[] {
  const seen = new Map<string, Idea>();
  return ideas.flatMap((idea): Problem[] => {
    if (!IDEA_ID.test(idea.id)) return [problem(idea, `"${idea.id}" cannot be an id`, ID_RULE)];
    const key = idea.id.toLowerCase();
    const first = seen.get(key);
    if (!first) {
      seen.set(key, idea);
      return [];
    }
    if (first.id === idea.id && twice !== undefined) {
      const same = `this task and the one on line ${first.source.line} have the same id, "${idea.id}"`;
      return [problem(idea, same, twice)];
    }
    if (first.id === idea.id) {
      return [
        problem(idea, `the id "${idea.id}" already exists on line ${first.source.line}`, 'give one of them another id'),
      ];
    }
    const why = `differs only in case from "${first.id}" on line ${first.source.line}`;
    return [
      problem(idea, `the id "${idea.id}" ${why}; some file systems treat them as one`, 'give one of them another id'),
    ];
  });
}

function checkReferences(ideas: readonly Idea[], known: ReadonlyMap<string, number>): Problem[] {
  const ids = [...known.keys()];
  let suggestions = 0;
  const hint = (id: string, idea: Idea) =>
    suggestions++ < MAX_SUGGESTIONS
      ? suggest(
          id,
          ids.filter((other) => other !== idea.id),
        )
      : undefined;
  return ideas.flatMap((idea) => {
    const found = [...new Set(idea.dependsOn)]
      .filter((id) => !known.has(id))
      .map((id) => problem(idea, `"${idea.id}" depends on "${id}", which is not in this backlog`, hint(id, idea)));
    if (idea.parent !== undefined && !known.has(idea.parent)) {
      found.push(
        problem(
          idea,
          `"${idea.id}" has the parent "${idea.parent}", which is not in this backlog`,
          hint(idea.parent, idea),
        ),
      );
    }
    return found;
  });
}

function renderCycle(ids: readonly string[]): string {
  const shown = ids.length > 24 ? [...ids.slice(0, 12), `(${ids.length - 24} more)`, ...ids.slice(-12)] : ids;
  return shown.join(' -> ');
}

const numbers = (ids: readonly (string | undefined)[], known: ReadonlyMap<string, number>): number[] =>
  ids.flatMap((id) => (id === undefined ? [] : (known.get(id) ?? [])));

/**
 * Every idea has two nodes: node 2i is its start, node 2i+1 its end. An edge means "waits for". An idea starts after
 * the ends of its dependencies and after the start of its parent. An epic ends after its children.
 */
function checkOrder(
  ideas: readonly Idea[],
  known: ReadonlyMap<string, number>,
  knotted: ReadonlySet<number>,
): Problem[] {
  const graph: number[][] = ideas.flatMap((idea, i) => [numbers(idea.dependsOn, known).map((d) => 2 * d + 1), [2 * i]]);
  ideas.forEach((idea, i) => {
    const [parent] = numbers([idea.parent], known);
    if (parent === undefined || knotted.has(i)) return;
    graph[2 * i]?.push(2 * parent);
    graph[2 * parent + 1]?.push(2 * i + 1);
  });
  return findCycles(graph).flatMap((nodes) => {
    const steps = nodes.map((node) => node >> 1).filter((node, at, all) => node !== all[at - 1]);
    if (steps.length === 1 || steps[0] !== steps.at(-1)) steps.push(steps[0] ?? 0);
    const first = ideas[steps[0] ?? 0];
    const path = renderCycle(steps.map((step) => ideas[step]?.id ?? ''));
    return first ? [problem(first, `dependency cycle: ${path}`, 'remove one of these dependencies')] : [];
  });
}

/**
 * Returns all problems in no particular order, each with the position of its idea. `twice`: the fix where two tasks share
 * an id that nobody wrote.
 */
export function validateIdeas(ideas: readonly Idea[], twice?: string): Problem[] {
  const known = new Map<string, number>();
  ideas.forEach((idea, i) => {
    if (!known.has(idea.id)) known.set(idea.id, i);
  });
  const parents = findCycles(ideas.map((idea) => numbers([idea.parent], known)));
  const parentProblems = parents.flatMap((nodes) => {
    const first = ideas[nodes[0] ?? 0];
    const path = renderCycle(nodes.map((node) => ideas[node]?.id ?? ''));
    return first ? [problem(first, `these are each other's parents: ${path}`, 'remove one "parent"')] : [];
  });
  return [
    ...checkIds(ideas, twice),
    ...checkReferences(ideas, known),
    ...parentProblems,
    ...checkOrder(ideas, known, new Set(parents.flat())),
  ];
}

/** Reports agents that ideas name and the configuration does not know. */
export function validateAgents(ideas: readonly Idea[], agents: readonly string[]): Problem[] {
  return ideas
    .filter((idea) => idea.agent !== undefined && !agents.includes(idea.agent))
    .map((idea) =>
      problem(
        idea,
        `"${idea.id}" names the agent "${idea.agent}", which is not configured`,
        suggest(idea.agent ?? '', agents),
      ),
    );
}
