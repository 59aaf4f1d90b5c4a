/** A thrown error gives the terminal back, and its stack stands on the normal screen. A real process. Features: G4. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PtyScreen } from '../../support/pty.js';

const SCREEN = fileURLToPath(new URL('../../../src/screen/terminal/terminal.ts', import.meta.url));
let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-thrown-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it.each([
  ['a callback', 'setTimeout(() => { throw new Error("the screen broke"); }, 300);'],
  ['a promise', 'setTimeout(() => void Promise.reject(new Error("the screen broke")), 300);'],
])('an error of %s', async (_, fails) => {
  const file = join(dir, 'program.mjs');
  await build({
    stdin: {
      contents: `import { Terminal } from ${JSON.stringify(SCREEN)};
        const nothing = () => {};
        const terminal = new Terminal({ key: nothing, resized: nothing, resumed: nothing, signal: nothing });
        terminal.open();
        terminal.painter.paint({ lines: ['the picture'] });
        ${fails}`,
      resolveDir: dir,
      loader: 'ts',
    },
    ...{ bundle: true, platform: 'node', format: 'esm', outfile: file, logLevel: 'error' },
  });
  const screen = new PtyScreen(process.execPath, [file], { columns: 100, rows: 30 });
  try {
    await screen.shows('the picture');
    expect(await screen.full()).toBe(true);
    expect(await screen.exited).toBe(1);
    expect(await screen.full()).toBe(false);
    const text = await screen.text();
    expect(text).toContain('Error: the screen broke');
    expect(text).toMatch(/\n\s+at /);
    expect(text).not.toContain('the picture');
    // Cursor, pasting and focus reports are as before.
    expect(screen.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(screen.raw.lastIndexOf('\u001b[?25l'));
    expect(screen.raw.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(screen.raw.lastIndexOf('\u001b[?2004h'));
  } finally {
    await screen.dispose();
  }
});
