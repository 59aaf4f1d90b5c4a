/** Status, screen and report name and count the same alike. Features: A6 G1 G4. */
import { expect, it } from 'vitest';
import { waitingToLand } from '../../../src/client/views/status-lines.js';
import { runStatus } from '../../../src/decide/views/status.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { makeReport } from '../../../src/report/build.js';
import { foldNight, newNight } from '../../../src/report/night.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { card, decided, pilotOf, SETTINGS, say } from '../decide/support.js';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const is = (idea: string, status: string, more: object = {}) =>
  ({ kind: 'idea', idea, title: idea, status, ...more }) as RunEvent;

function run(...events: RunEvent[]) {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main', slots: 2 });
  const night = newNight();
  const all: RunEvent[] = [{ kind: 'run', state: 'running', landed: 0, total: 3 }, ...events];
  for (const [n, event] of all.entries()) {
    const stamped = { at: new Date(NOW - 100_000 + n * 1000).toISOString(), ...event };
    fold(model, stamped);
    foldNight(night, stamped);
  }
  return { model, night };
}

const screen = ({ model }: ReturnType<typeof run>) =>
  compose(model, initialUi(), noDetails(), { columns: 120, rows: 40 }, { colour: false, ascii: false }, NOW)
    .lines.map(plainLine)
    .join('\n');

it('G1: what lands now does not wait to land, in status', () => {
  const pilot = pilotOf([card('a'), card('b')], { slots: 2 });
  decided(pilot);
  const pending = () => waitingToLand(runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0));
  say(pilot, 'a', 'ready');
  decided(pilot);
  expect([pilot.state.landing, pending()]).toEqual(['a', 0]);
  say(pilot, 'b', 'ready');
  decided(pilot);
  expect([pilot.state.landing, pending()]).toEqual(['a', 1]);
});

it('G1: the head of the screen counts what a person gave up as left out, as status does', () => {
  const text = screen(run(is('a', 'running'), is('b', 'abandoned'), is('c', 'skipped')));
  expect(text).toContain('2 left out');
  expect(text).not.toMatch(/\d skipped/);
});

it('A6: the screen says who else has a slot: what waits for an approval, and what is paused', () => {
  const slot = (n: number) => ({ agentName: `ed-00${n}` });
  const text = screen(
    run(is('a', 'running', slot(1)), is('b', 'running', slot(2)), is('b', 'paused', { ...slot(2), approval: true })),
  );
  expect(text).toContain('Slots 2 of 2');
  expect(text).toContain('1 waits for your approval');
  const paused = screen(run(is('a', 'running', slot(1)), is('b', 'running', slot(2)), is('b', 'paused', slot(2))));
  expect(paused).toContain('1 paused');
});

it('G4: the report counts each idea that waited for a person, also the short waits', () => {
  const { model, night } = run(
    is('a', 'needs-human', { reason: 'Which?' }),
    is('b', 'needs-human'),
    is('b', 'running'),
  );
  const { look } = makeReport(model, { now: NOW, zone: 'UTC', over: false, night });
  expect(look.find(({ kind }) => kind === 'you')?.text).toMatch(/^2 ideas waited for you, a the longest: /);
});
