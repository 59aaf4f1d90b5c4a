/**
 * Writes the errors of workflows. The server stores message and stack trace in clear text, unless they are a payload,
 * which the codecs of the worker encrypt.
 * Invariant: where nothing is encrypted, this is the SDK's own converter.
 */
import { DefaultFailureConverter } from '@temporalio/common';
import { isSealed } from './sealed.js';

type Convert = DefaultFailureConverter['errorToFailure'];

class FailureConverter extends DefaultFailureConverter {
  override errorToFailure(...[error, payloadConverter, context]: Parameters<Convert>): ReturnType<Convert> {
    const failure = this.errorToFailureInner(error, payloadConverter, context);
    if (!isSealed()) return failure;
    const { message, stackTrace } = failure;
    const encodedAttributes = payloadConverter.toPayload({ message, stack_trace: stackTrace }, context);
    // A copy: an error that came from elsewhere keeps what it came with.
    return { ...failure, message: 'Encoded failure', stackTrace: '', encodedAttributes };
  }
}

export const failureConverter = new FailureConverter();
