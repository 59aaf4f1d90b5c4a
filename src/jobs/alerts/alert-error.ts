/** An alert that could not be delivered. `retryable` false: no retry of the same request would help. */
import { FAILURE } from '../../protocol/failures.js';
import { WorkError } from '../job.js';

export const alertError = (message: string, retryable: boolean): WorkError =>
  new WorkError(message, FAILURE.alert, retryable);
