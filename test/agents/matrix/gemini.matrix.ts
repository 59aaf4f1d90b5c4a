import { matrix } from '../rig/matrix.js';

matrix('gemini');
