/**
 * The backlog as a graph: who waits for whom, which Blue is done, what is ready. Kept up to date idea by idea, so that
 * ten thousand ideas cost no rescans.
 * Invariant: derived from the entries alone; it can be thrown away and built again at any time. An idea is done when it
 * has landed; a Blue when its children are, or, without any, when what it depends on is. A tick on a Blue with an open
 * child says nothing, except in runs of a version that believed it.
 * May import protocol types only.
 */
import type { IdeaCard } from '../../protocol/idea.js';
import type { IdeaEntry } from '../../protocol/run.js';
import { footOf, whyNoFoot } from './stack.js';

/** What a run of an older version is without. */
export interface GraphRules {
  /** Who waits for a Blue waits for each idea in it. */
  unblocksThroughParents?: true;
  /** A Blue with children is done when they are, whatever the source marks. */
  bluesByChildren?: true;
  delivery?: { stack?: true };
}

export class Graph {
  readonly #entries: readonly IdeaEntry[];
  readonly #bluesByChildren: boolean;
  readonly #stack: boolean;
  readonly #at = new Map<string, number>();
  readonly #children = new Map<string, string[]>();
  /** Dependents of this idea, including those through ancestors. */
  readonly #dependents = new Map<string, string[]>();
  /** Ideas that name this one in `dependsOn`. */
  readonly #named = new Map<string, string[]>();
  readonly #unblocks = new Map<string, number>();
  readonly #aboveOf = new Map<string, ReadonlySet<string>>();
  readonly #waiting = new Map<string, Set<string>>();
  readonly #childrenLeft = new Map<string, number>();
  readonly #done = new Set<string>();
  readonly #ready = new Set<string>();
  /** Ideas that became ready, or ready ideas whose score may have changed. */
  readonly #touched = new Set<string>();

  constructor(entries: readonly IdeaEntry[], { unblocksThroughParents, bluesByChildren, delivery }: GraphRules = {}) {
    this.#entries = entries;
    this.#bluesByChildren = bluesByChildren ?? false;
    this.#stack = delivery?.stack ?? false;
    entries.forEach((entry, at) => {
      this.#at.set(entry.card.id, at);
    });
    for (const { card } of entries) {
      if (card.parent && this.entry(card.parent)?.card.blue) push(this.#children, card.parent, card.id);
      for (const dep of new Set(card.dependsOn)) push(this.#named, dep, card.id);
    }
    for (const { card } of entries) this.#unblocks.set(card.id, this.#countUnblocked(card, unblocksThroughParents));
    for (const { card } of entries) {
      const waits = new Set(this.#ownAndInherited(card.id));
      for (const dep of waits) push(this.#dependents, dep, card.id);
      this.#waiting.set(card.id, waits);
      this.#childrenLeft.set(card.id, this.#children.get(card.id)?.length ?? 0);
    }
    for (const entry of entries) {
      const { id } = entry.card;
      const empty = this.children(id).length === 0;
      if (this.isMarked(id) || (empty && entry.status === 'landed') || this.#isEmptyBlueDone(id)) this.markDone(id);
    }
    for (const entry of entries) this.refresh(entry.card.id);
  }

  entry(id: string): IdeaEntry | undefined {
    const at = this.#at.get(id);
    return at === undefined ? undefined : this.#entries[at];
  }

  order(id: string): number {
    return this.#at.get(id) ?? Number.MAX_SAFE_INTEGER;
  }

  isDone(id: string): boolean {
    return this.#done.has(id);
  }

  /** Landed by itself, whatever becomes of others: never a Blue, which may get another child. */
  isMarked(id: string): boolean {
    const entry = this.entry(id);
    return entry?.status === 'landed' && !(this.#bluesByChildren && entry.card.blue);
  }

  isReady(id: string): boolean {
    // The one below it may have left its review since.
    return this.#ready.has(id) && (this.#waiting.get(id)?.size === 0 || this.foot(id) !== undefined);
  }

  /** It was ready, and may be again without a change of its own: the one below it may be back in review. */
  mayBeReady(id: string): boolean {
    return this.#ready.has(id);
  }

  /** How many ideas name this one in `dependsOn`; where the setting says so, also those that name a Blue above it. */
  unblocks(id: string): number {
    return this.#unblocks.get(id) ?? 0;
  }

  /** Ids of a Blue's children, in backlog order. */
  children(id: string): readonly string[] {
    return this.#children.get(id) ?? [];
  }

  /** Done and total children of the idea's parent; undefined when it has no parent. */
  siblings(id: string): { done: number; total: number } | undefined {
    const parent = this.entry(id)?.card.parent;
    if (!parent) return undefined;
    const total = this.children(parent).length;
    return { done: total - (this.#childrenLeft.get(parent) ?? 0), total };
  }

  /** Ids this idea still waits for. */
  waitsFor(id: string): string[] {
    return [...(this.#waiting.get(id) ?? [])];
  }

  /** The idea on whose open pull request it may start. Undefined: on the target, or not now. */
  foot(id: string): IdeaEntry | undefined {
    const waits = this.#stack ? this.waitsFor(id) : [];
    return waits.length === 0 ? undefined : footOf(waits, (one) => this.entry(one));
  }

  /** Why it cannot start on an open pull request, although all that it waits for are in review. */
  noFoot(id: string): string | undefined {
    return this.#stack ? whyNoFoot(this.waitsFor(id), (one) => this.entry(one)) : undefined;
  }

  ready(): Iterable<string> {
    return this.#ready;
  }

  get readyCount(): number {
    return this.#ready.size;
  }

  /** Ideas to score (again) since the last call. */
  takeTouched(): string[] {
    const touched = [...this.#touched];
    this.#touched.clear();
    return touched;
  }

  /** Done and total children of a Blue; undefined for any other idea. */
  group(id: string): { done: number; total: number } | undefined {
    if (!this.entry(id)?.card.blue) return undefined;
    const total = this.children(id).length;
    return { done: total - (this.#childrenLeft.get(id) ?? total), total };
  }

  /** The Blues above the idea, the nearest first. */
  above(id: string): string[] {
    const all = new Set<string>();
    for (let up = this.entry(id)?.card.parent; up && this.entry(up)?.card.blue && !all.has(up); ) {
      all.add(up);
      up = this.entry(up)?.card.parent;
    }
    return [...all];
  }

  /** The Blues of which this idea is the last open child, the nearest first. */
  completes(id: string): string[] {
    if (this.#done.has(id)) return [];
    const above = this.above(id);
    const first = above.findIndex((blue) => this.#done.has(blue) || this.#childrenLeft.get(blue) !== 1);
    return first === -1 ? above : above.slice(0, first);
  }

  /** Marks an idea as done. Blues above it and everything that waited follow. Returns the Blues that it completes. */
  markDone(id: string): string[] {
    const blues: string[] = [];
    const todo = [id];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (this.#done.has(next)) continue;
      this.#done.add(next);
      if (this.entry(next)?.card.blue) blues.push(next);
      this.#ready.delete(next);
      for (const dependent of this.#dependents.get(next) ?? []) {
        this.#waiting.get(dependent)?.delete(next);
        if (this.#isEmptyBlueDone(dependent)) todo.push(dependent);
        this.refresh(dependent);
      }
      const parent = this.entry(next)?.card.parent;
      if (parent && this.#childDone(parent)) todo.push(parent);
    }
    return blues;
  }

  /** Adds an idea to the ready pool or removes it, by its status and dependencies. */
  refresh(id: string): void {
    this.#refresh(id);
    if (this.#stack) for (const dependent of this.#dependents.get(id) ?? []) this.#refresh(dependent);
  }

  #refresh(id: string): void {
    const entry = this.entry(id);
    const ready =
      entry !== undefined &&
      !entry.card.blue &&
      entry.status === 'pending' &&
      !entry.hold &&
      !entry.busy &&
      (this.#waiting.get(id)?.size === 0 || this.foot(id) !== undefined);
    if (!ready) {
      this.#ready.delete(id);
      return;
    }
    this.#ready.add(id);
    this.#touched.add(id);
  }

  /** Counts one child of the Blue as done; true when it was the last. */
  #childDone(parent: string): boolean {
    const total = this.children(parent).length;
    if (total === 0) return false;
    const left = (this.#childrenLeft.get(parent) ?? total) - 1;
    this.#childrenLeft.set(parent, left);
    // Only crossing one half changes the score of the others.
    const done = total - left;
    if (done > total / 2 && done - 1 <= total / 2) {
      for (const child of this.children(parent)) if (this.#ready.has(child)) this.#touched.add(child);
    }
    return left === 0;
  }

  #countUnblocked({ id, parent }: IdeaCard, throughParents?: boolean): number {
    const own = this.#named.get(id) ?? [];
    if (!throughParents || !parent) return own.length;
    const above = this.#waitForBlue(parent);
    return above.size + own.filter((one) => !above.has(one)).length;
  }

  /** Ideas that name this Blue or one above it. Cached, because all ideas of a Blue ask for it. */
  #waitForBlue(id: string): ReadonlySet<string> {
    const known = this.#aboveOf.get(id);
    if (known) return known;
    const all = new Set<string>();
    const seen = new Set<string>();
    for (let at = this.entry(id); at?.card.blue && !seen.has(at.card.id); at = this.entry(at.card.parent ?? '')) {
      seen.add(at.card.id);
      for (const one of this.#named.get(at.card.id) ?? []) all.add(one);
    }
    this.#aboveOf.set(id, all);
    return all;
  }

  #isEmptyBlueDone(id: string): boolean {
    const blue = this.entry(id)?.card.blue ?? false;
    return blue && this.children(id).length === 0 && this.#waiting.get(id)?.size === 0;
  }

  #ownAndInherited(id: string): string[] {
    const deps: string[] = [];
    const seen = new Set<string>();
    for (let at = this.entry(id); at && !seen.has(at.card.id); at = this.entry(at.card.parent ?? '')) {
      seen.add(at.card.id);
      deps.push(...(at.card.dependsOn ?? []));
    }
    return deps;
  }
}

function push(map: Map<string, string[]>, key: string, value: string): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/*
 * Finds cycles in a directed graph that a function describes. Not recursive, because chains may be long. Imports
 * nothing.
 */

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
