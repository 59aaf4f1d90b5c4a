/**
 * The remote of a run, as it was when the run began, and git commands that talk to it with the user's own login.
 * Invariant: ralphctl talks only to the address that the start recorded. Each command uses a remote with a name that
 * nobody can guess, because an agent may add remotes, and one of them may have an address as its name. Only these
 * commands get the user's credentials. They run no hook.
 */
import { createHash, randomBytes } from 'node:crypto';
import { inOneLine } from '../../protocol/escapes.js';
import { RepositoryError } from '../errors.js';
import { type GitResult, git } from '../runner.js';
import { credentialsOf } from './credentials.js';

export interface RemoteRecord {
  name: string;
  /** The branch there that gets the target. */
  branch: string;
  /** Its address without a login, for people. */
  shown: string;
  /** Fingerprint of its settings. */
  mark: string;
}

/** Settings that decide where a remote is and how git reaches it. */
const REACHES = ['url', 'pushurl', 'proxy', 'proxyauthmethod', 'receivepack', 'uploadpack', 'vcs'];
/** ms. A command that hangs must not hold the landing queue. */
const LONGEST = { look: 60_000, move: 10 * 60_000 };

type Settings = Array<readonly [key: string, value: string]>;

async function settingsOf(root: string, name: string): Promise<Settings> {
  const pattern = `^remote\\.${name.replace(/[.+*?^$()[\]{}|\\]/g, '\\$&')}\\.`;
  const got = await git(root).result(['config', '--null', '--get-regexp', pattern], { ok: [0, 1], read: true });
  return got.stdout.split('\0').flatMap((one) => {
    const end = one.indexOf('\n');
    const key = (end < 0 ? one : one.slice(0, end)).slice(`remote.${name}.`.length);
    return REACHES.includes(key) ? [[key, end < 0 ? 'true' : one.slice(end + 1)] as const] : [];
  });
}

const markOf = (settings: Settings): string => createHash('sha256').update(JSON.stringify(settings)).digest('hex');
const valuesOf = (settings: Settings, key: string): string[] =>
  settings.flatMap(([one, value]) => (one === key ? [value] : []));

/** Without user name, password and token. */
export const shownAddress = (url: string): string => url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, '$1');

/** @throws RepositoryError when there is no such remote, or when it has several addresses */
export async function recordRemote(
  root: string,
  { name, branch, mode = 'push' }: { name: string; branch: string; mode?: 'push' | 'pr' },
) {
  const settings = await settingsOf(root, name);
  const [url] = addressesOf(settings);
  if (url === undefined) {
    const known = (await git(root).run(['remote'], { read: true })).split('\n').filter(Boolean);
    throw new RepositoryError(
      `landing.mode: ${mode} needs a remote, and ${root} has no remote ${name}${known.length > 0 ? ` (it has ${known.join(', ')})` : ''}.`,
      `Add it: git remote add ${name} <address>; or set landing.remote`,
    );
  }
  if (addressesOf(settings).length > 1)
    throw new RepositoryError(
      `The remote ${name} of ${root} has several addresses, and ralphctl pushes to one.`,
      'Set landing.remote to a remote with one address',
    );
  return { name, branch, shown: shownAddress(url), mark: markOf(settings) } satisfies RemoteRecord;
}

const addressesOf = (settings: Settings): string[] => {
  const push = valuesOf(settings, 'pushurl');
  return push.length > 0 ? push : valuesOf(settings, 'url');
};

/** Why ralphctl does not talk to the remote. */
export class RemoteChanged extends Error {
  override name = 'RemoteChanged';
}

export interface RemoteGit {
  record: RemoteRecord;
  root: string;
  /** Runs `git <args(remote)>`. Rejects only when it could not run to its end. */
  run(args: (remote: string) => readonly string[], kind: keyof typeof LONGEST): Promise<GitResult>;
}

export interface Access {
  /** Checkout of the repository. */
  root: string;
  record: RemoteRecord;
  /** The worker's environment, from which the credentials come. */
  env: NodeJS.ProcessEnv;
  /** Further variables that credentials need. */
  passEnv: readonly string[];
  signal?: AbortSignal;
}

/** @throws RemoteChanged when the remote's settings are not those of the start */
export async function openRemote({ root, record, env, passEnv, signal }: Access): Promise<RemoteGit> {
  const settings = await settingsOf(root, record.name);
  if (markOf(settings) !== record.mark)
    throw new RemoteChanged(
      `the settings of the remote ${record.name} are not those from the start of the run (${record.shown})`,
    );
  const remote = `ralphctl-${randomBytes(12).toString('hex')}`;
  const [url = ''] = addressesOf(settings);
  const others = settings.filter(([key]) => key !== 'url' && key !== 'pushurl');
  const config = [['url', url] as const, ...others].map(([key, value]) => [`remote.${remote}.${key}`, value] as const);
  const given = credentialsOf(env, passEnv, config);
  const ok = Array.from({ length: 256 }, (_, code) => code);
  return {
    record,
    root,
    run: async (args, kind) => {
      const ended = AbortSignal.timeout(LONGEST[kind]);
      const both = signal ? AbortSignal.any([signal, ended]) : ended;
      try {
        return await git(root).result(args(remote), { env: given, ok, signal: both });
      } catch (error) {
        signal?.throwIfAborted();
        if (!ended.aborted) throw error;
        return { code: 128, stdout: '', stderr: `fatal: no answer within ${LONGEST[kind] / 1000} seconds\n` };
      }
    },
  };
}

/** The last words of git about the remote, on one line, without logins. */
export function saidOf({ stderr }: Pick<GitResult, 'stderr'>): string {
  const lines = stderr
    .split('\n')
    .map((line) => line.replace(/^remote:\s*/, '').trim())
    .filter(
      (line) => line !== '' && !/^(?:hint:|To |Everything up-to-date|Please make sure|and the repository)/.test(line),
    );
  const text = lines.slice(-4).join('; ') || 'git said nothing';
  return inOneLine(text)
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1')
    .slice(0, 400);
}
