/** A merge or a rebase that a person has under way in the checkout of the target while ideas land. Features: D1, C1. */
import { afterEach, expect, inject, it } from 'vitest';
import { Held } from '../support/held.js';
import type { Sandbox } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

const DONE = [{ signal: 'COMPLETE' }];

/** Branches `topic` and `main` change `ours.txt` differently. */
async function opened(): Promise<Held> {
  const ideas = ['t-1', 't-2'].map((id) => ({ id, steps: DONE }));
  const held = await Held.open(inject('stateRoot'), ideas, { slots: 2 });
  box = held.box;
  await box.git('switch', '-q', '-c', 'topic');
  await box.write({ 'ours.txt': 'topic\n' });
  await box.commit('on topic');
  await box.git('switch', '-q', 'main');
  await box.write({ 'ours.txt': 'main\n' });
  await box.commit('on main');
  await held.start();
  for (const id of ['t-1', 't-2']) await held.began(id);
  return held;
}

const isHeld = ({ kind, ...event }: { kind: string }): boolean =>
  kind === 'warning' && 'warning' in event && event.warning === 'target';

it('D1: landings wait for the end of a merge, say so once, and go on by themselves', async () => {
  const held = await opened();
  const { box } = held;
  await expect(box.git('merge', 'topic')).rejects.toThrow();
  const before = await box.git('rev-parse', 'main');
  await held.go('t-1-1', 't-2-1');
  await held.event('the landing waits', isHeld);
  const why = /A merge is in progress in .* Finish it, or: git -C '.*' merge --abort/;
  const status = (await box.run('status')).stdout;
  expect(status).toMatch(new RegExp(`! .*nothing lands on main now\\. ${why.source}`));
  expect(status).not.toContain('ralphctl sync');
  await held.idea('t-2', 'landing');
  const waiting = await held.event(
    'the reason',
    ({ kind, ...event }) => kind === 'idea' && why.test(`${'reason' in event ? event.reason : ''}`),
  );
  expect(waiting).toBeDefined();
  expect(await box.git('rev-parse', 'main')).toBe(before);
  await box.write({ 'ours.txt': 'both\n' });
  await box.git('add', 'ours.txt');
  await box.git('commit', '-q', '--no-edit');
  const merge = await box.git('rev-parse', 'HEAD');
  expect((await held.finish()).landed).toBe(2);
  await box.git('merge-base', '--is-ancestor', merge, 'main');
  expect(await box.git('show', 'main:ours.txt')).toBe('both');
  expect(await box.git('status', '--porcelain')).toBe('');
  const events = await held.events();
  expect(events.filter(isHeld)).toHaveLength(1);
  expect(events.filter(({ kind, ...event }) => kind === 'warning-over' && 'warning' in event)).toHaveLength(1);
  // Before the gate of the landing that went on, and its reason went with it.
  const over = events.findIndex(({ kind }) => kind === 'warning-over');
  const gated = events.findIndex(({ kind, ...event }) => kind === 'gate' && 'merged' in event && event.merged === true);
  expect(over).toBeGreaterThan(-1);
  expect(over).toBeLessThan(gated);
  const cleared = events
    .slice(0, gated)
    .findLast(
      ({ kind, ...event }) => kind === 'idea' && 'idea' in event && event.idea === (waiting as { idea?: string }).idea,
    );
  expect(cleared).toMatchObject({ status: 'landing' });
  expect(cleared).not.toHaveProperty('reason');
}, 240_000);

it('D1: a rebase of the target ends as its person wants; a stop does not wait for it and says what did not land', async () => {
  const held = await opened();
  const { box } = held;
  await box.git('-c', 'sequence.editor=sed -i s/^pick/edit/', 'rebase', '-q', '-i', 'HEAD~1');
  const before = await box.git('rev-parse', 'main');
  await held.go('t-1-1', 't-2-1');
  await held.event('the landing waits', isHeld);
  await box.run('stop');
  const summary = await held.finish();
  expect(summary.landed).toBe(0);
  expect(summary.notLanded).toEqual(
    ['t-1', 't-2'].map((idea) => ({
      ...{ idea, status: 'pending' },
      reason: expect.stringMatching(
        /^stopped before it landed: A rebase is in progress in .*, which moves main when it ends/,
      ),
    })),
  );
  expect(await box.git('rev-parse', 'main')).toBe(before);
  await box.write({ 'mine.txt': 'mine\n' });
  await box.git('add', 'mine.txt');
  await box.git('commit', '-q', '-m', 'mine');
  await box.git('rebase', '--continue');
  expect(await box.git('show', 'main:mine.txt')).toBe('mine');
}, 240_000);
