/**
 * What the screen costs a terminal while a run goes on: the events of a minute, played in their own time.
 * At most 30 frames and 60 KB, and no frame that changes nothing. Features: G4 G5.
 */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { Idea } from '../../../src/protocol/idea.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { newPace, painted, wants } from '../../../src/screen/terminal/pace.js';
import { Painter } from '../../../src/screen/terminal/painter.js';
import { render } from '../../../src/screen/terminal/render.js';
import { initialUi } from '../../../src/screen/ui.js';

const START = Date.UTC(2026, 0, 1, 22);
const THEME = { colour: true, ascii: false };

const idea = (at: number): Idea => ({
  ...{ id: `idea-${at}`, title: `Title of the idea number ${at}`, text: '', blue: false, dependsOn: [], tags: [] },
  ...{ done: false, ralph: true, success: [], allowEmpty: false, source: { file: 'roadmap.md', line: at } },
});

/** A minute of a busy run: ideas begin, say how far they are, are gated and land. */
function minute(slots: number): { ms: number; event: RunEvent }[] {
  const told: { ms: number; event: RunEvent }[] = [];
  let next = 0;
  for (let slot = 1; slot <= slots; slot++) {
    for (let ms = (slot * 137) % 4000; ms < 58_000; ms += 9000 + ((slot * 613) % 5000)) {
      const id = `idea-${next++}`;
      const about = { idea: id, title: `Title of ${id}` };
      const agentName = `ed-${String(slot).padStart(3, '0')}`;
      told.push({ ms, event: { kind: 'idea', ...about, status: 'running', agentName } });
      told.push({ ms: ms + 20, event: { kind: 'iteration', idea: id, serial: 1, iteration: 1, max: 8, agentName } });
      const end = { idea: id, serial: 1, iteration: 1, outcome: 'ok' as const, durationMs: 5000, commits: 1 };
      told.push({ ms: ms + 5000, event: { kind: 'iteration-end', ...end, signal: { kind: 'complete' } } });
      told.push({ ms: ms + 6000, event: { kind: 'gate', idea: id, pass: true, durationMs: 1000 } });
      told.push({ ms: ms + 6100, event: { kind: 'idea', ...about, status: 'landing' } });
      told.push({ ms: ms + 7000, event: { kind: 'idea', ...about, status: 'landed', commit: '0123456789abcdef' } });
    }
  }
  return told.sort((a, b) => a.ms - b.ms);
}

function played(slots: number, columns: number, rows: number): { frames: number; characters: number; idle: number } {
  const ideas = Array.from({ length: 2000 }, (_, at) => idea(at));
  const model: RunModel = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main', startedAt: START, slots },
    ideas,
  );
  fold(model, { at: new Date(START).toISOString(), kind: 'run', state: 'running', landed: 0, total: ideas.length });
  const pace = newPace(0, 0);
  const painter = new Painter(() => {});
  const paint = (ms: number): boolean => {
    const { lines } = compose(model, initialUi(), noDetails(), { columns, rows }, THEME, START + ms);
    const before = painter.written.characters;
    const wrote = painter.paint({ lines: lines.map((line) => render(line, true)) });
    painted(pace, ms, 0, painter.written.characters - before);
    return wrote;
  };
  const events = minute(slots);
  let idle = 0;
  for (let ms = 0; ms < 60_000; ms += 10) {
    while (events[0] && events[0].ms <= ms) {
      const { event } = events.shift() ?? {};
      if (event) fold(model, { at: new Date(START + ms).toISOString(), ...event });
      wants(pace, 'change', ms);
    }
    if (ms % 10_000 === 0) wants(pace, 'change', ms);
    if (pace.due !== undefined && ms >= pace.due) paint(ms);
  }
  const busy = { ...painter.written };
  // An hour in which nothing is told: only what shows time changes.
  for (let ms = 60_000; ms < 3_660_000; ms += 10_000) if (paint(ms)) idle += 1;
  return { ...busy, idle };
}

describe('a minute of a run', () => {
  it.each([
    [4, 80, 24],
    [4, 120, 40],
    [100, 80, 24],
    [100, 120, 40],
  ])('%i slots at %ix%i', (slots, columns, rows) => {
    const { frames, characters, idle } = played(slots, columns, rows);
    expect(frames).toBeGreaterThan(10);
    expect(frames).toBeLessThanOrEqual(30);
    expect(characters).toBeLessThanOrEqual(60_000);
    // Six looks a minute, of which about one finds another minute.
    expect(idle).toBeLessThan(150);
  });
});
