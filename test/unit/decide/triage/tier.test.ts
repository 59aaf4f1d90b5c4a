/** Tiers, and the order in which reports are fixed. Features: E4. */
import { describe, expect, it } from 'vitest';
import { inOrder, learn, tierOf } from '../../../../src/decide/triage/tier.js';

const MINUTE = 60_000;

describe('E4 tiers', () => {
  it('are bounded at 2 and 10 minutes', () => {
    const times = [0, 2 * MINUTE - 1, 2 * MINUTE, 10 * MINUTE - 1, 10 * MINUTE, 90 * MINUTE];
    expect(times.map(tierOf)).toEqual(['T1', 'T1', 'T2', 'T2', 'T3', 'T3']);
  });

  it.each([
    ['T1', 'Typo: Settings says "Adress"'],
    ['T2', 'Pressing Enter in the search does not search'],
    ['T3', 'The query of the customer list needs a new index and a migration'],
  ])('without experience the rules decide: %s', (tier, text) => {
    expect(learn([])(text)).toMatchObject({ tier, learntFrom: 0 });
  });

  it('follow what such ideas took here, and one odd idea does not move them far', () => {
    const idea = { title: 'Search does not search', text: 'Enter does nothing' };
    const slow = learn(Array.from({ length: 12 }, () => ({ ...idea, ms: 40 * MINUTE })));
    const guess = slow('Pressing Enter in the form does nothing');
    expect(guess).toMatchObject({ tier: 'T3', learntFrom: 12 });
    expect(guess.estimateMs).toBeGreaterThan(20 * MINUTE);
    const odd = learn([{ ...idea, ms: 40 * MINUTE }]);
    expect(odd('Pressing Enter in the form does nothing')).toMatchObject({ tier: 'T2', learntFrom: 1 });
    // Of another tier by the rules: another kind of idea.
    expect(slow('Typo in the label')).toMatchObject({ tier: 'T1', learntFrom: 0 });
  });

  it('ideas about the same things count alone once there are some', () => {
    const quick = {
      title: 'Postal code of the address is cut',
      text: 'The address form cuts the postal code',
      ms: MINUTE,
    };
    const long = { title: 'Video does not play', text: 'Nothing happens', ms: 60 * MINUTE };
    const estimate = learn([quick, quick, quick, quick, long, long, long, long]);
    expect(estimate('The postal code in the address form is cut after 4 digits')).toMatchObject({ learntFrom: 4 });
  });

  it('T1 and T2 come first, T3 after them; in a small backlog the score alone decides', () => {
    const tiers = ['T3', 'T1', 'T2', 'T1', 'T2', 'T3'] as const;
    const list = tiers.map((tier, at) => ({ id: `r${at}`, tier, score: 60 - at * 10 }));
    expect(inOrder(list).map(({ id }) => id)).toEqual(['r1', 'r2', 'r3', 'r4', 'r0', 'r5']);
    expect(inOrder(list.slice(0, 5)).map(({ id }) => id)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4']);
  });
});
