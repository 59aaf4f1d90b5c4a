/** Messages about a run whose workflow fails: it is open, its worker runs, and nothing moves. */
import { join } from 'node:path';
import { projectDir } from '../../config/paths.js';
import { clean } from '../views/live-lines.js';

/** `failing`: first line of the error. */
export function failingLines(root: string, project: string, failing: string): [what: string, log: string, fix: string] {
  return [
    `the workflow of the run fails, so nothing moves: ${clean(failing)}`,
    `the worker's log has the whole error: ${join(projectDir(root, project), 'logs')}`,
    'after an update or a fix: ralphctl worker --stop, then ralphctl start',
  ];
}
