import { matrix } from '../rig/matrix.js';

matrix('qwen');
