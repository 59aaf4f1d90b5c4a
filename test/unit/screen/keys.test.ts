/** One key, one meaning on each screen. */
import { describe, expect, it } from 'vitest';
import { actionOf, KEYS, keysOn } from '../../../src/screen/keys.js';
import { NUMBERED, type ScreenName } from '../../../src/screen/ui.js';

const SCREENS: readonly ScreenName[] = [...NUMBERED, 'idea', 'help', 'report'];

describe('the keys', () => {
  for (const screen of SCREENS)
    it(`mean one thing each on ${screen}`, () => {
      const all = keysOn(screen).flatMap(({ keys }) => keys);
      expect(all.filter((key, index) => all.indexOf(key) !== index)).toEqual([]);
    });

  it('are found by the key and the screen', () => {
    expect(actionOf('run', 'a')?.action).toBe('answer');
    expect(actionOf('ideas', 'l')?.action).toBe('open-group');
    expect(actionOf('history', 'l')?.action).toBe('log-of-run');
    expect(actionOf('run', 'l')).toBeUndefined();
  });

  it('have one action each, and a capital letter for the bigger step', () => {
    expect(new Set(KEYS.map(({ action }) => action)).size).toBe(KEYS.length);
    for (const [small, big] of [
      ['pause', 'pause-run'],
      ['stop', 'cleanup'],
      ['retry', 'rollback'],
    ] as const) {
      const keyOf = (action: string) => KEYS.find((key) => key.action === action)?.keys[0];
      expect(keyOf(big)).toBe(keyOf(small)?.toUpperCase());
    }
  });
});
