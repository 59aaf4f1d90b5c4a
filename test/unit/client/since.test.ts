/** The values of `--since`: what is no time is refused, and not taken for another one. Features: G6. */
import { expect, it } from 'vitest';
import { timeOf } from '../../../src/client/since.js';

it.each(['1', '12', '2026', 'soon', '', '-2h', '2 h', '2026-13-01', '2026-02-31', 'Nov 22', '1e3'])(
  'G6: refuses %j with examples',
  (said) => expect(() => timeOf(said)).toThrow(`"${said}" is no time. Examples: --since 2h`),
);

it('G6: refuses the future', () => {
  expect(() => timeOf('2999-01-01')).toThrow('"2999-01-01" lies in the future');
});

it('G6: takes ages, local days, and times', () => {
  const day = 86_400_000;
  expect(timeOf('2026-01-05')).toBe(new Date(2026, 0, 5).getTime());
  expect(timeOf('2026-01-05T10:00:00Z')).toBe(Date.UTC(2026, 0, 5, 10));
  expect(timeOf('2026-01-05 10:00')).toBe(new Date(2026, 0, 5, 10).getTime());
  const before = Date.now();
  const [age, week] = [timeOf('3d'), timeOf('1w')];
  expect(before - age).toBeLessThanOrEqual(3 * day);
  expect(age - week).toBeGreaterThan(3 * day);
});
