/** A failure of the work itself, in the protocol's vocabulary; crosses processes as plain data. */
import type { FAILURE } from '../protocol/failures.js';

export type FailureType = (typeof FAILURE)[keyof typeof FAILURE];

export class WorkError extends Error {
  override readonly name = 'WorkError';

  /** @param retryable false: only a person can fix it */
  constructor(
    message: string,
    readonly type: FailureType,
    readonly retryable = false,
  ) {
    super(message);
  }
}
