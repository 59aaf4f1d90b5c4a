/** Names what runs for an idea beside its agent and its own gate. Pure. */
import type { Activity } from '../../protocol/events.js';

const WORDS: Record<Activity, string> = {
  'set-up': 'set-up',
  'base-set-up': 'set-up of the base',
  base: 'gate on the base',
  'base-tests-set-up': 'set-up for the tests of the base',
  'base-tests': 'tests of the base on this work',
  again: 'gate, failed command again',
};

/** For narrow columns: the word that tells them apart comes first. */
const SHORT: Record<Activity, string> = {
  'set-up': 'set-up',
  'base-set-up': 'base set-up',
  base: 'base gate',
  'base-tests-set-up': 'base tests, set-up',
  'base-tests': 'base tests',
  again: 'gate again',
};

/** `base gate: npm test` */
export const shortActivity = (
  { activity, command }: { activity: Activity; command?: string },
  clean: (text: string) => string,
): string => `${SHORT[activity] ?? activity}${command === undefined ? '' : `: ${clean(command)}`}`;

/** `gate on the base: npm test (1 of 2)` */
export function activityWords(
  { activity, command, number, of }: { activity: Activity; command?: string; number?: number; of?: number },
  clean: (text: string) => string,
): string {
  const place = number === undefined || of === undefined ? '' : ` (${number} of ${of})`;
  return `${WORDS[activity] ?? activity}${command === undefined ? '' : `: ${clean(command)}`}${place}`;
}
