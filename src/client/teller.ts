/**
 * Tells which front end a person uses: the full screen runs commands of the command line and sets this variable.
 * Imports types only.
 */
import type { Teller } from '../protocol/command.js';

export const TELLER_ENV = 'RALPHCTL_TELLER';

export const teller = (env: NodeJS.ProcessEnv = process.env): Teller =>
  env[TELLER_ENV] === 'screen' ? 'screen' : 'cli';
