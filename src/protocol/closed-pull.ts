/** The sentence about a pull request that somebody closed. Pure; must import types only. */
import type { ClosedPull } from './git-work.js';

export function closedPullText({ number, url, by, why }: ClosedPull): string {
  const whose = by === undefined ? '' : ` by ${by}`;
  const words = why === undefined ? '' : ` (its closing comment: "${why}")`;
  return `pull request ${number} was closed${whose} without a merge: ${url}${words}`;
}
