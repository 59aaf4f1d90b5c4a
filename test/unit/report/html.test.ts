/** The report as a page: escaped, closed, small. Features: G1 G2. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import { htmlReport, MOST_BYTES } from '../../../src/report/html.js';
import { hostileEvent, NASTY } from './hostile.js';
import { clockAt, reportOf, shopNight } from './shop-night.js';

const VOID = new Set(['meta', 'br', '!doctype', 'path']);

/** Reads a page as a browser's tokenizer would; fails where tags do not match or an attribute is not in quotes. */
function elements(page: string): Map<string, number> {
  const seen = new Map<string, number>();
  const open: string[] = [];
  const outside = page.replace(/<style>[\s\S]*?<\/style>/, '');
  for (const [tag, close, name = '', rest = ''] of outside.matchAll(
    /<(\/?)([!a-z][a-z0-9]*)((?:\s[^<>"]*(?:"[^"<>]*"[^<>"]*)*)?)>/gi,
  )) {
    const lower = name.toLowerCase();
    seen.set(lower, (seen.get(lower) ?? 0) + 1);
    expect(
      rest
        .replace(/\s[a-zA-Z-]+="[^"]*"/g, '')
        .replace(/\/|\s(open|html)/g, '')
        .trim(),
      tag,
    ).toBe('');
    expect(rest, tag).not.toMatch(/\son[a-z]+=|javascript:/i);
    if (VOID.has(lower) || rest.endsWith('/')) continue;
    if (close) expect(open.pop(), tag).toBe(lower);
    else open.push(lower);
  }
  expect(open).toEqual([]);
  expect(outside.replace(/<(\/?)([!a-z][a-z0-9]*)((?:\s[^<>"]*(?:"[^"<>]*"[^<>"]*)*)?)>/gi, '')).not.toMatch(/[<>]/);
  return seen;
}

const at = (minutes: number, event: RunEvent): StampedEvent => ({
  at: new Date(clockAt('22:03') + minutes * 60_000).toISOString(),
  ...event,
});

describe('the page', () => {
  it('says a red gate once, and what the path of its output is', () => {
    const why = 'single attempt, and the gate is red: npm test';
    const page = htmlReport(
      reportOf([
        ...shopNight(),
        at(1, { kind: 'idea', idea: 'once-001', title: 'Once', status: 'running' }),
        at(2, {
          kind: 'iteration',
          idea: 'once-001',
          serial: 1,
          iteration: 1,
          max: 1,
          agentName: 'ed-001',
          agent: 'x',
        }),
        at(3, {
          kind: 'gate',
          idea: 'once-001',
          pass: false,
          command: 'npm test',
          durationMs: 1,
          log: '/runs/gate-1.log',
        }),
        at(4, { kind: 'idea', idea: 'once-001', title: 'Once', status: 'failed', reason: why }),
      ]),
    );
    expect(page).toContain(why);
    expect(page).not.toContain('gate red: npm test<');
    expect(page).toContain('output of its gate: <span class="mono">/runs/gate-1.log</span>');
    expect(page).not.toContain('last gate output');
  });

  it('a card has the last gate output, closed, and as a text', () => {
    const gateTails = new Map([['cache-001', 'not ok 2 - maps <404>\n# fail 1']]);
    const events = shopNight().map((one) =>
      one.kind === 'gate' && one.idea === 'cache-001' ? { ...one, log: '/runs/gate-1.log' } : one,
    );
    const page = htmlReport(reportOf(events, { gateTails }));
    expect(page).toMatch(/<details><summary>last gate output<\/summary>.*not ok 2 - maps &lt;404&gt;<br># fail 1/);
    elements(page);
  });

  it('loads and runs nothing', () => {
    const page = htmlReport(reportOf(shopNight()));
    const seen = elements(page);
    expect(page).toContain(
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    );
    for (const name of ['script', 'link', 'img', 'iframe', 'object', 'form', 'base'])
      expect(seen.has(name), name).toBe(false);
    expect(page).not.toMatch(/https?:|url\(|@import|src=/);
    expect(page).toContain('prefers-color-scheme:dark');
    expect(page).toContain('@media print');
  });

  it('G2: signs of iterations of under a second do not overlap in a run of minutes, and none is lost', () => {
    const states = ['landed', 'failed', 'landed', 'landed', 'blocked', 'landed', 'failed', 'landed'] as const;
    const events = states.flatMap((status, n) => {
      const [idea, when] = [`s-${n}`, 1 + n / 120];
      return [
        at(when, { kind: 'idea', idea, title: idea, status: 'running' }),
        at(when, { kind: 'iteration', idea, serial: 1, iteration: 1, max: 3, agentName: 'zed-7', agent: 'x' }),
        at(when + 0.008, { kind: 'idea', idea, title: idea, status }),
      ];
    });
    const page = htmlReport(reportOf([...shopNight(), ...events]));
    const rows = new Map<string, { x: number; count: number }[]>();
    for (const [, x = '', y = '', count = '1'] of page.matchAll(
      /<text class="m [a-z]+" x="([\d.]+)" y="([\d.]+)"[^>]*>[^<](?:<tspan[^>]*>(\d+)<\/tspan>)?<\/text>/g,
    ))
      rows.set(y, [...(rows.get(y) ?? []), { x: Number(x), count: Number(count) }]);
    const counts = [...rows.values()].map((row) => row.reduce((sum, { count }) => sum + count, 0));
    expect(Math.max(...counts)).toBeGreaterThanOrEqual(states.length);
    for (const row of rows.values())
      for (const [n, { x }] of row.entries()) if (n > 0) expect(x - (row[n - 1]?.x ?? 0)).toBeGreaterThanOrEqual(12.8);
  });

  it('has the commands, the timeline with links to ideas, and closed details', () => {
    const page = htmlReport(reportOf(shopNight()));
    expect(page).toContain('<code>ralphctl answer price-007 &quot;…&quot;</code>');
    expect(page).toContain('blocked for the third time');
    const seen = elements(page);
    expect(seen.get('svg')).toBe(2);
    expect(seen.get('details') ?? 0).toBeGreaterThan(6);
    for (const [, id] of page.matchAll(/href="#(\w+)"/g)) expect(page).toContain(`id="${id}"`);
  });

  it('names no idea as the place of a text that belongs to none', () => {
    const report = reportOf(shopNight());
    const text = 'a long reason '.repeat(400);
    const about = { text, state: 'failed', notes: [], fix: 'ralphctl sync', commands: ['ralphctl sync'] } as const;
    const todo = [
      { ...about, subject: 'push', notes: [], commands: ['ralphctl sync'] },
      { ...about, subject: 'cache-001', idea: 'cache-001', notes: [], commands: ['ralphctl sync'] },
    ];
    // So many runs that the page leaves out details.
    const page = htmlReport({ ...reportOf(big(1000, 1), {}, []), todo, at: report.at });
    expect(page).toContain('(whole: ralphctl why cache-001)');
    expect(page).not.toContain('ralphctl why push');
    expect(page).toContain(text.trim());
  });

  it('keeps every hostile text a text', { timeout: 60_000 }, () => {
    const events = fc.array(fc.tuple(hostileEvent, fc.nat(500)), { maxLength: 40 });
    fc.assert(
      fc.property(events, (told) => {
        const page = htmlReport(reportOf(told.map(([event, minute]) => at(minute, event))));
        const seen = elements(page);
        for (const name of ['script', 'img', 'h', 'b1']) expect(seen.has(name), name).toBe(false);
        expect(page.match(/<\/body>/g)).toHaveLength(1);
      }),
      { numRuns: 100 },
    );
  });

  const big = (count: number, runs: number): StampedEvent[] => {
    const words = NASTY.join(' ').repeat(3).slice(0, 2000);
    const events: StampedEvent[] = [];
    for (let n = 0; n < count; n++) {
      const idea = `idea-${n}`;
      events.push(
        at(n, {
          kind: 'idea',
          idea,
          title: `Title of ${idea} ${words.slice(0, 60)}`,
          status: 'running',
          agentName: `ed-00${n % 4}`,
        }),
      );
      for (let serial = 1; serial <= runs; serial++) {
        const minute = n + serial;
        events.push(
          at(minute, {
            kind: 'iteration',
            idea,
            serial,
            iteration: serial,
            max: 50,
            agentName: `ed-00${n % 4}`,
            agent: 'claude',
          }),
        );
        events.push(
          at(minute + 0.7, {
            ...{
              kind: 'iteration-end',
              idea,
              serial,
              iteration: serial,
              signal: { kind: 'progress', percent: serial },
              outcome: 'ok',
            },
            ...{ durationMs: 40_000, commits: 1, words, usage: { costUsd: 0.1 } },
          }),
        );
        events.push(
          at(minute + 0.9, {
            kind: 'gate',
            idea,
            pass: true,
            durationMs: 10_000,
            tests: { passed: 1, failed: 0, skipped: 0, total: 1 },
          }),
        );
      }
      events.push(
        at(n + runs + 1, {
          kind: 'idea',
          idea,
          title: `Title of ${idea}`,
          status: n % 10 === 0 ? 'failed' : 'landed',
          commit: 'a'.repeat(40),
          reason: words,
        }),
      );
    }
    return events;
  };

  it.each([
    [100, 8],
    [1000, 3],
  ])('is small with %i ideas of %i agent runs each, and says what it leaves out', (count, runs) => {
    const page = htmlReport(reportOf(big(count, runs), {}, []));
    elements(page);
    expect(new TextEncoder().encode(page).length).toBeLessThan(MOST_BYTES);
    expect(page).toContain('of landed ideas are left out to keep this page small');
  });
});
