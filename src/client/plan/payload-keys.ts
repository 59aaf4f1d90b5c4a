/** The keys of a configuration, before a run uses it. */
import type { Config } from '../../config/schema/config.js';
import type { KeyPlace } from '../../config/schema/payloads.js';
import { EXIT, UserError } from '../../protocol/user-error.js';

/** @throws UserError where a key cannot be read here: the worker would wait for it */
export async function checkKeys(env: NodeJS.ProcessEnv, config: Config): Promise<void> {
  const keys = keysOf(config);
  if (keys.length === 0) return;
  const { readKey } = await import('../../server/payloads/keys.js');
  for (const place of keys) await readKey(place, env);
}

/**
 * An open run may get keys and change their order. It keeps those it has: its history is encrypted with them.
 * @throws UserError where it would lose one, where an id gets another key, or where a key cannot be read here
 */
export async function checkNewKeys(env: NodeJS.ProcessEnv, from: Config, to: Config): Promise<void> {
  const [before, after] = [keysOf(from), keysOf(to)];
  const lost = before.find(({ id }) => !after.some((place) => place.id === id));
  if (lost)
    throw new UserError(
      `payloads.encryption.keys no longer has the key "${lost.id}", and the history of the open run is encrypted with it. Keep the key in the list: below a new one, or with payloads.encryption.encrypt: false to encrypt no more. Or end the run first: ralphctl stop`,
      EXIT.refused,
    );
  await checkKeys(env, to);
  for (const place of before) await checkSame(env, place, after.find(({ id }) => id === place.id) ?? place);
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
