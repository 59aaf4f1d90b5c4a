/** What an encrypted payload says of itself. Imports nothing heavy: every command loads it. */
import type { Payload } from '@temporalio/common';
import { KEY_FIELD } from '../../protocol/sealed.js';

export const SEALED_ENCODING = 'binary/encrypted';
export const CIPHER_FIELD = 'encryption-cipher';

export const textOf = (value: Uint8Array | null | undefined): string =>
  value ? Buffer.from(value).toString('utf8') : '';

export const isSealed = ({ metadata }: Payload): boolean => textOf(metadata?.encoding) === SEALED_ENCODING;

export const keyIdOf = ({ metadata }: Payload): string => textOf(metadata?.[KEY_FIELD]);
