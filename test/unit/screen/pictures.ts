/**
 * Pictures of whole screens: what `docs` and the design promise, as text. A screen that changes on purpose is drawn anew with
 * PICTURES=draw, and looked at before it is kept.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { lineWidth, plainLine } from '../../../src/screen/text/line.js';
import type { Picture } from '../../../src/screen/view.js';

export function expectPicture(name: string, picture: Picture): void {
  const columns = Number(/-(\d+)x/.exec(name)?.[1]);
  const rows = Number(/x(\d+)$/.exec(name)?.[1]);
  expect(picture.lines.length).toBeLessThanOrEqual(rows - 1);
  for (const line of picture.lines) expect(lineWidth(line)).toBeLessThanOrEqual(columns);
  const text = `${picture.lines.map((one) => plainLine(one).trimEnd()).join('\n')}\n`;
  const file = fileURLToPath(new URL(`pictures/${name}.txt`, import.meta.url));
  if (process.env.PICTURES === 'draw') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}
