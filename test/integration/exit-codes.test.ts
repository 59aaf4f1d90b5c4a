/** Each exit code that `ralphctl help exit-codes` lists, seen on the real program. Feature: G8. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, expect, inject, it } from 'vitest';
import { cliPath, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox;
afterEach(() => box?.dispose());

it('G8: every code of the table comes from the command that the table says, and no other', async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'ask-1' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] }),
    '.ralph-script.yaml': yaml({
      ideas: {
        'ask-1': [
          { whenPrompt: { contains: 'green, please' }, do: [], signal: 'BLOCKED: no paint' },
          { do: [], signal: 'NEEDS_HUMAN: which colour?' },
        ],
      },
    }),
  });
  const table = (await box.run('help', 'exit-codes')).stdout;
  const listed = [...table.matchAll(/^\s*(\d+)\s+(\w+)/gm)].map(([, code, name]) => [Number(code), name] as const);
  const seen = new Map<string, number>();
  const saw = (name: string, code: number | null): void => void seen.set(name, code ?? -1);

  saw('ok', (await box.run('version')).code);
  // What nobody expects: the output breaks.
  const fault = 'data:text/javascript,process.stdout.write=()=>{throw new Error("boom")}';
  const broken = await execa(process.execPath, ['--import', fault, cliPath, 'version'], {
    ...{ cwd: box.repo, env: box.env, extendEnv: false, reject: false },
  });
  expect(broken.stderr).toContain('ralphctl: boom');
  saw('internal', broken.exitCode ?? -1);
  // The reader goes before the program has started to write.
  const unread = async (...args: string[]): Promise<number | null> => {
    const command = box.spawn(...args);
    command.stdout?.destroy();
    return (await once(command, 'exit'))[0] as number | null;
  };
  saw('closedPipe', await unread('version'));
  for (const args of [['help', 'start'], ['start', '--help'], ['completion', 'bash'], ['--version']])
    expect(await unread(...args), args.join(' ')).toBe(141);
  saw('usage', (await box.run('start', '--slots', 'many')).code);
  saw('noRun', (await box.run('pause')).code);
  const home = await mkdtemp(join(tmpdir(), 'ralphctl-no-server-'));
  try {
    const env = { ...box.env, RALPHCTL_HOME: home };
    const down = await execa(process.execPath, [cliPath, 'server', 'status'], {
      ...{ cwd: box.repo, env, extendEnv: false, reject: false },
    });
    saw('unreachable', down.exitCode ?? -1);
  } finally {
    await rm(home, { recursive: true, force: true });
  }

  const asked = await box.run('start', '--no-wait');
  expect(asked.stderr).toContain('which colour?');
  saw('needsHuman', asked.code);
  saw('refused', (await box.run('retry', 'ask-1')).code);

  const attached = async (): Promise<{ child: ReturnType<Sandbox['spawn']>; ended: Promise<number | null> }> => {
    const child = box.spawn('start', '--wait');
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const ended = once(child, 'exit').then(([code]) => code as number | null);
    child.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    // It prints the events of the run once it follows.
    await until('start to follow', async () => said.includes('which colour?'));
    return { child, ended };
  };
  const first = await attached();
  first.child.kill('SIGINT');
  saw('interrupted', await first.ended);
  const second = await attached();
  expect((await box.run('answer', 'ask-1', 'green, please')).code).toBe(0);
  saw('notLanded', await second.ended);

  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(listed.map(([code, name]) => [name, code])));
  expect(listed.length).toBe(10);
}, 240_000);
