/** A binary heap: the smallest item by `before` is taken first. Must not import anything. */
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
