/** Dependencies on epics, for waves, whose runs have no epics. Features: E1 A4. */
import { describe, expect, it } from 'vitest';
import { type Grouped, withoutEpics } from '../../../../src/decide/waves/epics.js';

const idea = (id: string, more: Partial<Grouped> = {}): Grouped => ({ id, blue: false, dependsOn: [], ...more });
const epic = (id: string, more: Partial<Grouped> = {}): Grouped => idea(id, { blue: true, ...more });
const all = (...ideas: Grouped[]): Record<string, string[]> => Object.fromEntries(withoutEpics(ideas));

describe('E1 dependencies without epics', () => {
  it('an epic stands for the ideas in it, at any depth', () => {
    expect(
      all(
        epic('E'),
        epic('F', { parent: 'E' }),
        idea('a', { parent: 'E' }),
        idea('b', { parent: 'F' }),
        idea('c', { dependsOn: ['E', 'a', 'z'] }),
      ),
    ).toEqual({ a: [], b: [], c: ['b', 'a', 'z'] });
  });

  it('an idea waits for what each epic above it waits for', () => {
    expect(
      all(
        idea('a'),
        idea('b'),
        epic('E', { dependsOn: ['a'] }),
        epic('F', { parent: 'E', dependsOn: ['b'] }),
        idea('c', { parent: 'F' }),
      ),
    ).toMatchObject({ c: ['b', 'a'] });
  });

  it('an epic without ideas stands for what it depends on', () => {
    expect(all(idea('a'), epic('E', { dependsOn: ['a'] }), idea('c', { dependsOn: ['E'] }))).toMatchObject({
      c: ['a'],
    });
  });

  it('a circle ends, and no idea waits for itself', () => {
    expect(
      all(
        epic('E', { parent: 'F', dependsOn: ['F'] }),
        epic('F', { parent: 'E', dependsOn: ['E'] }),
        idea('a', { parent: 'E', dependsOn: ['a', 'E'] }),
      ),
    ).toEqual({ a: [] });
  });
});
