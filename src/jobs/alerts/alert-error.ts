/** A failed delivery of an alert. `retryable` false: a retry of the same request would fail too. */
import { FAILURE } from '../../protocol/failures.js';
import { WorkError } from '../job.js';

export const alertError = (message: string, retryable: boolean): WorkError =>
  new WorkError(message, FAILURE.alert, retryable);
