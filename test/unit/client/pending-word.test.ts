/** A pending idea has the word of the screen in `why` and in `status`. Features: A8 G4. */
import { expect, it } from 'vitest';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { describeLast } from '../../../src/client/views/last-run-lines.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { WhyView } from '../../../src/protocol/views.js';
import { endWord } from '../../../src/screen/cut-off.js';
import { shownOf } from '../../../src/screen/text/theme.js';
import { idea } from '../../activities/idea.js';
import { printedNow } from '../../support/printed.js';

const AT = new Date(Date.parse('2026-01-01T00:00:00Z')).toISOString();
const modelOf = () =>
  newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
    idea('a'),
    idea('b', { dependsOn: ['a'] }),
    idea('c'),
  ]);
const WAITS: Record<string, string[]> = { b: ['a (ready)'] };

async function second(model: ReturnType<typeof modelOf>, id: string, over: boolean): Promise<string | undefined> {
  const told = model.ideas.get(id) ?? expect.fail(id);
  const view: WhyView = {
    ...{ idea: id, title: id, status: 'pending', score: 0, parts: [], waitsFor: WAITS[id] ?? [] },
    ...(told.held ? { held: true as const, reason: 'later' } : {}),
  };
  return describeIdea(await reportOn(view, { root: '/nowhere', project: 'p', over, told }))[1];
}

it('A8: ready, after another idea, held or left out, and never pending', async () => {
  const model = modelOf();
  fold(model, { at: AT, kind: 'run', state: 'running', landed: 0, total: 3 });
  fold(model, { at: AT, kind: 'idea', idea: 'c', title: 'C', status: 'pending', held: true, reason: 'later' });
  const shown = (id: string, after?: string) => shownOf(model.ideas.get(id) ?? expect.fail(id), undefined, after);
  expect(await second(model, 'a', false)).toBe(`status ${shown('a')}`);
  expect(await second(model, 'b', false)).toBe(`status ${shown('b', 'a')}`);
  expect(await second(model, 'c', false)).toBe(`status ${shown('c')}: later`);
  expect([shown('a'), shown('b', 'a'), shown('c')]).toEqual(['ready', 'after', 'held']);

  fold(model, { at: AT, kind: 'run', state: 'stopped', landed: 0, total: 3 });
  Object.assign(model.ideas.get('a') ?? {}, { forNext: { leftOut: true, words: ['skipped'] } });
  expect(await second(model, 'a', true)).toBe(`status ${shown('a')}`);
  expect(shown('a')).toBe('skipped');
  expect(['a', 'b'].map((id) => endWord(model, { idea: id, status: 'pending' }))).toEqual(['skipped', 'after']);
});

it('C2: status after the run names the idea that another one waits for', () => {
  const model = modelOf();
  fold(model, { at: AT, kind: 'run', state: 'completed', landed: 0, total: 3 });
  const last = { outcome: 'completed', landed: 0, notLanded: [{ idea: 'b', status: 'pending' }] };
  const text = printedNow(() => describeLast({ last, held: new Set(), told: new Map(), model } as never));
  expect(text).toMatch(/ b after a$/m);
});
