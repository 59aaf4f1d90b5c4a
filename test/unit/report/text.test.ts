/** The report as text, Markdown and JSON, from recorded events. Features: G1 G2 G4. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { newModel } from '../../../src/model/fold.js';
import { makeReport } from '../../../src/report/build.js';
import { markdownReport } from '../../../src/report/markdown.js';
import { reportJsonSchema, reportSchema } from '../../../src/report/schema.js';
import { reportLines, textReport } from '../../../src/report/text.js';
import { width } from '../../../src/screen/text.js';
import { reportOf, shopNight } from './shop-night.js';

/** Drawn anew with PICTURES=draw, and looked at before it is kept. */
function expectFile(name: string, text: string): void {
  const file = fileURLToPath(new URL(`pictures/${name}`, import.meta.url));
  if (process.env.PICTURES === 'draw') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

describe('the report of a night', () => {
  const report = reportOf(shopNight());

  it('begins with what to do, each with its command, and fits 80 columns', () => {
    const lines = textReport(report, { width: 80 });
    for (const line of lines) expect(width(line), line).toBeLessThanOrEqual(80);
    expectFile('night-80.txt', `${lines.join('\n')}\n`);
  });

  it('is what the screen shows when a run ends', () => {
    const model = newModel({ project: 'shop-1', runId: 'r', name: 'shop', target: 'main' });
    const extra = { now: 0, zone: 'UTC', over: true };
    expect(reportLines(model, extra, 60)).toEqual(textReport(makeReport(model, extra), { width: 60 }));
    expect(reportLines(model, extra, 60).join('\n')).toContain('0 landed   0 not   0 iterations');
  });

  it('is as wide as it is in a pipe', () => expectFile('night.txt', `${textReport(report).join('\n')}\n`));

  it('is Markdown', () => expectFile('night.md', markdownReport(report)));

  it('is JSON of the published schema', () => {
    expect(reportSchema.parse(JSON.parse(JSON.stringify(report)))).toEqual(report);
    const file = fileURLToPath(new URL('../../../schemas/report.schema.json', import.meta.url));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(reportJsonSchema());
  });

  it('names commands of an open run while it is open', () => {
    const open = reportOf(
      shopNight().filter(({ kind }) => kind !== 'run'),
      { over: false },
    );
    expect(open.todo.map(({ commands }) => commands)).toEqual([
      ['ralphctl answer price-007 "…"'],
      ['ralphctl unblock deploy-001'],
      ['ralphctl retry import-004'],
      ['ralphctl limit cache-001 10'],
    ]);
  });

  it('leaves out what a newer run has landed, and what was given up', () => {
    const later = new Map([['price-007', 'landed Wed 18 Nov']]);
    const old = reportOf(shopNight(), { later, givenUp: new Set(['deploy-001']) });
    expect(old.todo.map(({ subject }) => subject)).toEqual(['import-004', 'cache-001', 'the rest']);
    expect(textReport(old).join('\n')).toContain(
      '? price-007    asks then, landed Wed 18 Nov: Round half up or half even?',
    );
  });

  it('asks on where a run that was stopped put a question back', () => {
    const stopped = shopNight().filter((event) => event.kind !== 'run');
    stopped.push({
      at: new Date().toISOString(),
      kind: 'idea',
      idea: 'price-007',
      title: 'Round prices',
      status: 'pending',
    });
    const [first] = reportOf(stopped).todo;
    expect(first).toMatchObject({
      subject: 'price-007',
      state: 'asks',
      commands: ['ralphctl answer price-007 "…"', 'ralphctl start'],
    });
  });

  it('cuts a long list of landed ideas, and keeps those with something to look at', () => {
    const events = shopNight();
    const ids = Array.from({ length: 30 }, (_, n) => `more-${n}`);
    for (const id of ids)
      events.push({
        at: new Date(Date.parse(events[0]?.at ?? '')).toISOString(),
        kind: 'idea',
        idea: id,
        title: id,
        status: 'landed',
      });
    const lines = textReport(reportOf(events), { width: 80 });
    expect(lines).toContain('  … 23 more: ralphctl report --all');
    expect(lines.join('\n')).toContain('look: test/search.test.ts: 1 test is newly skipped (you let it land at');
    expect(
      textReport(reportOf(events), { width: 80, all: true }).filter((line) => line.startsWith('  ✓')),
    ).toHaveLength(33);
  });
});
