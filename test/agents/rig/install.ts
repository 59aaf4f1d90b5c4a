/**
 * Gets the real CLIs, in the versions of clis.json.
 * Invariant: everything lies in the cache folder, nothing in the user's global prefix; a folder is complete or not there.
 */
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { cacheRoot } from '../../../src/config/paths.js';
import clis from '../clis.json' with { type: 'json' };

export type CliName = keyof typeof clis;
export const CLI_NAMES = Object.keys(clis) as CliName[];
export const versionOf = (cli: CliName): string => clis[cli].version;
export const isCli = (name: string): name is CliName => Object.hasOwn(clis, name);

export const homeOf = (cli: CliName): string => join(cacheRoot(), 'agents', `${cli}@${clis[cli].version}`);

/** Program and leading arguments. A virtual environment's own scripts name the folder it was made in, so no script. */
export function commandOf(cli: CliName): string[] {
  const { bin } = clis[cli];
  if ('pypi' in clis[cli]) return [join(homeOf(cli), 'bin', 'python'), '-m', bin];
  return [join(homeOf(cli), 'node_modules', '.bin', bin)];
}

/** Installs what is missing, all at once. Gives the reason for each that could not be installed. */
export async function install(names: readonly CliName[]): Promise<Partial<Record<CliName, string>>> {
  const failed: Partial<Record<CliName, string>> = {};
  await Promise.all(
    names.map(async (name) => {
      try {
        await installOne(name);
      } catch (error) {
        failed[name] = firstLines(error);
      }
    }),
  );
  return failed;
}

async function installOne(name: CliName): Promise<void> {
  const final = homeOf(name);
  if (existsSync(final)) return;
  const started = Date.now();
  console.log(`installing ${name} ${versionOf(name)} into ${final} …`);
  await mkdir(join(final, '..'), { recursive: true });
  const dir = await mkdtemp(`${final}.new-`);
  try {
    const cli = clis[name];
    await ('pypi' in cli ? fromPypi(dir, cli.pypi, cli.version) : fromNpm(dir, cli.npm, cli.version));
    // Somebody else may have been faster; theirs is as good.
    await rename(dir, final).catch((error: unknown) => {
      if (!existsSync(final)) throw error;
    });
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
  console.log(`installed ${name} ${versionOf(name)} in ${Math.round((Date.now() - started) / 1000)} s`);
}

async function fromNpm(dir: string, name: string, version: string): Promise<void> {
  await writeFile(join(dir, 'package.json'), '{"private":true}\n');
  const flags = ['--no-save', '--no-audit', '--no-fund', '--omit=dev', '--no-update-notifier', '--loglevel=error'];
  await execa('npm', ['install', ...flags, `${name}@${version}`], { cwd: dir, timeout: 600_000, all: true });
}

async function fromPypi(dir: string, name: string, version: string): Promise<void> {
  await execa('python3', ['-m', 'venv', dir], { timeout: 120_000, all: true });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${name}==${version}`];
  await execa(join(dir, 'bin', 'python'), pip, { timeout: 900_000, all: true });
}

const firstLines = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n').slice(0, 4).join(' ').slice(0, 400);
