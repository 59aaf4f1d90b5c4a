/** The program as people install it: linked, packed and installed into an empty prefix, and through npx. Each is executed by its name. */
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa, type ResultPromise } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('../..', import.meta.url));
/** What is installed comes from the registry where npm has not kept it: a minute on a slow line. */
const INSTALL_MS = 600_000;

let dir: string;
let npmEnv: NodeJS.ProcessEnv;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-install-'));
  const { stdout: cache } = await execa('npm', ['config', 'get', 'cache'], { cwd: root });
  // Packages that npm has kept are used; what npx unpacks goes away with the folder.
  await mkdir(join(dir, 'npm'));
  await symlink(join(cache, '_cacache'), join(dir, 'npm', '_cacache'));
  npmEnv = {
    ...process.env,
    npm_config_cache: join(dir, 'npm'),
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_prefer_offline: 'true',
  };
});
afterAll(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

const npm = (args: string[], more: { cwd?: string; prefix?: string } = {}): ResultPromise => {
  const env = more.prefix === undefined ? npmEnv : { ...npmEnv, npm_config_prefix: more.prefix };
  return execa('npm', args, { cwd: more.cwd ?? dir, env, extendEnv: false });
};
/** Runs `ralphctl` as a shell finds it on PATH, with nothing of this checkout around. */
const ralphctl = (bin: string, ...args: string[]) =>
  execa('/bin/sh', ['-c', 'exec ralphctl "$@"', 'sh', ...args], {
    cwd: dir,
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      HOME: dir,
      RALPHCTL_HOME: inject('stateRoot'),
      RALPHCTL_PORT: '0',
      RALPHCTL_UI_PORT: '0',
      XDG_CACHE_HOME: process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache'),
    },
    extendEnv: false,
    reject: false,
  });

describe('ralphctl by its name', () => {
  it('runs after npm link', { timeout: INSTALL_MS }, async () => {
    const prefix = join(dir, 'linked');
    await mkdir(prefix);
    await npm(['link'], { cwd: root, prefix });
    const got = await ralphctl(join(prefix, 'bin'), '--version');
    expect(got.stderr).toBe('');
    expect(got.stdout).toBe(packageJson.version);
  });

  it('runs from the packed file, installed into an empty prefix, and lands the demo', {
    timeout: INSTALL_MS,
  }, async () => {
    const prefix = join(dir, 'packed');
    await mkdir(prefix);
    const tarball = await pack();
    await npm(['install', '--global', tarball], { prefix });
    const bin = join(prefix, 'bin');
    const version = await ralphctl(bin, '--version');
    expect([version.stderr, version.stdout]).toEqual(['', packageJson.version]);
    const repo = join(dir, 'demo');
    const demo = await ralphctl(bin, 'demo', '--keep', repo);
    expect(demo.exitCode, `${demo.stdout}\n${demo.stderr}`).toBe(0);
    expect(demo.stdout).toMatch(/completed: 6 landed, 0 did not land/);
    const doctor = await ralphctl(bin, '-C', repo, 'doctor', '--json');
    const { checks } = JSON.parse(doctor.stdout) as { checks: { what: string; state: string; found: string }[] };
    expect(checks).toContainEqual({ what: 'ralphctl on PATH', state: 'ok', found: join(bin, 'ralphctl') });
  });

  it('is what the demo of a checkout advises for other folders', { timeout: INSTALL_MS }, async () => {
    const env = { ...npmEnv, HOME: dir, RALPHCTL_HOME: inject('stateRoot'), RALPHCTL_PORT: '0', RALPHCTL_UI_PORT: '0' };
    const args = ['dist/cli.js', 'demo', '--keep', join(dir, 'advice')];
    const { stdout } = await execa(process.execPath, args, { cwd: root, env });
    const [, advised = ''] = /next, in the folder of your own repository: (.*) init,/.exec(stdout) ?? [];
    const ran = await execa('/bin/sh', ['-c', `${advised} --version`], { cwd: dir, env });
    expect(ran.stdout).toBe(packageJson.version);
  });

  it('runs through npx', { timeout: INSTALL_MS }, async () => {
    const tarball = await pack();
    const got = await execa('npx', ['--yes', '--package', tarball, '--', 'ralphctl', '--version'], {
      cwd: dir,
      env: npmEnv,
      extendEnv: false,
      reject: false,
    });
    expect(got.stdout, got.stderr).toBe(packageJson.version);
  });
});

async function pack(): Promise<string> {
  const { stdout } = await npm(['pack', '--json', '--ignore-scripts', '--pack-destination', dir], { cwd: root });
  const [made] = JSON.parse(String(stdout)) as { filename: string }[];
  return join(dir, made?.filename ?? '');
}
