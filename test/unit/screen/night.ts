/** A run of 10,000 ideas with 100 slots, at 05:12 in its seventh hour. */
import { newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { type Details, noDetails } from '../../../src/screen/details.js';
import { clockAt, idea, Story } from './shop.js';

export const NIGHT = clockAt('29:12', 40);
const TOTAL = 10_000;
const LANDED = 6102;

export function night(): RunModel {
  const ids = Array.from(
    { length: TOTAL },
    (_, n) => `${['api', 'ui', 'db'][n % 3]}-${`${Math.floor(n / 3)}`.padStart(4, '0')}`,
  );
  const first = LANDED + 14 + 100 + 41;
  const backlog = ids.map((id, n) =>
    idea(id, n === LANDED + 114 ? 'Rename the total of an order' : `Idea ${id}`, {
      // 212 are ready; the others wait for one that needs a person, or for the idea before them.
      ...(n >= first + 212 ? { dependsOn: [n < first + 224 ? (ids[LANDED + 114] ?? '') : (ids[first] ?? '')] } : {}),
    }),
  );
  const model = newModel(
    { project: 'night-1', runId: 'r', name: 'night', target: 'main', startedAt: clockAt('23:02') },
    backlog,
  );
  const story = new Story(model);
  story.at('23:02', { kind: 'run', state: 'running', landed: 0, total: TOTAL, mode: 'autopilot', slots: 100 });
  for (const [n, id] of ids.entries()) {
    if (n >= first) break;
    const title = backlog[n]?.title ?? id;
    const minute = n < LANDED ? '24:00' : '29:00';
    if (n < LANDED) {
      if (n < 50) {
        story.begins(minute, id, 1, 30).ends(minute, id, 1, { kind: 'complete' }, 6);
        story.gate(minute, id, 2, 2, { durationMs: 12_000 });
      }
      story.at(n < LANDED - 38 ? minute : '29:12', {
        kind: 'idea',
        idea: id,
        title,
        status: 'landed',
        commit: `${n}abcdefgh`.slice(-9),
      });
    } else if (n < LANDED + 14) story.at(minute, { kind: 'idea', idea: id, title, status: 'landing' });
    else if (n < LANDED + 114) {
      const slot = n - LANDED - 13;
      story.at(minute, {
        kind: 'idea',
        idea: id,
        title,
        status: 'running',
        agentName: `ed-${`${slot}`.padStart(3, '0')}`,
      });
      story.begins(slot === 17 ? '29:01' : slot === 58 ? '29:03' : '29:10', id, slot % 30, 30);
      if (slot % 17 === 6) story.at('29:11', { kind: 'gate-start', idea: id, command: 'npm test', number: 1, of: 1 });
    } else {
      const question = 'May I change the public name of the field "total"?';
      if (n === LANDED + 114)
        story.at('27:00', { kind: 'idea', idea: id, title, status: 'needs-human', reason: question });
      else if (n % 2 === 0)
        story.at('28:00', {
          kind: 'idea',
          idea: id,
          title,
          status: 'blocked',
          reason: 'needs the design of the empty state',
        });
      else story.at('28:00', { kind: 'idea', idea: id, title, status: 'failed', reason: 'exit code 137 (killed)' });
    }
  }
  story.at('29:12', { kind: 'landing', idea: ids[LANDED] ?? '' });
  story.tell();
  model.budget = [{ scope: 'run', dimension: 'dollars', used: 212, most: 400, unknown: 0 }];
  model.live = {
    state: 'running',
    at: NIGHT,
    next: ids.slice(first, first + 5),
    scores: Object.fromEntries(ids.slice(first, first + 10).map((id, n) => [id, 60 - n])),
    mode: 'autopilot',
  };
  return model;
}

export function nightDetails(model: RunModel): Details {
  const slot = (number: number): string => [...model.ideas.values()].find((one) => one.slot === number)?.id ?? '';
  return {
    ...noDetails(),
    nowOf: new Map([
      [slot(17), 'npm ci'],
      [slot(4), 'Edit migrations/21.sql'],
    ]),
    quietMs: new Map([
      [slot(17), 9 * 60_000],
      [slot(58), 7 * 60_000],
      [slot(4), 60_000],
    ]),
  };
}
