/** `init` and `doctor` as a user runs them. CLIs here are small programs of the test: what matters is what is said of them. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

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
    box.env.LOGGED_OUT = '1';
    await configure({
      gate: ['npm run nosuch', 'nosuchprogram --x', './missing.sh', 'test -e a && true'],
      target: 'gone',
      agents: { codex: { passEnv: ['LOGGED_OUT'] } },
    });
    const { code, checks, about } = await doctor();
    expect(code).toBe(2);
    expect(about('target')[0]).toMatchObject({ state: 'fail' });
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

  it('names an agent that is not there, with how to get it', async () => {
    await configure({ agent: 'qwen' });
    const { code, about } = await doctor();
    expect(code).toBe(2);
    expect(about('agent qwen')[0]).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('npm install -g @qwen-code/qwen-code'),
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
    const [, advised = ''] = /^call this one: (.*?); or/.exec(check?.fix ?? '') ?? [];
    const ran = await execa('/bin/sh', ['-c', `${advised} --version`], { env: box.env });
    expect(ran.stdout).toMatch(/^\d+\.\d+\.\d+/);
  });

  it('says so outside a repository', async () => {
    const { code, stderr, json } = await box.run('-C', '/', 'doctor', '--json');
    expect(code, stderr).toBe(2);
    const checks = json[0]?.checks as Check[] | undefined;
    expect(checks?.find((check) => check.what === 'repository')).toMatchObject({ state: 'fail' });
  });
});
