/**
 * What blocks the files that an update adds to a checkout.
 * Invariant: reads only, and follows no symbolic link: what is behind one is not part of the checkout. Names are bytes here,
 * whatever their encoding: a name that is read wrongly is not found, and git overwrites an ignored file.
 */
import { lstat } from 'node:fs/promises';
import { type Git, git } from '../runner.js';
import { isWithin } from '../within.js';

/**
 * Untracked and ignored files and links at a path that is added in `from..to`, in the place of a folder above it, and in a
 * folder at its place. A name that is not UTF-8 is quoted as git does it: `"caf\351"`.
 */
export async function inTheWay(checkout: string, from: string, to: string): Promise<string[]> {
  const run = git(checkout);
  const [added, staged] = await Promise.all([
    namesOf(run, ['diff-tree', '-r', '--name-only', '--no-renames', '--diff-filter=A', from, to]),
    namesOf(run, ['diff-index', '--cached', '--name-only', '--no-renames', from, '--']),
  ]);
  const own = new Set(staged);
  const known: Known = new Map();
  const at = await Promise.all(added.filter((path) => !own.has(path)).map((path) => whatIsAt(checkout, path, known)));
  const above = at.flatMap((one) => (one?.kind === 'above' ? [one.path] : []));
  const folders = at.flatMap((one) => (one?.kind === 'folder' ? [one.path] : []));
  // A tracked file in the place of a folder goes with the update, and so does a folder with tracked files alone.
  const tracked = new Set(above.length > 0 ? await namesOf(run, ['ls-files', ...SHOWN, ...literal(above)]) : []);
  const within = folders.length > 0 ? await namesOf(run, ['ls-files', ...OTHERS, ...SHOWN, ...literal(folders)]) : [];
  const others = within.map((path) => path.replace(/\/$/, ''));
  const blocking = at.flatMap((one): string[] => {
    if (one?.kind === 'folder') return others.filter((path) => isWithin(path, one.path) || isWithin(one.path, path));
    return one && !(one.kind === 'above' && tracked.has(one.path)) ? [one.path] : [];
  });
  return [...new Set(blocking)].map(shown);
}

const SHOWN = ['--full-name', '--'];
const OTHERS = ['-o', '--directory', '--no-empty-directory'];

interface Found {
  kind: 'file' | 'folder' | 'above';
  path: string;
}

async function whatIsAt(checkout: string, path: string, known: Known): Promise<Found | undefined> {
  const above = await firstBlocking(checkout, path, known);
  if (above !== undefined) return { kind: 'above', path: above };
  const info = await lstat(placeOf(checkout, path)).catch(() => undefined);
  return info && { kind: info.isDirectory() ? 'folder' : 'file', path };
}

/** As pathspecs; all of the checkout where one of them is no text. */
function literal(paths: readonly string[]): string[] {
  const texts = [...new Set(paths)].map(textOf);
  return texts.every((text) => text !== undefined) ? texts.map((text) => `:(top,literal)${text}`) : [':/'];
}

/*
 * A name as bytes: a text with one character for each. git quotes what is no plain ASCII, and the quotes keep each byte.
 */

async function namesOf(run: Git, args: readonly string[]): Promise<string[]> {
  const { stdout } = await run.result(args, { read: true, config: ['core.quotePath=true'] });
  return stdout.split('\n').filter(Boolean).map(unquoted);
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' },
};

const unquoted = (name: string): string =>
  name.startsWith('"')
    ? name
        .slice(1, -1)
        .replace(/\\([0-7]{3}|.)/g, (_, code: string) =>
          code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (ESCAPES[code] ?? code),
        )
    : name;

const bytesOf = (name: string): Buffer => Buffer.from(name, 'latin1');
const placeOf = (checkout: string, name: string): Buffer => Buffer.concat([Buffer.from(`${checkout}/`), bytesOf(name)]);

/** Undefined: it is not UTF-8. */
function textOf(name: string): string | undefined {
  const bytes = bytesOf(name);
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes) ? text : undefined;
}

const shown = (name: string): string =>
  textOf(name) ??
  `"${name.replace(/["\\]|[^ -~]/g, (one) => (/["\\]/.test(one) ? `\\${one}` : `\\${one.charCodeAt(0).toString(8).padStart(3, '0')}`))}"`;

type Known = Map<string, Promise<boolean>>;

/** The first parent of the path that exists and is no folder: git does not write through it. */
export const blockingParent = async (checkout: string, path: string, known?: Known): Promise<string | undefined> => {
  const above = await firstBlocking(checkout, Buffer.from(path).toString('latin1'), known ?? new Map());
  return above === undefined ? undefined : bytesOf(above).toString('utf8');
};

async function firstBlocking(checkout: string, path: string, known: Known): Promise<string | undefined> {
  const names = path.split('/');
  for (let length = 1; length < names.length; length++) {
    const parent = names.slice(0, length).join('/');
    const blocks = known.get(parent) ?? isNoFolder(placeOf(checkout, parent));
    known.set(parent, blocks);
    if (await blocks) return parent;
  }
  return undefined;
}

const isNoFolder = (path: Buffer): Promise<boolean> =>
  lstat(path).then(
    (info) => !info.isDirectory(),
    () => false,
  );
