import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gateEnvironment, withheldFrom, withheldHint } from '../../../src/gate/environment.js';
import { type GateCommand, type GateOptions, runGate } from '../../../src/gate/run.js';
import { put } from '../git/repo.js';

let dir: string;
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'ralphctl gate-')));
  await put(dir, { 'tree/.keep': '' });
});
afterEach(() => rm(dir, { recursive: true, force: true, maxRetries: 3 }));

const command = (run: GateCommand['run'], more: Partial<GateCommand> = {}): GateCommand => ({
  name: 'test',
  run,
  timeoutMs: 20_000,
  reports: [],
  ...more,
});
const gate = (commands: GateCommand[], more: Partial<GateOptions> = {}) =>
  runGate({
    commands,
    worktree: join(dir, 'tree'),
    logDir: join(dir, 'logs'),
    env: gateEnvironment(process.env, {}),
    token: `test/gate/${Math.random()}`,
    lockRoot: join(dir, 'locks'),
    ...more,
  });
const node = (script: string): string[] => [process.execPath, '-e', script];

describe('runGate', () => {
  it('is green when every command passes, in order, in the worktree', async () => {
    const got = await gate([
      command('echo one > order && pwd'),
      command(node('require("fs").appendFileSync("order", "two\\n")'), { name: 'lint' }),
    ]);
    expect(got).toMatchObject({
      pass: true,
      commands: [
        { command: 'test', exitCode: 0 },
        { command: 'lint', exitCode: 0 },
      ],
    });
    expect(got.failure).toBeUndefined();
    expect(got.log).toBe(join(dir, 'logs/gate-2.log'));
    expect(await readFile(join(dir, 'tree/order'), 'utf8')).toBe('one\ntwo\n');
    expect(await readFile(join(dir, 'logs/gate-1.log'), 'utf8')).toBe(`${join(dir, 'tree')}\n`);
  });

  it('keeps what the second run of a failed command gave beside the first', async () => {
    const counts = 'echo x >> runs; echo "Tests: $(wc -l < runs) passed, 6 total"; exit 1';
    const got = await gate([command(counts)], {
      judge: async ({ again }) => {
        await again();
        return { kind: 'red' };
      },
    });
    expect(got.commands).toMatchObject([
      { exitCode: 1, tests: { passed: 1 }, again: { exitCode: 1, tests: { passed: 2 } } },
    ]);
  });

  it('B4: a flood leaves its beginning and its end on disk, and the result reads the same', async () => {
    const flood =
      'echo FIRST; yes "a line of output" | head -c 3000000; echo; echo "Tests: 1 failed, 2 passed, 3 total"; exit 1';
    const got = await gate([command(flood)], { maxLogBytes: 1 << 20 });
    expect(got.failure?.tail).toContain('Tests: 1 failed, 2 passed');
    expect(got.tests).toMatchObject({ passed: 2, failed: 1 });
    const log = await readFile(got.log ?? '', 'utf8');
    expect(log.length).toBeLessThan((1 << 20) + 500);
    expect(log).toMatch(/^FIRST\n[\s\S]*\[ralphctl: \d+ bytes left out here; this log is limited to 1048576 bytes\]/);
    expect(log).toMatch(/Tests: 1 failed, 2 passed, 3 total\n\[ralphctl: test: exit code 1 after/);
  });

  it('says in the log how a command failed that printed nothing', async () => {
    const got = await gate([command('exit 3', { name: 'quiet' })]);
    expect(got.failure).toMatchObject({ command: 'quiet', exitCode: 3 });
    expect(await readFile(got.failure?.log ?? '', 'utf8')).toMatch(
      /^\[ralphctl: quiet: exit code 3 after [\d.]+ s\]\n$/,
    );
  });

  it('stops at the first failure, with a plain tail and the log', async () => {
    const got = await gate([command('printf "\\033[31mred\\033[0m\\n"; echo err >&2; exit 3'), command('touch never')]);
    expect(got).toMatchObject({
      pass: false,
      commands: [{ command: 'test', exitCode: 3 }],
      failure: { command: 'test', exitCode: 3, timedOut: false, log: join(dir, 'logs/gate-1.log') },
    });
    expect(got.failure?.tail.split('\n').sort()).toEqual(['err', 'red']);
    await expect(readFile(join(dir, 'tree/never'))).rejects.toThrow();
  });

  it('keeps the end of long output within the limit and says where the rest is', async () => {
    const got = await gate([
      command(node('for (let i = 0; i < 5000; i++) console.log("line 😀 " + i); process.exitCode = 1')),
    ]);
    expect(got.failure?.tail.length).toBeLessThanOrEqual(2000);
    expect(got.failure?.tail).toMatch(/^… \(full log: .*gate-1\.log\)\n/);
    expect(got.failure?.tail).toMatch(/line 😀 4999$/);
  });

  it('stops a command at its time limit, with all that it started', async () => {
    const got = await gate([command('sleep 600 & echo started; wait', { timeoutMs: 300 })]);
    expect(got).toMatchObject({
      pass: false,
      commands: [{ exitCode: null }],
      failure: { exitCode: null, timedOut: true },
    });
    expect(got.failure?.tail).toContain('limit for this command');
  });

  it('explains a command that cannot start, or was killed', async () => {
    expect(await gate([command(['no-such-program-here'])])).toMatchObject({
      pass: false,
      failure: { exitCode: null, tail: expect.stringContaining('no-such-program-here') },
    });
    expect(await gate([command('kill -9 $$')])).toMatchObject({
      pass: false,
      failure: { exitCode: null, tail: expect.stringContaining('SIGKILL') },
    });
  });

  it('ends with the reason when it is aborted', async () => {
    const stop = new AbortController();
    const running = gate([command('echo up > up; sleep 600')], { signal: stop.signal });
    await expect.poll(() => readFile(join(dir, 'tree/up'), 'utf8').catch(() => ''), { timeout: 30_000 }).toBe('up\n');
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await expect(gate([command('true')], { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
  });

  it('counts tests from output and adds commands up', async () => {
    const got = await gate([
      command('echo "2 passed in 0.10s"'),
      command('echo "1 failed, 3 passed in 1.00s"; exit 1'),
    ]);
    expect(got.commands.map((one) => one.tests?.total)).toEqual([2, 4]);
    expect(got.tests).toEqual({ passed: 5, failed: 1, skipped: 0, total: 6 });
  });

  it('prefers reports, and only fresh regular files among them', async () => {
    const suite = (n: number): string => `<testsuite>${'<testcase/>'.repeat(n)}</testsuite>`;
    await put(dir, {
      'tree/out/old.xml': suite(50),
      'outside.xml': suite(70),
      'tree/node_modules/x/out/a.xml': suite(90),
    });
    await utimes(join(dir, 'tree/out/old.xml'), 1000, 1000);
    await symlink(join(dir, 'outside.xml'), join(dir, 'tree/out/link.xml'));
    const write = `mkdir -p out/deep && echo '${suite(2)}' > out/new.xml && echo '${suite(3)}' > out/deep/b.xml && echo '9 passed in 1s'`;
    const reports = ['**/out/**/*.xml', '../*.xml', '/etc/*'];
    expect((await gate([command(write, { reports })])).tests?.total).toBe(5);
    expect((await gate([command(write, { reports: ['out/new.xml'] })])).tests?.total).toBe(2);
    expect((await gate([command(write, { reports: ['nothing/*.xml'] })])).tests?.total).toBe(9);
    // Whatever the clock says: it may have been set back, or ahead, while the command ran.
    const [past, future] = ['touch -d @1000 out/new.xml', 'touch -d @9999999999 out/new.xml'];
    for (const jump of [past, future]) {
      expect((await gate([command(`${write}; ${jump}`, { reports: ['out/new.xml'] })])).tests?.total).toBe(2);
      expect((await gate([command("echo '9 passed in 1s'", { reports: ['out/new.xml'] })])).tests?.total).toBe(9);
    }
  });

  it('is green with no commands', async () => {
    expect(await gate([])).toMatchObject({ pass: true, commands: [] });
  });
});

describe('gateEnvironment', () => {
  it('withholds what is ours and adds the slot', () => {
    const env = gateEnvironment(
      {
        PATH: '/bin',
        TEMPORAL_ADDRESS: 'x',
        TEMPORAL_API_KEY: 'k',
        RALPHCTL_HOME: '/h',
        GIT_DIR: '/g',
        CI: 'false',
        NOTHING: undefined,
      },
      { RALPHCTL_SLOT: '3' },
    );
    expect(env).toEqual({
      PATH: '/bin',
      CI: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_NO_REPLACE_OBJECTS: '1',
      ...{ GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_0: 'core.commitGraph', GIT_CONFIG_VALUE_0: 'false' },
      ...{ GIT_CONFIG_KEY_1: 'core.multiPackIndex', GIT_CONFIG_VALUE_1: 'false' },
      RALPHCTL_SLOT: '3',
    });
  });

  it('is an allow-list: tool chains pass, everything else only when it is named', () => {
    const env = {
      ...{ PATH: '/bin', HOME: '/h', LC_ALL: 'C', JAVA_HOME: '/j', CARGO_HOME: '/c', NVM_DIR: '/n', HTTPS_PROXY: 'p' },
      ...{ VIRTUAL_ENV: '/v', LC_SECRET: 's', XDG_TOKEN: 's', AWS_SECRET_ACCESS_KEY: 's', DATABASE_URL: 'd' },
      ...{ TEMPORAL_API_KEY: 't', GIT_DIR: 'g' },
    };
    const { CI, GIT_TERMINAL_PROMPT, ...passed } = gateEnvironment(env, {}, ['DATABASE_URL', 'TEMPORAL_API_KEY']);
    expect([CI, GIT_TERMINAL_PROMPT]).toEqual(['1', '0']);
    const named = Object.keys(passed).filter((name) => !name.startsWith('GIT_'));
    expect(named.sort()).toEqual(
      ['PATH', 'HOME', 'LC_ALL', 'JAVA_HOME', 'CARGO_HOME', 'NVM_DIR', 'HTTPS_PROXY', 'DATABASE_URL'].sort(),
    );
  });

  it('a variable that is withheld and that a failed command names is told, with the key that passes it', () => {
    const env = { DATABASE_URL: 'd', OTHER: 'o', TEMPORAL_API_KEY: 't', PATH: '/bin', EMPTY: '' };
    const said = 'KeyError: DATABASE_URL; see PATH, TEMPORAL_API_KEY, EMPTY';
    expect(withheldFrom(env, said)).toEqual(['DATABASE_URL']);
    expect(withheldFrom(env, said, ['DATABASE_URL'])).toEqual([]);
    expect(withheldHint(['A1', 'B2'], 'gate.passEnv')).toContain('pass it with gate.passEnv: [A1, B2]');
    expect(withheldHint([], 'gate.passEnv')).toBeUndefined();
  });

  it('reaches the command', async () => {
    await writeFile(join(dir, 'x'), '');
    const got = await gate([command('test "$CI" = 1 && test -z "$TEMPORAL_ADDRESS" && test "$RALPHCTL_SLOT" = 7')], {
      env: gateEnvironment({ ...process.env, TEMPORAL_ADDRESS: 'secret' }, { RALPHCTL_SLOT: '7' }),
    });
    expect(got.pass).toBe(true);
  });
});

describe('locks of gate commands', () => {
  /** Fails beside another one; ends once `go-NAME` is there. */
  const alone = (name: string, locks: string[]): GateCommand =>
    command(`mkdir busy || exit 1; until [ -e go-${name} ]; do sleep 0.02; done; rmdir busy`, { name, locks });
  const there = async (name: string): Promise<void> => {
    while (!existsSync(join(dir, 'tree', name))) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it('run commands with one name one after another, and say how long they waited', async () => {
    await put(dir, { 'tree/go-b': '' });
    const first = gate([alone('a', ['db', 'port'])]);
    await there('busy');
    const second = gate([alone('b', ['port', 'db'])], { logDir: join(dir, 'logs-b') });
    // Meanwhile another one runs, so that the second has had its time to begin.
    expect(await gate([command('sleep 0.3'), command('true')], { logDir: join(dir, 'logs-c') })).toMatchObject({
      pass: true,
    });
    await put(dir, { 'tree/go-a': '' });
    const [a, b] = await Promise.all([first, second]);
    expect(a).toMatchObject({ pass: true, commands: [{ command: 'a' }] });
    // A busy machine takes its time for a free lock, too.
    expect(a.commands[0]?.waitedMs ?? 0).toBeLessThan(b.commands[0]?.waitedMs ?? 0);
    expect(b).toMatchObject({ pass: true, commands: [{ command: 'b', waitedMs: expect.any(Number) }] });
    expect(b.commands[0]?.waitedMs).toBeGreaterThanOrEqual(300);
  });

  it('do not count their wait for the time limit', async () => {
    const first = gate([alone('a', ['db'])]);
    await there('busy');
    const second = gate([command('true', { locks: ['db'], timeoutMs: 200 })], { logDir: join(dir, 'logs-b') });
    await gate([command('sleep 0.5')], { logDir: join(dir, 'logs-c') });
    await put(dir, { 'tree/go-a': '' });
    expect((await first).pass).toBe(true);
    expect((await second).pass).toBe(true);
  });

  it('a cancelled gate ends its wait, and leaves the lock to the one that has it', async () => {
    const stop = new AbortController();
    const first = gate([alone('a', ['db'])]);
    await there('busy');
    const second = gate([command('true', { locks: ['aa', 'db'] })], { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    expect(await gate([command('true', { locks: ['aa'] })], { logDir: join(dir, 'logs-c') })).toMatchObject({
      pass: true,
    });
    await put(dir, { 'tree/go-a': '' });
    expect((await first).pass).toBe(true);
  });
});
