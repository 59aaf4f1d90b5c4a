/** An item of a tracker as triage reads it. May import this folder and protocol only. */
import type { BugReport } from '../protocol/triage.js';
import type { Item } from './tracker.js';

/** `ralphctl triage` and the waves of a run judge the same text, so that a person's verdict holds in both. */
export const reportOf = ({ ref, title, body, labels, author, created, url }: Item): BugReport => ({
  ...{ id: ref, title, body, labels, state: 'open' },
  ...(author ? { author } : {}),
  ...(created ? { created } : {}),
  ...(url ? { url } : {}),
});
