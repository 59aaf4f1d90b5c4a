/** How much of a list a view shows. Must not import anything. */

/**
 * The first of a list whose rest is a line `… 3 more`. That line is no shorter than a single row, so a single row is
 * shown in its place. `all`: their number, where the list itself has been cut.
 */
export const upToMore = <T>(most: number, list: readonly T[], all = list.length): T[] =>
  list.slice(0, Math.max(all, list.length) === most + 1 ? most + 1 : most);
