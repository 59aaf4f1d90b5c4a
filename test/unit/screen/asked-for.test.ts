/** A pause or stop that an idea has not reached yet: its row says so, and no key asks for it again. Features: C1 C2 G1. */
import { describe, expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { compose, placesOf } from '../../../src/screen/compose.js';
import { press } from '../../../src/screen/control/press.js';
import type { Pressed } from '../../../src/screen/control/seen.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

const THEME = { colour: true, ascii: false };
const SIZE = { columns: 120, rows: 40 };
const details = noDetails();

const told = (model: RunModel, event: RunEvent): void =>
  fold(model, { at: new Date(clockAt('23:00')).toISOString(), ...event });
const is = (status: Extract<RunEvent, { kind: 'idea' }>['status'], more: object = {}): RunEvent => ({
  ...{ kind: 'idea', idea: 'a-1', title: 'A', status, agentName: 'ed-001' },
  ...more,
});
const command = (verb: string, of: string | undefined = 'a-1'): RunEvent => ({
  ...{ kind: 'command', verb, done: 'ok' },
  ...(of === undefined ? {} : { idea: of }),
});
function working(...events: RunEvent[]): RunModel {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
  told(model, { kind: 'run', state: 'running', landed: 0, total: 1 });
  told(model, is('running'));
  for (const event of events) told(model, event);
  return model;
}
const shown = (model: RunModel, ui: Ui): string[] => compose(model, ui, details, SIZE, THEME, NOW).lines.map(plainLine);
const key = (model: RunModel, ui: Ui, name: string): Pressed => {
  const { selected, most } = compose(model, ui, details, SIZE, THEME, NOW);
  const places = placesOf(model, ui, details, SIZE, THEME, NOW);
  return press(ui, { name }, { model, details, places, ...SIZE, selected, most });
};
const row = (model: RunModel): string => shown(model, initialUi()).find((one) => / a-1 .*\d/.test(one)) ?? '';
const page: Ui = { ...initialUi(), screen: 'idea', idea: 'a-1', back: ['run'] };

describe.each([
  ['Run', initialUi()],
  ['the page of the idea', page],
])('C1 on %s', (_, ui) => {
  it('a pause that is asked for is shown, and p resumes', () => {
    const model = working(command('pause'));
    expect(shown(model, ui).join('\n')).toContain('pauses after this step');
    expect(shown(model, ui).at(-1)).toContain('p resume');
    expect(key(model, ui, 'p').act).toEqual({ do: 'tell', args: ['resume', 'a-1'] });
  });

  it('a stop that is asked for is shown, and nothing offers it again', () => {
    const model = working(command('stop'));
    expect(shown(model, ui).join('\n')).toContain('stops after this step');
    expect(shown(model, ui).at(-1)).not.toMatch(/x stop|p pause/);
    for (const name of ['x', 'p']) {
      const { ui: after, act } = key(model, ui, name);
      expect([act, after.confirm]).toEqual([undefined, undefined]);
      expect(after.message?.text).toMatch(/a-1 stops after its running step/);
    }
  });
});

it.each([
  ['the pause holds', [command('pause'), is('paused'), is('running')]],
  ['it is taken back', [command('pause'), command('resume')]],
  ['the run resumes', [command('pause'), command('resume', undefined)]],
  ['the stopped idea starts again', [command('stop'), is('pending', { held: true }), is('running')]],
])('nothing is asked for once %s', (_, events) => {
  const model = working(...(events as RunEvent[]));
  expect(shown(model, initialUi()).join('\n')).not.toContain('after this step');
  expect(shown(model, initialUi()).at(-1)).toContain('p pause');
});

it('the row has it, as far as its column goes', () => {
  expect(row(working(command('pause')))).toContain('pauses after t');
});
