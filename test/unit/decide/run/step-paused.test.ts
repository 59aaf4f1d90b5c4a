/** Mode step: an idea that waits for an approval and is paused takes a resume, and no approve; events tell it. Features: A6 C1 G5. */
import { expect, it } from 'vitest';
import { slotsView } from '../../../../src/decide/views/slots.js';
import { runStatus } from '../../../../src/decide/views/status.js';
import { fold, newModel } from '../../../../src/model/fold.js';
import type { IdeaEntry } from '../../../../src/protocol/run.js';
import { ideaVerbs } from '../../../../src/screen/idea/possible.js';
import { listsOf } from '../../../../src/screen/lists.js';
import { card, decided, pilotOf, SETTINGS, say } from '../support.js';

it('A6 C1: a pause of the run and its resume are told of such an idea, though its status is the same', () => {
  const pilot = pilotOf([card('a')], { slots: 1, mode: 'step' });
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' });
  let at = 0;
  const tell = (entries: readonly IdeaEntry[]): void => {
    for (const { card: one, status, approval } of entries) {
      const about = { kind: 'idea', idea: one.id, title: one.title, status, agentName: 'ed-001' } as const;
      at += 1000;
      fold(model, { at: new Date(at).toISOString(), ...about, ...(approval ? { approval } : {}) });
    }
  };
  const views = () => {
    tell(pilot.takeChanges(at));
    const idea = model.ideas.get('a') ?? expect.fail('no idea');
    const status = runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0);
    const verbs = ideaVerbs(model, idea);
    return {
      needs: listsOf(model).needs.map(({ id }) => id),
      status: status.attention.map(({ id }) => id),
      slots: slotsView(status).lines.map(({ id }) => id),
      keys: [verbs.has('approve') && 'approve', verbs.has('resume') && 'resume'].filter(Boolean),
      reason: pilot.graph.entry('a')?.reason,
    };
  };
  decided(pilot);
  say(pilot, 'a', 'approval');
  const asks = {
    ...{ needs: ['a'], status: ['a'], slots: [], keys: ['approve'] },
    reason: 'its next iteration waits for an approval',
  };
  expect(views()).toEqual(asks);
  pilot.pause();
  say(pilot, 'a', 'paused');
  expect(views()).toEqual({ needs: [], status: [], slots: ['a'], keys: ['resume'], reason: undefined });
  pilot.resume();
  say(pilot, 'a', 'approval');
  expect(views()).toEqual(asks);
});

it('A6: a change to mode step holds what already waits to land, and not what lands', () => {
  for (const stepsQueue of [true, undefined] as const) {
    const pilot = pilotOf([card('a'), card('b'), card('c')], { slots: 3, stepLanding: true, stepsQueue });
    decided(pilot);
    for (const id of ['a', 'b', 'c']) say(pilot, id, 'ready');
    expect(decided(pilot)).toEqual(['land a']);
    expect(pilot.command({ verb: 'mode', mode: 'step' })).not.toHaveProperty('refusal');
    decided(pilot);
    pilot.landed('a', { kind: 'landed', commit: 'one', commits: 1, durationMs: 1 });
    const held = { approval: true, reason: 'done: its landing waits for an approval' };
    if (!stepsQueue) {
      expect(decided(pilot)).toContain('land b');
      continue;
    }
    expect(decided(pilot)).toEqual(['landed a']);
    for (const id of ['b', 'c']) expect(pilot.graph.entry(id)).toMatchObject({ status: 'landing', ...held });
    pilot.command({ verb: 'approve', idea: 'c' });
    expect(decided(pilot)).toEqual(['land c']);
    // Without mode step, nothing waits for an approval.
    pilot.command({ verb: 'mode', mode: 'autopilot' });
    pilot.landed('c', { kind: 'landed', commit: 'two', commits: 1, durationMs: 1 });
    expect(decided(pilot)).toContain('land b');
  }
});
