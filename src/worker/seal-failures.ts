/**
 * Encrypts the texts of errors of activities, where payloads are encrypted. The SDK takes a converter of errors only as a
 * file of its own, so this gives each error its finished form, which the SDK then keeps.
 * Invariant: type, retries and details of an error stay. The SDK's own signals, such as a cancellation, pass untouched.
 */
import { CompleteAsyncError } from '@temporalio/activity';
import {
  CancelledFailure,
  DefaultFailureConverter,
  defaultPayloadConverter,
  ensureApplicationFailure,
} from '@temporalio/common';
import type { ActivityInboundCallsInterceptor } from '@temporalio/worker';
import type { ProjectPayloads } from '../server/payloads/project.js';

export function sealFailures(payloads: Pick<ProjectPayloads, 'isOn'>): ActivityInboundCallsInterceptor {
  let converter: DefaultFailureConverter | undefined;
  return {
    execute: async (input, next) => {
      try {
        return await next(input);
      } catch (error) {
        if (error instanceof CompleteAsyncError || error instanceof CancelledFailure || isAbort(error)) throw error;
        if (!(await payloads.isOn())) throw error;
        converter ??= new DefaultFailureConverter({ encodeCommonAttributes: true });
        const failure = ensureApplicationFailure(error);
        failure.failure = converter.errorToFailure(failure, defaultPayloadConverter);
        throw failure;
      }
    },
  };
}

const isAbort = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';
