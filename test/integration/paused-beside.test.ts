/** A paused idea gives its slot to the next one, and comes back under its number. Features: A1, C1. */
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';

let held: Held | undefined;
afterEach(() => held?.box.dispose());

it('A1 C1: with one slot, a paused idea holds nobody up, and goes on before new ideas with its worktree', async () => {
  const [half, done] = [{ signal: 'PROGRESS:50' }, { signal: 'COMPLETE' }];
  held = await Held.open(inject('stateRoot'), [
    { id: 'b-1', steps: [half, done] },
    { id: 'b-2', steps: [half, done] },
    { id: 'b-3', steps: [done] },
  ]);
  const { box } = held;
  await held.start();
  await held.began('b-1');
  await box.run('pause', 'b-1');
  await held.go('b-1-1');
  await held.began('b-2');
  const { active } = await held.status();
  expect(active.map(({ id, status, agentName, beside }) => [id, status, agentName, beside])).toEqual([
    ['b-2', 'running', 'ed-002', undefined],
    ['b-1', 'paused', 'ed-001', true],
  ]);
  const { stdout } = await box.run('status');
  expect(stdout).toMatch(/Slots \(1 of 1; 1 paused beside them\)[\s\S]*b-2[\s\S]*b-1 ed-001 paused/);

  // The next free slot is for the one that resumes, not for b-3.
  await box.run('resume', 'b-1');
  await held.idea('b-1', 'wants-slot');
  await held.go('b-2-1', 'b-2-2');
  await held.began('b-1', 2);
  expect(await held.times('b-3', 1)).toBe(0);
  const again = (await held.status()).active.find(({ id }) => id === 'b-1');
  expect([again?.agentName, again?.beside]).toEqual(['ed-001', undefined]);

  // A pause of the run gives the slot back to who had it.
  await box.run('pause');
  await held.go('b-1-2', 'b-3-1');
  await held.state('paused');
  await box.run('resume');
  expect((await held.finish()).landed).toBe(3);
  expect(await held.times('b-1', 1)).toBe(1);
}, 240_000);

it('C1: in a paused run, an idea that a person resumes goes on alone', async () => {
  const [half, done] = [{ signal: 'PROGRESS:50' }, { signal: 'COMPLETE' }];
  const ideas = ['a-1', 'a-2', 'a-3'].map((id) => ({ id, steps: [half, done] }));
  held = await Held.open(inject('stateRoot'), ideas, { slots: 2 });
  const { box } = held;
  await held.start();
  for (const id of ['a-1', 'a-2']) await held.began(id);
  await box.run('pause');
  await held.go('a-1-1', 'a-2-1');
  await held.state('paused');
  expect((await box.run('resume', 'a-1')).stdout).toContain('a-1 resumes. The run stays paused');
  await held.began('a-1', 2);
  await held.go('a-1-2');
  // It lands with the run.
  await held.idea('a-1', 'landing');
  expect((await held.status()).state).toBe('paused');
  expect([await held.times('a-2', 2), await held.times('a-3', 1)]).toEqual([0, 0]);
  await box.run('resume');
  await held.go('a-2-2', 'a-3-1', 'a-3-2');
  expect((await held.finish()).landed).toBe(3);
}, 240_000);
