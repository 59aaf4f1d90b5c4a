/** Git commands that outlive their job process. Feature: C6. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { leftGit, noAnswer } from '../../../../src/client/views/left-git.js';
import { identityOf, ownIdentity } from '../../../../src/process/identity.js';
import { orphansGone } from '../../../../src/worker/job-process/orphans.js';
import { until } from '../../../support/program.js';

const linux = process.platform === 'linux';
const project = 'shop-1234abcd';

/** The mark of a job process that was killed. */
async function deadMark(): Promise<string> {
  const jobProcess = execa('sleep', ['600'], { reject: false });
  const { pid, startTime } = await until('its identity', () => identityOf(jobProcess.pid as number));
  jobProcess.kill('SIGKILL');
  await jobProcess;
  return `${pid} ${startTime}`;
}

it.runIf(linux)('a new job process waits for the git commands of a dead one, and for no others', async () => {
  const root = await mkdtemp(join(tmpdir(), 'ralphctl orphans-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await execa('git', ['init', '--quiet', root]);
  /** Runs until its input ends. */
  const git = (mark: string) => {
    const child = execa('git', ['-C', root, 'cat-file', '--batch'], {
      env: { RALPHCTL_LAUNCHER: mark },
      reject: false,
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  };
  const dead = await deadMark();
  const own = await ownIdentity();
  const others = [
    git(`${own.pid} ${own.startTime} ${project} ${root}`),
    git(`${dead} ${project} ${root}-other`),
    git(`${dead} another-${project} ${root}`),
  ];
  const daemon = execa('sleep', ['600'], { env: { RALPHCTL_LAUNCHER: `${dead} ${project} ${root}` }, reject: false });
  onTestFinished(() => void daemon.kill('SIGKILL'));
  const orphan = git(`${dead} ${project} ${root}`);
  await until('all to run', async () => {
    const all = await Promise.all([...others, orphan].map((child) => identityOf(child.pid as number)));
    return all.every(Boolean);
  });
  let over = false;
  const said: string[] = [];
  const place = { root, project };
  const waiting = orphansGone(place, (text, { pid, command }) => said.push(`${text}: ${pid} ${command}`)).then(() => {
    over = true;
  });
  await orphansGone(place, undefined, 300);
  await until('to be told what it waits for', async () => said.length > 0);
  expect(said[0]).toMatch(new RegExp(`waits for a git .*: ${orphan.pid} git -C .* cat-file --batch`));
  expect(over, 'while the orphan runs').toBe(false);
  // As `status` and `doctor` tell it.
  const told = await leftGit(place);
  expect(told?.what).toBe(`git -C ${root} cat-file --batch (pid ${orphan.pid})`);
  expect(told?.fix).toContain(`kill ${orphan.pid}`);
  expect(await noAnswer(place)).toContain(told?.what);
  orphan.stdin.end();
  await orphan;
  await waiting;
  expect(over).toBe(true);
});

it.runIf(linux)(
  'ends one that only reads, and one that waits at a named pipe; others of the user live on',
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'ralphctl orphans-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await execa('git', ['init', '--quiet', root]);
    const dead = await deadMark();
    const start = (of: string, args: string[], env: Record<string, string> = {}) => {
      const child = execa('git', ['-C', root, ...args], {
        env: { RALPHCTL_LAUNCHER: `${dead} ${of} ${root}`, ...env },
        reject: false,
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    execFileSync('mkfifo', [join(root, '.gitignore')]);
    await writeFile(join(root, 'y'), 'y\n');
    const reads = start(project, ['cat-file', '--batch'], { GIT_OPTIONAL_LOCKS: '0' });
    const waits = start(project, ['add', '-A']);
    const other = start('another', ['cat-file', '--batch'], { GIT_OPTIONAL_LOCKS: '0' });
    await until('all to run', async () =>
      (await Promise.all([reads, waits, other].map((child) => identityOf(child.pid as number)))).every(Boolean),
    );
    const said: string[] = [];
    await orphansGone({ root, project }, (text, { pid }) => said.push(`${text} (${pid})`));
    expect([(await reads).signal, (await waits).signal]).toEqual(['SIGTERM', 'SIGTERM']);
    const ended = 'ended a git that a killed job process left';
    expect(said.filter((text) => text.startsWith('ended')).sort()).toEqual(
      [reads, waits].map(({ pid }) => `${ended} (${pid})`).sort(),
    );
    expect(await identityOf(other.pid as number)).toBeDefined();
  },
);
