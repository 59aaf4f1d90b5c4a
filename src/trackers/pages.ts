/** Reads the pages of a list, some at a time. Invariant: keeps their order, and gives no more than `most` entries. */
import type { ApiAnswer } from './http-answer.js';

/** Longest text of an issue or comment that is read. GitHub allows 65,536. */
export const MAX_BODY = 200_000;

/** Entries of a list of closed issues that are read: a few requests. */
export const MOST_CLOSED = 500;

const AT_ONCE = 4;
const PAGE_SIZE = 100;

export interface Page<T> {
  answer: ApiAnswer;
  entries: T[];
}

/** `get`: a page of a hundred, from one. `keep`: entries that count; others take no place. */
export async function listPages<T>(
  get: (page: number) => Promise<Page<T>>,
  most: number,
  keep: (entry: T) => boolean = () => true,
): Promise<T[]> {
  const first = await get(1);
  const all = first.entries.filter(keep);
  const last = lastPage(first.answer);
  let next = hasNext(first.answer) ? 2 : undefined;
  while (next !== undefined && all.length < most) {
    const from: number = next;
    const wanted = Math.ceil((most - all.length) / PAGE_SIZE);
    const count = last === undefined ? 1 : Math.max(1, Math.min(AT_ONCE, wanted, last - from + 1));
    const pages = await Promise.all(Array.from({ length: count }, (_, n) => get(from + n)));
    for (const { entries } of pages) all.push(...entries.filter(keep));
    const end = pages.at(-1);
    next = end && hasNext(end.answer) ? from + count : undefined;
  }
  return all.slice(0, most);
}

const linkOf = ({ headers }: ApiAnswer): string => headers.get('link') ?? '';
const hasNext = (answer: ApiAnswer): boolean => /rel="?next"?/.test(linkOf(answer));

function lastPage(answer: ApiAnswer): number | undefined {
  const link = linkOf(answer)
    .split(',')
    .find((one) => /rel="?last"?/.test(one));
  const page = /[?&]page=(\d+)/.exec(link ?? '')?.[1];
  return page === undefined ? undefined : Number(page);
}

/** A text that is longer than any person writes is cut, and says so. */
export const cutBody = (body: string, cut = body.length > MAX_BODY): string =>
  cut ? `${body.slice(0, MAX_BODY)}\n[The rest of this issue is cut.]` : body;
