/** The expected order of landings: a prediction that corrects itself. Features: D1. */
import { expect, it } from 'vitest';
import { giveBack, LandingForecast, takePlace } from '../../../src/jobs/gate/queue.js';

const build = async () => undefined;
const ids = (all: readonly { idea: string }[]): string[] => all.map(({ idea }) => idea);

it('holds those that are gated or green, in the order of their claims', async () => {
  const forecast = new LandingForecast();
  const [a, b, c] = ['a', 'b', 'c'].map((id) => forecast.join(id, build));
  if (!a || !b || !c) throw new Error('no members');
  forecast.settle(a, true);
  expect(ids(forecast.ahead(c))).toEqual(['a', 'b']);
  forecast.settle(b, false);
  await b.settled;
  expect(ids(forecast.ahead(c))).toEqual(['a']);
  expect([a.state, b.state, c.state]).toEqual(['green', 'out', 'gating']);
  forecast.leave('a', true);
  expect(ids(forecast.ahead(c))).toEqual([]);
  expect(a.state).toBe('landed');
});

it('a landing that fails, and a gate that begins again, tell those behind', async () => {
  const forecast = new LandingForecast();
  const [a, b] = [forecast.join('a', build), forecast.join('b', build)];
  forecast.settle(a, true);
  forecast.leave('a', false);
  expect(a.state).toBe('out');
  const again = forecast.join('b', build);
  await b.settled;
  expect(b.state).toBe('out');
  expect(forecast.ahead(again)).toEqual([]);
  // The former attempt ends late.
  forecast.settle(b, true);
  expect([b.state, again.state]).toEqual(['out', 'gating']);
  forecast.leave('unknown', true);
});

it('forgets one that is overtaken again and again, and never one that is being gated', () => {
  const forecast = new LandingForecast();
  const [green, gating] = [forecast.join('green', build), forecast.join('gating', build)];
  forecast.settle(green, true);
  for (const id of ['a', 'b', 'c']) {
    expect(ids(forecast.ahead(forecast.join(id, build)))).toEqual(['green', 'gating']);
    forecast.leave(id, true);
  }
  expect(ids(forecast.ahead(forecast.join('d', build)))).toEqual(['gating']);
  expect([green.state, gating.state]).toEqual(['out', 'gating']);
});

it('lends each place once', () => {
  expect([takePlace('x', 2), takePlace('x', 2), takePlace('x', 2)]).toEqual([1, 2, undefined]);
  giveBack('x', 1);
  expect([takePlace('y', 1), takePlace('x', 2)]).toEqual([1, 1]);
});
