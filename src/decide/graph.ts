/**
 * The backlog as a graph: who waits for whom, which Blue is done, what is ready. Kept up to date idea by idea, so that
 * ten thousand ideas cost no rescans.
 * Invariant: derived from the entries alone; it can be thrown away and built again at any time.
 * May import protocol types only.
 */
import type { IdeaEntry } from '../protocol/run.js';

export class Graph {
  readonly #entries: readonly IdeaEntry[];
  readonly #at = new Map<string, number>();
  readonly #children = new Map<string, string[]>();
  /** Who waits for this idea, ancestors' dependencies included. */
  readonly #dependents = new Map<string, string[]>();
  readonly #unblocks = new Map<string, number>();
  readonly #waiting = new Map<string, Set<string>>();
  readonly #childrenLeft = new Map<string, number>();
  readonly #done = new Set<string>();
  readonly #ready = new Set<string>();

  constructor(entries: readonly IdeaEntry[]) {
    this.#entries = entries;
    entries.forEach((entry, at) => {
      this.#at.set(entry.card.id, at);
    });
    for (const { card } of entries) {
      if (card.parent) push(this.#children, card.parent, card.id);
      for (const dep of card.dependsOn ?? []) this.#unblocks.set(dep, (this.#unblocks.get(dep) ?? 0) + 1);
    }
    for (const { card } of entries) {
      const waits = new Set<string>();
      for (const dep of this.#ownAndInherited(card.id)) {
        waits.add(dep);
        push(this.#dependents, dep, card.id);
      }
      this.#waiting.set(card.id, waits);
      this.#childrenLeft.set(card.id, this.#children.get(card.id)?.length ?? 0);
    }
    for (const entry of entries) {
      const { id, blue } = entry.card;
      if (entry.status === 'landed') this.markDone(id);
      else if (blue && this.#childrenLeft.get(id) === 0) this.markDone(id);
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

  /** Ideas that directly name this one in `dependsOn`. */
  unblocks(id: string): number {
    return this.#unblocks.get(id) ?? 0;
  }

  /** Done and total children of the idea's parent; none when it has no parent. */
  siblings(id: string): { done: number; total: number } | undefined {
    const parent = this.entry(id)?.card.parent;
    if (!parent) return undefined;
    const total = this.#children.get(parent)?.length ?? 0;
    return { done: total - (this.#childrenLeft.get(parent) ?? 0), total };
  }

  /** Ids this idea still waits for. */
  waitsFor(id: string): string[] {
    return [...(this.#waiting.get(id) ?? [])];
  }

  ready(): Iterable<string> {
    return this.#ready;
  }

  get readyCount(): number {
    return this.#ready.size;
  }

  /** Tells the graph that an idea is done; Blues above it and everything that waited follow. */
  markDone(id: string): void {
    const todo = [id];
    for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
      if (this.#done.has(next)) continue;
      this.#done.add(next);
      this.#ready.delete(next);
      for (const dependent of this.#dependents.get(next) ?? []) {
        this.#waiting.get(dependent)?.delete(next);
        this.refresh(dependent);
      }
      const parent = this.entry(next)?.card.parent;
      if (parent && this.#childrenLeft.has(parent)) {
        const left = (this.#childrenLeft.get(parent) ?? 1) - 1;
        this.#childrenLeft.set(parent, left);
        if (left === 0) todo.push(parent);
      }
    }
  }

  /** Puts an idea into the ready pool or takes it out, as its status and dependencies say. */
  refresh(id: string): void {
    const entry = this.entry(id);
    const ready =
      entry !== undefined && !entry.card.blue && entry.status === 'pending' && this.#waiting.get(id)?.size === 0;
    if (ready) this.#ready.add(id);
    else this.#ready.delete(id);
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
