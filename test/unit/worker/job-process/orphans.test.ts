/** Git commands that outlive their job process. Feature: C6. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it, onTestFinished } from 'vitest';
import { identityOf, ownIdentity } from '../../../../src/process/identity.js';
import { orphansGone } from '../../../../src/worker/job-process/orphans.js';
import { until } from '../../../support/program.js';

it.runIf(process.platform === 'linux')(
  'a new job process waits for the git commands of a dead one, and for no others',
  async () => {
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
    const jobProcess = execa('sleep', ['600'], { reject: false });
    const { pid, startTime } = await until('its identity', () => identityOf(jobProcess.pid as number));
    jobProcess.kill('SIGKILL');
    await jobProcess;
    const own = await ownIdentity();
    const others = [git(`${own.pid} ${own.startTime} ${root}`), git(`${pid} ${startTime} ${root}-other`)];
    const daemon = execa('sleep', ['600'], {
      env: { RALPHCTL_LAUNCHER: `${pid} ${startTime} ${root}` },
      reject: false,
    });
    onTestFinished(() => void daemon.kill('SIGKILL'));
    const orphan = git(`${pid} ${startTime} ${root}`);
    await until('all to run', async () => {
      const all = await Promise.all([...others, orphan].map((child) => identityOf(child.pid as number)));
      return all.every(Boolean);
    });
    let over = false;
    const waiting = orphansGone(root).then(() => {
      over = true;
    });
    await orphansGone(root, 300);
    expect(over, 'while the orphan runs').toBe(false);
    orphan.stdin.end();
    await orphan;
    await waiting;
    expect(over).toBe(true);
  },
);
