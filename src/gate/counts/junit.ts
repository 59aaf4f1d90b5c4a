/** JUnit XML: counts `<testcase>` elements. A scanner and not a parser: reports may be huge, cut off or hostile. Pure. */
import type { TestCounts } from '../../protocol/gate.js';
import { counts } from './tally.js';

export function junit(xml: string): TestCounts | undefined {
  if (!/<testsuites?[\s>/]/.test(xml)) return undefined;
  const text = withoutCdata(xml);
  let [passed, failed, skipped] = [0, 0, 0];
  for (let at = text.indexOf('<testcase'); at >= 0; ) {
    const next = text.indexOf('<testcase', at + 9);
    const body = text.slice(at, next < 0 ? undefined : next);
    if (/^<testcase[\s/>]/.test(body)) {
      if (body.includes('<failure') || body.includes('<error')) failed++;
      else if (body.includes('<skipped')) skipped++;
      else passed++;
    }
    at = next;
  }
  return counts(passed, failed, skipped);
}

/** Captured output may hold anything, also XML. */
function withoutCdata(text: string): string {
  let out = '';
  let from = 0;
  for (;;) {
    const start = text.indexOf('<![CDATA[', from);
    if (start < 0) return out + text.slice(from);
    out += text.slice(from, start);
    const end = text.indexOf(']]>', start);
    if (end < 0) return out;
    from = end + 3;
  }
}
