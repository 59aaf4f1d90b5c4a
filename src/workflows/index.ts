/** Entry of the workflow bundle: the workflows and nothing else. */
export { alerts } from './alerts.js';
export { idea } from './idea/idea.js';
export { autopilot } from './run/autopilot.js';
export { tracker } from './tracker.js';
