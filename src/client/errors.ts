export { EXIT, type ExitCode, UserError } from '../protocol/user-error.js';
