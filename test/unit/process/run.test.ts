import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Identity, identityOf, isAlive } from '../../../src/process/identity.js';
import { run, startRun } from '../../../src/process/run.js';
import { changedSince } from '../../../src/process/signs-of-life.js';
import { findByToken } from '../../../src/process/tokens.js';
import { ATTEMPT_ENV } from '../../../src/protocol/names.js';
import { ENV, options, sh, tempDir, until } from './helpers.js';

describe('what a run gives back', () => {
  it('keeps both streams on disk and in the tail, and the exit code', async () => {
    const opts = await sh('echo out; echo err >&2; exit 7');
    const result = await run(opts);
    expect(result).toMatchObject({ exitCode: 7, signal: null, stdoutBytes: 4, stderrBytes: 4 });
    expect(result.stopped).toBeUndefined();
    expect(result.launchError).toBeUndefined();
    const log = await readFile(opts.outputFile, 'utf8');
    expect(log.split('\n').sort()).toEqual(['', 'err', 'out']);
    expect(result.tail).toBe(log);
  });

  it('names the signal of a program that was killed from outside', async () => {
    const result = await run(await sh('kill -9 $$'));
    expect(result).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(result.stopped).toBeUndefined();
  });

  it('lets a script open its own output by name', async () => {
    const result = await run(await sh('echo a > /dev/stderr; echo b | tee /dev/stderr; echo c > /dev/stdout'));
    expect(result.tail.split('\n').sort()).toEqual(['', 'a', 'b', 'b', 'c']);
    expect(result).toMatchObject({ stdoutBytes: 4, stderrBytes: 4, exitCode: 0 });
  });

  it('passes exactly the environment it was given, and the token', async () => {
    const opts = await options(['/usr/bin/env'], { env: { ONLY: 'this' } });
    const { tail } = await run(opts);
    expect(tail.trim().split('\n').sort()).toEqual(['ONLY=this', `${ATTEMPT_ENV}=${opts.token}`].sort());
  });

  it('writes stdin and closes it', async () => {
    const text = 'ä'.repeat(300_000);
    const result = await run(await options(['wc', '-c'], { stdin: text }));
    expect(result.tail.trim()).toBe('600000');
  });

  it('gives an empty stdin when there is none to write', async () => {
    expect((await run(await options(['wc', '-c']))).tail.trim()).toBe('0');
  });

  it('does not mind a program that never reads its input', async () => {
    const result = await run(await sh('exit 0', { stdin: 'x'.repeat(4 << 20) }));
    expect(result.exitCode).toBe(0);
  });

  it('keeps secrets out of log and tail, but not out of the lines (D)', async () => {
    const lines: string[] = [];
    const opts = await sh(
      `printf 'a %s b' "$MY_API_KEY"; sleep 0.1; printf 'c\\nsk-ant-api03-'; sleep 0.1; printf 'abcdefghijklmnopqrstuvwxyz\\n'; echo "$MODE" >&2`,
      {
        env: { ...ENV, MY_API_KEY: 'correct-horse-battery', MODE: 'plain-setting' },
        onLine: (line, stream) => stream === 'stdout' && lines.push(line),
      },
    );
    const result = await run(opts);
    const log = await readFile(opts.outputFile, 'utf8');
    for (const text of [log, result.tail]) {
      expect(text).toContain('a [redacted] bc\n[redacted]\n');
      expect(text).toContain('plain-setting');
    }
    expect(lines).toEqual(['a correct-horse-battery bc', 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz']);
  });

  it('says that its log is not whole when the disk is full, and goes on (C5)', async () => {
    const result = await run(await sh('echo one; sleep 0.1; echo two; exit 4', { outputFile: '/dev/full' }));
    expect(result).toMatchObject({ exitCode: 4, tail: 'one\ntwo\n' });
    expect(result.stopped).toBeUndefined();
    expect(result.logError).toMatch(/ENOSPC|no space/i);
  });

  it('hands out lines without their endings, invalid UTF-8 replaced', async () => {
    const lines: string[] = [];
    const opts = await sh(`printf 'a\\r\\nb\\n\\377\\376\\nnul\\000l\\nlast'`, {
      onLine: (line, stream, truncated) => lines.push(`${stream} ${truncated} ${line}`),
    });
    await run(opts);
    expect(lines).toEqual(['a', 'b', '\ufffd\ufffd', 'nul\0l', 'last'].map((line) => `stdout false ${line}`));
  });

  it('rejects with the error of a consumer, after the program is gone', async () => {
    const opts = await sh('echo x; exec sleep 600', {
      onLine: () => {
        throw new Error('consumer broke');
      },
    });
    await expect(run(opts)).rejects.toThrow('consumer broke');
    expect(await findByToken(opts.token)).toEqual([]);
  });

  it('rejects when onSpawn fails, after the program is gone', async () => {
    const opts = await sh('exec sleep 600', { onSpawn: () => Promise.reject(new Error('no marker')) });
    await expect(run(opts)).rejects.toThrow('no marker');
    expect(await findByToken(opts.token)).toEqual([]);
  });
});

describe('a program that cannot be started', () => {
  it('names a program that is not there', async () => {
    const result = await run(await options(['no-such-program-anywhere']));
    expect(result).toMatchObject({ exitCode: null, launchCode: 'ENOENT' });
    expect(result.launchError).toMatch(/no-such-program-anywhere was not found in PATH/);
  });

  it('names a program that may not be executed', async () => {
    const file = join(await tempDir(), 'tool');
    await writeFile(file, '#!/bin/sh\n');
    await chmod(file, 0o644);
    const result = await run(await options([file]));
    expect(result.launchCode).toBe('EACCES');
    expect(result.launchError).toContain(`chmod +x ${file}`);
  });

  it('names an argument that is too long', async () => {
    const result = await run(await options(['/bin/echo', 'x'.repeat(200_000)]));
    expect(result.launchCode).toBe('E2BIG');
    expect(result.launchError).toMatch(/200000 bytes/);
  });

  it('names a folder that is not there', async () => {
    const cwd = join(await tempDir(), 'gone');
    expect((await run(await sh('true', { cwd }))).launchError).toContain(cwd);
  });

  it('names a log that cannot be written', async () => {
    const dir = await tempDir();
    expect((await run(await sh('true', { outputFile: dir }))).launchError).toContain(dir);
  });

  it('refuses an empty command', async () => {
    expect((await run(await options([]))).launchError).toMatch(/no command/);
  });
});

describe('stopping', () => {
  it('stops at the wall clock, with TERM first', async () => {
    const opts = await sh(`trap 'echo got TERM; exit 3' TERM; while :; do sleep 0.05; done`, { timeoutMs: 1000 });
    const result = await run(opts);
    expect(result).toMatchObject({ stopped: 'timeout', exitCode: 3 });
    expect(result.tail).toContain('got TERM');
  });

  it('stops what is silent, not what prints', async () => {
    const [silent, chatty] = await Promise.all([
      run(await sh('exec sleep 600', { idleMs: 300 })),
      run(await sh('for i in $(seq 25); do echo $i; sleep 0.1; done', { idleMs: 2000 })),
    ]);
    expect(silent).toMatchObject({ stopped: 'idle', exitCode: null, signal: 'SIGTERM' });
    expect(chatty.stopped).toBeUndefined();
    expect(chatty.exitCode).toBe(0);
  });

  it('lets a silent program live while its tree uses the processor (C5)', async () => {
    // The work is done by a grandchild in a session of its own.
    const busy = `const end = Date.now() + 3500; while (Date.now() < end);`;
    const opts = await sh(`setsid '${process.execPath}' -e '${busy}' & wait; exit 5`, { idleMs: 2000 });
    const result = await run(opts);
    expect(result).toMatchObject({ exitCode: 5 });
    expect(result.stopped).toBeUndefined();
  });

  it('lets a silent program live while files change in its folder (C5)', async () => {
    const cwd = await tempDir();
    await mkdir(join(cwd, 'deep/er'), { recursive: true });
    const write = 'i=0; while [ $i -lt 35 ]; do i=$((i+1)); echo $i > deep/er/file; sleep 0.1; done';
    const result = await run(await sh(`${write}; exit 6`, { idleMs: 2000, cwd }));
    expect(result).toMatchObject({ exitCode: 6 });
    expect(result.stopped).toBeUndefined();
    expect(await changedSince(cwd, (await stat(join(cwd, 'deep/er/file'))).mtimeMs)).toBe(true);
    expect(await changedSince(cwd, Date.now() + 60_000)).toBe(false);
  });

  it('takes changes in .git, and what only says that it waits, for no sign of life (C5)', async () => {
    const cwd = await tempDir();
    await mkdir(join(cwd, '.git'));
    const opts = await sh('while :; do echo waiting; echo x > .git/x; sleep 0.05; done', {
      ...{ idleMs: 500, cwd },
      onLine: () => handle.waiting(true),
    });
    const handle = startRun(opts);
    expect((await handle.done).stopped).toBe('idle');
  });

  it('ends a program that was halted (SIGSTOP), in an orderly way', async () => {
    const opts = await sh(`trap 'echo bye; exit 3' TERM; echo up; kill -STOP $$; while :; do sleep 0.05; done`, {
      idleMs: 400,
    });
    const result = await run(opts);
    expect(result).toMatchObject({ stopped: 'idle', exitCode: 3 });
    expect(result.tail).toContain('bye');
  });

  it('stops when asked, also before the start', async () => {
    const late = new AbortController();
    const opts = await sh('exec sleep 600', { signal: late.signal, onSpawn: () => late.abort() });
    expect((await run(opts)).stopped).toBe('aborted');
    const early = await run(await sh('echo ran', { signal: AbortSignal.abort() }));
    expect(early).toMatchObject({ stopped: 'aborted', tail: '', exitCode: null });
  });

  it('fixes the outcome once the result was seen: no timeout after it', async () => {
    const opts = await sh('echo RESULT; exec sleep 600', {
      timeoutMs: 1500,
      idleMs: 1500,
      onLine: (line) => {
        if (line === 'RESULT') handle.resultSeen(100);
      },
    });
    const handle = startRun(opts);
    expect((await handle.done).stopped).toBe('result-grace');
  });

  it('leaves a program alone that ends within its grace', async () => {
    const opts = await sh('echo RESULT; sleep 0.2; exit 0', { onLine: () => handle.resultSeen(20_000) });
    const handle = startRun(opts);
    const result = await handle.done;
    expect(result.exitCode).toBe(0);
    expect(result.stopped).toBeUndefined();
  });
});

describe('nothing is left', () => {
  const nothingLeft = async (token: string): Promise<void> => expect(await findByToken(token)).toEqual([]);

  it('kills a program that ignores TERM, and its child', async () => {
    const opts = await sh(`trap '' TERM; sleep 600 & echo up; while :; do sleep 600; done`, {
      killGraceMs: 200,
      onLine: () => handle.kill(),
    });
    const handle = startRun(opts);
    expect(await handle.done).toMatchObject({ stopped: 'aborted', signal: 'SIGKILL' });
    await nothingLeft(opts.token);
  });

  it('kills tool processes in sessions of their own', async () => {
    const opts = await sh(
      `trap '' TERM; setsid sh -c 'trap "" TERM; echo up; while :; do sleep 600; done' & wait; wait`,
      {
        killGraceMs: 100,
        onLine: () => handle.kill(),
      },
    );
    const handle = startRun(opts);
    await handle.done;
    await nothingLeft(opts.token);
  });

  it('kills a daemon that was left behind by a successful run', async () => {
    const opts = await sh(`setsid sh -c 'sleep 600 & sleep 600' >/dev/null 2>&1 & exit 0`);
    const result = await run(opts);
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.stopped).toBeUndefined();
    await nothingLeft(opts.token);
  });

  it('kills a descendant that dropped the token from its environment, while its parent lives', async () => {
    let pid = 0;
    const opts = await sh(`setsid env -i /bin/sh -c 'echo $$; exec sleep 600' & wait`, {
      killGraceMs: 100,
      onLine: (line) => {
        pid = Number(line);
        handle.kill();
      },
    });
    const handle = startRun(opts);
    await handle.done;
    expect(pid).toBeGreaterThan(0);
    expect(await identityOf(pid)).toBeUndefined();
  });

  it('does not wait for a grandchild that holds stdout open', async () => {
    const opts = await sh(`sleep 600 & echo done; exit 0`);
    const result = await run(opts);
    expect(result).toMatchObject({ exitCode: 0, tail: 'done\n' });
    await nothingLeft(opts.token);
  });

  it('gives up on a stream that an untraceable process holds open', async () => {
    const dir = await tempDir();
    const file = join(dir, 'pid');
    // Neither group, nor parent, nor token, nor a folder of the run lead to this one.
    const opts = await sh(
      `(cd / && env -i setsid /bin/sh -c 'echo $$ > ${file}; exec sleep 600' &) ; while [ ! -s ${file} ]; do sleep 0.02; done; echo done`,
    );
    try {
      const result = await run(opts);
      expect(result).toMatchObject({ exitCode: 0, tail: 'done\n' });
    } finally {
      const pid = Number(await readFile(file, 'utf8'));
      if (pid > 1) process.kill(pid, 'SIGKILL');
    }
  });

  it('reports the identity at the start, and it is dead at the end', async () => {
    let seen: Identity | undefined;
    const opts = await sh('read x', {
      stdin: 'go\n',
      onSpawn: async (identity) => {
        seen = identity;
      },
    });
    await run(opts);
    const identity = await until(() => seen);
    expect(identity.pid).toBeGreaterThan(1);
    expect(identity.startTime).not.toBe('');
    expect(await isAlive(identity)).toBe(false);
  });
});
