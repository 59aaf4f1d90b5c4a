/** Shows how large the state folder is, and what is large in it. Measures it; removes nothing. */
import { relative } from 'node:path';
import { DEFAULT_RETENTION } from '../../config/schema/retention.js';
import { bytesText } from '../../decide/retention/words.js';
import { measure } from '../../jobs/clean/measure.js';
import type { Retention } from '../../protocol/retention.js';
import type { Context } from '../context.js';
import { type Check, info, warn } from './check.js';

const MOST_MS = 5000;
const MOST_PARTS = 4;
/** Not worth a name. */
const LEAST = 1e6;

export async function checkSizes({ root }: Context, rules: Retention = DEFAULT_RETENTION): Promise<Check[]> {
  const end = performance.now() + MOST_MS;
  const { bytes, parts, partial } = await measure(root, () => performance.now() > end);
  if (bytes === 0) return [];
  const large = parts.filter((part) => part.bytes >= LEAST).slice(0, MOST_PARTS);
  const names = large.map((part) => `${relative(root, part.path)} ${bytesText(part.bytes)}`);
  const text = `${partial ? 'more than ' : ''}${bytesText(bytes)}${names.length > 0 ? `: ${names.join(', ')}` : ''}`;
  const isLarge = rules.warnMegabytes !== 'never' && bytes > rules.warnMegabytes * 1e6;
  return [isLarge ? warn('size of the state folder', text, FIX) : info('size of the state folder', text)];
}

const FIX = 'see what can go: ralphctl clean --dry-run; how long it stays: retention in ralphctl.yaml';
