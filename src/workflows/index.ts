/** Entry of the workflow bundle: the two workflows and nothing else. */
export { autopilot } from './autopilot.js';
export { idea } from './idea.js';
