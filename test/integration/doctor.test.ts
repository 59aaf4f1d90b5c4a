/** `init` and `doctor` as a user runs them. CLIs here are small programs of the test: what matters is what is said of them. */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { projectDir } from '../../src/config/paths.js';
import { exists } from '../../src/git/worktrees/list.js';
import { projectOf } from '../support/news.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 't-1' }]),
    'package.json': '{"scripts":{"test":"true"}}',
  });
});
afterEach(() => box?.dispose());

/** Puts programs on PATH, in front of or instead of what is there. */
async function programs(all: Record<string, string>): Promise<void> {
  const bin = join(box.scratch, 'bin');
  await mkdir(bin, { recursive: true });
  for (const [name, script] of Object.entries(all)) {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  }
  box.env.PATH = `${bin}:${box.env.PATH}`;
}
interface Check {
  what: string;
  state: string;
  found: string;
  fix?: string;
}
async function doctor(
  ...flags: string[]
): Promise<{ code: number; checks: Check[]; about: (what: string) => Check[] }> {
  const { code, json, stderr } = await box.run('doctor', '--json', ...flags);
  const checks = json[0]?.checks as Check[];
  expect(checks, stderr).toBeDefined();
  return { code, checks, about: (what) => checks.filter((check) => check.what === what) };
}
const CODEX = 'case "$*" in *--version*) echo codex-cli 0.169.0;; *) exit $((LOGGED_OUT + 0));; esac';

it('A7: doctor finds what start refuses: a script that is not committed', async () => {
  await writeFile(join(box.repo, 'ralphctl.yaml'), yaml({ version: 1, agent: 'scripted', gate: ['true'] }));
  await box.git('add', 'ralphctl.yaml');
  await box.git('commit', '-qm', 'configuration');
  await writeFile(join(box.repo, '.ralph-script.yaml'), 'default: []\n');
  const before = await doctor('--quick');
  expect(before.code).toBe(2);
  expect(before.about('agent scripted').find(({ state }) => state === 'fail')?.found).toMatch(
    /\.ralph-script\.yaml does not exist on main/,
  );
  expect((await box.run('start', '--dry-run')).code).toBe(2);
  await box.git('add', '.ralph-script.yaml');
  await box.git('commit', '-qm', 'script');
  expect((await doctor('--quick')).about('agent scripted').map(({ state }) => state)).toEqual(['ok']);
});

it('A7 C5: doctor and start name an index that git cannot read, and the command makes it anew', async () => {
  await writeFile(join(box.repo, 'ralphctl.yaml'), yaml({ version: 1, agent: 'scripted', gate: ['true'] }));
  await writeFile(join(box.repo, '.ralph-script.yaml'), 'default: []\n');
  await box.git('add', '.');
  await box.git('commit', '-qm', 'configuration');
  await writeFile(join(box.repo, '.git/index'), 'garbage');
  const [found] = (await doctor('--quick')).about('index');
  expect(found).toMatchObject({ state: 'fail', found: expect.stringContaining('git cannot read the index of') });
  const start = await box.run('start', '--dry-run');
  expect([start.code, start.stderr]).toEqual([2, expect.stringContaining(found?.fix ?? '?')]);
  await execa('sh', ['-c', found?.fix?.replace('Put a new one in its place: ', '') ?? 'false'], { cwd: box.repo });
  expect(await box.git('status', '--porcelain')).toBe('');
  expect((await doctor('--quick')).about('index')).toEqual([]);
  await rm(join(box.repo, '.git/index'));
  const [gone] = (await doctor('--quick')).about('index');
  expect(gone).toMatchObject({ state: 'fail', found: expect.stringMatching(/the index of .* is gone/) });
  const again = await box.run('start', '--dry-run');
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining(gone?.fix ?? '?')]);
  expect(gone?.fix).toMatch(/^Put a new one in its place: git -C .* reset -q/);
  await execa('sh', ['-c', gone?.fix?.replace('Put a new one in its place: ', '') ?? 'false'], { cwd: box.repo });
  expect(await box.git('status', '--porcelain')).toBe('');
});

describe('init', () => {
  it('proposes what it finds, and overwrites nothing without --force', async () => {
    await programs({ codex: CODEX });
    const dry = await box.run('init', '--dry-run');
    expect(dry.code).toBe(0);
    const first = await box.run('init');
    expect(first.code, first.stderr).toBe(0);
    const file = join(box.repo, 'ralphctl.yaml');
    expect(await readFile(file, 'utf8')).toBe(`${dry.stdout}\n`);
    expect(parse(dry.stdout)).toMatchObject({ target: 'main', backlog: 'roadmap.md', gate: ['npm test'] });
    await writeFile(file, 'version: 1\n');
    const second = await box.run('init');
    expect(second.code).toBe(2);
    expect(second.stderr).toMatch(/is there already.*--force/);
    expect(await readFile(file, 'utf8')).toBe('version: 1\n');
    expect((await box.run('init', '--force')).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(`${dry.stdout}\n`);
  });
});

describe('init in a folder of a monorepo', () => {
  it('writes the file there, with the scripts and the backlog of that folder', async () => {
    await box.write({
      'apps/web/package.json': '{"scripts":{"test":"test -e web.txt"},"dependencies":{"x":"file:../x"}}',
      'apps/web/roadmap.md': roadmap([{ id: 'w-1' }]),
      'apps/web/src/index.js': '',
    });
    const made = await box.run('-C', join(box.repo, 'apps/web/src'), 'init');
    expect(made.code, made.stderr).toBe(0);
    expect(await exists(join(box.repo, 'ralphctl.yaml'))).toBe(false);
    const text = await readFile(join(box.repo, 'apps/web/ralphctl.yaml'), 'utf8');
    expect(parse(text)).toMatchObject({
      backlog: 'roadmap.md',
      gate: ['cd apps/web && npm test'],
      setup: { run: 'cd apps/web && npm install --no-package-lock' },
    });
    expect(made.stderr).toContain('both in apps/web');
    // A folder that has nothing but a backlog or a Makefile counts, too.
    for (const [dir, file] of [
      ['apps/ideas', 'ideas.yaml'],
      ['apps/make', 'Makefile'],
      ['apps/specs', 'specs/roadmap.md'],
    ] as const) {
      await box.write({ [`${dir}/${file}`]: '' });
      expect((await box.run('-C', join(box.repo, dir), 'init')).code).toBe(0);
      expect(await exists(join(box.repo, dir, 'ralphctl.yaml'))).toBe(true);
    }
    // Found from below it, too; the top of the repository keeps its own.
    const plan = async (...at: string[]) => (await box.run(...at, 'start', '--dry-run', '--agent', 'scripted')).stdout;
    expect(await plan('-C', join(box.repo, 'apps/web/src'))).toContain('w-1');
    expect(await plan()).toContain('t-1');
  });
});

describe('doctor', () => {
  const configure = (more: object) =>
    box.write({ 'ralphctl.yaml': yaml({ version: 1, agent: 'codex', gate: ['npm test'], ...more }) });

  it('is content with a machine that can run', async () => {
    await programs({ codex: CODEX });
    await configure({});
    const { code, checks, about } = await doctor();
    expect(checks.filter((check) => check.state === 'fail')).toEqual([]);
    expect(code).toBe(0);
    expect(
      about('agent codex')
        .map((check) => check.found)
        .join(),
    ).toMatch(/0\.169\.0.*logged in/);
    expect(about('git')[0]?.state).toBe('ok');
    expect(about('server')[0]?.state).toBe('ok');
  });

  it('names each problem with its fix', async () => {
    await programs({ codex: CODEX });
    await execa('git', ['config', 'merge.x.driver', 'node package.json %A'], { cwd: box.repo });
    box.env.LOGGED_OUT = '1';
    await configure({
      gate: ['npm run nosuch', 'nosuchprogram --x', './missing.sh', 'test -e a && true'],
      target: 'gone',
      agents: { codex: { passEnv: ['LOGGED_OUT'] } },
    });
    const { code, checks, about } = await doctor();
    expect(code).toBe(2);
    expect(about('target')[0]).toMatchObject({ state: 'fail' });
    expect(about('git settings')[0]).toMatchObject({
      state: 'warn',
      found: expect.stringContaining('merge.x.driver runs package.json, which is part of the repository'),
      fix: expect.stringContaining('git config merge.x.driver'),
    });
    expect(about('gate: npm run nosuch')[0]).toMatchObject({
      state: 'fail',
      found: 'package.json has no script "nosuch"',
    });
    expect(about('gate: nosuchprogram --x')[0]).toMatchObject({ state: 'fail' });
    expect(about('gate: ./missing.sh')[0]).toMatchObject({ state: 'fail' });
    expect(about('gate: test -e a && true')[0]).toMatchObject({ state: 'ok' });
    expect(about('agent codex')).toContainEqual(
      expect.objectContaining({ state: 'fail', found: 'is not logged in', fix: 'codex login' }),
    );
    for (const check of checks) if (check.state === 'fail') expect(check.fix, check.what).toMatch(/\S{3}/);
  });

  describe('tries set-up and gate in a fresh worktree of the target', () => {
    const of = async (files: Record<string, string>, config: object, ...flags: string[]) => {
      await programs({ codex: CODEX });
      await box.write(files);
      await configure(config);
      await box.commit('more');
      const before = await box.git('status', '--porcelain=v2', '--branch', '--ignored');
      const got = await doctor(...flags);
      // Nothing of it stays.
      expect(await box.git('status', '--porcelain=v2', '--branch', '--ignored')).toBe(before);
      expect(await box.git('worktree', 'list')).not.toContain('\n');
      expect(await box.git('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
      return got;
    };
    const script = (test: string) => ({ 'package.json': JSON.stringify({ scripts: { test } }) });

    it('and says what is missing there, although the checkout has it', async () => {
      const files = {
        ...script('checker'),
        '.gitignore': 'node_modules\n',
        'node_modules/.bin/checker': '#!/bin/sh\n',
      };
      const { code, about } = await of(files, {});
      expect(about('gate: npm test')).toEqual([
        expect.objectContaining({
          state: 'fail',
          found: expect.stringMatching(/^checker: command not found in a fresh worktree: no set-up is configured/),
        }),
      ]);
      expect(code).toBe(2);
      expect((await doctor('--quick')).about('gate: npm test')).toMatchObject([{ state: 'ok' }]);
    });

    it('is content when set-up makes what the gate needs', async () => {
      const make = 'mkdir -p tools && echo "echo 3 passed in 0.1s" > tools/check && chmod +x tools/check';
      const config = { gate: ['./tools/check'], setup: { run: make } };
      const { code, about } = await of({ '.gitignore': 'tools\n' }, config);
      expect(about('set-up')).toMatchObject([{ state: 'ok' }]);
      expect(about('gate: ./tools/check')).toMatchObject([
        { state: 'ok', found: expect.stringMatching(/^green in a fresh worktree of main, .*3 of 3 tests passed/) },
      ]);
      expect(about('files left behind')).toEqual([]);
      expect(code).toBe(0);
    });

    it('names a set-up that fails, and files that agents would commit', async () => {
      const failing = await of({}, { setup: { run: 'echo no such package >&2; exit 3' } });
      expect(failing.code).toBe(2);
      expect(failing.about('set-up')).toMatchObject([
        {
          state: 'fail',
          found: expect.stringMatching(/exit 3.*no such package/),
          fix: expect.stringContaining('.log'),
        },
      ]);
      expect(failing.about('gate: npm test')).toEqual([]);
      const leaving = await of({}, { setup: { run: 'echo {} > package-lock.json' } });
      expect(leaving.code).toBe(0);
      expect(leaving.about('files left behind')).toMatchObject([
        { state: 'warn', found: expect.stringContaining('package-lock.json') },
      ]);
    });

    it('fails on a red base where every idea would end in a question, else warns', async () => {
      const red = await of(script('echo three are wrong; exit 4'), {});
      expect(red.code).toBe(2);
      expect(red.about('gate: npm test')).toMatchObject([
        { state: 'fail', found: expect.stringMatching(/^red in a fresh worktree of main \(exit code 4/) },
      ]);
      const tolerated = await of({}, { gate: { commands: ['npm test'], baseline: 'tolerate' } });
      expect(tolerated.code).toBe(0);
      expect(tolerated.about('gate: npm test')).toMatchObject([{ state: 'warn' }]);
    });

    it('and a worker that starts meanwhile leaves that gate alone', async () => {
      await programs({ codex: CODEX });
      const [up, go] = [join(box.scratch, 'up'), join(box.scratch, 'go')];
      await configure({ gate: [`echo $$ > '${up}'; until [ -e '${go}' ]; do sleep 0.1; done`] });
      await box.commit('configuration');
      const checked = doctor();
      const pid = await until('the gate runs', async () => Number(await readFile(up, 'utf8')));
      expect(await box.run('start', '--detach')).toMatchObject({ code: 0 });
      const logs = join(projectDir(inject('stateRoot'), projectOf(box.repo)), 'logs');
      await until('the worker has cleaned up', async () => {
        const texts = await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), 'utf8')));
        return texts.join('').includes('"polling"');
      });
      expect(process.kill(pid, 0)).toBe(true);
      await writeFile(go, '');
      const { checks } = await checked;
      expect(checks.find(({ what }) => what.startsWith('gate: '))).toMatchObject({
        state: 'ok',
        found: expect.stringMatching(/^green in a fresh worktree of main/),
      });
    });

    it.each([
      ['SIGTERM', /^ended from outside \(SIGTERM, .*says nothing about main$/, /^try again: ralphctl doctor/],
      ['SIGSEGV', /^red in a fresh worktree of main \(SIGSEGV, /, /^fix main/],
    ])('tells a gate that a signal ended from one that is red: %s', async (signal, found, fix) => {
      const run = `kill -${signal.slice(3)} $$; sleep 1`;
      const { code, checks } = await of({}, { gate: [run] });
      expect(code).toBe(2);
      const [check] = checks.filter(({ what }) => what.startsWith('gate: '));
      expect(check).toMatchObject({ state: 'fail', found: expect.stringMatching(found) });
      expect(check?.fix).toMatch(fix);
      expect(JSON.stringify(checks)).not.toContain('null');
    });

    it('ends what it started when it is interrupted', async () => {
      await programs({ codex: CODEX });
      const up = join(box.scratch, 'up');
      await configure({ gate: [`echo $$ > '${up}'; sleep 600`] });
      const child = box.spawn('doctor');
      const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
      const pid = await until('the gate runs', async () => Number(await readFile(up, 'utf8')));
      child.kill('SIGINT');
      expect(await ended).toBe(130);
      expect(() => process.kill(pid, 0)).toThrow(/ESRCH/);
      expect(await box.git('worktree', 'list')).not.toContain('\n');
    });
  });

  it.each([
    ['refs/heads/ralph', 'A branch named ralph', 'git branch -m ralph ralph-old'],
    ['refs/ralphctl', 'A ref named refs/ralphctl', 'git update-ref -d refs/ralphctl'],
  ])('D1: names a ref that blocks those of ralphctl, as start does: %s', async (ref, found, fix) => {
    await box.git('update-ref', ref, 'HEAD');
    const { code, about } = await doctor('--quick');
    expect(code).not.toBe(0);
    expect(about('target')).toMatchObject([
      { state: 'fail', found: expect.stringContaining(found), fix: expect.stringContaining(fix) },
    ]);
    const started = await box.run('start', '--detach');
    expect(started).toMatchObject({ code: 2, stderr: expect.stringContaining(found) });
  });

  it('submodules: says where worktrees get them from', async () => {
    await programs({ codex: CODEX });
    await configure({ gate: ['test -s libs/x/lib.txt'] });
    const origin = join(box.scratch, 'lib');
    const git = (dir: string, ...args: string[]) =>
      execa('git', ['-c', 'protocol.file.allow=always', ...args], { cwd: dir, env: box.env, extendEnv: false });
    await mkdir(origin);
    await git(origin, 'init', '-q', '-b', 'main');
    await writeFile(join(origin, 'lib.txt'), 'x\n');
    await git(origin, 'add', '-A');
    await git(origin, '-c', 'user.name=L', '-c', 'user.email=l@localhost', 'commit', '-qm', 'lib');
    await git(box.repo, 'submodule', '-q', 'add', origin, 'libs/x');
    await git(box.repo, 'commit', '-qam', 'submodule');
    const { about } = await doctor();
    expect(about('submodules')).toMatchObject([{ state: 'ok', found: expect.stringContaining('libs/x') }]);
    // Tried in a fresh worktree.
    expect(about('gate: test -s libs/x/lib.txt')).toMatchObject([{ state: 'ok' }]);
    await git(box.repo, 'submodule', '-q', 'deinit', '-f', 'libs/x');
    await rm(join(box.repo, '.git/modules'), { recursive: true });
    expect((await doctor('--quick')).about('submodules')).toMatchObject([
      { state: 'warn', fix: "git submodule update --init 'libs/x'" },
    ]);
  });

  it('names an agent that is not there, with how to get it', async () => {
    await configure({ agent: 'qwen' });
    const { code, about } = await doctor();
    expect(code).toBe(2);
    expect(about('agent qwen')[0]).toMatchObject({
      state: 'fail',
      fix: expect.stringMatching(
        /npm install -g @qwen-code\/qwen-code.*Or name another agent with agent: .*help agents/,
      ),
    });
  });

  it('--probe lets the agent answer once', async () => {
    const agents = {
      good: { adapter: 'command', command: ['/bin/sh', '-c', 'cat >/dev/null; echo OK'] },
      bad: { adapter: 'command', command: ['/bin/sh', '-c', 'echo "401 unauthorized" >&2; exit 1'] },
    };
    await configure({ agent: 'good', fallback: ['bad'], agents });
    const { code, about } = await doctor('--probe');
    expect(about('agent good, a real turn')[0]?.state).toBe('ok');
    expect(about('agent bad, a real turn')[0]).toMatchObject({ state: 'fail' });
    expect(code).toBe(2);
  });

  it('warns of another program of the same name', async () => {
    await programs({ codex: CODEX, ralphctl: 'echo other' });
    await configure({});
    expect((await doctor()).about('ralphctl on PATH')[0]).toMatchObject({ state: 'warn' });
  });

  it('runs the program of that name, and the one that it advises', async () => {
    await programs({ codex: CODEX, ralphctl: 'echo "import: command not found" >&2; exit 2' });
    await configure({});
    const [check] = (await doctor()).about('ralphctl on PATH');
    expect(check).toMatchObject({ state: 'fail', found: expect.stringContaining('import: command not found') });
    const [, advised = ''] = /^call this one: (.*?)\. Or/.exec(check?.fix ?? '') ?? [];
    const ran = await execa('/bin/sh', ['-c', `${advised} --version`], { env: box.env });
    expect(ran.stdout).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('says so outside a repository', async () => {
    const { code, stderr, json } = await box.run('-C', '/', 'doctor', '--json');
    expect(code, stderr).toBe(2);
    const checks = json[0]?.checks as Check[] | undefined;
    expect(checks?.find((check) => check.what === 'repository')).toMatchObject({ state: 'fail' });
  });

  it('D1: names the fix that the problem itself has: in a repository without a commit, the first commit', async () => {
    await mkdir(join(box.scratch, 'fresh'));
    await execa('git', ['init', '--quiet'], { cwd: join(box.scratch, 'fresh') });
    const { json } = await box.run('-C', join(box.scratch, 'fresh'), 'doctor', '--quick', '--json');
    const checks = json[0]?.checks as Check[] | undefined;
    expect(checks?.find((check) => check.what === 'repository')).toMatchObject({
      found: expect.stringMatching(/^The repository .* has no commit yet\.$/),
      fix: 'Make one: git commit --allow-empty -m "Start".',
    });
  });
});
