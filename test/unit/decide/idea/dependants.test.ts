/** Who depends on what a person takes off the target, in every reply. Features: A4 C2 G4. */
import { expect, test } from 'vitest';
import { type Dependant, dependantsText } from '../../../../src/decide/idea/dependants.js';
import type { IdeaStatus } from '../../../../src/protocol/states.js';
import { decided, landedResult, pilotOf, say } from '../support.js';

const one = (id: string, status: IdeaStatus, more: Partial<Dependant> = {}): Dependant => ({
  ...{ id, status, dependsOn: [], group: false },
  ...more,
});

test('C2: those that landed stay, those that work go on, and the rest waits', () => {
  const ideas = [
    one('a', 'landed'),
    one('b', 'landed', { dependsOn: ['a'] }),
    one('c', 'running', { dependsOn: ['a'] }),
    one('d', 'pending', { dependsOn: ['a', 'b'] }),
    one('e', 'failed', { dependsOn: ['a'] }),
    one('f', 'skipped', { dependsOn: ['a'] }),
    one('g', 'pending', { dependsOn: ['a'], leftOut: true }),
    one('h', 'pending', { dependsOn: ['b'] }),
  ];
  expect(dependantsText('a', ideas)).toBe(
    '; b depends on it and stays landed; c depends on it and goes on; d, e wait until a lands again',
  );
  expect(dependantsText('a', ideas, { over: true })).toBe(
    '; b depends on it and stays landed; c, d, e wait until a lands again',
  );
  expect(dependantsText('h', ideas)).toBe('');
});

test('A4: through the epic above it, and through the epics above those that depend on it', () => {
  const ideas = [
    one('core', 'pending', { group: true }),
    one('a', 'landed', { parent: 'core' }),
    one('b', 'pending', { dependsOn: ['core'] }),
    one('shop', 'pending', { group: true, dependsOn: ['a'] }),
    one('c', 'landed', { parent: 'shop' }),
    one('d', 'pending', { parent: 'shop' }),
    one('e', 'pending', { parent: 'core' }),
  ];
  expect(dependantsText('a', ideas)).toBe('; c depends on it and stays landed; b, d wait until a lands again');
});

test('C2: the reply to a rollback in an open run names them, before and after', () => {
  const pilot = pilotOf([
    { id: 'a', title: 'A' },
    { id: 'b', title: 'B', dependsOn: ['a'] },
    { id: 'c', title: 'C', dependsOn: ['b'] },
  ]);
  decided(pilot);
  say(pilot, 'a', 'ready');
  decided(pilot);
  pilot.landed('a', landedResult());
  decided(pilot);
  const goesOn = '; b depends on it and goes on';
  expect(pilot.command({ verb: 'rollback', idea: 'a' })).toMatchObject({
    done: expect.stringContaining(`to be taken off main${goesOn}`),
  });
  expect(decided(pilot)).toContain('undo a');
  pilot.undone('a', { kind: 'undone', commit: 'f'.repeat(40), commits: 1, durationMs: 1 });
  expect(pilot.takeTold().at(-1)?.done).toBe(`a was taken off main by ffffffff${goesOn}`);
});
