/** The interface of backlogs for the rest of ralphctl. */
export { toCard } from './cards.js';
export { BacklogError, findBacklog } from './detect.js';
export { readBacklog } from './read.js';
export { validateAgents, validateIdeas } from './validate.js';
