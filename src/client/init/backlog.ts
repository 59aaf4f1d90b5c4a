/** The backlog that `init` finds: its place, its format, and how many ideas it holds. Reads only. */
import { relative } from 'node:path';
import { backlogsIn, FORMATS, readBacklog } from '../../backlog/index.js';
import { clean, many } from '../views/live-lines.js';
import type { Findings } from './document.js';

type Found = Pick<Findings, 'backlog' | 'backlogFormat' | 'backlogSays' | 'backlogs'>;

/** Paths in the result are relative to `dir`. */
export async function findBacklogFor(dir: string): Promise<Found> {
  const [only, ...others] = await backlogsIn(dir);
  if (only === undefined) return {};
  if (others.length > 0) return { backlogs: [only, ...others].map((file) => relative(dir, file)) };
  const backlog = relative(dir, only);
  try {
    const { format, ideas, leftOut } = await readBacklog(only);
    const open = ideas.filter(({ done, blue }) => !done && !blue).length;
    const out = leftOut.length > 0 ? `, ${leftOut.length} left out` : '';
    const isOwn = format === 'roadmap' || format === 'ideas';
    const says = `${many(open, 'idea')} to do${out}${isOwn ? '' : `; read as ${FORMATS[format].about}`}`;
    return { backlog, ...(isOwn ? {} : { backlogFormat: format }), backlogSays: says };
  } catch (error) {
    const [first = ''] = (error as Error).message.split('\n');
    return { backlog, backlogSays: `it cannot be read: ${clean(first)}` };
  }
}
