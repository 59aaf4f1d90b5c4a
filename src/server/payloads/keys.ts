/**
 * Reads a key from its place.
 * Invariant: no key and no output of a command gets into a message. A key becomes an object of node:crypto at once, which
 * does not show its bytes.
 */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { InputError, readInput } from '../../config/read-input.js';
import type { KeyPlace } from '../../config/schema/payloads.js';
import { EXIT, UserError } from '../../protocol/user-error.js';

const BYTES = 32;
const MOST_BYTES = 4096;
const COMMAND_MS = 60_000;

const MAKE = 'Put the key back. If it never encrypted anything, make it: openssl rand -base64 32';

/** @throws UserError that names the key's id, what is wrong and the fix */
export async function readKey(place: KeyPlace, env: NodeJS.ProcessEnv): Promise<KeyObject> {
  const text = await textOf(place, env);
  const bytes = bytesOf(text.trim());
  if (typeof bytes === 'string') throw problem(place, `${whereOf(place)} ${bytes}`, MAKE);
  return createSecretKey(bytes);
}

/** The key, or what is wrong. */
function bytesOf(text: string): Buffer | string {
  if (text === '') return 'is empty';
  const hex = /^[0-9a-f]+$/i.test(text) && text.length === 2 * BYTES;
  if (!hex && !/^[A-Za-z0-9+/_-]+={0,2}$/.test(text)) return 'holds neither base64 nor hex';
  // Node reads both alphabets of base64.
  const bytes = Buffer.from(text, hex ? 'hex' : 'base64');
  return bytes.length === BYTES ? bytes : `holds ${bytes.length} bytes; a key has ${BYTES}`;
}

async function textOf(place: KeyPlace, env: NodeJS.ProcessEnv): Promise<string> {
  const { file, env: variable } = place;
  if (file !== undefined) return readFile(place, file, env);
  if (variable === undefined) return commandOutput(place, env);
  const value = env[variable];
  if (value !== undefined) return value;
  throw problem(
    place,
    `the environment variable ${variable} is not set`,
    `Set it for this command and for the worker, which keeps the environment of its start (ralphctl worker --stop, then ralphctl start). ${MAKE}`,
  );
}

export const pathOf = (file: string, env: NodeJS.ProcessEnv): string =>
  file.startsWith('~/') ? join(env.HOME ?? homedir(), file.slice(2)) : file;

async function readFile(place: KeyPlace, file: string, env: NodeJS.ProcessEnv): Promise<string> {
  const path = pathOf(file, env);
  try {
    return (await readInput(path, MOST_BYTES)).toString('utf8');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw problem(place, `${path}: ${error.message}`, MAKE);
  }
}

async function commandOutput(place: KeyPlace, env: NodeJS.ProcessEnv): Promise<string> {
  const { command = '' } = place;
  const options = {
    env,
    extendEnv: false,
    reject: false,
    stdin: 'ignore',
    timeout: COMMAND_MS,
    maxBuffer: MOST_BYTES,
  } as const;
  const done =
    typeof command === 'string'
      ? await execa('sh', ['-c', command], options)
      : await execa(command[0] ?? '', command.slice(1), options);
  if (!done.failed) return done.stdout;
  const how = done.timedOut
    ? `did not end within ${COMMAND_MS / 1000} s`
    : done.exitCode === undefined
      ? `did not start or was ended (${done.code ?? done.signal ?? 'unknown'})`
      : `ended with code ${done.exitCode}`;
  throw problem(place, `its command ${how}`, 'Run the command by hand to see why');
}

/** For people. */
export const whereOf = ({ file, env }: KeyPlace): string =>
  file !== undefined ? file : env !== undefined ? `the environment variable ${env}` : 'the output of its command';

const problem = ({ id }: KeyPlace, why: string, fix: string): UserError =>
  new UserError(`cannot read the payload key "${id}" (payloads.encryption.keys): ${why}. ${fix}`, EXIT.usage, fix);
