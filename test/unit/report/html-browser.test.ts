/** The report as a page, looked at by a real browser: wide, narrow, light, dark, on paper. Features: G1 G2. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import { htmlReport } from '../../../src/report/html.js';
import { browser, inBrowser } from '../../support/chromium.js';
import { NASTY } from './hostile.js';
import { clockAt, reportOf, shopNight } from './shop-night.js';

const at = (minutes: number, event: RunEvent): StampedEvent => ({
  at: new Date(clockAt('22:03') + minutes * 60_000).toISOString(),
  ...event,
});

describe('the page in a browser', () => {
  it.skipIf(!browser)(
    'is light, dark and narrow as the reader is, and goes onto paper light and whole',
    { timeout: 120_000 },
    async () => {
      const dir = mkdtempSync(join(tmpdir(), 'ralphctl-page-'));
      try {
        writeFileSync(join(dir, 'page.html'), htmlReport(reportOf(shopNight())));
        await inBrowser(join(dir, 'profile'), pathToFileURL(join(dir, 'page.html')).href, async ({ send, measure }) => {
          const media = (kind: string, scheme: string) =>
            send('Emulation.setEmulatedMedia', {
              media: kind,
              features: [{ name: 'prefers-color-scheme', value: scheme }],
            });
          const colours = () =>
            measure<string[]>('((of) => [of.backgroundColor, of.color])(getComputedStyle(document.body))');
          const sideways = () =>
            measure<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');
          const narrow = { width: 390, height: 844, deviceScaleFactor: 2, mobile: true };

          await media('screen', 'light');
          expect(await colours()).toEqual(['rgb(255, 255, 255)', 'rgb(29, 35, 48)']);
          await media('screen', 'dark');
          expect(await colours()).toEqual(['rgb(18, 21, 27)', 'rgb(228, 232, 238)']);

          await send('Emulation.setDeviceMetricsOverride', narrow);
          expect([await measure('innerWidth'), await sideways()]).toEqual([390, 0]);
          expect(await measure('getComputedStyle(document.querySelector(".row.head")).display')).toBe('none');
          const { data } = (await send('Page.captureScreenshot')) as { data: string };
          const png = Buffer.from(data, 'base64');
          expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([780, 1688]);
          expect(png.length).toBeGreaterThan(20_000);

          // Paper, asked for from a dark screen: about as wide as A4 between its margins.
          await send('Emulation.setDeviceMetricsOverride', { ...narrow, width: 700, mobile: false });
          await media('print', 'dark');
          expect(await colours()).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
          expect(await sideways()).toBe(0);
          expect(await measure('getComputedStyle(document.querySelector(".scroll")).overflowX')).toBe('visible');
          expect(await measure('getComputedStyle(document.querySelector(".card")).breakInside')).toBe('avoid');
          const pdf = (await send('Page.printToPDF', { paperWidth: 8.27, paperHeight: 11.69 })) as { data: string };
          const sheets =
            Buffer.from(pdf.data, 'base64')
              .toString('latin1')
              .match(/\/Type\s*\/Page\b/g) ?? [];
          expect([1, 2, 3]).toContain(sheets.length);
        });
      } finally {
        rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
      }
    },
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
