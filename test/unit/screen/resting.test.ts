/** A run that only paused and held ideas keep open, and what *Next* shows after a run. Features: C1 C2 G1 G5. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { ShownState } from '../../../src/protocol/states.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import { noDetails } from '../../../src/screen/details.js';
import { listsOf } from '../../../src/screen/lists.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const SIZES = [
  { columns: 80, rows: 24 },
  { columns: 120, rows: 40 },
  { columns: 70, rows: 12 },
] as const;

type Status = Extract<RunEvent, { kind: 'idea' }>['status'];
const is = (id: string, status: Status, more: object = {}): RunEvent => ({
  ...{ kind: 'idea', idea: id, title: `Title of ${id}`, status },
  ...more,
});
const run = (state: ShownState): RunEvent => ({ kind: 'run', state, landed: 0, total: 4 });

function modelOf(events: readonly RunEvent[], ideas = ['a', 'b', 'c', 'd']): RunModel {
  const model = newModel(
    { project: 'p', runId: 'r', name: 'shop', target: 'main', startedAt: clockAt('23:00'), slots: 3 },
    ideas.map((id) => idea(id, `Title of ${id}`)),
  );
  for (const event of events) fold(model, { at: new Date(clockAt('23:30')).toISOString(), ...event });
  return model;
}

const lines = (model: RunModel, size: { columns: number; rows: number }, ui: Ui = initialUi()): string[] =>
  compose(model, ui, noDetails(), size, THEME, NOW).lines.map((line) => plainLine(line).trimEnd());

const still = (): RunModel =>
  modelOf([
    run('running'),
    is('c', 'landed', { commit: 'abc' }),
    is('d', 'landed', { commit: 'abd' }),
    is('a', 'running'),
    is('a', 'paused'),
    is('b', 'pending', { held: true }),
  ]);

describe('a run that only paused and held ideas keep open', () => {
  it.each(SIZES)('G1 G5: says so in its first lines, at %o', (size) => {
    const shown = lines(still(), size);
    expect(shown[0]).toContain('◫ stands still');
    expect(shown[1]).toContain('nothing runs: 1 paused, 1 held');
    expect(shown.join('\n')).not.toContain('to go');
    expect(shown.join('\n')).not.toContain('nobody is waited for');
  });

  it.each(SIZES)('C2: lists the paused and the held idea on the first screen, where p resumes each, at %o', (size) => {
    const model = still();
    const ui = initialUi();
    const places = placesOf(model, ui, noDetails(), size, THEME, NOW);
    const resting = places.filter(({ section }) => section === 'resting');
    expect(resting.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(lines(model, size).join('\n')).toMatch(/◫ a\b.*paused[\s\S]*◫ b\b.*held/);
    for (const selected of resting) {
      const seen = { model, details: noDetails(), places, selected, ...size };
      expect(press(ui, { name: 'p' }, seen).act).toEqual({ do: 'tell', args: ['resume', selected.id] });
    }
  });

  it('G5: goes on as running while one works, lands, waits for a slot, or can start', () => {
    for (const more of [
      is('d', 'running'),
      is('d', 'landing'),
      is('d', 'wants-slot'),
      is('d', 'pending'),
    ] satisfies RunEvent[]) {
      const model = modelOf([run('running'), is('c', 'landed'), is('d', 'landed'), is('a', 'paused'), more]);
      fold(model, { at: new Date(clockAt('23:31')).toISOString(), ...is('b', 'pending', { held: true }) });
      expect(lines(model, SIZES[0])[0]).toContain('▸ running');
      expect(lines(model, SIZES[0]).join('\n')).toContain('Paused or held 2');
    }
  });

  it('keeps its lines few, and counts the rest', () => {
    const ids = Array.from({ length: 40 }, (_, at) => `idea-${at}`);
    const model = modelOf([run('running'), ...ids.map((id) => is(id, 'paused'))], ids);
    const shown = lines(model, SIZES[0]);
    expect(shown.join('\n')).toMatch(/Paused or held 40[\s\S]* … and 38 more: 3/);
    expect(shown).toHaveLength(23);
  });

  it('C1: P pauses the run although a paused idea lets the run take a resume, and the footer says so', () => {
    const model = still();
    model.live = { at: 0, state: 'running', next: [], possible: ['pause', 'resume', 'stop'] };
    const size = SIZES[1];
    const places = placesOf(model, initialUi(), noDetails(), size, THEME, NOW);
    for (const selected of places) {
      const seen = { model, details: noDetails(), places, selected, ...size };
      expect(press(initialUi(), { name: 'P' }, seen).act).toEqual({ do: 'tell', args: ['pause'] });
    }
    expect(lines(model, size).at(-1)).toContain('P pause run');
    expect(lines(model, size).at(-1)).not.toContain('resume run');
    model.state = 'paused';
    model.live = { at: 0, state: 'paused', next: [], possible: ['resume', 'stop'] };
    expect(lines(model, size).at(-1)).toContain('P resume run');
  });
});

describe('a run whose agents all wait', () => {
  const waits = (): RunModel => {
    const ids = ['a', 'b', 'c', 'd'];
    const model = modelOf([run('running'), is('d', 'pending', { held: true })], ids);
    for (const id of ['a', 'b', 'c'])
      fold(model, { at: new Date(clockAt('23:31')).toISOString(), ...is(id, 'wants-slot') });
    const a = model.ideas.get('a') ?? expect.fail('a');
    a.waits = { kind: 'limit', text: 'claude has reached its limit' };
    return model;
  };

  it.each([...SIZES, { columns: 50, rows: 14 }])('G1: lists the ideas that wait on the first screen, at %o', (size) => {
    const model = waits();
    const shown = lines(model, size).join('\n');
    if (size.rows > 20) expect(shown).toMatch(/Paused or held 1[\s\S]*◫ d[\s\S]*Waiting 3/);
    expect(shown).toMatch(/◷ a\b.*limit.*claude has reached its limit\n.*◷ b\b.*slot.*\n.*◷ c\b.*slot/);
    const places = placesOf(model, initialUi(), noDetails(), size, THEME, NOW);
    expect(places.filter(({ section }) => section === 'resting').map(({ id }) => id)).toEqual(['d', 'a', 'b', 'c']);
  });

  it('G1: has no such list while one works, and after the run', () => {
    const model = waits();
    fold(model, { at: new Date(clockAt('23:32')).toISOString(), ...is('b', 'running') });
    expect(lines(model, SIZES[0]).join('\n')).not.toContain('Waiting');
    const over = waits();
    fold(over, { at: new Date(clockAt('23:33')).toISOString(), ...run('aborted') });
    expect(lines(over, SIZES[0]).join('\n')).not.toContain('Waiting');
  });
});

describe('Next after a run', () => {
  it('C2: has the ideas that the next start takes, and no others', () => {
    const ids = ['landed', 'failed', 'abandoned', 'again', 'left-out', 'untouched', 'after'];
    const model = modelOf(
      [
        run('running'),
        is('landed', 'landed', { commit: 'abc' }),
        is('failed', 'failed', { reason: 'exit 3' }),
        is('abandoned', 'abandoned'),
        is('again', 'abandoned'),
        run('completed'),
      ],
      ids,
    );
    const of = (id: string) => model.ideas.get(id) ?? expect.fail(id);
    of('again').forNext = { queued: true, words: ['retry again'] };
    of('left-out').forNext = { leftOut: true, words: ['skip left-out'] };
    of('after').dependsOn = ['failed'];
    model.live = { at: 1, state: 'running', next: ['left-out', 'abandoned'] };
    model.events += 1;
    const { ready, waiting, resting } = listsOf(model);
    expect(ready).toEqual(['failed', 'again', 'untouched']);
    expect(waiting).toEqual([{ id: 'after', after: 'failed' }]);
    expect(resting).toEqual([]);
  });
});
