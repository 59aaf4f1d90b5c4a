/** An idea that never began is not to do *again*. Features: G6. */
import { expect, it } from 'vitest';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { happened } from '../../../src/screen/run/happened.js';
import { idea } from './shop.js';

it('a bump of a waiting idea, and a retry of one that ran', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a', 'A')]);
  const of = (status: 'pending' | 'running'): RunEvent => ({ kind: 'idea', idea: 'a', title: 'A', status });
  for (const [at, event] of [of('pending'), of('running'), of('pending')].entries())
    fold(model, { at: new Date(at * 1000).toISOString(), ...event });
  expect(model.log.map((event) => happened(event, model, 9000).text)).toEqual([
    'to do',
    expect.any(String),
    'to do again',
  ]);
});

it('C3: a landed idea that a rollback took off without a run is left out, not to do again', () => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a', 'A')]);
  const reason = 'it had landed, and a rollback took it off: a was taken off main by 1234abcd';
  const event = {
    at: new Date(0).toISOString(),
    kind: 'idea',
    idea: 'a',
    title: 'A',
    status: 'pending',
    reason,
  } as const;
  fold(model, event);
  expect(happened(event, model, 9000).text).toBe('taken off main by 1234abcd; later runs leave it out');
});
