/**
 * What is wrong with a row of the matrix: nothing, when the run was understood as expected, did what the model asked
 * for, and left nothing behind. The table and the tests show the same list.
 * Invariant: pure.
 */
import { DONE } from '../mock/scenario.js';
import type { Row } from './run-case.js';
import type { Case, Kind } from './scenarios.js';

/** How far a stated reset may be from the hour that the mock states, milliseconds: some tell minutes only. */
const HOUR = 3_600_000;
const TOLERANCE = 180_000;

export type Judged = Omit<Row, 'cli' | 'version' | 'name' | 'wallMs' | 'usage'>;

/** `now`: when the run ended, milliseconds. */
export function wrongWith(row: Judged, one: Case, expected: Kind, now: number): string[] {
  const wrong: string[] = [];
  const must = (good: boolean, what: string): void => {
    if (!good) wrong.push(what);
  };
  must(row.kind === expected, `${row.kind}, not ${expected}`);
  must(row.left.length === 0, `left: ${row.left.join(', ')}`);
  const done = row.kind === 'ok' && (one.mock.answer ?? DONE) === DONE;
  must(row.signal === (done ? 'complete' : 'none'), `signal ${row.signal}`);
  if (one.writes && row.kind === 'ok') {
    must(row.written === one.writes.text.trimEnd(), `${one.writes.path} holds ${JSON.stringify(row.written)}`);
  }
  if (row.kind === 'ok') must(row.exitCode === 0 || row.exitCode === null, `exit code ${row.exitCode} of a success`);
  const failed = row.kind !== 'ok' && row.kind !== 'timeout';
  must(!failed || row.message.trim() !== '', 'no words for the failure');
  if (one.refused) must(row.requests === 0, `${row.requests} requests to nobody`);
  // Without a key some ask and are refused, others do not ask.
  else if (!one.setup?.anonymous) must(row.requests > 0, 'no request');
  if (row.resetAt !== undefined && (one.mock.fault?.retryAfter === 3600 || one.name === 'usage-subscription')) {
    const off = row.resetAt - (now + HOUR);
    // It was stated when the run began.
    must(off < TOLERANCE && off > -TOLERANCE - 120_000, `a reset ${Math.round(off / 1000)} s from the stated one`);
  }
  return wrong;
}
