/**
 * `landing.mode: push` in whole runs on a real bare remote: kills between landing, push and record; a hook that says
 * no; a remote that is gone for a while. Features: D2, C1.
 */
import { existsSync } from 'node:fs';
import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import type { StampedEvent } from '../../src/protocol/events.js';
import type { WhyView } from '../../src/protocol/views.js';
import { DONE, Held } from '../support/held.js';
import { pidsWith } from '../support/processes.js';
import { until, yaml } from '../support/program.js';

let held: Held;
let bare: string;
afterEach(() => held?.box.dispose());

const PATIENT_MS = 120_000;

/** A run of these ideas pushes to a bare repository beside the user's. */
async function withRemote(ids: string[], landing: Record<string, unknown> = {}, more: Record<string, unknown> = {}) {
  const ideas = ids.map((id, at) => ({ id, steps: [DONE], ...(at > 0 ? { depends: ids[at - 1] } : {}) }));
  held = await Held.open(inject('stateRoot'), ideas, {
    landing: { mode: 'push', retrySeconds: 1, ...landing },
    ...more,
  });
  const { box } = held;
  bare = join(dirname(box.repo), 'bare.git');
  await box.git('init', '--quiet', '--bare', '--initial-branch=main', bare);
  await box.git('remote', 'add', 'origin', bare);
  await box.git('push', '--quiet', '--set-upstream', 'origin', 'main');
}

const tips = async (): Promise<string[]> => [
  await held.box.git('rev-parse', 'main'),
  await held.box.git('-C', bare, 'rev-parse', 'main'),
];

async function program(name: string, script: string): Promise<string> {
  const path = join(name.startsWith('/') ? '' : held.box.scratch, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

async function killWorker(): Promise<void> {
  const project = String((await held.box.run('status', '--json')).json[0]?.project);
  const before = await pidsWith('worker', '--child', '--project', project);
  expect(before).toHaveLength(1);
  for (const pid of before) process.kill(pid, 'SIGKILL');
  await until('another worker', async () => {
    const now = await pidsWith('worker', '--child', '--project', project);
    return now.length > 0 && !now.some((pid) => before.includes(pid));
  });
}

type Push = Extract<StampedEvent, { kind: 'push' }>;
const pushes = async (): Promise<Push[]> => (await held.events()).filter((event) => event.kind === 'push');
const times = (text: string, part: string): number => text.split(part).length - 1;

it('D2 C1: killed between a landing and its push, and between a push and its record, each commit is there once', async () => {
  await withRemote(['p-1', 'p-2']);
  const { box } = held;
  const { scratch } = box;
  // The look at the remote that follows the landing of p-1, once.
  const look = await program(
    'look',
    `if git -C '${box.repo}' log --format=%B main | grep -q 'Ralph-Idea: p-1' && [ ! -e ${scratch}/looked ]; then
  touch ${scratch}/looked; until [ -e ${scratch}/go-look ]; do sleep 0.1; done
fi
exec git upload-pack "$@"`,
  );
  await box.git('config', 'remote.origin.uploadpack', look);
  // The remote has p-2, and its answer does not come.
  await program(
    join(bare, 'hooks/post-receive'),
    `if git log --format=%B main | grep -q 'Ralph-Idea: p-2' && [ ! -e ${scratch}/received ]; then
  touch ${scratch}/received; until [ -e ${scratch}/go-answer ]; do sleep 0.1; done
fi`,
  );
  const started = await box.run('start', '--detach');
  expect(started.stderr).toContain(
    `after each landing it pushes main to origin/main (${bare}), and never overwrites commits there`,
  );

  await until('the look', async () => existsSync(join(scratch, 'looked')), PATIENT_MS);
  const [landed, before] = await tips();
  expect(landed).not.toBe(before);
  await killWorker();
  await writeFile(join(scratch, 'go-look'), '');

  await until('the push of p-2', async () => existsSync(join(scratch, 'received')), PATIENT_MS);
  await killWorker();
  await writeFile(join(scratch, 'go-answer'), '');

  expect(await held.finish()).toMatchObject({ outcome: 'completed', notLanded: [] });
  const [local, remote] = await tips();
  expect(local).toBe(remote);
  const log = await box.git('-C', bare, 'log', '--format=%B', 'main');
  expect([times(log, 'Ralph-Idea: p-1'), times(log, 'Ralph-Idea: p-2')]).toEqual([1, 1]);
  const told = await pushes();
  expect(told.every(({ state }) => state === 'pushed')).toBe(true);
  expect(told.flatMap(({ ideas }) => ideas).sort()).toEqual(['p-1', 'p-2']);
  expect(await box.git('status', '--porcelain')).toBe('');
  const evidence = (await box.run('ledger', '--json')).json.filter(({ kind }) => kind === 'push');
  expect(evidence.map(({ idea }) => idea).sort()).toEqual(['p-1', 'p-2']);
}, 300_000);

it('D2: a hook that says no loses nothing: everything lands and says so, until sync or the next start pushes it', async () => {
  await withRemote(['h-1', 'h-2']);
  const { box } = held;
  const hook = await program(join(bare, 'hooks/pre-receive'), 'echo "main is frozen until monday" >&2; exit 1');
  const ended = await box.run('start', '--wait');
  expect(ended.code, ended.stderr).toBe(3);
  expect(ended.stdout).toContain('2 landed, 0 did not land');
  expect(ended.stdout).toMatch(
    /not pushed: 2 commits \(h-2, h-1\) are not on origin\/main: .*main is frozen until monday/,
  );
  const [landed, before] = await tips();
  expect(landed).not.toBe(before);
  expect(await pushes()).toMatchObject([{ state: 'held', cause: 'rejected', to: 'origin/main' }, {}].slice(0, 1));

  expect(ended.stdout).toMatch(/TO DO \(1\).*2 commits \(h-2, h-1\) are not on origin\/main.*ralphctl sync/s);
  expect(ended.stdout.split('completed:')[1]).not.toContain('An open run retries');

  const report = await box.run('report');
  expect(report.stdout).toMatch(/TO DO \(1\).*2 commits \(h-2, h-1\) are not on origin\/main.*ralphctl sync/s);
  expect(report.stdout).not.toContain('WORTH A LOOK');
  expect((await box.run('status')).stdout).toMatch(
    /! not pushed: 2 commits \(h-2, h-1\) are not on origin\/main: .*To push it: ralphctl sync/,
  );
  const doctor = await box.run('doctor', '--quick');
  expect(doctor.stdout).toMatch(/! remote +2 commits of main with landed work \(h-2, h-1\) are not on origin\/main/);
  expect((await box.run('start', '--dry-run')).stdout).toContain('2 commits with landed work (h-2, h-1) go first');
  const still = await box.run('sync');
  expect([still.code, still.stdout]).toEqual([7, expect.stringContaining('main is frozen until monday')]);
  // No run is open that could retry.
  expect(still.stdout).toContain('To push it: ralphctl sync');
  expect(still.stdout).not.toContain('An open run retries');
  expect((await box.run('why', 'h-1')).stdout).toMatch(
    /^status landed: not pushed: 2 commits \(h-2, h-1\) are not on origin\/main: .*main is frozen until monday.*To push it: ralphctl sync/m,
  );

  expect((await box.run('show', 'h-1')).stdout).toMatch(
    / {2}not pushed +2 commits \(h-2, h-1\) are not on origin\/main: .*monday[\s\S]*what helps now\n {2}ralphctl sync\n/,
  );

  await rm(hook);
  const synced = await box.run('sync');
  expect([synced.code, synced.stdout]).toEqual([0, 'pushed 2 landed ideas to origin/main: h-2, h-1']);
  expect((await tips())[1]).toBe(landed);
  for (const command of ['why', 'show']) expect((await box.run(command, 'h-1')).stdout).not.toContain('not pushed');
  for (const command of ['report', 'status'])
    expect((await box.run(command)).stdout).not.toContain('not on origin/main');
  expect((await box.run('doctor', '--quick')).stdout).toMatch(/✓ remote +origin\/main \(.*\) answers and takes a push/);
}, 300_000);

it('D2: sync pushes what the last run was to push: its target, also without a readable configuration; it counts all', async () => {
  await withRemote(['s-1']);
  const { box } = held;
  const config = { version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'], landing: { mode: 'push' } };
  // Nothing tells it where to push, and that is no success.
  await box.write({ 'ralphctl.yaml': 'landing: [' });
  const none = await box.run('sync');
  expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('ralphctl.yaml')]);
  await box.write({ 'ralphctl.yaml': yaml(config) });

  await box.git('branch', 'release');
  const hook = await program(join(bare, 'hooks/pre-receive'), 'echo "frozen" >&2; exit 1');
  await held.go('s-1-1');
  const ended = await box.run('start', '--target', 'release', '--wait');
  expect(ended.code, ended.stderr).toBe(3);
  expect((await box.run('status')).stdout).toContain('To push it: ralphctl sync');
  await rm(hook);
  await box.write({ 'ralphctl.yaml': 'landing: [' });
  const synced = await box.run('sync');
  expect([synced.code, synced.stdout]).toEqual([0, 'pushed 1 landed idea to origin/release: s-1']);
  expect(synced.stderr).toMatch(/ralphctl\.yaml.*ralphctl uses the settings of the last run/s);
  expect(await box.git('-C', bare, 'rev-parse', 'release')).toBe(await box.git('rev-parse', 'release'));
  expect((await box.run('status')).stdout).not.toContain('not pushed');

  await box.write({ 'ralphctl.yaml': yaml(config) });
  for (let n = 1; n <= 25; n++) await box.git('commit', '--allow-empty', '-qm', `feat: ${n}\n\nRalph-Idea: m-${n}`);
  const many = await box.run('sync');
  expect([many.code, many.stdout]).toEqual([0, expect.stringContaining('pushed 25 landed ideas to origin/main: ')]);
}, 300_000);

it('D2: a push of your own counts: doctor and start speak of no commits that one side lacks', async () => {
  await withRemote(['y-1']);
  const { box } = held;
  // The look of doctor is older than the push.
  await box.run('doctor', '--quick');
  const commit = async (): Promise<void> => {
    await box.git(
      '-c',
      'user.name=Y',
      '-c',
      'user.email=y@localhost',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'own',
    );
  };
  await commit();
  const plan = async (): Promise<string> => (await box.run('start', '--dry-run')).stdout;
  expect(await plan()).toContain('1 commit of yours goes with the first');
  await box.git('push', '--quiet', 'origin', 'main');
  expect(await plan()).not.toContain('of yours');
  const [local, remote] = await tips();
  expect(remote).toBe(local);
  const doctor = await box.run('doctor', '--quick');
  expect(doctor.stdout).toMatch(/✓ remote +origin\/main \(.*\) answers and takes a push/);
  expect(doctor.stdout).not.toContain('newer commits');
  // A tracking branch that does not contain the last look says nothing.
  await commit();
  await box.git('update-ref', 'refs/remotes/origin/main', 'main~2');
  expect(await plan()).toContain('1 commit of yours goes with the first');
}, 300_000);

it('D2: the next start pushes what an earlier run landed, before any idea lands', async () => {
  await withRemote(['n-1']);
  const { box } = held;
  const hook = await program(join(bare, 'hooks/pre-receive'), 'exit 1');
  expect((await box.run('start', '--wait')).code).toBe(3);
  await rm(hook);
  const [landed] = await tips();
  const again = await box.run('start', '--wait');
  expect(again.stderr).toContain('1 commit with landed work (n-1) go first');
  expect(again.code, again.stderr).toBe(0);
  expect(await tips()).toEqual([landed, landed]);
}, 300_000);

it('D2: a remote that is gone is tried again with a growing wait; status and why say so, and ideas go on', async () => {
  await withRemote(['g-1', 'g-2'], {}, { notify: { groupSeconds: 0, rows: [] } });
  const { box } = held;
  await rename(bare, `${bare}.away`);
  await held.start();
  await held.event('a failed push', (event) => event.kind === 'push' && event.state === 'held');
  await held.idea('g-2', 'landed');
  const why: WhyView = await held.why('g-1');
  expect(why).toMatchObject({
    status: 'landed',
    reason: expect.stringMatching(/not on origin\/main: the remote cannot be reached/),
  });
  const status = await box.run('status');
  expect(status.stdout).toMatch(
    /! not pushed: \d commits? \(.*g-1\) (?:is|are) not on origin\/main: the remote cannot be reached/,
  );
  expect((await held.status()).delivery).toMatchObject({ to: 'origin/main' });
  await rename(`${bare}.away`, bare);
  expect(await held.finish()).toMatchObject({ notLanded: [] });
  const [local, remote] = await tips();
  expect(local).toBe(remote);
  expect((await pushes()).at(-1)).toMatchObject({ state: 'pushed', commits: 2, ideas: ['g-2', 'g-1'] });
}, 300_000);

it('D2: what another person pushes between two runs is under the next landing', async () => {
  await withRemote(['m-1', 'm-2']);
  const { box } = held;
  const other = join(dirname(box.repo), 'other');
  await held.start();
  await held.finish();
  await box.git('clone', '--quiet', bare, other);
  await writeFile(join(other, 'theirs.txt'), 'theirs\n');
  await box.git('-C', other, 'add', '--all');
  await box.git(
    '-C',
    other,
    '-c',
    'user.name=O',
    '-c',
    'user.email=o@localhost',
    'commit',
    '--quiet',
    '--message',
    'theirs',
  );
  await box.git('-C', other, 'push', '--quiet');
  const theirs = await box.git('-C', other, 'rev-parse', 'HEAD');
  const again = await box.run('start', '--again', 'm-2', '--wait');
  expect(again.code, again.stderr).toBe(0);
  const [local, remote] = await tips();
  expect(local).toBe(remote);
  expect(await box.git('merge-base', theirs, 'main')).toBe(theirs);
  expect(existsSync(join(box.repo, 'theirs.txt'))).toBe(true);
}, 300_000);

it('D2: an abort waits for no remote that hangs, and the next start pushes what landed', async () => {
  await withRemote(['g-1']);
  const { box } = held;
  const mark = join(box.scratch, 'in-hook');
  const hook = await program(join(bare, 'hooks/pre-receive'), `touch '${mark}'; exec tail -f '${mark}'`);
  await held.start();
  await until('the hook', async () => (await pidsWith('tail', mark)).length > 0, PATIENT_MS);
  expect((await box.run('abort')).code).toBe(0);
  await held.closed();
  expect(await pidsWith('tail', mark)).toEqual([]);
  expect((await box.run('status')).stdout).toMatch(/not pushed: .*ralphctl sync/s);
  await rm(hook);
  expect((await box.run('sync')).stdout).toContain('pushed 1 landed idea to origin/main: g-1');
  // A branch of the user that no run landed on is not published.
  await box.git('switch', '--quiet', '--create', 'private');
  await box.commit('mine');
  expect((await box.run('sync')).code).toBe(0);
  expect(await box.git('ls-remote', '--heads', 'origin')).not.toContain('private');
}, 300_000);
