/**
 * Preloaded into every Node process of an episode: its wall clock is off by what a file says, in milliseconds, and follows
 * when that changes. The monotonic clock, file times and the server's clock stay as they are.
 */
import { readFileSync } from 'node:fs';

const RealDate = Date;
const file = process.env.CHAOS_CLOCK ?? '';
let offset = 0;
let looked = Number.NEGATIVE_INFINITY;

function shifted() {
  const now = performance.now();
  if (now - looked > 50) {
    looked = now;
    try {
      offset = Number(readFileSync(file, 'utf8')) || 0;
    } catch {
      // Not written yet.
    }
  }
  return RealDate.now() + offset;
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [shifted()] : args, made),
  apply: () => new RealDate(shifted()).toString(),
  get: (target, name) => (name === 'now' ? shifted : Reflect.get(target, name)),
});
