/** The keys of a configuration, before a run uses it. */
import type { KeyObject } from 'node:crypto';
import type { Config } from '../../config/schema/config.js';
import type { KeyPlace } from '../../config/schema/payloads.js';
import { EXIT, UserError } from '../../protocol/user-error.js';

/** Whose keys. */
export interface KeysOf {
  env: NodeJS.ProcessEnv;
  root: string;
  project: string;
}

/** @throws UserError where a key cannot be read here, or is another one: the worker would wait for it */
export async function checkKeys(of: KeysOf, config: Config): Promise<void> {
  for (const place of keysOf(config)) await checkedKey(of, place);
}

const PUT_BACK =
  'Put the right key back. A new key needs a new id in payloads.encryption.keys; if the old key is lost, what it encrypted stays unreadable';

/** @throws UserError where it cannot be read, or where another key encrypted under its id before */
export async function checkedKey({ env, root, project }: KeysOf, place: KeyPlace): Promise<KeyObject> {
  const [{ readKey, whereOf }, { isOtherKey }] = await Promise.all([
    import('../../server/payloads/keys.js'),
    import('../../run-files/key-checks.js'),
  ]);
  const key = await readKey(place, env);
  if (!(await isOtherKey(root, project, place.id, key))) return key;
  throw new UserError(
    `the payload key "${place.id}" is another one than before: ${whereOf(place)} does not hold the key that encrypted what Temporal stores of this project, and nothing of that can be read with it. ${PUT_BACK}`,
    EXIT.usage,
    PUT_BACK,
  );
}

/**
 * An open run may get keys and change their order. It keeps those it has: its history is encrypted with them.
 * @throws UserError where it would lose one, where an id gets another key, or where a key cannot be read here
 */
export async function checkNewKeys(of: KeysOf, from: Config, to: Config): Promise<void> {
  const [before, after] = [keysOf(from), keysOf(to)];
  const lost = before.find(({ id }) => !after.some((place) => place.id === id));
  if (lost)
    throw new UserError(
      `payloads.encryption.keys no longer has the key "${lost.id}", and the history of the open run is encrypted with it. Keep the key in the list: below a new one, or with payloads.encryption.encrypt: false to encrypt no more. Or end the run first: ralphctl stop`,
      EXIT.refused,
    );
  await checkKeys(of, to);
  for (const place of before) await checkSame(of.env, place, after.find(({ id }) => id === place.id) ?? place);
}

async function checkSame(env: NodeJS.ProcessEnv, before: KeyPlace, after: KeyPlace): Promise<void> {
  const { readKey } = await import('../../server/payloads/keys.js');
  // Its old place may be gone.
  const old = await readKey(before, env).catch(() => undefined);
  if (!old || old.equals(await readKey(after, env))) return;
  throw new UserError(
    `payloads.encryption.keys gives the id "${before.id}" to another key, and the history of the open run is encrypted with the old one. Give the new key a new id`,
    EXIT.refused,
  );
}

/** Configurations of older runs have no such part. */
const keysOf = ({ payloads }: { payloads?: Config['payloads'] }): readonly KeyPlace[] =>
  payloads?.encryption.keys ?? [];
