import { matrix } from '../rig/matrix.js';

matrix('copilot');
