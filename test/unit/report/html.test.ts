/** The report as a page: escaped, closed, small, and looked at by a browser where one is. Features: G1 G2. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

  const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  );

  it.skipIf(!browser)(
    'opens in a browser, wide and narrow, without an error and without scrolling sideways',
    { timeout: 120_000 },
    () => {
      const dir = mkdtempSync(join(tmpdir(), 'ralphctl-page-'));
      try {
        const hostile = NASTY.map((title, n) =>
          at(n, { kind: 'idea', idea: `h-${n}`, title, status: 'landed', commit: title }),
        );
        const page = htmlReport(reportOf([...shopNight(), ...hostile]));
        writeFileSync(join(dir, 'page.html'), page);
        // The policy of the page stays; only this frame may run a script, which measures.
        const frame = (width: number): string =>
          `<iframe id="f${width}" srcdoc="" style="width:${width}px;height:900px"></iframe>`;
        const source = JSON.stringify(page).replaceAll('<', '\\u003c');
        writeFileSync(
          join(dir, 'frame.html'),
          `<!doctype html><meta charset="utf-8"><body>${frame(390)}${frame(1200)}<pre id="out"></pre><script>
          const out = {}; let left = 2;
          for (const f of document.querySelectorAll('iframe')) {
            f.onload = () => {
              const d = f.contentDocument;
              out[f.id] = { wide: d.documentElement.scrollWidth - d.documentElement.clientWidth, title: d.title,
                scripts: d.scripts.length, images: d.images.length, cards: d.querySelectorAll('.card').length,
                back: getComputedStyle(d.body).backgroundColor };
              if (--left === 0) document.getElementById('out').textContent = 'MEASURED' + JSON.stringify(out) + 'END';
            };
            f.srcdoc = ${source};
          }</script>`,
        );
        const args = ['--headless=new', '--no-sandbox', '--disable-gpu', `--user-data-dir=${join(dir, 'profile')}`];
        const run = (...more: string[]) =>
          spawnSync(browser ?? '', [...args, ...more], { encoding: 'utf8', timeout: 50_000 });
        const { stdout } = run('--virtual-time-budget=5000', '--dump-dom', `file://${join(dir, 'frame.html')}`);
        const found = JSON.parse(
          (/MEASURED(\{.*?\})END/.exec(stdout)?.[1] ?? '{}').replaceAll('&quot;', '"'),
        ) as Record<string, object>;
        for (const width of ['f390', 'f1200'])
          expect(found[width], width).toMatchObject({
            wide: 0,
            scripts: 0,
            images: 0,
            cards: 5,
            title: expect.stringContaining('shop'),
          });
        run('--window-size=1200,1600', `--screenshot=${join(dir, 'page.png')}`, `file://${join(dir, 'page.html')}`);
        expect(statSync(join(dir, 'page.png')).size).toBeGreaterThan(20_000);
        expect(readFileSync(join(dir, 'page.html'), 'utf8')).toBe(page);
      } finally {
        rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
      }
    },
  );
});
