/**
 * Takes back what a landing wrote into a backlog file, and nothing else: a three-way merge at the level of the lines that
 * it wrote, without the neighbours that git wants unchanged, because ticks of other ideas stand next to each other.
 * Invariant: a line that somebody changed since stays, and so does a line that was so before the landing.
 */

/** Ranges of lines: `[from, to)` of one text became `[from, to)` of the other. */
interface Hunk {
  was: [number, number];
  is: [number, number];
}

/** Lines of the landing's file that stand in both texts, by their numbers. */
type Pairs = (readonly [number, number])[];

export interface Around {
  /** The file before the landing, and with it. */
  from: string;
  to: string;
}

/** The text as it would be without the landing. */
export function giveBack(now: string, { from, to }: Around): string {
  if (now === to) return from;
  const [before, landed, present] = [linesOf(from), linesOf(to), linesOf(now)];
  const place = new Map(pairsOf(landed, present));
  let text = present;
  // From the end, so that the numbers above stay right.
  for (const { was, is } of hunksOf(before, landed).reverse()) {
    const at = placeOf(is, place, { landed, present });
    if (at === undefined) continue;
    text = [...text.slice(0, at), ...before.slice(...was), ...text.slice(at + is[1] - is[0])];
  }
  return text.join('');
}

const linesOf = (text: string): string[] => text.split(/(?<=\n)/);

/** Where these lines stand now, one after another; undefined when somebody changed one of them. */
function placeOf(
  [start, end]: Hunk['is'],
  place: ReadonlyMap<number, number>,
  { landed, present }: { landed: readonly string[]; present: readonly string[] },
): number | undefined {
  if (start < end) {
    const at = place.get(start);
    if (at === undefined) return undefined;
    for (let n = start; n < end; n++) if (place.get(n) !== at + n - start) return undefined;
    return at;
  }
  // The landing removed lines there.
  if (start === 0) return 0;
  if (start === landed.length) return present.length;
  const above = place.get(start - 1);
  return above === undefined ? undefined : above + 1;
}

function hunksOf(was: readonly string[], is: readonly string[]): Hunk[] {
  const hunks: Hunk[] = [];
  let [a, b] = [0, 0];
  for (const [i, j] of [...pairsOf(was, is), [was.length, is.length] as const]) {
    if (a < i || b < j) hunks.push({ was: [a, i], is: [b, j] });
    [a, b] = [i + 1, j + 1];
  }
  return hunks;
}

/** Equal lines of both, in order. What stands in each of them once leads; what is equal next to that follows. */
function pairsOf(left: readonly string[], right: readonly string[]): Pairs {
  const pairs: Pairs = [];
  const between = (l: [number, number], r: [number, number]): void => {
    let [[l1, l2], [r1, r2]] = [l, r];
    const below: Pairs = [];
    while (l1 < l2 && r1 < r2 && left[l1] === right[r1]) pairs.push([l1++, r1++]);
    while (l1 < l2 && r1 < r2 && left[l2 - 1] === right[r2 - 1]) below.unshift([--l2, --r2]);
    const anchors = l1 < l2 && r1 < r2 ? anchorsOf([left.slice(l1, l2), right.slice(r1, r2)]) : [];
    if (anchors.length > 0) {
      let [a, b] = [l1, r1];
      for (const [i, j] of anchors) {
        between([a, l1 + i], [b, r1 + j]);
        pairs.push([l1 + i, r1 + j]);
        [a, b] = [l1 + i + 1, r1 + j + 1];
      }
      between([a, l2], [b, r2]);
    }
    pairs.push(...below);
  };
  between([0, left.length], [0, right.length]);
  return pairs;
}

function anchorsOf([left, right]: readonly [readonly string[], readonly string[]]): Pairs {
  const there = onceIn(right);
  const both = [...onceIn(left)].flatMap(([line, at]) => {
    const to = there.get(line);
    return to === undefined ? [] : [[at, to] as const];
  });
  return rising(both.sort(([a], [b]) => a - b));
}

function onceIn(lines: readonly string[]): Map<string, number> {
  const places = new Map<string, number>();
  const twice = new Set<string>();
  for (const [at, line] of lines.entries()) {
    if (places.has(line)) twice.add(line);
    places.set(line, at);
  }
  for (const line of twice) places.delete(line);
  return places;
}

/** The longest run of pairs whose second numbers rise: what somebody moved is left out. */
function rising(pairs: Pairs): Pairs {
  const ends: number[] = [];
  const before: (number | undefined)[] = [];
  for (const [at, [, to]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < to) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1];
    ends[low] = at;
  }
  const run: Pairs = [];
  for (let at = ends.at(-1); at !== undefined; at = before[at]) run.unshift(pairs[at] as readonly [number, number]);
  return run;
}
