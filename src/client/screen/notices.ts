/** One-line versions of what a screen tells beside the run. Pure. */
import type { Renamed } from '../../model/model.js';

/** Of a checkout that landings left behind. */
export const BEHIND_SHORT: readonly string[] = [
  'A commit in the checkout would revert landed work. First run: ralphctl sync',
  'Before you commit, run: ralphctl sync',
];

export const renamedText = ({ text, fix }: Renamed): string => `${text}. ${fix}`;

export function renamedShort({ text, commands: [first = ''] }: Renamed): string[] {
  const [what] = text.split(/[,;] /);
  return [`${text}. Run: ${first}`, `${what}. Run: ${first}`, `Run: ${first}`];
}
