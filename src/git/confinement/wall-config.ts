/**
 * Settings: which changes of a repository's configuration matter, and the user's own settings from the start of a run.
 * Invariant: only a setting that can neither run a program nor change what git stores, shows or lands counts as
 * harmless.
 */
import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { git } from '../runner.js';

/** In order. A key may occur more than once. A key without a value means true. */
type Entries = Array<[key: string, value: string | undefined]>;

function parse(text: string): Entries {
  return text
    .split('\0')
    .filter(Boolean)
    .map((one) => {
      const at = one.indexOf('\n');
      return at < 0 ? [one, undefined] : [one.slice(0, at), one.slice(at + 1)];
    });
}

/** Undefined: git cannot read it. */
async function entriesOf(text: string): Promise<Map<string, string> | undefined> {
  const args = ['config', '--file', '-', '--no-includes', '--null', '--list'];
  const got = await git('/').result(args, { input: text, ok: [0, 1, 3, 128, 129], read: true });
  if (got.code !== 0) return undefined;
  const found = new Map<string, string>();
  for (const [key, value] of parse(got.stdout)) found.set(key, `${found.get(key) ?? ''}\0${value ?? 'true'}`);
  return found;
}

/** Addresses of remotes, by their names. */
export async function remotesOf(text: string): Promise<ReadonlyMap<string, string>> {
  const entries = /^\s*\[remote\b/im.test(text) ? await entriesOf(text) : undefined;
  const found = new Map<string, string>();
  for (const [key, value] of entries ?? []) {
    const name = /^remote\.(.+)\.(?:url|pushurl|fetch)$/s.exec(key)?.[1];
    if (name !== undefined) found.set(name, key.endsWith('.url') ? value.slice(1) : (found.get(name) ?? ''));
  }
  return found;
}

/** Settings of branches: their push destination, and notes of editors. */
const BRANCH = /^branch\..+\.(?!mergeoptions$)[^.]+$/s;
/** Settings that git and its tools write by themselves, or personal preferences. */
const HARMLESS =
  /^(?:gc\.(?!recentobjectshook$)[^.]+|maintenance\..+|gui\..+|color\..+|advice\.[^.]+|pull\.(?:rebase|ff)|push\.(?:default|autosetupremote|followtags)|fetch\.prune(?:tags)?|lfs\.repositoryformatversion|lfs\..+\.(?:access|locksverify)|remote\..+\.gh-resolved|submodule\..+\.active)$/s;
/** Settings of new remotes and submodules. */
const NEW =
  /^(?:(?<remote>remote\..+)\.(?:url|pushurl|fetch|tagopt|prune)|(?<submodule>submodule\..+)\.(?:url|active|branch))$/s;

/** Keys of changes that are not harmless. All keys of a file that git cannot read. */
export async function changedSettings(before: string, after: string): Promise<string[]> {
  if (before === after) return [];
  const [was, is] = await Promise.all([entriesOf(before), entriesOf(after)]);
  if (!was || !is) return ['(a file that git cannot read)'];
  const changed = [...new Set([...was.keys(), ...is.keys()])].filter((key) => was.get(key) !== is.get(key));
  return changed.filter((key) => !BRANCH.test(key) && !HARMLESS.test(key) && !isNew(key, was, is));
}

function isNew(key: string, was: ReadonlyMap<string, string>, is: ReadonlyMap<string, string>): boolean {
  const { remote, submodule } = NEW.exec(key)?.groups ?? {};
  const section = remote ?? submodule;
  if (section === undefined) return false;
  // The whole section is new or gone.
  return ![...was.keys()].some((one) => one.startsWith(`${section}.`)) || !is.has(key);
}

const FROZEN: ReadonlySet<string> = new Set(['system', 'global']);

/**
 * Writes the present settings of system and user into one file, including their includes: agents that run as root can
 * write those of the system. False where the copy would differ in meaning; git then continues to read the files.
 */
export async function freezeUserConfig(root: string, file: string): Promise<boolean> {
  const list = ['config', '--null', '--list'];
  const got = await git(root).result([...list, '--show-scope', '--includes'], { ok: [0, 1, 128], read: true });
  if (got.code !== 0) return false;
  const fields = got.stdout.split('\0');
  const own: string[] = [];
  // In the order of git: those of the user count more.
  for (let at = 0; at + 1 < fields.length; at += 2) if (FROZEN.has(fields[at] ?? '')) own.push(`${fields[at + 1]}\0`);
  const entries = parse(own.join(''));
  // The copy already contains the included settings.
  const kept = entries.filter(([key]) => !/^include(?:if\..*)?\.path$/s.test(key));
  const fresh = `${file}.${randomBytes(4).toString('hex')}`;
  await writeFile(fresh, kept.map(write).join(''), { mode: 0o600 });
  const read = await git(root).result(['config', '--file', fresh, '--no-includes', ...list.slice(1)], {
    ok: [0, 1, 128],
    read: true,
  });
  await rename(fresh, file);
  return JSON.stringify(parse(read.stdout)) === JSON.stringify(kept);
}

function write([key, value]: Entries[number]): string {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  const section =
    first === last ? key.slice(0, first) : `${key.slice(0, first)} "${quoted(key.slice(first + 1, last))}"`;
  const name = key.slice(last + 1);
  return `[${section}]\n\t${name}${value === undefined ? '' : ` = "${quoted(value).replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`}\n`;
}

const quoted = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
