/**
 * What `doctor` says of the remote and of its forge: git's own login, which need not be that of `gh`, and rules that only
 * a real push meets. With a real bare repository, and the real `gh` where it can be had. Features: D2.
 */
import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { checkRemote } from '../../src/client/doctor/remote.js';
import { parseConfig } from '../../src/config/load.js';
import { pushTarget } from '../../src/git/delivery/push.js';
import { openRemote, recordRemote } from '../../src/git/delivery/remote.js';
import { type Forge, GITLAB_TEST_HOST, startForge } from '../support/forge/forge.js';
import { GLAB_STAND_IN, ghProgram, leftOut } from '../support/forge/programs.js';
import { withGit } from '../support/forge/pulls.js';
import type { ProtectedName, Repo } from '../support/forge/world.js';
import { yaml } from '../support/program.js';
import { type Pushing, pushing } from './pushing.js';

const gh = await ghProgram();

async function checks({ b }: Pushing, landing: Record<string, unknown>) {
  const config = parseConfig(yaml({ version: 1, agent: 'scripted', gate: ['true'], landing }), 'ralphctl.yaml');
  return (await checkRemote({ env: b.env }, b.repo, config, 'main')).map((one) => ({ fix: undefined, ...one }));
}
const said = async (at: Pushing, landing: Record<string, unknown>, what: string) =>
  (await checks(at, landing)).filter((one) => one.what === what);

/** The other host reads for this key, and takes nothing from it. */
async function readOnlyKey({ b, bare }: Pushing): Promise<void> {
  const script = [
    '#!/bin/sh',
    'for last; do :; done',
    'case $last in *receive-pack*) echo "ERROR: The key is marked as read only." >&2; exit 1 ;; esac',
    'exec sh -c "$last"',
  ];
  await b.write({ ssh: `${script.join('\n')}\n` }, b.base);
  await chmod(join(b.base, 'ssh'), 0o755);
  Object.assign(b.env, { GIT_SSH: join(b.base, 'ssh'), GIT_SSH_VARIANT: 'simple' });
  await b.git('remote', 'set-url', 'origin', `somehost:${bare}`);
}

describe('D2 doctor tries the remote of pull requests with the login of git', () => {
  const landing = { mode: 'pr', pr: { repo: 'github.localhost/me/shop' } };
  const refs = (at: Pushing) => at.inBare('for-each-ref');

  it('a login that may push is told, and nothing moves there', async () => {
    const at = await pushing();
    const before = await refs(at);
    expect(await said(at, landing, 'remote')).toEqual([
      {
        what: 'remote',
        state: 'ok',
        found: `origin (${at.bare}) answers and takes branches ralph/IDEA`,
        fix: undefined,
      },
    ]);
    expect(await refs(at)).toBe(before);
  });

  it('a key that only reads fails, with the command that shows it', async () => {
    const at = await pushing();
    await readOnlyKey(at);
    const [check] = await said(at, landing, 'remote');
    expect(check).toMatchObject({
      state: 'fail',
      found: expect.stringMatching(/takes no branch of an idea from git's own login: .*The key is marked as read only/),
      fix: expect.stringMatching(
        /^try it yourself: git push --dry-run origin main:refs\/heads\/ralph\/doctor-[0-9a-f]{8}$/,
      ),
    });
  });

  it('a remote that is gone, and a branch named ralph there, are told apart', async () => {
    const at = await pushing();
    await at.b.git('push', '--quiet', 'origin', 'main:ralph');
    await at.b.git('fetch', '--quiet', 'origin');
    const [taken] = await said(at, landing, 'remote');
    expect(taken).toMatchObject({
      state: 'fail',
      found: `origin (${at.bare}) has a branch named ralph, so it takes no branch ralph/IDEA`,
    });
    await at.b.git(...(/there: git (.*)$/.exec(taken?.fix ?? '')?.[1] ?? '').split(' '));
    expect(await said(at, landing, 'remote')).toMatchObject([{ state: 'ok' }]);
    await at.b.git('remote', 'set-url', 'origin', join(at.b.base, 'nowhere'));
    expect(await said(at, landing, 'remote')).toMatchObject([
      { state: 'fail', found: expect.stringMatching(/^origin cannot be reached: /) },
    ]);
  });

  it('a remote that is not there is named with the mode that needs it', async () => {
    const at = await pushing();
    await at.b.git('remote', 'remove', 'origin');
    for (const mode of ['pr', 'push'])
      expect(await checks(at, { mode })).toMatchObject([
        { state: 'fail', found: expect.stringContaining(`landing.mode: ${mode} needs a remote`) },
      ]);
  });

  it('a dry run waits no longer than a look', async () => {
    const at = await pushing();
    const record = await recordRemote(at.b.repo, { name: 'origin', branch: 'ralph/doctor-1' });
    const remote = await openRemote({ root: at.b.repo, record, env: at.b.env, passEnv: [] });
    const kinds: string[] = [];
    const noted: typeof remote = {
      ...remote,
      run: (args, kind) => {
        kinds.push(kind);
        return remote.run(args, kind);
      },
    };
    const commit = await at.b.git('rev-parse', 'main');
    const push = { target: 'main', commit, expected: undefined };
    expect(await pushTarget(noted, { ...push, dryRun: true })).toEqual({ kind: 'pushed' });
    expect(await pushTarget(noted, push)).toEqual({ kind: 'pushed' });
    expect(kinds).toEqual(['look', 'move']);
  });
});

describe('D2 doctor says which rules of the forge stand against a push', { timeout: 120_000 }, () => {
  let forge: Forge;
  let repo: Repo;
  let at: Pushing;
  afterEach(() => forge?.close());

  async function open(program: string, owner: string): Promise<void> {
    forge = await startForge();
    at = await pushing();
    repo = forge.world.repo(owner, 'shop', { me: 'OWNER' });
    withGit(repo, at.bare);
    Object.assign(at.b.env, forge.env('me', at.b.base), { PATH: `${dirname(program)}:${at.b.env.PATH}` });
    await forge.glabSettings(at.b.base);
  }
  const RULES = 'push rules';
  const asked = () => forge.requests.filter(({ method }) => method !== 'GET');

  it.skipIf(gh.path === undefined)(`of GitHub${leftOut(gh)}`, async () => {
    await open(gh.path ?? '', 'me');
    const push = { mode: 'push', pr: { repo: 'github.localhost/me/shop' } };
    const rules = () => said(at, push, RULES);
    expect(await rules()).toMatchObject([{ state: 'ok', found: 'the forge has no rule against a push of main' }]);
    // Rules that stop no push of ralphctl.
    repo.rules = () => ['deletion', 'non_fast_forward', 'required_linear_history'];
    repo.protected = true;
    expect(await rules()).toMatchObject([{ state: 'ok' }]);
    repo.rules = () => ['deletion', 'pull_request', 'required_signatures', 'pull_request', 'file_path_restriction'];
    expect(await rules()).toMatchObject([
      {
        state: 'warn',
        found:
          'rules of me/shop can refuse a push of main: changes come by pull requests; commits need a signature; rule file_path_restriction',
        fix: expect.stringContaining('exempt this login'),
      },
    ]);
    repo.rules = () => [];
    expect(await rules()).toMatchObject([
      { state: 'warn', found: 'main of me/shop is protected, so a push of it can be refused' },
    ]);
    repo.rules = () => ['required_linear_history'];
    expect(await said(at, { ...push, strategy: 'merge' }, RULES)).toMatchObject([
      { state: 'warn', found: expect.stringContaining('there are no merge commits') },
    ]);
    // With pull requests, those that apply to the branches of ideas.
    const pulls = { ...push, mode: 'pr' };
    repo.rules = (branch) => (branch === 'main' ? ['pull_request'] : []);
    expect(await said(at, pulls, RULES)).toEqual([]);
    repo.rules = (branch) => (branch.startsWith('ralph/') ? ['non_fast_forward', 'creation'] : []);
    expect(await said(at, pulls, RULES)).toMatchObject([
      {
        state: 'warn',
        found:
          'rules of me/shop can refuse a push of branches such as ralph/doctor: a branch is not overwritten; nobody may make such a branch',
      },
    ]);
    expect(asked()).toEqual([]);
  });

  it('of GitLab, for the login that asks', async () => {
    await open(GLAB_STAND_IN, 'group/sub');
    const push = { mode: 'push', pr: { repo: `${GITLAB_TEST_HOST}/group/sub/shop` } };
    repo.protected = true;
    expect(await said(at, push, RULES)).toMatchObject([{ state: 'ok' }]);
    repo.pushes = false;
    expect(await said(at, push, RULES)).toMatchObject([
      {
        state: 'warn',
        found: 'main of group/sub/shop is protected, and this login may not push to it',
        fix: expect.stringContaining('or set landing.mode: pr'),
      },
    ]);
    expect(asked()).toEqual([]);
  });

  it('of GitLab, for branches of ideas that a name with a wildcard protects', async () => {
    await open(GLAB_STAND_IN, 'group/sub');
    const pulls = { mode: 'pr', pr: { repo: `${GITLAB_TEST_HOST}/group/sub/shop` } };
    const rules = async (...all: ProtectedName[]) => {
      repo.protectedNames = all;
      return said(at, pulls, RULES);
    };
    const rule = (name: string, levels: Record<string, unknown>[], force = false): ProtectedName => ({
      ...{ name, push_access_levels: levels, allow_force_push: force },
    });
    const [maintainers, nobody] = [{ access_level: 40 }, { access_level: 0 }];
    expect(await rules(rule('main', [nobody]), rule('*-stable', [nobody]), rule('ralph', [nobody]))).toEqual([]);
    const named = 'branches such as ralph/doctor of group/sub/shop are protected';
    const fix = expect.stringContaining('Settings, Repository, Protected branches');
    expect(await rules(rule('ralph/*', [nobody]))).toMatchObject([
      { state: 'warn', found: `${named} (ralph/*), and this login may not push to them`, fix },
    ]);
    // The login is a maintainer, and each landing after a review overwrites the branch.
    expect(await rules(rule('*', [maintainers]))).toMatchObject([
      { state: 'warn', found: `${named} (*), and a branch is not overwritten`, fix },
    ]);
    // The most permissive of several rules counts.
    expect(await rules(rule('*', [nobody]), rule('r*/*', [maintainers], true))).toEqual([]);
    // Members of a group, which may have this login or not; a key is not this login.
    expect(await rules(rule('ralph/*', [{ access_level: 40, group_id: 7 }], true))).toMatchObject([
      { state: 'warn', found: `${named} (ralph/*), and a push of them can be refused` },
    ]);
    expect(await rules(rule('ralph/*', [{ access_level: 40, deploy_key_id: 3 }], true))).toMatchObject([
      { state: 'warn', found: `${named} (ralph/*), and this login may not push to them` },
    ]);
    // A login below a maintainer may not read them on an older GitLab.
    repo.protectedNames = 'forbidden';
    expect(await said(at, pulls, RULES)).toMatchObject([
      { state: 'info', found: expect.stringMatching(/^the forge cannot be asked for them: .*403/) },
    ]);
    expect(asked()).toEqual([]);
  });

  it('a plain remote has none, and a program without a login is no failure', async () => {
    at = await pushing();
    expect((await checks(at, { mode: 'push' })).map(({ what, state }) => [what, state])).toEqual([['remote', 'ok']]);
    await at.b.write({ 'bin/gh': '#!/bin/sh\necho "To get started, run: gh auth login" >&2\nexit 4\n' }, at.b.base);
    await chmod(join(at.b.base, 'bin', 'gh'), 0o755);
    at.b.env.PATH = `${join(at.b.base, 'bin')}:${at.b.env.PATH}`;
    const landing = { mode: 'push', pr: { repo: 'github.localhost/me/shop' } };
    expect(await checks(at, landing)).toMatchObject([
      { what: 'remote', state: 'ok' },
      {
        what: RULES,
        state: 'info',
        found: expect.stringMatching(/^the forge cannot be asked for them: .*gh auth login/),
      },
    ]);
  });
});
