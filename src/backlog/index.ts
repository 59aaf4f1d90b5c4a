/** The interface of backlogs for the rest of ralphctl. */
export { toCard } from './cards.js';
export { BacklogError } from './detect.js';
export { findBacklog } from './find.js';
export { readBacklog } from './read.js';
export { validateAgents, validateIdeas } from './validate.js';
