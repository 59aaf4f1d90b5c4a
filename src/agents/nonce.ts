/** The word that only this iteration's agent was given. */
import { randomBytes } from 'node:crypto';

/** 12 characters of lower-case letters and digits, different for each iteration. */
export function newNonce(): string {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
  return Array.from(randomBytes(12), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}
