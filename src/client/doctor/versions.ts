/** Comparing versions as CLIs print them. Pure. */

/** The first `1.2` or `1.2.3` in a text; undefined when there is none. */
export function versionIn(text: string): string | undefined {
  return /\b\d+\.\d+(?:\.\d+)?\b/.exec(text)?.[0];
}

/** Negative when `a` is older. Missing parts count as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((one) => one.split('.').map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
