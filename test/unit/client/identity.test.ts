/** What doctor says where git does not know who commits. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { checkIdentity } from '../../../src/client/doctor/project.js';
import { git } from '../../../src/git/runner.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-identity-'));
  vi.stubEnv('HOME', dir);
  vi.stubEnv('XDG_CONFIG_HOME', dir);
  vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1');
  await git(dir).run(['init', '--quiet']);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

it('names the missing part and the identity that ralphctl uses; it is no problem', async () => {
  await git(dir).run(['config', 'user.email', 'ada@example.org']);
  const [check] = await checkIdentity(dir);
  expect(check).toMatchObject({ what: 'git identity', state: 'info' });
  expect(check?.found).toContain('git has no user.name, so ralphctl commits as ralphctl');
});

it('is silent where git has both', async () => {
  await git(dir).run(['config', 'user.name', 'Ada']);
  await git(dir).run(['config', 'user.email', 'ada@example.org']);
  expect(await checkIdentity(dir)).toEqual([]);
});
