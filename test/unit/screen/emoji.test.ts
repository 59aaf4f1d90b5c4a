/** Titles with emoji on the full screen and in the report: columns stand, and nothing is joined. Features: D3, G1. */
import { expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { makeReport } from '../../../src/report/build.js';
import { textReport } from '../../../src/report/text.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { width } from '../../../src/screen/text/text.js';
import { initialUi } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const TITLES = ['👨‍👩‍👧‍👦 Families', '👩🏽‍💻 Her desk', '🏳️‍🌈 A flag', '1️⃣ First ❤️', '商品 🎉', 'Plain words'];

function run(): RunModel {
  const ideas = TITLES.map((title, at) => idea(`e-${at}`, title));
  const model = newModel({ project: 'shop-1', runId: 'r', name: 'shop', target: 'main' }, ideas);
  const at = new Date(clockAt('23:00')).toISOString();
  TITLES.forEach((title, n) => {
    fold(model, { at, kind: 'idea', idea: `e-${n}`, title, status: 'running', agentName: `ed-00${n + 1}` });
    const begins = { serial: 1, iteration: 1, max: 5, agentName: `ed-00${n + 1}`, agent: 'claude' };
    fold(model, { at, kind: 'iteration', idea: `e-${n}`, ...begins });
  });
  return model;
}

const columnOf = (line: string, what: string): number => width(line.slice(0, line.indexOf(what)));
const JOINED = /\u200d|\ufe0f|\p{Emoji_Modifier}/u;

it('G1: the columns of the slots stand in one line behind any title', () => {
  const theme = { colour: false, ascii: false };
  const picture = compose(run(), initialUi(), noDetails(), { columns: 120, rows: 40 }, theme, NOW);
  const lines = picture.lines.map(plainLine);
  const slots = lines.filter((line) => line.includes('1/5'));
  expect(slots).toHaveLength(TITLES.length);
  expect(new Set(slots.map((line) => columnOf(line, '1/5'))).size).toBe(1);
  for (const line of lines) expect(line).not.toMatch(JOINED);
});

it('D3: the report keeps its columns and has no joined emoji', () => {
  const model = run();
  const report = makeReport(model, { now: NOW, zone: 'UTC', over: false });
  for (const line of textReport(report, { width: 80 })) {
    expect(line).not.toMatch(JOINED);
    expect(width(line), line).toBeLessThanOrEqual(80);
  }
  expect(textReport(report, { width: 80 }).join('\n')).toContain('👨👩👧👦 Families');
});
