/**
 * The codecs of a project: compression, then encryption as the configuration of its newest run says.
 * Invariant: without keys a payload passes as it is and nothing but the configuration is read. A payload that is not
 * encrypted passes, whatever the configuration: it may be of the time before.
 */
import type { KeyObject } from 'node:crypto';
import type { DataConverter, Payload, PayloadCodec } from '@temporalio/common';
import type { Encryption, KeyPlace } from '../../config/schema/payloads.js';
import { SEALED } from '../../protocol/sealed.js';
import { UserError } from '../../protocol/user-error.js';
import { compressLargePayloads } from '../codec.js';
import { isSealed, keyIdOf } from './encoding.js';

interface PayloadKeys {
  /** Of the newest run; the first one encrypts. */
  newest(): Promise<Encryption>;
  /** A key that only an older run names: of its work, something may still be open. */
  older(id: string): Promise<KeyPlace | undefined>;
  /** Why a key that is not found may be named all the same: the configuration of a run is damaged. */
  damage?(id: string): Promise<UserError | undefined>;
  /** Called once for each key, before something is encrypted with it. */
  encrypted?(id: string, key: KeyObject): Promise<void>;
}

interface ProjectPayloadsOptions {
  keys: PayloadKeys;
  env: NodeJS.ProcessEnv;
  /** How long a look at the configuration counts; 0: looks for every message. */
  lookMs?: number;
  /** Time between two reads of a key with which something does not decrypt. */
  readAgainMs?: number;
  /**
   * For a worker: decrypted payloads say that they were encrypted, and what nobody can ever read passes as it is, so
   * that a forged signal is refused and does not stop its run.
   */
  worker?: boolean;
}

/** Between two searches for a key that no configuration names. */
const SEARCH_MS = 1000;
const READ_AGAIN_MS = 5000;

export class ProjectPayloads {
  readonly codecs: PayloadCodec[] = [
    compressLargePayloads,
    { encode: (payloads) => this.#encode(payloads), decode: (payloads) => this.decode(payloads) },
  ];
  readonly dataConverter: DataConverter = { payloadCodecs: this.codecs };
  readonly #options: ProjectPayloadsOptions;
  #newest: Encryption = { keys: [] };
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #older = new Map<string, { at: number; place: Promise<KeyPlace | undefined> }>();
  /** By their place. */
  readonly #read = new Map<string, { at: number; key: Promise<KeyObject> }>();
  readonly #encrypted = new Set<string>();

  constructor(options: ProjectPayloadsOptions) {
    this.#options = options;
  }

  /** Whether what comes next is encrypted. */
  async isOn(): Promise<boolean> {
    return (await this.#encrypting()) !== undefined;
  }

  /** Reads all keys. @throws UserError where one cannot be read */
  async check(): Promise<void> {
    for (const place of (await this.#look(true)).keys) await this.#keyAt(place);
  }

  async #encode(payloads: Payload[]): Promise<Payload[]> {
    if (payloads.length === 0) return payloads;
    const first = await this.#encrypting();
    if (!first) return payloads;
    const [{ seal }, key] = await Promise.all([import('./seal.js'), this.#keyAt(first)]);
    if (!this.#encrypted.has(first.id)) await this.#options.keys.encrypted?.(first.id, key);
    this.#encrypted.add(first.id);
    return payloads.map((payload) => seal(payload, first.id, key));
  }

  /** Decrypts; what was compressed stays so. @throws UserError that names the key where one does not decrypt */
  async decode(payloads: Payload[]): Promise<Payload[]> {
    if (!payloads.some(isSealed)) return payloads;
    return Promise.all(payloads.map(async (payload) => (isSealed(payload) ? this.#unseal(payload) : payload)));
  }

  async #unseal(payload: Payload): Promise<Payload> {
    const id = keyIdOf(payload);
    const place = await this.#placeOf(id);
    if (!place) {
      if (this.#options.worker && (await this.#look()).keys.length === 0) return payload;
      throw (await this.#options.keys.damage?.(id)) ?? unknownKey(id);
    }
    const [{ unseal }, key] = await Promise.all([import('./seal.js'), this.#keyAt(place)]);
    try {
      const { metadata, data } = unseal(payload, id, key);
      const said = this.#options.worker ? { ...metadata, [SEALED]: Buffer.from('1') } : metadata;
      return { metadata: said, ...(data ? { data } : {}) };
    } catch {
      this.#readAgain(place);
      if (this.#options.worker) return payload;
      // What node:crypto says of it helps nobody.
      throw notAuthentic(id);
    }
  }

  async #placeOf(id: string): Promise<KeyPlace | undefined> {
    const is = (place: KeyPlace): boolean => place.id === id;
    const known = (await this.#look()).keys.find(is) ?? (await this.#look(true)).keys.find(is);
    if (known) return known;
    const found = this.#older.get(id);
    if (found && performance.now() - found.at < SEARCH_MS) return found.place;
    const place = this.#options.keys.older(id);
    this.#older.set(id, { at: performance.now(), place });
    return place;
  }

  async #encrypting(): Promise<KeyPlace | undefined> {
    const { encrypt = true, keys } = await this.#look();
    return encrypt ? keys[0] : undefined;
  }

  async #look(now = false): Promise<Encryption> {
    const { keys, lookMs = 0 } = this.#options;
    if (!now && performance.now() - this.#lookedAt < lookMs) return this.#newest;
    // A run whose files are damaged still ends by its commands.
    this.#newest = await keys.newest().catch(() => this.#newest);
    this.#lookedAt = performance.now();
    return this.#newest;
  }

  #keyAt(place: KeyPlace): Promise<KeyObject> {
    const name = JSON.stringify(place);
    const known = this.#read.get(name);
    if (known) return known.key;
    const key = import('./keys.js').then(({ readKey }) => readKey(place, this.#options.env));
    this.#read.set(name, { at: performance.now(), key });
    // A next try may find it.
    key.catch(() => this.#read.delete(name));
    return key;
  }

  /** Somebody may put the right key back. A forged payload must not run the key's command again and again. */
  #readAgain(place: KeyPlace): void {
    const name = JSON.stringify(place);
    const { readAgainMs = READ_AGAIN_MS } = this.#options;
    const { at = performance.now() } = this.#read.get(name) ?? {};
    if (performance.now() - at >= readAgainMs) this.#read.delete(name);
  }
}

const unknownKey = (id: string): UserError =>
  new UserError(
    `a payload is encrypted with the key ${JSON.stringify(id)}, and payloads.encryption.keys has no such key. Add the key to ralphctl.yaml, then: ralphctl config reload`,
  );

const notAuthentic = (id: string): UserError =>
  new UserError(
    `a payload does not decrypt with the key ${JSON.stringify(id)}: somebody changed the payload, or this is not the key it was encrypted with. Put the right key back; a new key needs a new id`,
  );
