/** Whose slot goes back at the end of the agent. Feature: A1. */
import { expect, test } from 'vitest';
import { givesSlotBack } from '../../../../src/decide/idea/slot-back.js';

const beside = { settlesBeside: true, gatesBeside: 0 } as const;

test('A1: a slot goes back at the end of the agent, but where the run has to know first how it ended', () => {
  expect(givesSlotBack(beside, {})).toBe(true);
  expect(givesSlotBack({ ...beside, budget: { warnAt: 0.8, idea: { dollars: 5 } } }, { step: false })).toBe(true);
  expect(givesSlotBack(beside, { choice: { agent: 'claude' } })).toBe(true);
  expect(givesSlotBack({ ...beside, budget: { warnAt: 0.8, run: { dollars: 5 } } }, {})).toBe(false);
  expect(givesSlotBack({ ...beside, budget: { warnAt: 0.8, day: { dollars: 5 } } }, {})).toBe(false);
  expect(givesSlotBack(beside, { choice: { agent: 'claude', probe: true } })).toBe(false);
  expect(givesSlotBack(beside, { step: true })).toBe(false);
});

test('a run of an older version gives it back once the run is settled', () => {
  expect(givesSlotBack({ gatesBeside: 0 }, {})).toBe(false);
  expect(givesSlotBack({ settlesBeside: true }, {})).toBe(false);
});
