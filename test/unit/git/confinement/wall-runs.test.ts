/**
 * A newer run begins while code of an earlier one still works: somebody terminated the autopilot, and a person started
 * again. The wall stays until that code has ended. Features: C5 D2.
 */
import { spawnSync } from 'node:child_process';
import { appendFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admitTip, expectTip, targetTips, watchTarget } from '../../../../src/git/confinement/target-watch.js';
import {
  breachesBy,
  enterSection,
  leaveSection,
  raiseWall,
  type Wall,
  type WallPlace,
} from '../../../../src/git/confinement/wall.js';
import type { Section } from '../../../../src/git/confinement/wall-sections.js';
import { git } from '../../../../src/git/runner.js';
import { ownIdentity } from '../../../../src/process/identity.js';
import { commitFiles, makeRepo, read, sh, type TestRepo } from '../repo.js';

const [FIRST, SECOND, THIRD] = [0, 1, 2].map((day) => new Date(day * 86_400_000).toISOString()) as [
  string,
  string,
  string,
];
const NAME = 'agent-a-1';

let repo: TestRepo;
let place: WallPlace;
let gitDir: string;
let wall: Wall;
let before: string;
beforeEach(async () => {
  repo = await makeRepo({ 'a.txt': 'one\n' });
  gitDir = join(repo.root, '.git');
  const dir = join(repo.scratch, 'wall');
  await mkdir(dir);
  place = { commonDir: gitDir, root: repo.root, linked: [repo.worktreesRoot], dir };
  before = await read(gitDir, 'config');
  wall = await raise(FIRST);
});
afterEach(() => repo.remove());

async function raise(createdAt: string, more: Partial<WallPlace> = {}): Promise<Wall> {
  const raised = await raiseWall({ ...place, ...more }, createdAt);
  await watchTarget(repo.root, 'main');
  return raised;
}

const canary = (): string => join(repo.scratch, 'canary');
const ran = async (): Promise<boolean> => (await readdir(repo.scratch)).includes('canary');

async function poison(): Promise<void> {
  const run = `touch '${canary()}'; cat`;
  await appendFile(
    join(gitDir, 'config'),
    `[filter "x"]\n\tclean = ${run}\n\tsmudge = ${run}\n[core]\n\thooksPath = ${repo.scratch}/hooks\n`,
  );
  await mkdir(join(gitDir, 'info'), { recursive: true });
  await writeFile(join(gitDir, 'info/attributes'), '*.txt filter=x\n');
}

/** A git of ralphctl that would run the filter. */
async function checkOut(): Promise<void> {
  await rm(join(repo.root, 'a.txt'));
  await git(repo.root).run(['checkout', '--', 'a.txt']);
}

async function expectWhole(): Promise<void> {
  expect(await ran()).toBe(false);
  expect(await read(gitDir, 'config')).toBe(before);
  await expect(read(gitDir, 'info/attributes')).rejects.toThrow('ENOENT');
}

const toldOf = async (at: Wall, since: number): Promise<string[]> =>
  (await breachesBy(at, NAME, since)).flatMap(({ changes }) => changes.map(({ what }) => what)).sort();
const POISON = ['made .git/info/attributes', 'set filter.x.clean, filter.x.smudge, core.hookspath in .git/config'];

describe('while an agent of the earlier run works', () => {
  it('C5: what it sets after the newer run began is put back, and it is asked about', async () => {
    const section = await enterSection(wall, { name: NAME });
    const newer = await raise(SECOND);
    await poison();
    await checkOut();
    await expectWhole();
    for (const one of [wall, newer]) expect(await toldOf(one, section.at)).toEqual(POISON);
    await leaveSection(wall, section);
  });

  it('C5: what it set before the newer run began is put back, and it is asked about', async () => {
    const section = await enterSection(wall, { name: NAME });
    await poison();
    const newer = await raise(SECOND);
    await checkOut();
    await expectWhole();
    for (const one of [wall, newer]) expect(await toldOf(one, section.at)).toEqual(POISON);
    await leaveSection(wall, section);
  });

  it('C5: what was put back before the newer run began is still asked about', async () => {
    const section = await enterSection(wall, { name: NAME });
    await poison();
    await checkOut();
    await raise(SECOND);
    await raise(THIRD);
    await expectWhole();
    expect(await toldOf(wall, section.at)).toEqual(POISON);
    await leaveSection(wall, section);
  });

  it.each(['before', 'after'])('D2: a target that it moves %s the newer run began is asked about', async (when) => {
    const section = await enterSection(wall, { name: NAME });
    if (when === 'after') await raise(SECOND);
    // As an agent does it: in its worktree, and not with a commit there.
    const own = join(repo.worktreesRoot, 'a-1');
    await sh(repo.root, 'worktree', 'add', '-q', '-b', 'ralph/a-1', own);
    const tip = await sh(own, 'commit-tree', '-p', 'main', '-m', 'sneak', 'main^{tree}');
    await sh(own, 'update-ref', 'refs/heads/main', tip);
    if (when === 'before') await raise(SECOND);
    await expect(admitTip(repo.root, 'main', tip, 'a-2')).rejects.toThrow('without a landing');
    await leaveSection(wall, section);
  });

  it('D2: landings of the earlier run are still known, and a commit of a person is accepted', async () => {
    const section = await enterSection(wall, { name: NAME });
    const all: string[] = [repo.base];
    for (const name of ['one', 'two']) {
      const to = await sh(repo.root, 'commit-tree', '-p', 'main', '-m', name, 'main^{tree}');
      await expectTip(repo.root, 'main', all.at(-1) ?? '', to);
      await sh(repo.root, 'update-ref', 'refs/heads/main', to);
      all.push(to);
    }
    const [, one, landed = ''] = all;
    const newer = await raise(SECOND);
    expect((await targetTips(newer)).get('refs/heads/main')).toEqual(new Set([one, landed]));
    await expect(admitTip(repo.root, 'main', landed, 'a-2')).resolves.toBeUndefined();
    const mine = await commitFiles(repo.root, { 'mine.txt': 'mine' }, 'mine');
    await expect(admitTip(repo.root, 'main', mine, 'a-2')).resolves.toBeUndefined();
    await leaveSection(wall, section);
  });

  it('C5: once it has ended, changes are a person’s again, and the next run begins anew', async () => {
    const section = await enterSection(wall, { name: NAME });
    const newer = await raise(SECOND);
    await leaveSection(wall, section);
    await sh(repo.root, 'config', 'filter.mine.clean', 'cat');
    await enterSection(newer, { name: 'agent-a-2' }).then((one) => leaveSection(newer, one));
    expect(await sh(repo.root, 'config', 'filter.mine.clean')).toBe('cat');
    await expectTip(repo.root, 'main', repo.base, repo.base);
    await raise(THIRD);
    expect(await readdir(place.dir)).not.toContain('active');
  });
});

/** A section whose process is another one than this. */
async function noteOther(section: Partial<Section>): Promise<void> {
  await mkdir(join(place.dir, 'active'), { recursive: true });
  await writeFile(join(place.dir, `active/${NAME}.json`), JSON.stringify({ name: NAME, at: Date.now(), ...section }));
}

const dead = (): number => spawnSync('true').pid;

/** Settings and commits between the runs. */
async function workAsPerson(): Promise<string> {
  await sh(repo.root, 'config', 'filter.mine.clean', 'cat');
  await sh(repo.root, 'switch', '-q', '--detach');
  const tip = await commitFiles(repo.root, { 'mine.txt': 'mine' }, 'mine');
  await sh(repo.root, 'update-ref', 'refs/heads/main', tip);
  return tip;
}

async function expectAccepted(tip: string): Promise<void> {
  await git(repo.root).run(['status'], { read: true });
  expect(await sh(repo.root, 'config', 'filter.mine.clean')).toBe('cat');
  await expect(admitTip(repo.root, 'main', tip, 'a-2')).resolves.toBeUndefined();
  expect(await readdir(place.dir)).not.toContain('breaches');
}

describe('while none works, what a person did between the runs counts', () => {
  it('C5: after a run that ended', async () => {
    await enterSection(wall, { name: NAME }).then((section) => leaveSection(wall, section));
    const tip = await workAsPerson();
    await raise(SECOND);
    await expectAccepted(tip);
  });

  it('C5: after a crash, and nothing is left of it', async () => {
    await noteOther({ pid: dead() });
    const tip = await workAsPerson();
    await raise(SECOND, { isLeft: async () => false });
    await expectAccepted(tip);
  });

  it('C5: after a crash, when another process has got its pid', async () => {
    await noteOther({ ...(await ownIdentity()), startTime: 'earlier' });
    const tip = await workAsPerson();
    await raise(SECOND);
    await expectAccepted(tip);
  });

  it('C5: after the last look at what an agent left failed', async () => {
    const section = await enterSection(wall, { name: NAME });
    await poison();
    // No copy can be kept, so nothing is put back.
    await writeFile(join(place.dir, 'kept'), '');
    await expect(leaveSection(wall, section)).rejects.toThrow();
    await writeFile(join(gitDir, 'config'), before);
    const tip = await workAsPerson();
    await raise(SECOND);
    await expectAccepted(tip);
  });
});

it('C5: an agent that a killed process left counts as one that works', async () => {
  await noteOther({ pid: dead() });
  const asked: string[] = [];
  await raise(SECOND, { isLeft: async ({ name }) => asked.push(name) > 0 });
  expect(asked).toEqual([NAME]);
  await poison();
  await checkOut();
  await expectWhole();
  expect(await toldOf(wall, 0)).toEqual(POISON);
});
