import { chmod, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInShell, ShellError, shellCanRun } from '../../../src/git/shell.js';
import { makeRepo, put, type TestRepo } from './repo.js';

let repo: TestRepo;
beforeEach(async () => {
  repo = await makeRepo();
});
afterEach(() => repo.remove());

const PRINT = 'process.stdout.write(JSON.stringify([process.argv.slice(1), process.env.SHELL_TEST, process.cwd()]))';
const env = { PATH: process.env.PATH ?? '' };
const run = (argv: readonly string[], more: Partial<Parameters<typeof runInShell>[0]> = {}) =>
  runInShell({ dir: repo.root, argv, env, extra: {}, ...more });

describe('shells that stay', () => {
  it('hands every word, variable and input on as it is', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 40 }).filter((one) => !one.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 4 }), text, text, async (words, value, input) => {
        const printed = await run(['printf', '%s|', ...words, 'end']);
        expect(printed).toEqual({ code: 0, stdout: [...words, 'end', ''].join('|'), stderr: '' });
        const variable = await run(['sh', '-c', 'printf %s "$SHELL_TEST"'], { extra: { SHELL_TEST: value } });
        expect(variable.stdout).toBe(value);
        expect((await run(['cat'], { input })).stdout).toBe(input);
      }),
      { numRuns: 60 },
    );
  });

  it('runs in the folder and gives exit code and both streams, however long', async () => {
    const got = await run([process.execPath, '-e', PRINT, "a'b", '$(c)', '\n'], { extra: { SHELL_TEST: '*' } });
    expect(JSON.parse(got.stdout)).toEqual([["a'b", '$(c)', '\n'], '*', repo.root]);
    const flood = await run(['sh', '-c', 'yes out | head -c 3000000; yes err | head -c 300001 >&2; exit 7']);
    expect([flood.code, flood.stdout.length, flood.stderr.length]).toEqual([7, 3_000_000, 300_001]);
    expect((await run(['cat'])).stdout).toBe('');
  });

  it('runs many at once and keeps their answers apart', async () => {
    const all = await Promise.all(
      Array.from({ length: 60 }, (_, n) => run(['sh', '-c', `printf 'out ${n}'; printf 'err ${n}' >&2; exit ${n}`])),
    );
    expect(all).toEqual(all.map((_, n) => ({ code: n, stdout: `out ${n}`, stderr: `err ${n}` })));
  });

  it('says when the folder is missing, and runs nothing', async () => {
    const gone = run(['touch', `${repo.root}/made`], { dir: `${repo.root}/missing` });
    await expect(gone).rejects.toBeInstanceOf(ShellError);
    await expect(readFile(`${repo.root}/made`)).rejects.toThrow();
  });

  it('reports a shell that was killed under a command, and goes on with another', async () => {
    await expect(run(['sh', '-c', 'kill -9 $PPID; sleep 60'])).rejects.toBeInstanceOf(ShellError);
    expect((await run(['echo', 'again'])).stdout).toBe('again\n');
  });

  it('takes a changed environment at once', async () => {
    const see = (HOME: string) => run(['sh', '-c', 'echo "$HOME"'], { env: { ...env, HOME } });
    expect((await see('/one')).stdout).toBe('/one\n');
    expect((await see('/two')).stdout).toBe('/two\n');
  });

  it('keeps the words of a process that a command left behind out of later answers', async () => {
    const script = `${repo.root}/leaver`;
    await put(repo.root, { leaver: '#!/bin/sh\necho now\n(sleep 0.3; echo late) &\n' });
    await chmod(script, 0o755);
    expect((await run([script], { apart: true })).stdout).toBe('now\n');
    const after = Array.from({ length: 4 }, () => run(['sh', '-c', 'sleep 0.5; echo mine']));
    for (const { stdout } of await Promise.all(after)) expect(stdout).toBe('mine\n');
  });

  it('leaves to others what no shell can be given', () => {
    const command = { dir: '/', argv: ['git'], env, extra: {} };
    expect(shellCanRun(command)).toBe(true);
    expect(shellCanRun({ ...command, argv: ['git', 'a\0b'] })).toBe(false);
    expect(shellCanRun({ ...command, input: 'x'.repeat(1 << 20) })).toBe(false);
    expect(shellCanRun({ ...command, extra: { 'A-B': '1' } })).toBe(false);
  });
});
