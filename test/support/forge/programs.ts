/**
 * Gets the real command lines of forges for tests: from PATH, a cache, the system's package (unpacked, not installed)
 * or the Go module proxy. Where none of these works, the tests that need one are left out and say why.
 */
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { cacheRoot } from '../../../src/config/paths.js';

export interface Program {
  /** The program; undefined: it could not be had here. */
  path?: string;
  /** Why not. */
  missing?: string;
}

interface Wanted {
  name: string;
  version: string;
  /** Debian's package. */
  debian?: string;
  module: string;
}

const GH: Wanted = { name: 'gh', version: '2.23.0', debian: 'gh', module: 'github.com/cli/cli/v2/cmd/gh' };

const GLAB: Wanted = {
  ...{ name: 'glab', version: '1.79.0', debian: 'glab' },
  module: 'gitlab.com/gitlab-org/cli/cmd/glab',
};

export const ghProgram = (): Promise<Program> => programOf(GH);
export const glabProgram = (): Promise<Program> => programOf(GLAB);
/** Has the arguments and the output of `glab api`, and proves nothing about the real one. */
export const GLAB_STAND_IN = fileURLToPath(new URL('./glab', import.meta.url));

/** For the title of a suite that is left out. */
export const leftOut = ({ missing }: Program): string => (missing === undefined ? '' : ` (left out: ${missing})`);

async function programOf(wanted: Wanted): Promise<Program> {
  const { name, version } = wanted;
  if (await runs(name)) return { path: (await execa('sh', ['-c', `command -v ${name}`])).stdout };
  const dir = join(cacheRoot(), 'forge', `${name}-${version}`);
  const path = join(dir, name);
  if (await runs(path)) return { path };
  const scratch = await mkdtemp(join(await made(dirname(dir)), `.${name}-`));
  try {
    const problems: string[] = [];
    for (const get of [fromPackage, fromGo]) {
      const built = await get(wanted, scratch).catch((error: unknown) => {
        problems.push(firstLine(error));
        return undefined;
      });
      if (built === undefined || !(await runs(built))) continue;
      await made(dir);
      await rename(built, path);
      return { path };
    }
    return { missing: `${name} is not on PATH, and cannot be fetched: ${problems.join('; ') || 'it does not run'}` };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function fromPackage({ debian }: Wanted, dir: string): Promise<string | undefined> {
  if (debian === undefined) return undefined;
  await execa('apt-get', ['download', debian], { cwd: dir, timeout: 120_000 });
  const file = (await readdir(dir)).find((one) => one.endsWith('.deb')) ?? '';
  await execa('dpkg-deb', ['-x', file, 'unpacked'], { cwd: dir });
  return join(dir, 'unpacked', 'usr', 'bin', debian);
}

async function fromGo({ name, version, module }: Wanted, dir: string): Promise<string> {
  await execa('go', ['install', `${module}@v${version}`], { env: { GOBIN: dir }, timeout: 1_200_000 });
  return join(dir, name);
}

const runs = (program: string): Promise<boolean> =>
  execa(program, ['--version'], { reject: false }).then(({ exitCode }) => exitCode === 0);

async function made(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  return dir;
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
