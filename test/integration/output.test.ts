import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cliPath, roadmap, type Sandbox, sandbox } from '../support/program.js';

const IDEAS = 1500;
/** What a pipe holds before its writer has to wait. */
const PIPE_BYTES = 65_536;

let root: string;
let box: Sandbox;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-output-'));
  const ideas = Array.from({ length: IDEAS }, (_, i) => ({ id: `idea-${i}` }));
  box = await sandbox(root, {
    'roadmap.md': roadmap(ideas),
    'ralphctl.yaml': 'agent: own\nagents: {own: {adapter: command, command: [sh]}}\n',
  });
});
afterAll(async () => {
  await box.dispose();
  await rm(root, { recursive: true, force: true });
});

const shell = (command: string) =>
  execa('sh', ['-c', command], { cwd: box.repo, env: box.env, extendEnv: false, reject: false });
const dryRun = `${process.execPath} ${cliPath} start --dry-run --json`;

it('gives a reader that is slow to begin the whole output (G3)', async () => {
  const { stdout } = await shell(`${dryRun} | (sleep 3; cat)`);
  expect(stdout.length).toBeGreaterThan(PIPE_BYTES);
  expect(JSON.stringify(JSON.parse(stdout))).toContain(`idea-${IDEAS - 1}`);
});

it('ends without a word when its reader has read enough', async () => {
  const { stdout, stderr } = await shell(`${dryRun} | head -c 10`);
  expect(stdout).toHaveLength(10);
  expect(stderr).toBe('');
});
