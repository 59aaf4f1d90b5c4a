/** A state folder that cannot be used is an error at once, and never a loop. */
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { autopilotId, ideaWorkflowId } from '../../src/protocol/names.js';
import { compressLargePayloads } from '../../src/server/codec.js';
import { stopServer } from '../../src/server/stop.js';
import { roadmap, sandbox } from '../support/program.js';

describe('a state folder that cannot be used', () => {
  it.each([
    ['below /proc', '/proc/foo'],
    ['below a file', 'FILE/state'],
  ])('%s: start, server and worker refuse, name it, and start nothing', async (_, place) => {
    const base = await mkdtemp(join(tmpdir(), 'ralphctl-folder-'));
    await writeFile(join(base, 'file'), '');
    const folder = place.replace('FILE', join(base, 'file'));
    const box = await sandbox(folder, {
      'roadmap.md': roadmap([{ id: 't-1' }]),
      '.ralph-script.yaml': 'default: [{signal: COMPLETE}]\n',
    });
    onTestFinished(async () => {
      await box.dispose();
      await rm(base, { recursive: true, force: true });
    });
    for (const args of [['start', '--agent', 'scripted'], ['server', 'start'], ['worker']]) {
      const refused = await box.run(...args);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(`cannot use the state folder ${folder} (from RALPHCTL_HOME)`);
      expect(refused.stderr).toContain('export RALPHCTL_HOME=');
    }
  });
});

it('a run lands in a state folder whose path has characters that Windows does not take', async () => {
  const base = await mkdtemp(join(tmpdir(), 'ralphctl-folder-'));
  const folder = join(base, 'a<b> c|d"e?f*g');
  const box = await sandbox(folder, {
    'roadmap.md': roadmap([{ id: 't-1' }]),
    '.ralph-script.yaml': 'default: [{do: [{write: {path: made.txt, text: x}}], signal: COMPLETE}]\n',
  });
  onTestFinished(async () => {
    await box.dispose();
    await stopServer(folder);
    await rm(base, { recursive: true, force: true, maxRetries: 3 });
  });
  const done = await box.run('start', '--agent', 'scripted', '--wait');
  expect(done.code, done.stderr).toBe(0);
  expect(await box.git('log', '--format=%s', '-1', '--', 'made.txt')).not.toBe('');
}, 300_000);

it('a temporary folder that cannot be used: start refuses, names it, and starts nothing; doctor names it', async () => {
  const box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 't-1' }]),
    '.ralph-script.yaml': 'default: [{signal: COMPLETE}]\n',
  });
  onTestFinished(() => {
    delete box.env.TMPDIR;
    return box.dispose();
  });
  box.env.TMPDIR = '/nonexistent';
  const refused = await box.run('start', '--agent', 'scripted');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    /ralphctl cannot use the temporary folder \/nonexistent \(from TMPDIR\): .* Choose another folder: export TMPDIR=DIR/,
  );
  const { json } = await box.run('doctor', '--quick', '--json');
  const { checks } = json[0] as { checks: { what: string; state: string }[] };
  expect(checks.find(({ what }) => what === 'temporary folder')).toMatchObject({ state: 'fail' });
});

/** Files below `dir` that others may read, worktrees left out: their modes are git's and the agent's. */
async function openToOthers(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => name !== 'worktrees' && name !== 'integration')
      .map(async (entry) => {
        const path = join(dir, entry.name);
        if (entry.isDirectory()) return openToOthers(path);
        return isPrivate(path).then((ours) => (ours ? [] : [path]));
      }),
  );
  return found.flat();
}

/** A file that has gone meanwhile is read by nobody. */
const isPrivate = (path: string): Promise<boolean> =>
  lstat(path).then(
    ({ mode }) => (mode & 0o077) === 0,
    () => true,
  );

/** Every payload of a history, as its readers get it. */
async function textsIn(part: unknown): Promise<string[]> {
  if (typeof part !== 'object' || part === null || part instanceof Uint8Array) return [];
  const { data } = part as { data?: unknown };
  if (data instanceof Uint8Array)
    return (await compressLargePayloads.decode([part as Payload])).map((one) => Buffer.from(one.data ?? []).toString());
  return (await Promise.all(Object.values(part).map(textsIn))).flat();
}

it('nobody else reads what is in it, and no secret of a gate is in it', async () => {
  const state = inject('stateRoot');
  await mkdir(join(state, 'projects'), { recursive: true });
  await chmod(join(state, 'projects'), 0o755);
  await chmod(join(state, 'server'), 0o755);
  // What the program makes with the mask that most people have; its own modes keep others out.
  const mask = process.umask(0o022);
  onTestFinished(() => void process.umask(mask));
  const config = `agent: scripted
gate:
  passEnv: [PGPASSWORD, DEPLOY_THING]
  commands: ["echo pg=$PGPASSWORD thing=$DEPLOY_THING; test -e done"]
`;
  const box = await sandbox(state, {
    'roadmap.md': roadmap([{ id: 't-1', max_iterations: 2 }]),
    'ralphctl.yaml': config,
    '.ralph-script.yaml': 'default:\n  - {do: [{write: {path: made.txt, text: x}}], signal: COMPLETE}\n',
  });
  onTestFinished(() => box.dispose());
  Object.assign(box.env, { PGPASSWORD: 'plain-word-password', DEPLOY_THING: 'x7Qp2mZ9kL4vT8' });
  await box.run('start', '--json');
  const { json } = await box.run('status', '--json');
  const project = String(json[0]?.project);
  expect((await lstat(join(state, 'projects'))).mode & 0o077).toBe(0);
  expect(await openToOthers(join(state, 'projects', project))).toEqual([]);
  // The server's database and logs, and what is kept for all projects. Other projects belong to other tests.
  const shared = (await readdir(state, { withFileTypes: true })).filter(({ name }) => name !== 'projects');
  expect(shared.map(({ name }) => name)).toContain('server');
  expect(await isPrivate(join(state, 'server'))).toBe(true);
  for (const entry of shared) {
    const path = join(state, entry.name);
    if (entry.isDirectory()) expect(await openToOthers(path)).toEqual([]);
    else expect(await isPrivate(path), path).toBe(true);
  }
  const files = await readdir(join(state, 'projects', project, 'runs'), { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8')),
  );
  expect(texts.join('')).toContain('pg=[redacted] thing=[redacted]');
  const secrets = ['plain-word-password', 'x7Qp2mZ9kL4vT8'];
  for (const secret of secrets) expect(texts.join('')).not.toContain(secret);

  // Nor does the server keep one: what a gate printed is in the result of its activity.
  const connection = await Connection.connect({ address: inject('address') });
  onTestFinished(() => connection.close());
  const { workflow } = new Client({ connection });
  const ids = [autopilotId(project), ideaWorkflowId(project, 't-1')];
  const histories = await Promise.all(ids.map((id) => workflow.getHandle(id).fetchHistory()));
  const kept = (await Promise.all(histories.map(textsIn))).flat().join('\n');
  expect(kept).toContain('pg=[redacted] thing=[redacted]');
  for (const secret of secrets) expect(kept).not.toContain(secret);
});
