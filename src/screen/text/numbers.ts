/** Amounts for people to read. Invariant: an unknown amount is `–`, never 0. */
import { many as manyOf, triedAgain } from '../../protocol/many.js';
export const UNKNOWN = '–';

export const whole = (n: number): string => `${Math.round(n)}`.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** `$0.41`, `$21.40`, `$212` */
export const dollars = (n: number): string => (n >= 100 ? `$${whole(n)}` : `$${n.toFixed(2)}`);

/** `$0.41`, or `$0.41+` where some agent runs did not report it. */
export function moneyText({
  dollars: sum,
  unknownDollars = 0,
}: {
  dollars?: number | undefined;
  unknownDollars?: number | undefined;
}): string {
  return sum === undefined ? UNKNOWN : `${dollars(sum)}${unknownDollars > 0 ? '+' : ''}`;
}

/** What a budget counts: with `+` where some agent runs did not report it. */
export const usedText = ({ used, unknown }: { used: number; unknown: number }): string =>
  moneyText({ dollars: used, unknownDollars: unknown });

/** An amount of a budget: `$20`, `$0.50`. */
export const dollarsOf = (n: number): string => (Number.isInteger(n) ? `$${whole(n)}` : dollars(n));

/** `950`, `41k`, `9.1k`, `3.1M` */
export function short(n: number): string {
  if (n < 1000) return `${Math.round(n)}`;
  for (const [size, unit] of [
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
  ] as const) {
    if (n < size * 0.9995) continue;
    const value = n / size;
    return `${value < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${unit}`;
  }
  return `${Math.round(n)}`;
}

export const many = (count: number, what: string): string => manyOf(count, what, whole(count));

/** `1 needs you`, `2 need you` */
export const needYou = (count: number): string => `${whole(count)} ${count === 1 ? 'needs' : 'need'} you`;

/** `tried again once`, `tried again 2 times` */
export const retriesText = (count: number): string => triedAgain(count, whole(count));
