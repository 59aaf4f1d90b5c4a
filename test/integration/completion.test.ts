/** Shell completion in the real shells: keys go in, the completed line comes out. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
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
    expect(await values('status', '--only', 'need')).toEqual(['needs-human']);
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
    expect(await values('logs', '--run', '')).toHaveLength(1);
    expect(await values('no-such-command', '')).toEqual([]);
  });

  it('are those of the repository that -C names, and none outside of one', async () => {
    const outside = { cwd: box.scratch, env };
    const ask = async (...words: string[]) =>
      (await execa(process.execPath, [cliPath, '__complete', ...words], outside)).stdout;
    expect(await ask('why', '')).toBe('');
    expect(await ask('-C', box.repo, 'why', 'lo')).toBe('login-001');
  });

  it('take less than 200 ms of the processor', async () => {
    const cost: number[] = [];
    for (let n = 0; n < 4; n++) {
      const before = process.resourceUsage();
      const { stdout } = await execa('/bin/sh', ['-c', 'ralphctl __complete why l >/dev/null; times'], {
        cwd: box.repo,
        env,
      });
      expect(process.resourceUsage().userCPUTime).toBeGreaterThanOrEqual(before.userCPUTime);
      const children = stdout.trim().split('\n').at(-1) ?? '';
      const seconds = [...children.matchAll(/(\d+)m([\d.]+)s/g)].map(([, m, s]) => Number(m) * 60 + Number(s));
      cost.push(1000 * seconds.reduce((sum, one) => sum + one, 0));
    }
    expect(Math.min(...cost)).toBeLessThan(200);
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
