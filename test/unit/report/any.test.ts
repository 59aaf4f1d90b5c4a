/** Whatever a run contains, its report fits and stays a report (G1). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StampedEvent } from '../../../src/protocol/events.js';
import { markdownReport } from '../../../src/report/markdown.js';
import { reportSchema } from '../../../src/report/schema.js';
import { textReport } from '../../../src/report/text.js';
import { width } from '../../../src/screen/text/text.js';
import { hostileEvent } from './hostile.js';
import { clockAt, reportOf } from './shop-night.js';

const events = fc
  .array(fc.tuple(hostileEvent, fc.nat(500)), { maxLength: 40 })
  .map((all) =>
    all.map(
      ([event, minute]): StampedEvent => ({ at: new Date(clockAt('22:03') + minute * 60_000).toISOString(), ...event }),
    ),
  );

describe('any run', () => {
  it('has a report that fits any width, with nothing that could steer a terminal', () => {
    fc.assert(
      fc.property(events, fc.integer({ min: 20, max: 200 }), fc.boolean(), (told, columns, all) => {
        for (const line of textReport(reportOf(told), { width: columns, all })) {
          expect(width(line), line).toBeLessThanOrEqual(columns);
          expect(line).not.toMatch(/[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/u);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('has a report of the published schema, and Markdown without markup of an agent', () => {
    fc.assert(
      fc.property(events, (told) => {
        const report = reportOf(told);
        expect(reportSchema.safeParse(JSON.parse(JSON.stringify(report))).success).toBe(true);
        const markdown = markdownReport(report);
        expect(markdown.replace(/(`+)[^\n]*?\1/g, '').replaceAll('<br>', '')).not.toMatch(/<|!\[|\]\(/);
      }),
      { numRuns: 200 },
    );
  });
});
