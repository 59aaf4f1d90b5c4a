/**
 * Opens the sandbox of one agent run: reads from the disk what the plan of a sandbox needs to know.
 * Invariant: a run whose configuration asks for a sandbox starts no agent outside of one.
 */
import { statSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { ownPlaces } from '../agents/own-places.js';
import type { AgentSpec } from '../config/agent-spec.js';
import type { Config } from '../config/schema/config.js';
import { sandboxOf } from '../config/schema/sandbox.js';
import { sharedGitDir } from '../git/repository.js';
import { privateGitDir } from '../git/worktrees/list.js';
import { bubblewrapIn, sandboxProblem } from '../process/sandbox/check.js';
import { type OpenSandbox, openSandbox, type Sandbox, type Starting } from '../process/sandbox/launch.js';
import { isWithin } from '../process/sandbox/mounts.js';
import { placesIn, type SandboxFacts, type SandboxMode } from '../process/sandbox/plan.js';
import { upstreamsIn } from '../process/sandbox/upstream.js';
import { makeTemporary } from '../process/temporary.js';
import { FAILURE } from '../protocol/failures.js';
import { type WorkDeps, WorkError } from './job.js';
import { listeningSockets } from './listening.js';
import { noteSandbox, projectAround } from './open-sandboxes.js';
import { kindOf, prepareOwn } from './own-files.js';

export interface SandboxInput {
  deps: WorkDeps;
  config: Pick<Config, 'sandbox' | 'worktrees'>;
  /** Absent: a gate or set-up command. */
  spec?: Pick<AgentSpec, 'adapter'>;
  cwd: string;
  /** Folder of the iteration. */
  scratch: string;
  /** Absent: `cwd` is no worktree. Without a branch nothing is committed. */
  git?: { repo: string; branch?: string };
}

/** Undefined: the configuration asks for none. */
export function sandboxFor(input: SandboxInput): OpenSandbox | undefined {
  const { mode } = sandboxOf(input.config);
  return mode === 'off' ? undefined : (starting) => open(input, mode, starting);
}

/** Undefined: gates and set-up run as the user. */
export function gateSandboxFor(
  deps: WorkDeps,
  { config, repo }: { config: Config; repo: string },
  { dir, logDir }: { dir: string; logDir: string },
): OpenSandbox | undefined {
  const { gates } = sandboxOf(config);
  return gates ? sandboxFor({ deps, config, cwd: dir, scratch: logDir, git: { repo } }) : undefined;
}

let stands = false;

/** @throws WorkError where this machine cannot run a sandbox */
async function assertStands({ env }: WorkDeps): Promise<void> {
  if (stands) return;
  const found = await sandboxProblem(env);
  if (found) {
    const message = `ralphctl.yaml asks for a sandbox, and ${found.problem}. ${capital(found.fix)}, or say sandbox: off`;
    throw new WorkError(message, FAILURE.badInput);
  }
  stands = true;
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

async function open(input: SandboxInput, mode: SandboxMode, { argv, env }: Starting): Promise<Sandbox> {
  const { deps, config, spec, scratch } = input;
  await assertStands(deps);
  const { allow, read, write } = sandboxOf(config);
  const home = await real(env.HOME || homedir());
  const own = ownPlaces(spec ?? { adapter: 'command' }, env, home);
  await prepareOwn(own);
  const temporary = join(scratch, 'tmp');
  await mkdir(temporary, { recursive: true, mode: 0o700 });
  const written = [...own.scratch.map((name) => join(scratch, name)), ...filesIn([env.GIT_TRACE2_EVENT])];
  for (const file of written) await writeFile(file, '', { flag: 'a', mode: 0o600 });
  const facts: SandboxFacts = {
    mode,
    home,
    stateRoot: await real(deps.root),
    worktreesRoot: config.worktrees.root === undefined ? undefined : await real(config.worktrees.root),
    cwd: await real(input.cwd),
    git: input.git && (await gitFacts(input.git, input.cwd)),
    readable: await existing([
      dirname(scratch),
      ...filesIn(argv.slice(1)),
      ...filesIn(FILE_VARIABLES.map((v) => env[v])),
    ]),
    writable: await existing(written),
    temporary: await real(temporary),
    agent: {
      state: await existing(own.state),
      settings: await existing(own.settings),
      fresh: await freshFolders(await existing(own.fresh), temporary),
    },
    read: await existing(read.map((path) => inHome(path, home))),
    write: await existing(write.map((path) => inHome(path, home))),
    programs: await programsFor(argv, env, input.cwd),
    listening: await listeningSockets(),
    kindOf,
    // The last: nothing of the above may fail and leave it.
    sockets: await real(await socketFolder()),
  };
  const project = projectAround(deps.root, scratch);
  const folders = [facts.sockets, facts.temporary];
  const closed = project === undefined ? undefined : await noteSandbox(deps.root, project, folders);
  return openSandbox({
    facts,
    closed,
    places: placesIn([...own.hosts, ...allow]),
    upstreams: upstreamsIn(deps.env),
    program: bubblewrapIn(deps.env),
  });
}

/** Empty folders that stand for those of the user, and go with the sandbox. */
async function freshFolders(
  paths: readonly string[],
  temporary: string,
): Promise<Array<{ path: string; from: string }>> {
  const parent = await real(temporary);
  const folders = paths.map((path, at) => ({ path, from: join(parent, `.own-${at}`) }));
  for (const { from } of folders) await mkdir(from, { recursive: true, mode: 0o700 });
  return folders;
}

/** The system limits paths of sockets to some hundred bytes. */
const LONGEST_FOLDER = 80;

async function socketFolder(): Promise<string> {
  const folder = await makeTemporary('sandbox');
  if (folder.length <= LONGEST_FOLDER) return folder;
  await rm(folder, { recursive: true, force: true });
  return mkdtemp('/tmp/ralphctl-sandbox-');
}

const FILE_VARIABLES = [
  ...['RALPHCTL_SCRIPT', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE'],
  ...['CURL_CA_BUNDLE', 'GIT_SSL_CAINFO', 'GIT_CONFIG_GLOBAL', 'NPM_CONFIG_USERCONFIG'],
];

const filesIn = (words: ReadonlyArray<string | undefined>): string[] =>
  words.filter((word) => word !== undefined && isAbsolute(word)) as string[];

const inHome = (path: string, home: string): string => (path.startsWith('~/') ? join(home, path.slice(2)) : path);

const real = (path: string): Promise<string> => realpath(path).catch(() => path);

/** Real paths of what is there. A link leads where it leads now. */
async function existing(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return [...new Set(found.filter((path) => path !== undefined && path !== '/'))] as string[];
}

async function gitFacts({ repo, branch }: NonNullable<SandboxInput['git']>, worktree: string) {
  const commonDir = await real(await sharedGitDir(repo));
  const privateDir = await privateGitDir(worktree);
  if (!privateDir) throw new WorkError(`${worktree} is no worktree of ${repo}`, FAILURE.repository, true);
  const [branches = ''] = branch?.split('/') ?? [];
  const commits = branch !== undefined;
  for (const folder of commits ? ['refs/heads', 'logs/refs/heads'] : [])
    await mkdir(join(commonDir, folder, branches), { recursive: true });
  const alternates = await readFile(join(commonDir, 'objects/info/alternates'), 'utf8').catch(() => '');
  const borrowed = await existing(alternates.split('\n').filter(isAbsolute));
  return { commonDir, privateDir: await real(privateDir), branches, commits, borrowed };
}

/** The program, those that its arguments name (of a wrapper), and the folders of PATH, with the packages around them. */
async function programsFor([program = '', ...rest]: readonly string[], env: Starting['env'], cwd: string) {
  const folders = (env.PATH ?? '').split(delimiter).filter((dir) => isAbsolute(dir) && !isWithin(dir, cwd));
  const found = folders.map((dir) => join(dir, program)).find((path) => kindOf(path) === 'file');
  const files = filesIn([isAbsolute(program) ? program : found, ...rest.filter(isProgram)]);
  const packages = [...files, ...(await existing(files))].map(packageOf);
  const inFolders = (await existing(folders)).map((dir) => join(dir, 'program'));
  return [...new Set([...files, ...packages, ...inFolders])];
}

function isProgram(word: string): boolean {
  try {
    const info = isAbsolute(word) ? statSync(word) : undefined;
    return info?.isFile() === true && (info.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** Packages of npm need others beside them, and a program of a virtual environment needs what is installed there. */
function packageOf(file: string): string {
  const at = file.indexOf('/node_modules/');
  if (at >= 0) return join(file.slice(0, at), 'node_modules', 'package');
  const environment = dirname(dirname(file));
  return kindOf(join(environment, 'pyvenv.cfg')) === 'file' ? join(environment, 'program') : file;
}
