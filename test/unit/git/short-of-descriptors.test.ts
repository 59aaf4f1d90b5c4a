/**
 * What reads a repository as files when file descriptors run out: that says nothing about the repository. The real limit
 * of the system, in a process of its own. Feature: C6.
 */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readOutside } from '../../../src/git/confinement/outside.js';
import { readFiles } from '../../../src/git/confinement/wall-files.js';
import { privateGitDir, readBranches, readLinks } from '../../../src/git/worktrees/list.js';
import { built, src } from '../process/built.js';
import { makeRepo, sh } from './repo.js';

const TAGS = 3000;
const BRANCHES = 1000;
const WORKTREES = 150;
const HOOKS = 150;

interface Place {
  root: string;
  gitDir: string;
  commonDir: string;
  worktree: string;
}

/** A repository with many loose refs, hooks and worktrees, all written as files. */
async function large(): Promise<Place> {
  const repo = await makeRepo();
  onTestFinished(() => repo.remove());
  const gitDir = join(repo.root, '.git');
  const worktree = join(repo.worktreesRoot, 'ralph-tree-001');
  await mkdir(repo.worktreesRoot, { recursive: true });
  await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/i-1', worktree);
  const write = async (folder: string, texts: Record<string, string>): Promise<void> => {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text, { mode: 0o755 });
  };
  const many = (count: number, name: string, text: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${name}${n}`, text]));
  for (const folder of ['', 'below', 'below/deep'])
    await write(join(gitDir, 'refs/tags', folder), many(TAGS / 3, 'v', `${repo.base}\n`));
  await write(join(gitDir, 'refs/heads/ralph'), many(BRANCHES, 'b-', `${repo.base}\n`));
  await write(join(gitDir, 'hooks'), many(HOOKS, 'hook-', '#!/bin/sh\n'));
  for (let n = 0; n < WORKTREES; n++) {
    const [own, folder] = [join(gitDir, 'worktrees', `w${n}`), join(repo.scratch, `w${n}`)];
    await write(own, { HEAD: `ref: refs/heads/b${n}\n`, gitdir: `${folder}/.git\n` });
    await write(folder, { '.git': `gitdir: ${own}\n` });
  }
  return { root: repo.root, gitDir, commonDir: gitDir, worktree };
}

/** All that is compared before and after an agent's run. */
const state = async (place: Place) => ({
  outside: await readOutside(place),
  files: await readFiles(place.commonDir),
  links: await readLinks(place.commonDir),
  branches: await readBranches(place.commonDir, 'ralph/'),
});

const ALL_AT_ONCE = `
import { readOutside } from '${src}/git/confinement/outside.js';
import { readFiles } from '${src}/git/confinement/wall-files.js';
import { readBranches, readLinks } from '${src}/git/worktrees/list.js';
const place = JSON.parse(process.argv[2]);
const [outside, files, links, branches] = await Promise.all([
  readOutside(place), readFiles(place.commonDir), readLinks(place.commonDir), readBranches(place.commonDir, 'ralph/'),
]);
process.stdout.write(JSON.stringify({ outside, files, links, branches }));
`;

/** Fills the table of descriptors, and asks for everything; then again with what \`free\` gives back. */
const FULL = `
import { closeSync, openSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { isReadable } from '${src}/git/checkout-index.js';
import { clearWhatGitFollows } from '${src}/git/confinement/after-agent.js';
import { readMoves, readOutside } from '${src}/git/confinement/outside.js';
import { readTrace } from '${src}/git/confinement/trace.js';
import { ownFiles } from '${src}/git/confinement/wall-deep.js';
import { readFiles } from '${src}/git/confinement/wall-files.js';
import { fixLink } from '${src}/git/confinement/wall-link.js';
import { findPipes, hasPipe } from '${src}/git/confinement/wall-pipes.js';
import { activeSections, readBreaches, readJson } from '${src}/git/confinement/wall-sections.js';
import { READING } from '${src}/git/regular.js';
import { privateGitDir, readBranches, readLinks } from '${src}/git/worktrees/list.js';
import { isWhole } from '${src}/git/worktrees/mend.js';
import { brokenHead, commonDirAt, readableHead, registrations } from '${src}/git/worktrees/moved.js';
import { readMark } from '${src}/git/worktrees/recycle.js';
import { findMentions, textsWith } from '${src}/jobs/confine/mentions.js';
const { root, gitDir, commonDir, worktree } = JSON.parse(process.argv[2]);
const dir = process.argv[3];
const admin = commonDir + '/worktrees/ralph-tree-001';
await writeFile(dir + '/record.json', '{"a":1}');
await writeFile(dir + '/out', 'rm ' + root + '/a\\n');
await writeFile(admin + '/ralphctl-idea', 'i-1');
const asks = {
  outside: async () => (await readOutside({ root, gitDir, commonDir })).refs['refs/tags/below/v0'] !== undefined,
  files: async () => 'config' in (await readFiles(commonDir)),
  links: async () => (await readLinks(commonDir))['ralph-tree-001'].sound,
  branches: async () => Object.keys(await readBranches(commonDir, 'ralph/')).length > 900,
  moves: async () => (await readMoves(gitDir, 'HEAD')).length > 0,
  gitDir: async () => (await privateGitDir(worktree)) === admin,
  fixLink: async () => (await fixLink(worktree, commonDir)).length === 0,
  commonDirAt: async () => (await commonDirAt(worktree)) === commonDir,
  registrations: async () => (await registrations(commonDir)).length > 100,
  head: () => readableHead(admin + '/HEAD'),
  brokenHead: async () => (await brokenHead(root)) === undefined,
  whole: () => isWhole(admin),
  mark: async () => (await readMark(admin, 'idea')) === 'i-1',
  json: async () => (await readJson(dir + '/record.json')).a === 1,
  sections: async () => (await activeSections(dir)).length === 0,
  breaches: async () => (await readBreaches(dir, 'agent-i-1', 0)).length === 0,
  pipes: async () => (await findPipes(commonDir)).length === 0,
  index: () => isReadable(root, gitDir + '/index'),
  trace: async () => (await readTrace(dir + '/out')).length === 0,
  mentions: async () => (await findMentions(dir + '/out', root, [])).length === 1,
  texts: async () => (await textsWith(dir + '/out', ['rm'])).get('rm').length === 1,
  followed: async () => (await clearWhatGitFollows({ worktree, branch: 'ralph/i-1', sandboxed: true, tipOf: async () => undefined })).length === 0,
};
// Without waiting in between.
const now = { hasPipe: () => hasPipe(commonDir) === false, ownFiles: () => ownFiles(commonDir).length > 100 };
const held = [];
const fill = () => { try { for (;;) held.push(openSync('/dev/null', 'r')); } catch {} };
const free = () => { for (const fd of held.splice(0)) closeSync(fd); };
const how = async (ask) => { try { return await ask(); } catch (error) { return error.code ?? error.message; } };
const answers = async (all) => Object.fromEntries(await Promise.all(Object.entries(all).map(async ([name, ask]) => [name, await how(ask)])));
fill();
READING.waitsMs = [1, 1];
const full = await answers({ ...asks, ...now });
READING.waitsMs = Array(2000).fill(10);
const waiting = answers(asks);
setTimeout(free, 100);
process.stdout.write(JSON.stringify({ full, later: await waiting, after: await answers({ ...asks, ...now }) }));
`;

const under = async (limit: number, text: string, place: Place): Promise<unknown> => {
  const { dir, program } = await built(text);
  const line = `ulimit -n ${limit} && exec "$0" "$@"`;
  const { stdout } = await execa('/bin/sh', ['-c', line, process.execPath, program, JSON.stringify(place), dir]);
  return JSON.parse(stdout);
};

/** Names alone: a list of thousands helps nobody. */
const changed = (before: object, after: object): string[] => {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const text = (value: unknown): string | undefined => JSON.stringify(value);
  return [...new Set([...was.keys(), ...is.keys()])].filter((name) => text(was.get(name)) !== text(is.get(name)));
};

describe.runIf(process.platform !== 'win32')('with few file descriptors', () => {
  it('reads thousands of refs, hooks and worktrees, and finds no change', { timeout: 120_000 }, async () => {
    const place = await large();
    const before = await state(place);
    expect(Object.keys(before.outside.refs).length).toBeGreaterThanOrEqual(TAGS);
    const after = (await under(120, ALL_AT_ONCE, place)) as typeof before;
    expect(changed(before.outside.refs, after.outside.refs)).toEqual([]);
    expect(changed(before.branches, after.branches)).toEqual([]);
    expect(changed(before.files, after.files)).toEqual([]);
    expect(changed(before.links, after.links)).toEqual([]);
    expect(changed(before.outside, after.outside)).toEqual([]);
  });

  it('says that none is free, waits for one, and never that something is gone', { timeout: 120_000 }, async () => {
    const place = await large();
    const links = () => readFile(join(place.worktree, '.git'), 'utf8');
    const before = { link: await links(), admin: await readdir(join(place.commonDir, 'worktrees/ralph-tree-001')) };
    const seen = (await under(100, FULL, place)) as Record<'full' | 'later' | 'after', Record<string, unknown>>;
    const each = (value: unknown, of: object) => Object.fromEntries(Object.keys(of).map((name) => [name, value]));
    expect(seen.full).toEqual(each('EMFILE', seen.full));
    expect(seen.later).toEqual(each(true, seen.later));
    expect(seen.after).toEqual(each(true, seen.after));
    expect(await links()).toBe(before.link);
    expect(await readdir(join(place.commonDir, 'worktrees/ralph-tree-001'))).toEqual(
      [...before.admin, 'ralphctl-idea'].sort(),
    );
  });
});

describe.runIf(process.platform !== 'win32')('what is in the place of a ref or link', () => {
  it('is none where git could not read it either: a loop, a folder, a file above it', async () => {
    const repo = await makeRepo();
    onTestFinished(() => repo.remove());
    const place = { root: repo.root, gitDir: join(repo.root, '.git'), commonDir: join(repo.root, '.git') };
    const tags = join(place.gitDir, 'refs/tags');
    await writeFile(join(tags, 'whole'), `${repo.base}\n`);
    await symlink('loop', join(tags, 'loop'));
    await symlink('nowhere', join(tags, 'dangling'));
    await mkdir(join(tags, 'empty'));
    await mkdir(join(place.gitDir, 'logs/refs'), { recursive: true });
    await symlink('stash', join(place.gitDir, 'logs/refs/stash'));
    await writeFile(join(place.gitDir, 'worktrees'), 'a file');
    const seen = await readOutside(place);
    expect(Object.keys(seen.refs)).toEqual(['refs/heads/main', 'refs/tags/whole']);
    expect(seen).toMatchObject({ stashes: [], worktrees: [] });
    expect(await readLinks(place.commonDir)).toEqual({});
    await symlink('.git', join(repo.scratch, '.git'));
    expect(await privateGitDir(repo.scratch)).toBeUndefined();
  });

  it.runIf(process.getuid?.() !== 0)('names what it may not read, and the fix', async () => {
    const repo = await makeRepo();
    onTestFinished(() => repo.remove());
    const place = { root: repo.root, gitDir: join(repo.root, '.git'), commonDir: join(repo.root, '.git') };
    const tag = join(place.gitDir, 'refs/tags/mine');
    await writeFile(tag, `${repo.base}\n`, { mode: 0o000 });
    await expect(readOutside(place)).rejects.toThrow(/may not read .*refs\/tags\/mine.*chmod u\+rwX/s);
  });
});
