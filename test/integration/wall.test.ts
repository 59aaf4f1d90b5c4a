/**
 * An attacker in the sandbox, in a real run: nothing of what it tries works, and its idea still lands what it did in its
 * worktree. Features: B2 D2.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { sandboxProblem } from '../../src/process/sandbox/check.js';
import { processTable } from '../../src/process/table.js';
import { projectOf } from '../support/news.js';
import { pidsWith } from '../support/processes.js';
import { cliPath, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { inShownFolder, shownFolder } from '../support/shown-folder.js';

const cannot =
  shownFolder === undefined
    ? { problem: 'checkout and home folder are temporary ones', fix: 'check it out elsewhere' }
    : await sandboxProblem(process.env);
if (cannot) console.log(`test/integration/wall.test.ts is skipped: ${cannot.problem}; ${cannot.fix}`);

let box: Sandbox | undefined;
const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await box?.dispose();
});

async function listen(at: number | string = 0): Promise<number> {
  const server = createServer((client) => client.end('hello\n'));
  servers.push(server);
  await new Promise<void>((resolve) =>
    typeof at === 'string' ? server.listen(at, resolve) : server.listen(at, '127.0.0.1', resolve),
  );
  return typeof at === 'string' ? 0 : (server.address() as AddressInfo).port;
}

/** A repository as people have them: neither below /tmp nor below /dev, of which a sandbox has its own. */
async function boxElsewhere(files: Record<string, string>): Promise<Sandbox> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = await inShownFolder('wall-');
  try {
    return await sandbox(inject('stateRoot'), files);
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

/** Each attack ends well for the attacker (BROKEN), or throws (HELD). */
const ATTACKS = `import { execFileSync } from 'node:child_process';
import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';

const [given] = process.argv.slice(2);
const { home, repo, stateRoot, project, temporal, other, allowed, socket, supervisor, target } = JSON.parse(given);
const git = (...args) => execFileSync('git', args, { stdio: 'pipe' }).toString().trim();
const common = git('rev-parse', '--path-format=absolute', '--git-common-dir');
const own = git('rev-parse', '--path-format=absolute', '--git-dir');
const dial = (at) => new Promise((resolve, reject) => {
  const client = connect(at);
  client.once('data', resolve);
  client.once('error', reject);
  client.setTimeout(3000, () => reject(new Error('no answer')));
});
const proxied = async (place) => {
  const { hostname, port } = new URL(process.env.HTTP_PROXY);
  const client = connect(Number(port), hostname, () => client.write('CONNECT ' + place + ' HTTP/1.1\\r\\n\\r\\n'));
  const said = await new Promise((resolve, reject) => { client.once('data', resolve); client.once('error', reject); });
  if (!String(said).startsWith('HTTP/1.1 200')) throw new Error(String(said));
};
const attacks = {
  'signal the run over the Temporal port': () => dial({ host: '127.0.0.1', port: temporal }),
  'the same through the proxy': () => proxied('127.0.0.1:' + temporal),
  'the same by another name': () => proxied('localhost:' + temporal),
  'the same by a short address': () => proxied('127.1:' + temporal),
  'another port of this machine': () => dial({ host: '127.0.0.1', port: other }),
  'another port through the proxy': () => proxied('127.0.0.1:' + other),
  'the internet': () => proxied('example.com:443'),
  'a socket file': () => dial({ path: socket }),
  'a folder that the start had open': () => writeFileSync('/proc/self/fd/200/x', 'x'),
  'write the state folder': () => writeFileSync(join(stateRoot, 'x'), 'x'),
  'see the state folder': () => readFileSync(join(stateRoot, 'projects', project, 'worker.json')),
  'see another worktree': () => { if (readdirSync(join(stateRoot, 'projects', project, 'worktrees')).length < 2) throw new Error('alone'); },
  'write the user checkout': () => writeFileSync(join(repo, 'x'), 'x'),
  'move the target': () => git('update-ref', 'refs/heads/' + target, 'HEAD'),
  'move the target by its file': () => writeFileSync(join(common, 'refs/heads', target), git('rev-parse', 'HEAD')),
  'make another branch': () => git('branch', 'mine'),
  'make a tag': () => git('tag', 'mine'),
  'write a hook': () => writeFileSync(join(common, 'hooks/post-commit'), '#!/bin/sh'),
  'replace the hooks': () => { renameSync(join(common, 'hooks'), join(common, 'old')); mkdirSync(join(common, 'hooks')); },
  'write git config': () => git('config', 'core.hooksPath', '/x'),
  'append to git config': () => appendFileSync(join(common, 'config'), '[core]'),
  'write attributes': () => writeFileSync(join(common, 'info/attributes'), '* filter=x'),
  'borrow objects': () => writeFileSync(join(common, 'objects/info/alternates'), '/x'),
  'lead git elsewhere': () => writeFileSync(join(own, 'commondir'), '/x'),
  'replace the link of the worktree': () => { rmSync('.git'); mkdirSync('.git'); },
  'write home': () => writeFileSync(join(home, '.bashrc'), 'x'),
  'write the gitconfig of the user': () => git('config', '--global', 'core.hooksPath', '/x'),
  'kill the supervisor': () => process.kill(supervisor, 'SIGKILL'),
  'see other processes': () => { if (readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).length < 12) throw new Error('alone'); },
  'become the machine': () => closeSync(openSync('/proc/sys/kernel/core_pattern', 'r+')),
  'write programs': () => writeFileSync('/usr/bin/x', 'x'),
  'mount': () => execFileSync('mount', ['-t', 'tmpfs', 'x', '/mnt'], { stdio: 'pipe' }),
  'find agents of the desktop': () => { if (!process.env.SSH_AUTH_SOCK && !process.env.DBUS_SESSION_BUS_ADDRESS) throw new Error('none'); },
  'read a key': () => readFileSync(join(home, '.ssh/id_test')),
  'read the user checkout': () => readFileSync(join(repo, 'untracked-secret')),
};
const rights = {
  'the allowed port': () => dial({ host: '127.0.0.1', port: allowed }),
  'the allowed port through the proxy': () => proxied('127.0.0.1:' + allowed),
  'a temporary file': () => writeFileSync('/tmp/x', 'x'),
  'a link in the worktree': () => symlinkSync('attack.mjs', 'link'),
  'a commit': () => { writeFileSync('made.txt', 'made'); git('add', 'made.txt'); git('commit', '-m', 'made inside'); },
};
const lines = [];
const run = async (all, good, bad) => {
  for (const [name, what] of Object.entries(all)) {
    const said = await Promise.resolve().then(what).then(() => good, (error) => bad + (bad === 'HELD' ? '' : ' ' + error.message.split('\\n')[0]));
    lines.push(said + ': ' + name);
  }
};
await run(rights, 'RIGHT', 'DENIED');
await run(attacks, 'BROKEN', 'HELD');
rmSync('link', { force: true });
writeFileSync('attacks.txt', lines.join('\\n') + '\\n');
process.exit(0);
`;

/** Red where it can write the user's checkout or reach a port that is not allowed. */
const HOLD = `import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
const { repo, other } = JSON.parse(process.argv[2]);
try {
  writeFileSync(repo + '/gate-was-here', 'x');
  process.exit(1);
} catch {}
connect({ host: '127.0.0.1', port: other })
  .once('connect', () => process.exit(2))
  .once('error', () => process.exit(0));
`;

const MODES = [
  // Only strict hides what the user may read.
  { mode: 'on', open: ['read a key', 'read the user checkout'] },
  { mode: 'strict', open: [] },
] as const;

describe.skipIf(cannot !== undefined)('an attacker in the sandbox', () => {
  it.each(MODES)('sandbox: $mode', { timeout: 280_000 }, async ({ mode, open }) => {
    const [other, allowed] = [await listen(), await listen()];
    box = await boxElsewhere({
      'roadmap.md': roadmap([{ id: 'a-1' }]),
      'attack.mjs': ATTACKS,
      'hold.mjs': HOLD,
      'base.txt': 'x',
    });
    const { repo, env, git, commit, write } = box;
    const home = env.HOME ?? '';
    const mark = `4${process.pid}${Date.now() % 100_000}`;
    await mkdir(join(home, '.ssh'));
    await writeFile(join(home, '.ssh/id_test'), 'KEY');
    await writeFile(join(repo, '.git/info/exclude'), 'untracked-secret\n');
    await writeFile(join(repo, 'untracked-secret'), 'SECRET');
    const socket = join(home, 's.sock');
    await listen(socket);
    const [, port] = inject('address').split(':');
    const about = {
      ...{
        home,
        repo,
        stateRoot: inject('stateRoot'),
        project: projectOf(repo),
        temporal: Number(port),
        other,
        allowed,
      },
      ...{ socket, supervisor: process.pid, target: 'main' },
    };
    const hold = `node hold.mjs '${JSON.stringify({ repo, other })}'`;
    const steps = [
      { run: `node attack.mjs '${JSON.stringify(about)}'` },
      { run: `env -i setsid sleep ${mark} >/dev/null 2>&1 & sleep 0.3` },
    ];
    await write({
      'ralphctl.yaml': yaml({
        ...{ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['test -f made.txt', hold] },
        sandbox: { mode, allow: [`127.0.0.1:${allowed}`], gates: true },
      }),
      '.ralph-script.yaml': yaml({ default: [{ do: steps, signal: 'COMPLETE' }] }),
    });
    await commit('set up');
    const config = await readFile(join(repo, '.git/config'), 'utf8');
    const line = 'exec 200<"$HOME" && exec "$0" "$@"';
    const words = ['-c', line, process.execPath, cliPath, 'start', '--wait', '--plain'];
    const done = await execa('bash', words, { cwd: repo, env, extendEnv: false, reject: false });
    expect(done.exitCode, done.stdout + done.stderr).toBe(0);

    const lines = (await git('show', 'main:attacks.txt')).split('\n');
    expect(lines.filter((line) => line.startsWith('BROKEN')).map((line) => line.slice('BROKEN: '.length))).toEqual(
      open,
    );
    expect(lines.filter((line) => line.startsWith('DENIED'))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('HELD'))).toHaveLength(35 - open.length);
    expect(await git('log', '--format=%s', 'main')).toContain('made inside');

    // What it did to the outside, as the outside sees it.
    expect(await readFile(join(repo, '.git/config'), 'utf8')).toBe(config);
    expect(await git('branch', '--list', 'mine')).toBe('');
    expect(await readdir(home)).not.toContain('.bashrc');
    expect(await readdir(home)).not.toContain('x');
    expect(await readdir(join(repo, '.git/hooks'))).not.toContain('post-commit');
    expect(
      (await processTable())
        .map(({ pid }) => spawnSync('cat', [`/proc/${pid}/cmdline`]).stdout.toString())
        .filter((line) => line.includes(`sleep\0${mark}`)),
    ).toEqual([]);

    // It is told.
    expect(done.stderr + done.stdout).toMatch(/in a sandbox/);
    const runs = join(inject('stateRoot'), 'projects', projectOf(repo), 'runs');
    const [id = ''] = await readdir(runs);
    const result = await readFile(join(runs, id, 'ideas/a-1/001/result.json'), 'utf8');
    expect(result).toContain(`the sandbox refused connections to`);
    expect(result).toContain(`127.0.0.1:${other}`);
    expect(result).toContain('the sandbox ended processes that the agent had left: sleep');
    expect(await readdir(join(runs, id, 'ideas/a-1/001'))).not.toContain('tmp');
  });
});

/** What git outside would follow: links in the folders of git that an agent writes, and an odd name of a branch. */
const LINKS = `GD=$(git rev-parse --git-dir); C=$(git rev-parse --path-format=absolute --git-common-dir)
[ -e made.txt ] && exit 0
echo made > made.txt; git add made.txt; git commit -qm inside
git checkout -q -b 'ralph/$(touch\${IFS}\${HOME}/PWNED)'
rm -f "$GD/logs/HEAD" "$C/logs/refs/heads/ralph/a-1"
ln -s "$HOME/.bashrc" "$GD/logs/HEAD"
ln -s "$HOME/victim-log" "$C/logs/refs/heads/ralph/a-1"
for name in COMMIT_EDITMSG ORIG_HEAD FETCH_HEAD MERGE_MSG HEAD.ralphctl HEAD.new; do
  rm -f "$GD/$name"; ln -s "$HOME/victim-$name" "$GD/$name"
done
echo left > left.txt
`;

/** Its own branch, and where git keeps the last tip, as names of a branch that it may not move. */
const OTHER_BRANCH = `GD=$(git rev-parse --git-dir); C=$(git rev-parse --path-format=absolute --git-common-dir)
[ -e left.txt ] && exit 0
echo "ref: refs/heads/$1" > "$GD/ORIG_HEAD"
mkdir -p "$GD/rebase-merge"
echo "refs/heads/$1" > "$GD/rebase-merge/head-name"
git rev-parse HEAD > "$GD/rebase-merge/orig-head"
git rev-parse HEAD > "$GD/rebase-merge/onto"
echo "ref: refs/heads/$1" > "$C/refs/heads/ralph/a-1"
git reset -q
echo left > left.txt
`;

describe.skipIf(cannot !== undefined)('what an agent in the sandbox leaves for the git outside', () => {
  async function attacked(script: string, ...args: string[]): Promise<Sandbox> {
    const made = await boxElsewhere({ 'roadmap.md': roadmap([{ id: 'a-1' }]), 'attack.sh': script });
    box = made;
    await made.write({
      'ralphctl.yaml': yaml({
        version: 1,
        agent: 'scripted',
        stepDelayMs: 0,
        gate: ['test -f left.txt'],
        sandbox: 'on',
      }),
      '.ralph-script.yaml': yaml({
        default: [{ do: [{ run: ['bash', 'attack.sh', ...args].join(' ') }], signal: 'COMPLETE' }],
      }),
    });
    await made.commit('set up');
    return made;
  }

  /** On one line, without its frame. */
  const askedOf = async (run: Sandbox['run']): Promise<string> =>
    (await run('show', 'a-1')).stdout.replace(/[\s│]+/g, ' ');

  it('links where git writes are gone before it runs: nothing outside is written, a person is asked, the work lands', {
    timeout: 280_000,
  }, async () => {
    const { env, git, run } = await attacked(LINKS);
    const home = env.HOME ?? '';
    await writeFile(join(home, '.bashrc'), 'mine\n');
    const before = await readdir(home);
    const asked = await run('start', '--no-wait', '--plain');
    expect(asked.code, asked.stdout + asked.stderr).toBe(4);
    expect(await readFile(join(home, '.bashrc'), 'utf8')).toBe('mine\n');
    expect((await readdir(home)).filter((name) => name === 'PWNED' || name.startsWith('victim'))).toEqual([]);
    expect(before).toContain('.bashrc');
    const question = await askedOf(run);
    expect(question).toMatch(/put links, or other files that lead git elsewhere, where git writes in \.git: .*HEAD/);
    expect(question).toMatch(/left its worktree on ralph\/\$\(touch\S+, which is no branch of it/);

    expect((await run('answer', 'a-1', 'go on')).code).toBe(0);
    const done = await run('start', '--wait', '--plain');
    expect(done.code, done.stdout + done.stderr).toBe(0);
    expect(await git('ls-tree', '--name-only', 'main', 'left.txt', 'made.txt')).toBe('left.txt\nmade.txt');
    expect(await readFile(join(home, '.bashrc'), 'utf8')).toBe('mine\n');
  });

  it.each(['release', 'main'])(
    'its own branch as another name of %s: that one stays, and a person is asked',
    {
      timeout: 280_000,
    },
    async (other) => {
      const { git, run, repo } = await attacked(OTHER_BRANCH, other);
      await git('checkout', '-q', '-b', 'release');
      await git('commit', '-q', '--allow-empty', '-m', 'not yet');
      await git('checkout', '-q', 'main');
      const [main, release] = [await git('rev-parse', 'main'), await git('rev-parse', 'release')];
      const asked = await run('start', '--no-wait', '--plain');
      expect(asked.code, asked.stdout + asked.stderr).toBe(4);
      expect([await git('rev-parse', 'main'), await git('rev-parse', 'release')]).toEqual([main, release]);
      expect(await readFile(join(repo, '.git/refs/heads/ralph/a-1'), 'utf8')).toMatch(/^[0-9a-f]{40}\n$/);
      expect(await askedOf(run)).toContain(`made its branch ralph/a-1 another name of refs/heads/${other}`);

      expect((await run('answer', 'a-1', 'go on')).code).toBe(0);
      const done = await run('start', '--wait', '--plain');
      expect(done.code, done.stdout + done.stderr).toBe(0);
      expect(await git('rev-parse', 'release')).toBe(release);
      expect(await git('log', '--format=%s', 'main')).not.toContain('not yet');
      expect(await git('ls-tree', '--name-only', 'main', 'left.txt')).toBe('left.txt');
    },
  );
});

describe.skipIf(cannot !== undefined)('a lost worker', () => {
  it('its agent in a sandbox is ended with all of its processes, and the next attempt lands', {
    timeout: 280_000,
  }, async () => {
    box = await boxElsewhere({ 'roadmap.md': roadmap([{ id: 'a-1' }]) });
    const { repo, git, commit, run, write } = box;
    const mark = `5${process.pid}${Date.now() % 100_000}`;
    // The first attempt hangs, in a session of its own, too.
    const hang = `[ -e first ] || { touch first; setsid sleep ${mark} & sleep ${mark}; }`;
    await write({
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['test -f first'], sandbox: 'on' }),
      '.ralph-script.yaml': yaml({ default: [{ do: [{ run: hang }], signal: 'COMPLETE' }] }),
    });
    await commit('set up');
    expect((await run('start', '--detach')).code).toBe(0);
    const sleeping = async () => (await pidsWith('sleep', mark)).length;
    await until('both to sleep', async () => (await sleeping()) === 2);
    const workers = await pidsWith('worker', '--child', '--project', projectOf(repo));
    const jobs = (await processTable()).filter(({ ppid }) => workers.includes(ppid)).map(({ pid }) => pid);
    expect([workers.length, jobs.length]).toEqual([1, 2]);
    for (const pid of [...jobs, ...workers]) process.kill(pid, 'SIGKILL');
    await until('the idea to land', async () => (await git('ls-tree', '--name-only', 'main', 'first')) !== '');
    expect(await sleeping()).toBe(0);
    expect(await git('log', '--format=%s', 'main', '--', 'first')).toMatch(/^[^\n]*#a-1@ed-001$/);
  });
});

describe('where no sandbox can stand', () => {
  it('a start refuses before anything begins, and names the fix; doctor says so', async () => {
    box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 'a-1' }]),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', sandbox: 'on' }),
    });
    const { run, env, scratch, repo } = box;
    // All of PATH but bubblewrap.
    const bin = join(scratch, 'bin');
    await mkdir(bin);
    for (const program of ['git', 'sh', 'mkfifo', 'ps', 'find'])
      spawnSync('sh', ['-c', `ln -s "$(command -v ${program})" "${bin}/"`]);
    env.PATH = bin;
    const refused = await run('start', '--detach');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('bubblewrap (bwrap) is not on PATH');
    expect(refused.stderr).toContain('apt install bubblewrap');
    expect(refused.stderr).toContain('sandbox: off');
    const runs = join(inject('stateRoot'), 'projects', projectOf(repo), 'runs');
    expect(await readdir(runs).catch(() => [])).toEqual([]);
    const { stdout } = await run('doctor', '--quick');
    expect(stdout).toMatch(/✗ sandbox +bubblewrap \(bwrap\) is not on PATH/);
    await rm(bin, { recursive: true });
  });
});
