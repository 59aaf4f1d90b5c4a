/**
 * The wall holds nobody up who may: filters that were there before, what a person sets, what git itself writes. And what
 * code of an idea does in a gate. Feature: C5.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { git } from '../../src/git/runner.js';
import { type Bench, bench, idea, say, whileAgentWorks } from './bench.js';

const TWO = { ideas: [idea('t-1'), idea('t-2')] };
/** What the commits hold is in capitals, what lies in the folder is not. */
const CASES = { clean: 'tr a-z A-Z', smudge: 'tr A-Z a-z' };

const meanwhile = (b: Bench, does: () => Promise<unknown>, first = '') => whileAgentWorks(b, does, { first });

async function land(b: Bench, id = 't-1') {
  const at = await b.prepare(id);
  const head = await b.gitIn(at.worktree, 'rev-parse', 'HEAD');
  const { worktree, branch, base } = at;
  const work = { title: 'Do it', agentName: 'ed-001', worktree, branch, base, head };
  return b.call(b.activities.landIdea, { ...b.ref, idea: id, ...work }).done;
}

const ownSettings = async (dir: string, text: string): Promise<string> => {
  const file = join(dir, 'git/config');
  await mkdir(join(dir, 'git'), { recursive: true });
  await writeFile(file, text);
  const before = process.env.XDG_CONFIG_HOME;
  process.env.XDG_CONFIG_HOME = dir;
  onTestFinished(() => {
    if (before === undefined) delete process.env.XDG_CONFIG_HOME;
    else process.env.XDG_CONFIG_HOME = before;
  });
  return file;
};

/** A git whose settings of the system are in this file: where agents run as root, they can write the real one. */
const systemSettings = async (dir: string, text: string): Promise<string> => {
  const file = join(dir, 'system');
  const before = process.env.PATH ?? '';
  await mkdir(join(dir, 'bin'), { recursive: true });
  await writeFile(file, text);
  const wrapper = `#!/bin/sh\nPATH='${before}' GIT_CONFIG_SYSTEM='${file}' exec git "$@"\n`;
  await writeFile(join(dir, 'bin/git'), wrapper, { mode: 0o755 });
  process.env.PATH = `${join(dir, 'bin')}:${before}`;
  onTestFinished(() => {
    process.env.PATH = before;
  });
  return file;
};

describe('what was there before goes on working', () => {
  it.each(['of the repository', 'of the user', 'of the system'])('filters %s', { timeout: 60_000 }, async (whose) => {
    const b = await bench({ files: { '.gitattributes': '*.txt filter=case\n' } });
    const text = `[filter "case"]\n\tclean = "${CASES.clean}"\n\tsmudge = "${CASES.smudge}"\n\trequired\n[alias]\n\tx = "log --format=\\"%s\\""\n`;
    if (whose === 'of the system') await systemSettings(b.base, text);
    else if (whose === 'of the user') {
      await ownSettings(join(b.base, 'xdg'), `[include]\n\tpath = more\n`);
      await writeFile(join(b.base, 'xdg/git/more'), text);
    } else for (const [name, command] of Object.entries(CASES)) await b.git('config', `filter.case.${name}`, command);
    const result = await b.runAgent();
    expect(result).toMatchObject({ signal: { kind: 'complete' }, changed: true });
    expect(result.strayed).toBeUndefined();
    expect((await land(b)).kind).toBe('landed');
    expect(await b.git('cat-file', '-p', 'main:work.txt')).toBe('WORK');
    expect(await b.read(join(b.repo, 'work.txt'))).toBe('work\n');
  });

  it.each([
    ['user', (b: Bench) => ownSettings(join(b.base, 'xdg'), `[user]\n\tname = Ada\n`)],
    ['system', (b: Bench) => systemSettings(b.base, `[user]\n\tname = Ada\n`)],
  ])(
    'settings of the %s as they were when the run began, whatever is written into them meanwhile',
    async (_, begin) => {
      const b = await bench({ ...TWO, files: { '.gitattributes': '*.txt filter=case\n' } });
      const file = await begin(b);
      const result = await meanwhile(b, () =>
        writeFile(
          file,
          `[filter "case"]\n\tclean = touch '${b.marks}/canary'; cat\n\tsmudge = touch '${b.marks}/canary'; cat\n`,
        ),
      );
      expect(result.strayed).toBeUndefined();
      expect((await land(b)).kind).toBe('landed');
      await expect(b.read(join(b.marks, 'canary'))).rejects.toThrow();
    },
  );
});

describe('a person who works beside an agent', () => {
  it('adds remotes, pushes, packs and cleans up: nobody is held up, and all of it stays', {
    timeout: 60_000,
  }, async () => {
    const b = await bench(TWO);
    const config = join(b.repo, '.git/config');
    const result = await meanwhile(b, async () => {
      await b.git('init', '--quiet', '--bare', join(b.base, 'there.git'));
      await b.git('remote', 'add', 'origin', join(b.base, 'there.git'));
      await b.git('push', '--quiet', '--set-upstream', 'origin', 'main');
      await b.git('switch', '--quiet', '--create', 'topic');
      await b.git('config', 'branch.topic.vscode-merge-base', 'origin/main');
      await b.git('config', 'lfs.repositoryformatversion', '0');
      await b.git('switch', '--quiet', 'main');
      await b.git('pack-refs', '--all');
      await b.git('gc', '--quiet');
      await git(b.repo).run(['status']);
    });
    expect(result.strayed).toBeUndefined();
    expect(await b.git('config', 'branch.main.remote')).toBe('origin');
    expect(await b.git('config', 'branch.topic.vscode-merge-base')).toBe('origin/main');
    expect(await b.read(config)).toContain('repositoryformatversion');
  });

  it('sets what can run programs: it is put back, kept and asked about; while no agent runs, it counts', {
    timeout: 60_000,
  }, async () => {
    const b = await bench(TWO);
    const hook = join(b.repo, '.git/hooks/pre-commit');
    const set = async () => {
      await b.git('config', 'filter.mine.clean', 'cat');
      await writeFile(hook, '#!/bin/sh\nexit 0\n');
      await chmod(hook, 0o755);
    };
    const result = await meanwhile(b, set);
    expect(result.strayed?.what).toHaveLength(2);
    expect(result.strayed?.question).toMatch(/If you changed the settings or hooks yourself: pause the run/);
    const kept = /diff '([^']+pre-commit[^']+)'/.exec(result.strayed?.question ?? '')?.[1] ?? '';
    expect(await b.read(kept)).toBe('#!/bin/sh\nexit 0\n');
    await expect(b.read(hook)).rejects.toThrow();
    await set();
    const at = await b.prepare('t-2', { agentName: 'ed-002' });
    await b.setAgent(`cat > /dev/null; echo x > x.txt; ${say('COMPLETE')}`);
    const next = await b.call(b.activities.runAgent, b.agentInput(at, { idea: 't-2', agentName: 'ed-002' })).done;
    expect(next.strayed).toBeUndefined();
    expect(await b.git('config', 'filter.mine.clean')).toBe('cat');
    expect(await b.read(hook)).toContain('exit 0');
  });

  it('with two agents at work, the one whose output speaks of it is asked about', { timeout: 60_000 }, async () => {
    const b = await bench(TWO);
    const other = await b.prepare('t-2', { agentName: 'ed-002' });
    const add = `echo "echo '[alias] x = !true' >> $(git rev-parse --git-common-dir)/config"; printf '[alias]\\n\\tx = !true\\n' >> "$(git rev-parse --git-common-dir)/config"`;
    let second: Promise<Awaited<ReturnType<Bench['runAgent']>>> | undefined;
    const first = await meanwhile(b, async () => {
      await b.setAgent(`cat > /dev/null; echo x > x.txt; ${add}; ${say('COMPLETE')}`);
      second = b.call(b.activities.runAgent, b.agentInput(other, { idea: 't-2', agentName: 'ed-002' })).done;
      await second;
    });
    expect(first.strayed).toBeUndefined();
    expect((await second)?.strayed?.what[0]).toMatch(/^set alias\.x in \.git\/config; ralphctl restored it/);
  });
});

describe('code of an idea that its gate runs', () => {
  const config = { gate: { commands: [{ name: 'test', run: 'sh ./test.sh' }] } };
  const evil = `printf '[alias]\\n\\tx = !true\\n' >> "$(git rev-parse --git-common-dir)/config"`;

  it('is asked about before it lands, and what it set is put back', { timeout: 60_000 }, async () => {
    const b = await bench({ ...TWO, config, files: { 'test.sh': 'true\n' } });
    await b.setAgent(`cat > /dev/null; cat > test.sh <<'X'\n${evil}\nX\n${say('COMPLETE')}`);
    const at = await b.prepare();
    const ran = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(ran.strayed).toBeUndefined();
    const before = await b.read(join(b.repo, '.git/config'));
    const { worktree, base, branch } = at;
    const gate = await b.call(b.activities.runGate, { ...b.ref, idea: 't-1', serial: 1, worktree, base }).done;
    expect(gate.tripwires?.[0]).toMatchObject({ kind: 'outside', subject: expect.stringMatching(/set alias\.x/) });
    expect(await b.read(join(b.repo, '.git/config'))).toBe(before);
    // Asked about once, it may land; the landing's gate is no hole either.
    const work = { title: 'Do it', agentName: 'ed-001', worktree, branch, base, head: ran.head };
    expect((await b.call(b.activities.landIdea, { ...b.ref, idea: 't-1', ...work }).done).kind).toBe('landed');
    expect(await b.read(join(b.repo, '.git/config'))).toBe(before);
  });

  it('does not land when it shows only there', { timeout: 60_000 }, async () => {
    const b = await bench({ ...TWO, config, files: { 'test.sh': 'true\n' } });
    await b.setAgent(`cat > /dev/null; cat > test.sh <<'X'\n${evil}\nX\n${say('COMPLETE')}`);
    await b.runAgent();
    await expect(land(b)).rejects.toThrow(/set alias\.x in \.git\/config/);
    expect(await b.git('log', '--format=%s', 'main')).toBe('start');
  });
});

it('a look at what has not changed starts no process', { timeout: 60_000 }, async () => {
  const b = await bench(TWO);
  await b.prepare();
  const trace = join(b.base, 'trace');
  await git(b.repo).run(['rev-parse', 'HEAD']);
  await git(b.repo).run(['rev-parse', 'HEAD'], { env: { GIT_TRACE2_EVENT: trace } });
  const started = (await b.read(trace)).split('\n').filter((line) => line.includes('"event":"start"'));
  expect(started).toHaveLength(1);
});
