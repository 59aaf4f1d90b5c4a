/** What a worker does around its work: names its host, says what it lacks, clears up after the one before it. Features: C6. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AsyncCompletionClient } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger } from '@temporalio/worker';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { iterationDir, projectDir, sandboxesDir, takenDir } from '../../../src/config/paths.js';
import { noteSandbox } from '../../../src/jobs/open-sandboxes.js';
import { ownerPart } from '../../../src/process/beside.js';
import { identityOf } from '../../../src/process/identity.js';
import { findByToken, killByToken } from '../../../src/process/tokens.js';
import { FAILURE } from '../../../src/protocol/failures.js';
import { leftAttempts, markAttempt } from '../../../src/run-files/attempts.js';
import { hostLabel } from '../../../src/worker/host-label.js';
import type { WorkerLog } from '../../../src/worker/log.js';
import { workerProblems } from '../../../src/worker/preflight.js';
import { removeWorkerRecord, runningWorker, workerRecordPath, writeWorkerRecord } from '../../../src/worker/record.js';
import { keepNotes, noteTaken, reap } from '../../../src/worker/recovery.js';
import { until } from '../../support/program.js';

let root: string;
const project = `work-${process.pid}-${Date.now().toString(36)}`;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-worker-'));
  await mkdir(projectDir(root, project), { recursive: true });
});
afterEach(async () => {
  await killByToken(project, 0);
  await chmod(projectDir(root, project), 0o755).catch(() => {});
  await rm(root, { recursive: true, force: true });
});

function log(): WorkerLog & { said: string[] } {
  const said: string[] = [];
  return {
    said,
    event: (name) => void said.push(name),
    problem: (name) => void said.push(`problem: ${name}`),
    sdk: new DefaultLogger('ERROR', () => {}),
    close: () => {},
  };
}

/** Stands for the server's side of handing back; the real one is in test/chaos. */
function completion(fail: (token: string) => void) {
  const handed: { token: string; failure: unknown }[] = [];
  const client = {
    fail: async (token: Uint8Array, failure: unknown) => {
      const text = Buffer.from(token).toString('utf8');
      fail(text);
      handed.push({ token: text, failure });
    },
  } as unknown as AsyncCompletionClient;
  return { client, handed };
}

describe('reap', () => {
  const mark = (idea: string) => ({
    ...{ idea, serial: 3, startedAt: new Date(0).toISOString(), token: `${project}/${idea}/r/3/x` },
    taskToken: Buffer.from(`task of ${idea}`).toString('base64'),
  });

  it('ends what is left of the project, hands every attempt back and forgets the marks', async () => {
    const agent = execa('sleep', ['600'], { env: { RALPHCTL_ATTEMPT: mark('t-1').token }, reject: false });
    const other = execa('sleep', ['600'], { env: { RALPHCTL_ATTEMPT: `${project}2/t-1/r/3/x` }, reject: false });
    await until(
      'both',
      async () => (await findByToken(project)).length + (await findByToken(`${project}2`)).length === 2,
    );
    for (const idea of ['t-1', 't-2']) await markAttempt(root, project, mark(idea));
    const { client, handed } = completion(() => {});
    const heard = log();
    await reap(root, project, client, heard);
    expect((await agent).signal).toBe('SIGTERM');
    expect(await findByToken(`${project}2`)).toHaveLength(1);
    other.kill('SIGKILL');
    await other;
    expect(handed.map((one) => one.token).sort()).toEqual(['task of t-1', 'task of t-2']);
    for (const { failure } of handed) {
      expect(failure).toBeInstanceOf(ApplicationFailure);
      expect(failure).toMatchObject({ type: FAILURE.workerLost, nonRetryable: false });
    }
    expect(await leftAttempts(root, project)).toEqual([]);
    expect(heard.said).toContain('ended processes of an earlier worker');
  });

  it('removes what sandboxes of a dead job process left, closed folders and endless chains too, and no others', async () => {
    const dead = execa('sleep', ['600'], { reject: false });
    const identity = await until('its identity', async () => identityOf(dead.pid as number));
    dead.kill('SIGKILL');
    await dead;
    const [left, living, odd] = ['ralphctl-sandbox-a', 'ralphctl-sandbox-b', 'precious'].map((name) =>
      join(root, name),
    );
    const tmp = join(iterationDir(root, project, 'r', 't-1', 1), 'tmp');
    const others = [living, odd] as string[];
    for (const folder of [left, tmp, ...others]) await mkdir(folder as string, { recursive: true });
    const chain = `const n = 'a'.repeat(200); for (let i = 0; i < 40; i++) { fs.mkdirSync(n); process.chdir(n); }`;
    await execa(process.execPath, ['-e', `${chain} fs.writeFileSync('end', '')`], { cwd: tmp });
    await symlink(odd as string, join(tmp, 'link'));
    await mkdir(join(tmp, 'closed/inner'), { recursive: true });
    await chmod(join(tmp, 'closed'), 0o000);
    await noteSandbox(root, project, [left as string, tmp, odd as string], identity);
    await noteSandbox(root, project, [living as string]);
    const heard = log();
    await reap(root, project, completion(() => {}).client, heard);
    expect([left, tmp, ...others].map((folder) => existsSync(folder as string))).toEqual([false, false, true, true]);
    expect(heard.said).toContain('removed what sandboxes of an earlier worker had left');
    expect(await readdir(sandboxesDir(root, project))).toHaveLength(1);
  });

  it('spares what a doctor that lives runs beside it, and ends that of a dead one', async () => {
    const dead = execa('sleep', ['600'], { reject: false });
    const identity = await until('its identity', async () => identityOf(dead.pid as number));
    dead.kill('SIGKILL');
    await dead;
    const start = (part: string) =>
      execa('sleep', ['600'], { env: { RALPHCTL_ATTEMPT: `${project}/${part}/gate/x/gate-1` }, reject: false });
    const [mine, left, odd] = [await ownerPart(), await ownerPart(identity), '_beside-x'].map(start);
    await until('all three', async () => (await findByToken(project)).length === 3);
    await reap(root, project, completion(() => {}).client, log());
    expect((await left)?.signal).toBe('SIGTERM');
    expect((await odd)?.signal).toBe('SIGTERM');
    expect((await findByToken(project)).map(({ pid }) => pid)).toEqual([mine?.pid]);
    mine?.kill('SIGKILL');
    await mine;
  });

  it('hands back what a dead worker had taken, but nothing of one that lives, and each once', async () => {
    await keepNotes(root, project);
    const token = (name: string) => Buffer.from(name).toString('base64');
    // This process lives; another one notes and ends.
    const forget = await noteTaken(root, project, { taskToken: token('mine'), activity: 'landIdea', idea: 't-9' });
    const dead = execa('sleep', ['600'], { reject: false });
    const worker = await until('its identity', async () => identityOf(dead.pid as number));
    dead.kill('SIGKILL');
    await dead;
    const note = (name: string, more: object) =>
      writeFile(
        join(takenDir(root, project), `${name}.json`),
        JSON.stringify({ taskToken: token(name), worker, ...more }),
      );
    await note('landing', { activity: 'landIdea', idea: 't-1' });
    await note('opening', { activity: 'openRun' });
    await note('task of t-2', { activity: 'runAgent', idea: 't-2' });
    await markAttempt(root, project, mark('t-2'));
    await writeFile(join(takenDir(root, project), 'torn.json'), '{"taskTok');
    const { client, handed } = completion(() => {});
    await reap(root, project, client, log());
    expect(handed.map((one) => one.token).sort()).toEqual(['landing', 'opening', 'task of t-2']);
    expect(await readdir(takenDir(root, project))).toHaveLength(1);
    await forget();
    expect(await readdir(takenDir(root, project))).toEqual([]);
  });

  it('an attempt that nobody waits for any more does not stop the others', async () => {
    for (const idea of ['t-1', 't-2', 't-3']) await markAttempt(root, project, mark(idea));
    const { client, handed } = completion((token) => {
      if (token === 'task of t-2') throw new Error('not found');
    });
    await reap(root, project, client, log());
    expect(handed.map((one) => one.token).sort()).toEqual(['task of t-1', 'task of t-3']);
    expect(await leftAttempts(root, project)).toEqual([]);
  });

  it('does nothing where nothing was left', async () => {
    const { client, handed } = completion(() => {});
    const heard = log();
    await reap(root, project, client, heard);
    expect([handed, heard.said]).toEqual([[], []]);
  });
});

describe('the record of a worker', () => {
  const record = (keeper: { pid: number; startTime: string }) => ({ keeper, buildId: 'b', startedAt: 'now' });

  it('names a living process, and is nothing once that one has ended or was another', async () => {
    expect(await runningWorker(root, project)).toBeUndefined();
    const child = execa('sleep', ['600'], { reject: false });
    const keeper = await until('its identity', async () => identityOf(child.pid as number));
    await writeWorkerRecord(root, project, record(keeper));
    expect(await runningWorker(root, project)).toEqual(record(keeper));
    await writeWorkerRecord(root, project, record({ ...keeper, startTime: 'earlier' }));
    expect(await runningWorker(root, project), 'a recycled pid').toBeUndefined();
    await writeWorkerRecord(root, project, record(keeper));
    child.kill('SIGKILL');
    await child;
    expect(await runningWorker(root, project)).toBeUndefined();
    await writeFile(workerRecordPath(root, project), '{');
    expect(await runningWorker(root, project)).toBeUndefined();
    await removeWorkerRecord(root, project);
    await removeWorkerRecord(root, project);
  });
});

describe('before it works', () => {
  it('a worker says what is missing and how to fix it', async () => {
    const bundle = join(root, 'bundle.js');
    expect(await workerProblems(root, project, bundle)).toEqual([
      expect.stringMatching(/bundle\.js is missing.*npm run build/),
    ]);
    await writeFile(bundle, '');
    expect(await workerProblems(root, project, bundle)).toEqual([]);
    await writeFile(join(root, 'file'), '');
    expect(await workerProblems(join(root, 'file'), project, bundle)).toEqual([
      expect.stringMatching(/cannot be written.*RALPHCTL_HOME/),
    ]);
  });
});

describe('the name of the host', () => {
  it('is kept in the state folder, whatever the host is called later', async () => {
    const label = await hostLabel(root, {}, 'box 1/ä');
    expect(label).toMatch(/^box-1---[0-9a-f]{8}$/);
    expect(await hostLabel(root, {}, 'another')).toBe(label);
    expect(await hostLabel(root, { RALPHCTL_HOST: '' }, 'another')).toBe(label);
  });

  it('is the same for two workers that begin at the same time', async () => {
    const labels = await Promise.all(Array.from({ length: 8 }, () => hostLabel(root, {}, 'box')));
    expect(new Set(labels).size).toBe(1);
  });

  it('stays what it was where workers of 0.1 have served runs', async () => {
    await mkdir(join(root, 'projects', 'p-1', 'taken'), { recursive: true });
    expect(await hostLabel(root, {}, 'box')).toBe('box');
  });

  it('is not replaced where its file is empty or foreign: the error names file and fix', async () => {
    for (const text of ['', '\n', '{"torn', 'two words\nmore']) {
      await writeFile(join(root, 'host'), text);
      await expect(hostLabel(root, {}, 'box')).rejects.toThrow(/\/host holds no name of a host\. .*Remove the file/);
    }
  });

  it('can be given', async () => {
    expect(await hostLabel(root, { RALPHCTL_HOST: 'box 1/ä' })).toBe('box-1--');
    expect(await readdir(root)).not.toContain('host');
  });
});
