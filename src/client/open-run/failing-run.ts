/** Messages about a run whose workflow fails: it is open, its worker runs, and nothing moves. */
import { clean } from '../views/live-lines.js';

/** `logs`: the folder with the worker's logs. `failing`: first line of the error. */
export function failingLines(logs: string, failing: string): [what: string, log: string, fix: string] {
  return [
    `the workflow of the run fails, so nothing moves: ${clean(failing)}`,
    `the worker's log has the whole error: ${logs}`,
    'after an update or a fix: ralphctl worker --stop, then ralphctl start',
  ];
}
