/** Texts of errors are encrypted with the payloads: those of activities, and those of workflows. Feature: G9. */
import { randomBytes } from 'node:crypto';
import { CompleteAsyncError } from '@temporalio/activity';
import {
  ApplicationFailure,
  CancelledFailure,
  DefaultFailureConverter,
  defaultDataConverter,
  defaultPayloadConverter,
  ensureApplicationFailure,
  type LoadedDataConverter,
  type TemporalFailure,
} from '@temporalio/common';
import {
  decodeOptionalFailureToOptionalError,
  encodeErrorToFailure,
} from '@temporalio/common/lib/internal-non-workflow/index.js';
import { describe, expect, it } from 'vitest';
import type { KeyPlace } from '../../../src/config/schema/payloads.js';
import { SEALED } from '../../../src/protocol/sealed.js';
import { ProjectPayloads } from '../../../src/server/payloads/project.js';
import { sealFailures } from '../../../src/worker/seal-failures.js';
import { failureConverter } from '../../../src/workflows/failures.js';
import { isUnreadable, payloadConverter } from '../../../src/workflows/payloads.js';

function project(...keys: KeyPlace[]): { payloads: ProjectPayloads; converter: LoadedDataConverter } {
  const payloads = new ProjectPayloads({
    keys: { newest: async () => ({ keys }), older: async () => undefined },
    env: { KEY: randomBytes(32).toString('hex') },
  });
  return { payloads, converter: { ...defaultDataConverter, payloadCodecs: payloads.codecs } };
}

const KEY: KeyPlace = { id: 'a', env: 'KEY' };
const thrown = (payloads: ProjectPayloads, error: unknown): Promise<unknown> => {
  const execute = sealFailures(payloads).execute?.({ args: [], headers: {} }, () => Promise.reject(error));
  if (!execute) throw new Error('no interceptor');
  return execute.catch((caught: unknown) => caught);
};
const cause = new Error('the Quokka');
const failure = () =>
  ApplicationFailure.create({ message: 'the Walrus', type: 'Odd', nonRetryable: true, details: ['Xylophone'], cause });

describe('G9 errors of activities', () => {
  it('go to the server encrypted, and come back with text, type, details and cause', async () => {
    const { payloads, converter } = project(KEY);
    const error = await thrown(payloads, failure());
    const stored = await encodeErrorToFailure(converter, ensureApplicationFailure(error));
    expect(stored.message).toBe('Encoded failure');
    expect(stored.applicationFailureInfo).toMatchObject({ type: 'Odd', nonRetryable: true });
    expect(JSON.stringify(stored)).not.toMatch(/Walrus|Quokka|Xylophone|seal-failures/);
    const back = (await decodeOptionalFailureToOptionalError(converter, stored)) as ApplicationFailure;
    expect([back.message, back.type, back.nonRetryable, back.details]).toEqual([
      'the Walrus',
      'Odd',
      true,
      ['Xylophone'],
    ]);
    expect((back.cause as TemporalFailure).message).toBe('the Quokka');
  });

  it('of any other kind get the same form', async () => {
    const { payloads, converter } = project(KEY);
    const stored = await encodeErrorToFailure(
      converter,
      ensureApplicationFailure(await thrown(payloads, new TypeError('the Walrus'))),
    );
    expect([stored.message, stored.applicationFailureInfo?.type]).toEqual(['Encoded failure', 'TypeError']);
    const back = (await decodeOptionalFailureToOptionalError(converter, stored)) as ApplicationFailure;
    expect(back.message).toBe('the Walrus');
  });

  it('are the same objects without a key, and where they are a signal of the SDK', async () => {
    const error = failure();
    expect(await thrown(project().payloads, error)).toBe(error);
    for (const own of [new CancelledFailure('x'), new CompleteAsyncError()])
      expect(await thrown(project(KEY).payloads, own)).toBe(own);
  });
});

describe('G9 errors of workflows', () => {
  it('are those of the SDK until something encrypted came in; from then on their text is a payload', async () => {
    const usual = new DefaultFailureConverter();
    const error = failure();
    expect(failureConverter.errorToFailure(error, payloadConverter)).toEqual(
      usual.errorToFailure(error, defaultPayloadConverter),
    );
    payloadConverter.fromPayload(payloadConverter.toPayload('clear'));
    expect(failureConverter.errorToFailure(error, payloadConverter).message).toBe('the Walrus');

    const { metadata, data } = payloadConverter.toPayload('sealed');
    payloadConverter.fromPayload({ metadata: { ...metadata, [SEALED]: Buffer.from('1') }, ...(data ? { data } : {}) });
    const { converter } = project(KEY);
    const ofWorkflow = { ...converter, failureConverter, payloadConverter };
    const stored = await encodeErrorToFailure(ofWorkflow, error);
    expect(JSON.stringify(stored)).not.toMatch(/Walrus|Quokka|Xylophone/);

    // Handed on by a parent, as often as it likes: nothing of it is lost.
    const first = await decodeOptionalFailureToOptionalError(ofWorkflow, stored);
    for (const _ of [1, 2]) {
      const again = await encodeErrorToFailure(ofWorkflow, first);
      expect(JSON.stringify(again)).not.toMatch(/Walrus|Quokka|Xylophone/);
      const back = (await decodeOptionalFailureToOptionalError(ofWorkflow, again)) as ApplicationFailure;
      expect([back.message, (back.cause as TemporalFailure).message]).toEqual(['the Walrus', 'the Quokka']);
    }
  });

  it('name the key of what did not decrypt', () => {
    const metadata = { encoding: Buffer.from('binary/encrypted'), 'encryption-key-id': Buffer.from('a-1') };
    const value = payloadConverter.fromPayload({ metadata, data: Buffer.from('forged') });
    expect(isUnreadable(value) && value.why).toContain('does not decrypt with the key "a-1"');
  });
});
