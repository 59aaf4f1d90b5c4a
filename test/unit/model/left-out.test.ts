/** What waits for an idea that a start leaves out is told so, with the retry that helps. Features: A2 C5. */
import { describe, expect, it } from 'vitest';
import { leftOutBefore, waitForLeftOut } from '../../../src/model/left-out.js';
import type { IdeaModel } from '../../../src/model/model.js';
import type { IdeaStatus } from '../../../src/protocol/states.js';

const idea = (id: string, status: IdeaStatus, dependsOn: string[], more: Partial<IdeaModel> = {}): IdeaModel =>
  ({ id, status, dependsOn, children: [], group: false, ...more }) as unknown as IdeaModel;

describe('C5: what waits for an idea that was given up', () => {
  const ideas = [
    idea('a', 'abandoned', []),
    idea('b', 'pending', ['a']),
    idea('c', 'pending', ['b']),
    idea('d', 'pending', ['l']),
    idea('l', 'landed', ['a']),
    idea('e', 'pending', [], { group: true, children: ['f'] }),
    idea('f', 'skipped', [], { parent: 'e', forNext: { leftOut: true, words: [] } }),
    idea('g', 'pending', ['e']),
  ];

  it('names it, also through others and through an epic', () => {
    expect(ideas.map(({ id }) => [id, leftOutBefore(ideas, id).join()]).filter(([, out]) => out)).toEqual([
      ...[
        ['b', 'a'],
        ['c', 'a'],
        ['l', 'a'],
      ],
      ['g', 'f'],
    ]);
    expect([...waitForLeftOut(ideas)].map(([id, some]) => [id, [...some].sort().join()])).toEqual([
      ['a', 'b,c'],
      ['f', 'g'],
    ]);
  });

  it('and nothing once it is queued again', () => {
    const again = ideas.map((one) =>
      one.id === 'a' ? { ...one, forNext: { queued: true as const, words: [] } } : one,
    );
    expect(leftOutBefore(again, 'c')).toEqual([]);
    expect([...waitForLeftOut(again).keys()]).toEqual(['f']);
  });

  it('and nothing of an idea that was skipped in the run: the next start takes it', () => {
    const skipped = [idea('s', 'skipped', []), idea('t', 'pending', ['s'])];
    expect(leftOutBefore(skipped, 't')).toEqual([]);
    expect([...waitForLeftOut(skipped)]).toEqual([]);
  });

  it('does not fall over a long chain', () => {
    const chain = Array.from({ length: 20_000 }, (_, n) =>
      idea(`i${n}`, n === 0 ? 'abandoned' : 'pending', n === 0 ? [] : [`i${n - 1}`]),
    );
    expect(leftOutBefore(chain, 'i19999')).toEqual(['i0']);
    expect(waitForLeftOut(chain).get('i0')?.size).toBe(19_999);
  });
});
