/** Where a person speaks from: the full screen runs commands as the command line does, and says so. Imports types only. */
import type { Teller } from '../protocol/events.js';

export const TELLER_ENV = 'RALPHCTL_TELLER';

export const teller = (env: NodeJS.ProcessEnv = process.env): Teller =>
  env[TELLER_ENV] === 'screen' ? 'screen' : 'cli';
