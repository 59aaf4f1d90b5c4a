/** Checks the keys of payloads, as a start reads them. */
import { stat } from 'node:fs/promises';
import type { KeyPlace } from '../../config/schema/payloads.js';
import { checkedKey, type KeysOf } from '../plan/payload-keys.js';
import { type Check, ok, problem, warn } from './check.js';

const OTHERS = 0o077;

export async function checkPayloadKeys(of: KeysOf, keys: readonly KeyPlace[]): Promise<Check[]> {
  if (keys.length === 0) return [];
  const { pathOf, whereOf } = await import('../../server/payloads/keys.js');
  const check = async (place: KeyPlace, at: number): Promise<Check> => {
    const what = `payload key ${place.id}`;
    try {
      await checkedKey(of, place);
    } catch (error) {
      return problem(what, error, 'openssl rand -base64 32');
    }
    const file = place.file === undefined ? undefined : pathOf(place.file, of.env);
    const open = file !== undefined && ((await stat(file)).mode & OTHERS) !== 0;
    if (open) return warn(what, `other users of this machine may read ${file}`, `chmod 600 ${file}`);
    return ok(what, `${whereOf(place)}; ${at === 0 ? 'encrypts and decrypts' : 'decrypts'}`);
  };
  return Promise.all(keys.map(check));
}
