/**
 * The ready pool in order of score (A2), so that a pick costs a few comparisons instead of a pass over ten thousand
 * ideas.
 * Invariant: picks exactly the idea that a full sort would put first. An item that is no longer ready, or whose score
 * has changed, is dropped when it comes up; the graph names the ideas to score again. One that waits for the review of
 * the idea below it stays.
 * May import protocol and decide only.
 */
import type { Weights } from '../../protocol/run-settings.js';
import type { Graph } from './graph.js';
import { score } from './score.js';

interface Item {
  id: string;
  value: number;
  order: number;
}

export class ReadyPool {
  readonly #graph: Graph;
  readonly #weights: Weights;
  readonly #heap = new Heap<Item>((a, b) => a.value > b.value || (a.value === b.value && a.order < b.order));

  constructor(graph: Graph, weights: Weights) {
    this.#graph = graph;
    this.#weights = weights;
  }

  /** The best ready idea; undefined when none is ready. It stays ready until its status changes. */
  best(): string | undefined {
    for (const id of this.#graph.takeTouched()) this.#add(id);
    const later: Item[] = [];
    let best: Item | undefined;
    for (let item = this.#heap.pop(); item !== undefined && !best; ) {
      const counts = this.#graph.mayBeReady(item.id) && this.#valueOf(item.id) === item.value;
      if (counts && this.#graph.isReady(item.id)) best = item;
      else {
        if (counts) later.push(item);
        item = this.#heap.pop();
      }
    }
    for (const item of best ? [best, ...later] : later) this.#heap.push(item);
    return best?.id;
  }

  /** The `most` best ready ideas, in order. */
  top(most: number): string[] {
    const passed: Item[] = [];
    const found: string[] = [];
    for (let id = found.length < most ? this.best() : undefined; id !== undefined; ) {
      const item = this.#heap.pop();
      if (item) passed.push(item);
      // An idea that was scored twice is in the heap twice.
      if (!found.includes(id)) found.push(id);
      id = found.length < most ? this.best() : undefined;
    }
    for (const item of passed) this.#heap.push(item);
    return found;
  }

  /** The best ready idea that may start, or undefined. */
  bestOf(may: (id: string) => boolean): string | undefined {
    const passed: Item[] = [];
    let found: string | undefined;
    for (let id = this.best(); id !== undefined && found === undefined; ) {
      if (may(id)) found = id;
      else {
        const item = this.#heap.pop();
        if (item) passed.push(item);
        id = this.best();
      }
    }
    for (const item of passed) this.#heap.push(item);
    return found;
  }

  #add(id: string): void {
    const value = this.#valueOf(id);
    if (value !== undefined) this.#heap.push({ id, value, order: this.#graph.order(id) });
  }

  #valueOf(id: string): number | undefined {
    const entry = this.#graph.entry(id);
    return entry && score(entry, this.#graph, this.#weights);
  }
}

/** A binary heap: the smallest item by `before` comes first. Must not import anything. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const up = (at - 1) >> 1;
      const above = items[up] as T;
      if (!this.#before(item, above)) break;
      items[at] = above;
      at = up;
    }
    items[at] = item;
  }

  pop(): T | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.#sink(last);
    return first;
  }

  #sink(item: T): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= items.length) break;
      if (down + 1 < items.length && this.#before(items[down + 1] as T, items[down] as T)) down += 1;
      if (!this.#before(items[down] as T, item)) break;
      items[at] = items[down] as T;
      at = down;
    }
    items[at] = item;
  }
}
