/** Entry of the workflow bundle: the workflows and nothing else. */
export { alerts } from './alerts.js';
export { autopilot } from './autopilot.js';
export { idea } from './idea.js';
