/**
 * What must hold after an episode, read from git, /proc and the file system by code of its own: nothing of ralphctl's is
 * imported, so that one mistake cannot make and hide a fault.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { processes, withToken } from './processes.js';

const exec = promisify(execFile);

export interface Found {
  repo: string;
  /** State folder of ralphctl. */
  root: string;
  project: string;
  ideas: string[];
  gate: string;
  diary: string;
  /** File with the trees that a gate of ralphctl's own worktrees found green. */
  gated: string;
  /** Ideas that the run itself names as not landed, with why. */
  notLanded: { idea: string; status: string; reason?: string }[];
  /** Those of them that took another's place: the backlog file does not know them. */
  parts: ReadonlySet<string>;
  /** Ideas in whose place those came: what they had is kept where it was, saved or not. */
  replaced: ReadonlySet<string>;
  /** Ideas that a person took off the target again, and how often that was asked. */
  undone: ReadonlyMap<string, number>;
  /** Agent runs that counted as failed, and how many of them may, because their agent itself was killed. */
  charged: { failed: string[]; allowed: number };
  checkout: { before: Checkout; onTarget: boolean };
}

/** Everything of the user's checkout that must not change. */
export interface Checkout {
  head: string;
  index: string;
  status: string;
  edits: string;
}

const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (await exec('git', ['-C', cwd, ...args], { maxBuffer: 1 << 26 })).stdout.trim();

export async function lookAtCheckout(repo: string): Promise<Checkout> {
  const [head, index, status, edits] = await Promise.all([
    git(repo, 'rev-parse', '--symbolic-full-name', 'HEAD').then(
      async (ref) => `${ref} ${await git(repo, 'rev-parse', 'HEAD')}`,
    ),
    git(repo, 'ls-files', '--stage'),
    git(repo, 'status', '--porcelain=v2', '--untracked-files=all'),
    git(repo, 'diff'),
  ]);
  return { head, index, status, edits };
}

export async function violations(found: Found): Promise<string[]> {
  const wrong: string[] = [];
  for (const check of [
    landedOnce,
    named,
    nothingRuns,
    worktrees,
    green,
    gatedAsIs,
    checkoutUntouched,
    oneAgentEach,
    nothingCharged,
    toldOnce,
  ]) {
    try {
      wrong.push(...(await check(found)));
    } catch (error) {
      wrong.push(`${check.name} could not be checked: ${String(error)}`);
    }
  }
  return wrong;
}

/**
 * Every file that an idea's iteration makes is added on the target by one commit, and by one of that idea; once more for
 * each time that it was taken off again.
 */
async function landedOnce({ repo, ideas, notLanded, undone, parts }: Found): Promise<string[]> {
  const wrong: string[] = [];
  const missing = new Set(notLanded.map(({ idea }) => idea));
  for (const idea of ideas) {
    for (const iteration of [1, 2]) {
      const path = `${idea}-${iteration}.txt`;
      const adds = await changes(repo, 'A', path);
      const takenOff = (await changes(repo, 'D', path)).length;
      const most = undone.get(idea) ?? 0;
      if (takenOff > most) wrong.push(`${path} was taken off main ${takenOff} times, and asked for ${most} times`);
      const expected = (missing.has(idea) ? 0 : 1) + takenOff;
      if (adds.length !== expected)
        wrong.push(`${path} was added ${adds.length} times on main, not ${expected}: ${adds.join(' | ')}`);
      for (const line of adds)
        if (!line.endsWith(` ${idea}`)) wrong.push(`${path} came with another idea's commit: ${line}`);
    }
  }
  const shared = ideas.filter((idea) => idea.startsWith('s-') && !missing.has(idea));
  const text = shared.length > 0 ? await git(repo, 'show', 'main:shared.txt') : '';
  const lines = text.split('\n').filter(Boolean);
  const expected = shared.map((idea) => `line ${idea}`).sort();
  if (lines.join() !== expected.join())
    wrong.push(`shared.txt holds [${lines.join(', ')}], not [${expected.join(', ')}]`);
  const ticked = (await git(repo, 'show', 'main:roadmap.md')).split('\n').filter((line) => line.startsWith('- [x]'));
  for (const idea of ideas.filter((one) => !parts.has(one))) {
    const isTicked = ticked.some((line) => line.includes(`**${idea}**`));
    if (isTicked === missing.has(idea)) wrong.push(`${idea} is ${isTicked ? '' : 'not '}ticked in the backlog`);
  }
  return wrong;
}

/** Commits on the target that added (`A`) or removed (`D`) a file, with the ideas that they name. */
async function changes(repo: string, what: 'A' | 'D', path: string): Promise<string[]> {
  const format = '--format=%h %(trailers:key=Ralph-Idea,valueonly,separator=%x2C)';
  const text = await git(repo, 'log', `--diff-filter=${what}`, format, 'main', '--', path);
  return text.split('\n').filter(Boolean);
}

/** In the end everything lands; what did not has a reason. */
async function named({ notLanded }: Found): Promise<string[]> {
  return notLanded.map(
    ({ idea, status, reason }) => `${idea} did not land (${status}): ${reason ?? 'nothing says why'}`,
  );
}

/** A lost worker, a frozen process, a sleep of the machine and a jump of the clock cost no idea anything. */
async function nothingCharged({ charged: { failed, allowed } }: Found): Promise<string[]> {
  return failed.length <= allowed
    ? []
    : [`${failed.length} runs counted as failed, not ${allowed}: ${failed.join(' | ')}`];
}

interface Row {
  n: number;
  id: string;
  prev: string;
  op: string;
  idea: string;
  run?: string;
  pass?: boolean;
  data: { serial?: number; head?: string; commit?: string };
}

/**
 * The evidence ledger is one chain, has every landing once, and no step twice. Half a line may be left where a process
 * was killed.
 */
async function toldOnce({ root, project, repo, ideas, notLanded }: Found): Promise<string[]> {
  const wrong: string[] = [];
  const text = await readFile(join(root, 'projects', project, 'ledger.jsonl'), 'utf8');
  let prev = '0'.repeat(64);
  const steps = new Map<string, number>();
  const landed = new Map<string, Set<string>>();
  let n = 0;
  for (const line of text.split('\n').filter(Boolean)) {
    let row: Row;
    try {
      row = JSON.parse(line) as Row;
    } catch {
      continue;
    }
    n += 1;
    if (row.prev !== prev || row.n !== n)
      wrong.push(`operation ${row.n} of the ledger does not follow operation ${n - 1}`);
    prev = createHash('sha256').update(line).digest('hex');
    const { op, idea, run, data } = row;
    const step =
      data.serial !== undefined && data.head !== undefined ? `${run}/${idea} agent run ${data.serial}` : row.id;
    steps.set(step, (steps.get(step) ?? 0) + 1);
    if (op === 'submit' && row.pass) landed.set(idea, (landed.get(idea) ?? new Set()).add(data.commit ?? ''));
  }
  for (const [step, times] of steps) if (times > 1) wrong.push(`the ledger has ${step} ${times} times`);
  const missing = new Set(notLanded.map(({ idea }) => idea));
  for (const idea of ideas.filter((one) => !missing.has(one))) {
    const told = [...(landed.get(idea) ?? [])];
    const adds = await changes(repo, 'A', `${idea}-2.txt`);
    if (told.length !== adds.length)
      wrong.push(`the ledger has ${told.length} landings of ${idea}, and main has ${adds.length}`);
    for (const commit of told)
      await git(repo, 'merge-base', '--is-ancestor', commit, 'main').catch(() =>
        wrong.push(`the ledger says that ${idea} landed as ${commit}, which main does not have`),
      );
  }
  return wrong;
}

async function nothingRuns({ project }: Found): Promise<string[]> {
  return withToken(processes(), project).map(
    (one) => `process ${one.pid} is left: ${one.args.join(' ').slice(0, 200)}`,
  );
}

/** Every folder is registered and every registration has its folder; nothing in them is unsaved. */
async function worktrees({ repo, root, project, replaced }: Found): Promise<string[]> {
  const wrong: string[] = [];
  const registered = (await git(repo, 'worktree', 'list', '--porcelain'))
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length))
    .filter((path) => path !== repo);
  for (const path of registered) if (!existsSync(path)) wrong.push(`worktree ${path} is registered and not there`);
  const dir = join(root, 'projects', project, 'worktrees');
  const found = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const links = new Map<string, string>();
  for (const one of found.filter((entry) => entry.isSymbolicLink())) {
    const to = await readlink(join(dir, one.name));
    if (!existsSync(join(dir, to))) wrong.push(`link ${one.name} leads to no worktree`);
    links.set(to, one.name);
  }
  for (const { name: place } of found.filter((entry) => !entry.isSymbolicLink())) {
    const path = join(dir, place);
    const name = links.get(place) ?? place;
    if (!registered.includes(path)) {
      wrong.push(`folder ${path} is no worktree that git knows`);
      continue;
    }
    const changes = await git(path, 'status', '--porcelain', '--untracked-files=all');
    const head = await git(path, 'rev-parse', 'HEAD');
    const kept = await git(
      repo,
      'for-each-ref',
      '--contains',
      head,
      '--format=%(refname)',
      'refs/heads',
      'refs/ralphctl',
    );
    if (changes !== '' && !replaced.has(name.slice('ed-001-'.length)) && !(await isSaved(repo, path)))
      wrong.push(`worktree ${name} holds unsaved work:\n${changes}`);
    if (kept === '') wrong.push(`worktree ${name} is at ${head}, which no ref holds`);
  }
  return wrong;
}

/** Whether some save point has all that is in the worktree. */
async function isSaved(repo: string, path: string): Promise<boolean> {
  const dir = await mkdtemp(join(tmpdir(), 'ralphctl-index-'));
  try {
    const env = { ...process.env, GIT_INDEX_FILE: join(dir, 'index') };
    await exec('git', ['-C', path, 'read-tree', 'HEAD'], { env });
    await exec('git', ['-C', path, 'add', '--all'], { env });
    const tree = (await exec('git', ['-C', path, 'write-tree'], { env })).stdout.trim();
    return (await git(repo, 'for-each-ref', '--format=%(tree)', 'refs/ralphctl/save')).split('\n').includes(tree);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** The gate passes on a fresh copy of the target. */
async function green({ repo, gate }: Found): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'ralphctl-green-'));
  try {
    await exec('git', ['clone', '--quiet', '--branch', 'main', repo, dir]);
    await exec('/bin/sh', ['-c', gate], { cwd: dir });
    return [];
  } catch (error) {
    return [`the gate is red on main: ${String(error)}`];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** Each commit that the target was moved to has passed the gate as exactly that tree. */
async function gatedAsIs({ repo, gated }: Found): Promise<string[]> {
  const trees = new Set((await readFile(gated, 'utf8').catch(() => '')).split('\n'));
  const moves = (await git(repo, 'reflog', 'show', '--format=%T %h %gs', 'main')).split('\n');
  return moves
    .filter((move) => / ralphctl: (?:land|undo) /.test(move) && !trees.has(move.split(' ', 1)[0] ?? ''))
    .map((move) => `no gate has seen the tree of a move of main: ${move}`);
}

async function checkoutUntouched({ repo, checkout }: Found): Promise<string[]> {
  const now = await lookAtCheckout(repo);
  if (checkout.onTarget) {
    const tip = await git(repo, 'rev-parse', 'main');
    const wrong = now.status === '' ? [] : [`the checkout on the target is not clean: ${now.status}`];
    return now.head.endsWith(tip) ? wrong : [...wrong, `the checkout is at ${now.head}, main at ${tip}`];
  }
  return (['head', 'index', 'status', 'edits'] as const).flatMap((part) =>
    now[part] === checkout.before[part]
      ? []
      : [`the checkout's ${part} was changed:\n${checkout.before[part]}\n->\n${now[part]}`],
  );
}

/** The agents' own diary: none ever saw another one alive in its worktree. */
async function oneAgentEach({ diary }: Found): Promise<string[]> {
  const text = await readFile(diary, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line.includes('"what":"overlap"'))
    .map((line) => `two agents in one worktree: ${line}`);
}
