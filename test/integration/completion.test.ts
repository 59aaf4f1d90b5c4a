/** Shell completion in the real shells: keys go in, the completed line comes out. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { cliPath, roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

let box: Sandbox;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'login-001' }, { id: 'search-002' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'] }),
    '.ralph-script.yaml': yaml({
      default: [{ do: [{ append: { path: 'a.txt', text: 'x\n' } }], signal: 'BLOCKED: no' }],
    }),
  });
  const bin = join(box.scratch, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'ralphctl'), `#!/bin/sh\nexec "${process.execPath}" "${cliPath}" "$@"\n`);
  await chmod(join(bin, 'ralphctl'), 0o755);
  env = { ...box.env, PATH: `${bin}:${box.env.PATH}`, TERM: 'xterm-256color', PS1: '$ ' };
  await box.run('start', '--wait');
});
afterAll(() => box?.dispose());

const answer = async (...words: string[]): Promise<string[]> => {
  const { stdout } = await execa(process.execPath, [cliPath, '__complete', ...words], { cwd: box.repo, env });
  return stdout.split('\n').filter(Boolean);
};
const values = async (...words: string[]): Promise<string[]> =>
  (await answer(...words)).map((line) => line.split('\t')[0] ?? '');

describe('the candidates', () => {
  it('are commands with their meaning, flags, values of flags and arguments, and ids of the last run', async () => {
    expect(await answer('sta')).toEqual([
      'start\tstart a run, or attach to the open run',
      'status\tshow what runs, what waits and what landed',
    ]);
    expect(await values('status', '--o')).toEqual(['--only']);
    // Another name of `runs`.
    expect(await values('histo')).toEqual(['history']);
    expect(await values('history', '--js')).toEqual(['--json']);
    expect((await box.run('history', '--json')).stdout).toBe((await box.run('runs', '--json')).stdout);
    // In the words of the views; the names on the wire are taken, too.
    expect(await values('status', '--only', 'as')).toEqual(['asks']);
    expect(await values('retry', '--where', 'ti')).toEqual(['timed-out']);
    expect(await values('start', '--mode', '')).toEqual(['autopilot', 'semi-auto', 'step']);
    expect(await values('mode', 's')).toEqual(['semi-auto', 'step']);
    expect(await values('why', '')).toEqual(['login-001', 'search-002']);
    expect(await values('answer', '--reason', 'because', 's')).toEqual(['search-002']);
    // The text of an answer is the person's own.
    expect(await values('answer', 'search-002', '')).toEqual([]);
    expect(await values('budget', 'r')).toEqual(['raise']);
    expect(await values('saves', '')).toEqual(['restore', 'login-001', 'search-002']);
    expect(await values('help', 'exit')).toEqual(['exit-codes']);
    expect(await values('start', '')).toEqual([':files']);
    expect(await values('run', '')).toEqual(['github', 'gitlab', ':files']);
    expect(await values('run', 'git')).toEqual(['github', 'gitlab', ':files']);
    expect(await values('triage', '')).toEqual(['accept', 'reject', ':files']);
    expect(await values('logs', '--run', '')).toHaveLength(1);
    expect(await values('no-such-command', '')).toEqual([]);
  });

  it('are agents, formats, statuses, branches and files after the flags that take them', async () => {
    const built = ['claude', 'codex', 'gemini', 'opencode', 'aider', 'copilot', 'qwen', 'pi', 'scripted'];
    expect(await values('start', '--agent', '')).toEqual(built);
    await box.git('branch', 'feature/search');
    await box.git('pack-refs', '--all');
    await box.git('branch', 'other');
    expect(await values('start', '--target', '')).toEqual(expect.arrayContaining(['feature/search', 'main', 'other']));
    expect(await values('start', '--target', 'fe')).toEqual(['feature/search']);
    expect(await values('saves', 'restore', 'login-001', '1', '--to', 'ot')).toEqual(['other']);
    expect(await values('convert', '--to', '')).toEqual(['roadmap', 'ideas']);
    expect(await values('convert', '--out', '')).toEqual([':files']);
    expect(await values('backlog', '--format', 'k')).toEqual(['kiro']);
    expect(await values('start', '--format', 'pr')).toEqual(['prd']);
    expect(await values('retry', '--where', 'fa')).toEqual(['failed']);
    expect(await values('budget', 'raise', '--of', 't')).toEqual(['tokens']);
    expect(await values('limits', 'retry', 'co')).toEqual(['codex', 'copilot']);

    const config = join(box.repo, 'ralphctl.yaml');
    const before = await readFile(config, 'utf8');
    try {
      await writeFile(config, `${before}agents:\n  mine: { adapter: claude, model: x }\n`);
      expect(await values('start', '--agent', '')).toEqual([...built, 'mine']);
      await mkdir(join(box.repo, 'deep'), { recursive: true });
      const deep = { cwd: join(box.repo, 'deep'), env };
      const run = await execa(process.execPath, [cliPath, '__complete', 'start', '--agent', 'mi'], deep);
      expect(run.stdout).toBe('mine');
      await writeFile(config, 'agents: [broken\n');
      expect(await values('start', '--agent', 'cl')).toEqual(['claude']);
    } finally {
      await writeFile(config, before);
    }
  });

  it('are those of the repository that -C names, and none outside of one', async () => {
    const outside = { cwd: box.scratch, env };
    const ask = async (...words: string[]) =>
      (await execa(process.execPath, [cliPath, '__complete', ...words], outside)).stdout;
    expect(await ask('why', '')).toBe('');
    expect(await ask('-C', box.repo, 'why', 'lo')).toBe('login-001');
  });

  it('take at most five times the processor time of an empty program', async () => {
    const cost = async (command: string): Promise<number> => {
      const { stdout } = await execa('/bin/sh', ['-c', `${command} > /dev/null; times`], { cwd: box.repo, env });
      const children = stdout.trim().split('\n').at(-1) ?? '';
      const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
      return 1000 * seconds.reduce((sum, one) => sum + one, 0);
    };
    // Side by side, because a busy machine makes both dearer.
    const costs: { empty: number; asked: number }[] = [];
    for (let n = 0; n < 6; n++)
      costs.push({ empty: await cost(`'${process.execPath}' -e 0`), asked: await cost('ralphctl __complete why l') });
    const best = (key: 'empty' | 'asked'): number => Math.min(...costs.map((one) => one[key]));
    expect(best('empty')).toBeGreaterThan(0);
    expect(best('asked') / best('empty')).toBeLessThan(5);
  });
});

const has = async (shell: string): Promise<boolean> =>
  (await execa(shell, ['-c', 'true'], { reject: false })).exitCode === 0;

const SHELLS = [
  { shell: 'bash', args: ['--norc', '--noprofile', '-i'], load: 'source <(ralphctl completion bash)' },
  { shell: 'zsh', args: ['-f', '-i'], load: 'autoload -U compinit; compinit -u -D; source <(ralphctl completion zsh)' },
  { shell: 'fish', args: ['--no-config', '-i'], load: 'ralphctl completion fish | source' },
];

describe.each(SHELLS)('$shell', ({ shell, args, load }) => {
  it('completes a command, a flag, the id of an idea and a file', async ({ skip }) => {
    if (!(await has(shell))) skip(`${shell} is not installed`);
    const screen = new PtyScreen(shell, args, { cwd: box.repo, env });
    try {
      screen.press(load, 'enter', 'echo rea""dy', 'enter');
      await screen.shows(/^ready/m);
      for (const [keys, line] of [
        ['ralphctl stat', 'ralphctl status '],
        ['ralphctl logs --fol', 'ralphctl logs --follow '],
        ['ralphctl why log', 'ralphctl why login-001 '],
        ['ralphctl start road', 'ralphctl start roadmap.md '],
      ] as const) {
        screen.press(keys, 'tab');
        await screen.shows(line.trimEnd());
        screen.press('\u0015');
      }
    } finally {
      await screen.dispose();
    }
  });
});
