/** Chooses the quote of a rejection. Invariant: it is an unchanged part of the report's body or title. */
import type { BugReport } from '../../protocol/triage.js';
import { head } from './words.js';

const MOST = 120;
const MOST_READ = 20_000;

/** Returns `wanted` when the report contains it, else the first line with text. */
export function quoteOf({ title, body }: Pick<BugReport, 'title' | 'body'>, wanted = ''): string {
  const short = head(wanted.trim(), MOST);
  if (short !== '' && (body.includes(short) || title.includes(short))) return short;
  const line = body
    .slice(0, MOST_READ)
    .split('\n')
    .find((one) => one.trim() !== '');
  return head((line ?? title).trim(), MOST);
}
