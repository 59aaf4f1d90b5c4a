/**
 * Long work in slices: a generator that stops after each part of it. Who may not hold up a process goes on with it part
 * by part; the others take it as a whole. Pure.
 */

export type Slices<T> = Generator<void, T, void>;

export function whole<T>(slices: Slices<T>): T {
  for (;;) {
    const next = slices.next();
    if (next.done) return next.value;
  }
}

/** A slice for each of them. */
export function* eachOf<T, R>(all: readonly T[], make: (one: T) => R): Slices<R[]> {
  const made: R[] = [];
  for (const one of all) {
    yield;
    made.push(make(one));
  }
  return made;
}
