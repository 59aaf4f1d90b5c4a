/** The interface of backlogs for the rest of ralphctl. */
export { toCard } from './cards.js';
export { BacklogError } from './detect.js';
export { backlogsIn, findBacklog } from './find.js';
export { FORMATS } from './formats/registry.js';
export { readBacklog } from './read.js';
export { validateAgents, validateIdeas } from './validate.js';
