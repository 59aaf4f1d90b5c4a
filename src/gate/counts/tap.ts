/** TAP: top-level `ok` and `not ok` lines, where a plan or a version line says that it is TAP. Pure. */
import { counts, type LineParser } from './tally.js';

export const tap: LineParser = (lines) => {
  let [passed, failed, skipped] = [0, 0, 0];
  let isTap = false;
  for (const line of lines) {
    if (/^(?:TAP version \d+|1\.\.\d+)/.test(line)) isTap = true;
    const point = /^(not )?ok\b/.exec(line);
    if (!point) continue;
    if (/ # (?:skip|todo)/i.test(line)) skipped++;
    else if (point[1]) failed++;
    else passed++;
  }
  return isTap && passed + failed + skipped > 0 ? counts(passed, failed, skipped) : undefined;
};
