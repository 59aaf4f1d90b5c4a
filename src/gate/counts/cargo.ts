/** cargo test, one line per binary: `test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; …`. Pure. */
import { counts, type LineParser, sum } from './tally.js';

export const cargo: LineParser = (lines) =>
  sum(
    lines.map((line) => {
      const found = /^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;/.exec(line);
      return found ? counts(Number(found[1]), Number(found[2]), Number(found[3])) : undefined;
    }),
  );
