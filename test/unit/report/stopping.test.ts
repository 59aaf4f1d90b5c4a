/** A run that stops takes no command but `abort`: report, show and status name what helps once it has stopped. Features: C1 G1 G4. */
import { expect, it } from 'vitest';
import { remedy } from '../../../src/client/views/need-lines.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { StampedEvent } from '../../../src/protocol/events.js';
import type { IdeaStatus } from '../../../src/protocol/states.js';
import { makeReport } from '../../../src/report/build.js';
import { fixOfOpen, overOf } from '../../../src/report/commands.js';
import type { Extra } from '../../../src/report/extra.js';
import { newNight } from '../../../src/report/night.js';
import { openIdea } from '../../../src/report/open.js';
import { idea } from '../../activities/idea.js';

const IDEAS: readonly [IdeaStatus, string | undefined][] = [
  ['failed', 'the gate is red'],
  ['timeout', '3 of 3 iterations used'],
  ['timeout', '15s of working time used'],
  ['blocked', 'no database'],
];
const START = 'ralphctl start ideas.json';
const extra: Extra = { now: 60_000, zone: 'UTC', over: false, night: newNight(), earlier: [] };

function stopping(): RunModel {
  const head = { project: 'p', runId: 'r', name: 'shop', target: 'main' };
  const startAgain = { args: ['start', 'ideas.json'], again: ['start', 'ideas.json'] };
  const model = newModel(
    { ...head, startAgain },
    IDEAS.map((_, at) => idea(`a-${at}`)),
  );
  const tell = (event: Record<string, unknown>): void =>
    fold(model, { at: new Date(1000).toISOString(), ...event } as unknown as StampedEvent);
  tell({ kind: 'run', state: 'running', landed: 0, total: 4 });
  for (const [at, [status, reason]] of IDEAS.entries()) {
    tell({ kind: 'idea', idea: `a-${at}`, title: 'A', status: 'running' });
    tell({ kind: 'idea', idea: `a-${at}`, title: 'A', status, reason });
  }
  tell({
    ...{
      kind: 'account',
      account: { key: 'claude', agents: ['claude'], state: 'closed', kind: 'auth', reason: 'needs a login' },
    },
  });
  model.review = true;
  tell({ kind: 'run', state: 'stopping', landed: 0, total: 4 });
  return model;
}

it.each(IDEAS.map((one, at) => [...one, `a-${at}`] as const))('C1 G4: %s (%s)', (status, reason, id) => {
  const model = stopping();
  const told = model.ideas.get(id) ?? expect.fail('no idea');
  const over = overOf(model, false);
  const open = openIdea(model, told, extra);
  const fix = fixOfOpen(told, open, over)?.fix;
  expect(fix).toMatch(/^once the run has stopped: .*ralphctl start ideas\.json/);
  expect(fix).toBe(remedy({ id, title: 'A', status, ...(reason ? { reason } : {}) }, over));
  expect(makeReport(model, extra).todo.find((one) => one.idea === id)?.fix).toBe(fix);
});

it('nothing in the report is refused while the run stops, or is for once it has stopped', () => {
  const { todo } = makeReport(stopping(), extra);
  expect(todo.map(({ subject }) => subject)).toContain('claude');
  for (const { fix } of todo) {
    expect(fix).toMatch(/^once the run has stopped: /);
    expect(fix).not.toMatch(/ralphctl (?:retry|limit |limits|unblock|review)/);
    expect(fix).toContain(START);
  }
});
