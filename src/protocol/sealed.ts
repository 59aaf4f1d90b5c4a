/** Field of an encrypted payload: the id of its key. */
export const KEY_FIELD = 'encryption-key-id';

/** Name in the metadata of a decrypted payload, by which a workflow knows that its errors are to be encrypted, too. */
export const SEALED = 'ralphctl-sealed';
