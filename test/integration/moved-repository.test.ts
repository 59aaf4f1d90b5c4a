/** A repository that is not where it was: moved between runs, moved under a run, or without its `.git`. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';
import type { Outcome, Sandbox } from '../support/program.js';
import { until } from '../support/program.js';

const HOUR = 3_600_000;
let held: Held;
afterEach(async () => {
  await held?.box.run('-C', moved(held.box), 'abort');
  await held?.box.run('-C', moved(held.box), 'worker', '--stop');
  await held?.box.dispose();
});

const moved = ({ repo }: Sandbox): string => `${repo}-elsewhere`;

/** Leaves an empty folder, because commands have to be called somewhere. */
async function move({ repo }: Sandbox, from = repo, to = `${repo}-elsewhere`): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await rename(from, to);
  await mkdir(from);
}

const there = (...args: string[]): Promise<Outcome> => held.box.run('-C', moved(held.box), ...args);
const ideas = [
  { id: 'a-1', steps: [{ signal: 'CONTINUE', free: true }, { signal: 'COMPLETE' }] },
  { id: 'b-1', steps: [DONE], depends: 'a-1' },
];

it(
  'B2 C1: a repository that is moved after a run starts again, and its ideas go on in their worktrees',
  async () => {
    held = await Held.open(inject('stateRoot'), ideas);
    const { box } = held;
    await held.start();
    await held.began('a-1', 2);
    const project = (await box.run('status', '--json')).json[0]?.project;
    expect((await box.run('abort')).code).toBe(0);
    await held.closed();
    await box.run('worker', '--stop');
    const worktrees = async (repo: string): Promise<string> => box.git('-C', repo, 'worktree', 'list', '--porcelain');
    expect(await worktrees(box.repo)).toContain('refs/heads/ralph/a-1');
    await move(box);

    expect((await there('status', '--json')).json[0]).toMatchObject({ project, last: { landed: 0 } });
    await held.go('a-1-1', 'a-1-2');
    const again = await there('start');
    expect(again, again.stderr + again.stdout).toMatchObject({ code: 0 });
    expect(again.stdout).toContain('2 landed');
    expect(await readFile(join(moved(box), 'a-1.txt'), 'utf8')).toMatch(/^1\n/);

    // Back again, and its project with it.
    await rm(box.repo, { recursive: true });
    await rename(moved(box), box.repo);
    expect((await box.run('status', '--json')).json[0]).toMatchObject({ project, last: { landed: 2 } });
    expect((await box.run('start', '--again', 'b-1')).code).toBe(0);
  },
  HOUR,
);

it(
  'B2: a repository that is moved under a run is waited for; the run goes on where it lies now',
  async () => {
    held = await Held.open(inject('stateRoot'), ideas);
    const { box } = held;
    await held.start();
    await held.began('a-1', 2);
    await move(box);
    await held.go('a-1-2');
    const waits = /the repository .* is gone.*ralphctl start/;
    await until('the wait', async () => waits.test((await box.run('logs')).stdout), 120_000);
    expect(existsSync(join(box.repo, '.git'))).toBe(false);
    const status = await box.run('status');
    expect(status).toMatchObject({ code: 0, stderr: expect.stringContaining('no longer a git repository') });

    const attached = await there('start');
    expect(attached.code, attached.stderr + attached.stdout).toBe(0);
    expect(attached.stdout).toContain('2 landed');
  },
  HOUR,
);

it(
  'B2: without its .git a run is seen, fails no idea, and can be ended',
  async () => {
    held = await Held.open(inject('stateRoot'), ideas);
    const { box } = held;
    await held.start();
    await held.began('a-1', 2);
    await rename(join(box.repo, '.git'), join(box.repo, '.git-away'));
    await held.go('a-1-2');
    await until('the wait', async () => /is gone/.test((await box.run('logs')).stdout), 120_000);
    expect((await held.status())?.counts).toMatchObject({ failed: 0, landed: 0 });
    expect((await box.run('why', 'a-1')).code).toBe(0);
    const ended = await box.run('abort');
    expect(ended, ended.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining('Restore its .git folder') });
    await held.closed();
    await box.run('worker', '--stop');
    await rename(join(box.repo, '.git-away'), join(box.repo, '.git'));
    await held.go('a-1-1');
    const again = await box.run('start');
    expect(again, again.stderr + again.stdout).toMatchObject({ code: 0 });
  },
  HOUR,
);
