/** The forge of the tests answers the real `gh` as GitHub does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FORGE_HOST, type Forge, startForge } from '../../support/forge/forge.js';
import { ghProgram, leftOut } from '../../support/forge/programs.js';

const gh = await ghProgram();

describe.skipIf(gh.path === undefined)(`the forge of the tests and gh${leftOut(gh)}`, () => {
  let forge: Forge;
  let config: string;

  beforeAll(async () => {
    forge = await startForge();
    config = await mkdtemp(join(tmpdir(), 'ralphctl-gh-'));
  });
  afterAll(async () => {
    await forge.close();
    await rm(config, { recursive: true, force: true });
  });

  const api = (login: string, ...args: string[]) =>
    execa(gh.path ?? 'gh', ['api', '--include', '--hostname', FORGE_HOST, ...args], {
      env: { PATH: process.env.PATH ?? '', ...forge.env(login, config) },
      extendEnv: false,
      reject: false,
    });

  it('lists issues by page, and comments and closes one', async () => {
    const repo = forge.world.repo('acme', 'shop');
    for (let number = 1; number <= 3; number++) forge.world.issue(repo, { title: `Issue ${number}` });
    const page = await api('acme', 'repos/acme/shop/issues?per_page=2&page=1', '--jq', '.[].title');
    expect(page.stdout.split('\n').slice(-2)).toEqual(['Issue 3', 'Issue 2']);
    expect(page.stdout).toMatch(/^Link: .*page=2.*rel="next"/im);
    await api('acme', 'repos/acme/shop/issues/1/comments', '--raw-field', 'body=Done');
    await api('acme', '--method', 'PATCH', 'repos/acme/shop/issues/1', '--raw-field', 'state=closed');
    const issue = repo.issues.get(1);
    expect(issue?.comments.map(({ login, body }) => [login, body])).toEqual([['acme', 'Done']]);
    expect(issue?.state).toBe('closed');
  });

  it('refuses strangers, limits requests with the time of the reset, and can be down', async () => {
    const repo = forge.world.repo('acme', 'safe');
    forge.world.issue(repo, { title: 'Closed by nobody' });
    const stranger = await api(
      'mallory',
      '--method',
      'PATCH',
      'repos/acme/safe/issues/1',
      '--raw-field',
      'state=closed',
    );
    expect([stranger.exitCode, repo.issues.get(1)?.state]).toEqual([1, 'open']);
    const until = Date.now() + 60_000;
    forge.trouble.limitedUntil = until;
    const limited = await api('acme', 'repos/acme/safe');
    expect(limited.stdout).toMatch(new RegExp(`^X-Ratelimit-Reset: ${Math.ceil(until / 1000)}`, 'm'));
    delete forge.trouble.limitedUntil;
    forge.trouble.status = 502;
    expect((await api('acme', 'repos/acme/safe')).stdout).toMatch(/^HTTP\/1\.1 502/);
    delete forge.trouble.status;
  });
});
