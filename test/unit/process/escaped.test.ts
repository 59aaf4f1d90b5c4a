/** Processes that get away from a run: which are ended, and which are none of its business. Features: D1 E4. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endLeftIn, findEscaped, lookOften } from '../../../src/process/escaped.js';
import { hasProc, type Identity, identityOf, isAlive, signalIdentity } from '../../../src/process/identity.js';
import { killTree, TreeWatch } from '../../../src/process/kill.js';
import { run, startRun } from '../../../src/process/run.js';
import { ENV, sh, tempDir, until } from './helpers.js';

/** The process that writes its pid into a file; it is gone when the test is. */
async function wrote(file: string): Promise<Identity> {
  const pid = await until(async () => Number(await readFile(file, 'utf8').catch(() => '')) || undefined).catch(
    async (error: Error) => {
      const said = await readFile(complaints(dirname(file)), 'utf8').catch(() => 'nothing');
      throw new Error(`${error.message}; the program said: ${said}`);
    },
  );
  const identity = await until(() => identityOf(pid));
  onTestFinished(async () => {
    await signalIdentity(identity, 'SIGKILL');
  });
  return identity;
}
/** A shell text that starts `script` without environment, in a session of its own, without a living parent. */
const astray = (script: string, variables = ''): string => `(env -i ${variables} setsid /bin/sh -c '${script}' &)`;
const written = (file: string): string => `while [ ! -s ${file} ]; do sleep 0.02; done`;

const complaints = (dir: string): string => `${dir}.stderr`;

/** Starts it beside the run, as a program of a person that has ended by then. */
async function orphan(cwd: string, script: string, env: Record<string, string> = {}): Promise<void> {
  const stderr = openSync(complaints(cwd), 'w');
  const shell = ['-c', `setsid ${script} &`];
  const parent = spawn('/bin/sh', shell, { cwd, env: { ...ENV, ...env }, stdio: ['ignore', 'ignore', stderr] });
  await once(parent, 'exit');
  closeSync(stderr);
  onTestFinished(() => rm(complaints(cwd), { force: true }));
}

describe.runIf(hasProc)('a process without token, group and parents', () => {
  it.each([
    ['that stands in the worktree', 'echo $$ > "$0/pid"; exec sleep 600'],
    ['that ignores TERM there', 'trap "" TERM; echo $$ > "$0/pid"; while :; do sleep 600; done'],
    ['that only holds a file of it open', 'cd /; exec 3>> "$0/held"; echo $$ > "$0/pid"; exec sleep 600'],
    [
      'that runs a program of it',
      'cp "$(command -v sleep)" "$0/mysleep"; cd /; echo $$ > "$0/pid"; exec "$0/mysleep" 600',
    ],
  ])('D1: is ended and named: one %s', async (_, script) => {
    const scratch = await tempDir();
    const file = join(scratch, 'pid');
    await writeFile(join(scratch, 'start.sh'), `(env -i setsid /bin/sh -c '${script}' "$PWD" &)\n`);
    const opts = await sh(`ln -s ${file} pid; . ${scratch}/start.sh; ${written(file)}`);
    const result = await run(opts);
    const pid = Number(await readFile(file, 'utf8'));
    expect(await identityOf(pid)).toBeUndefined();
    expect(result).toMatchObject({ exitCode: 0 });
    expect(result.escaped?.join()).toContain(`(pid ${pid})`);
  });

  it('D1: is ended after a run that was stopped, too', async () => {
    const file = join(await tempDir(), 'pid');
    const opts = await sh(`${astray(`echo $$ > ${file}; exec sleep 600`)}; ${written(file)}; echo up; exec sleep 600`, {
      killGraceMs: 100,
      onLine: () => handle.kill(),
    });
    const handle = startRun(opts);
    expect((await handle.done).escaped).toHaveLength(1);
    expect(await identityOf(Number(await readFile(file, 'utf8')))).toBeUndefined();
  });

  it('D1: is ended before the next attempt, when the process that ran the first one was killed', async () => {
    const dir = await tempDir();
    const since = new Date();
    // The kernel counts start times in hundredths of a second: what began in the same one counts as older.
    await until(() => Date.now() - since.getTime() > 20);
    await orphan(dir, `env -i /bin/sh -c 'echo $$ > pid; exec sleep 600'`);
    const left = await wrote(join(dir, 'pid'));
    expect(await endLeftIn([dir], since)).toEqual([]);
    expect(await isAlive(left)).toBe(false);
  });

  it('D1: is known by its parents, where these were seen while they lived', async () => {
    const dir = await tempDir();
    const [file, go] = [join(dir, 'pid'), join(dir, 'go')];
    const script = `env -i setsid /bin/sh -c 'cd /; echo $$ > ${file}; exec sleep 600' & ${written(go)}`;
    const parent = spawn('/bin/sh', ['-c', script], { cwd: '/', detached: true, stdio: 'ignore', env: ENV });
    const root = await until(() => identityOf(parent.pid ?? 0));
    const tree = new TreeWatch({ root, findMarked: async () => [] });
    const enough = lookOften(tree);
    const child = await wrote(file);
    await until(async () => (await tree.movedAway()).some(({ pid }) => pid === child.pid));
    await writeFile(go, 'go');
    await until(async () => !(await isAlive(root)));
    enough();
    expect(await killTree(tree, 0, true)).toEqual([]);
    expect(await isAlive(child)).toBe(false);
  });

  it('the gap: stays unseen when it keeps nothing in the worktree', async () => {
    const file = join(await tempDir(), 'pid');
    const opts = await sh(`(cd / && env -i setsid /bin/sh -c 'echo $$ > ${file}; exec sleep 600' &); ${written(file)}`);
    expect((await run(opts)).escaped).toBeUndefined();
    expect(await isAlive(await wrote(file))).toBe(true);
  });
});

describe.runIf(hasProc)('what stands in the worktree and is not of the run', () => {
  const PTY = "import pty; pty.spawn(['/bin/sh', '-c', 'echo \\$\\$ > shell; exec sleep 600'])";

  it.each([
    ['the shell of a person in a terminal', `python3 -c "${PTY}"`, {}],
    [
      'what a person has started over SSH or from a desktop',
      `sh -c 'echo $$ > shell; exec sleep 600'`,
      { SSH_CONNECTION: '::1 1 ::1 22' },
    ],
  ])('D1: lives on: %s', async (_, program, env) => {
    const dir = await tempDir();
    const opts = await sh('echo ready; read line', { cwd: dir });
    const handle = startRun({ ...opts, argv: ['/bin/sh', '-c', `touch up; ${written('go')}`] });
    await until(() =>
      readFile(join(dir, 'up'), 'utf8').then(
        () => true,
        () => false,
      ),
    );
    await orphan(dir, program, env);
    const shell = await wrote(join(dir, 'shell'));
    await writeFile(join(dir, 'go'), 'go');
    expect((await handle.done).escaped).toBeUndefined();
    expect(await isAlive(shell)).toBe(true);
  });

  it('D1: lives on: what began before the run', async () => {
    const dir = await tempDir();
    await orphan(dir, `env -i /bin/sh -c 'echo $$ > pid; exec sleep 600'`);
    const before = await wrote(join(dir, 'pid'));
    // In a later tick of the kernel's clock.
    await until(async () => (await findEscaped({ since: new Date(), places: [dir], env: {} })).length === 0);
    expect((await run(await sh(':', { cwd: dir }))).escaped).toBeUndefined();
    expect(await isAlive(before)).toBe(true);
  });

  it('D1: lives on: what a program starts that began before the run', async () => {
    const dir = await tempDir();
    await orphan(
      dir,
      `env -i /bin/sh -c '${written('up')}; (echo $$ > /dev/null; exec sleep 600) & echo $! > child; wait'`,
    );
    const begun = new Date(Date.now() + 50);
    await until(
      async () =>
        (await findEscaped({ since: begun, places: [dir], env: {} })).length === 0 && Date.now() > begun.getTime(),
    );
    const result = await run(await sh(`touch up; echo x > up; ${written('child')}`, { cwd: dir }));
    const child = await wrote(join(dir, 'child'));
    expect(result.escaped).toBeUndefined();
    expect(await isAlive(child)).toBe(true);
  });
});
