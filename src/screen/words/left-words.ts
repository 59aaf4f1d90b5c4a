/** The words for an idea that an earlier run left open and that this run ends. The same in logs, status and report. Pure. */
export const leftWords = (why: string): string =>
  `was open from an earlier run, and this run does not work on it (${why}): it ends after its iteration, and its work stays on its branch`;
