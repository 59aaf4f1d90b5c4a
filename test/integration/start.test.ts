/**
 * What `start` does when there is nothing to start, when another command works on the project, and what a dry run says that
 * it would refuse. Features: A4, C3, C6, F6.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { closedLockDir } from '../../src/config/paths.js';
import { acquireLock } from '../../src/process/lock.js';
import { DONE, Held } from '../support/held.js';
import { cliPath, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

let box: Sandbox | undefined;
let held: Held | undefined;
afterEach(async () => {
  await box?.dispose();
  await held?.box.dispose();
  box = undefined;
  held = undefined;
});

const runsOf = async ({ box: { run } }: Held): Promise<unknown[]> =>
  (await run('runs', '--json')).json.map(({ runId }) => runId);

it('C3 A4: a start with nothing left records no run and says how to go on; the report stays that of the last run', async () => {
  held = await Held.open(
    inject('stateRoot'),
    [
      { id: 'done', steps: [{ ...DONE, free: true }] },
      {
        id: 'stuck',
        steps: [
          { signal: 'BLOCKED: no key', free: true },
          { ...DONE, free: true, when: 'the key is there' },
        ],
      },
      { id: 'later', depends: 'stuck', steps: [{ ...DONE, free: true }] },
    ],
    // Without a gate, a start warns.
    { slots: 2, gate: [], escalation: { steps: [] } },
  );
  const { run } = held.box;
  expect((await run('start', '--wait')).code).toBe(3);
  const [first] = await runsOf(held);
  expect((await run('abandon', 'stuck', '--reason', 'not now')).code).toBe(0);

  const again = await run('start', '--wait');
  expect(again.code, again.stderr).toBe(3);
  expect(again.stdout).toContain('nothing to start: 1 of 3 ideas of roadmap.md landed or are ticked, and no other can');
  expect(again.stdout).toMatch(/the run leaves out stuck: you abandoned it .*not now; to try it again: ralphctl retry/);
  expect(again.stdout).toContain('later waits for stuck');
  expect(again.stdout).toContain('No run was started. The last one: ralphctl report');
  const [told] = (await run('start', '--json')).json;
  expect(told).toMatchObject({ kind: 'nothing', target: 'main', done: ['done'] });
  expect(told?.left).toEqual([
    { idea: 'stuck', status: 'abandoned', why: 'not now (in an earlier run)' },
    { idea: 'later', status: 'pending', why: 'waits for stuck' },
  ]);
  const dry = await run('start', '--dry-run');
  expect([dry.code, dry.stdout]).toEqual([
    3,
    expect.stringMatching(
      /1 idea to do, 1 of them waits\n[\s\S]*nothing to start: 1 of 3 ideas of roadmap.md[\s\S]*later waits for stuck/,
    ),
  ]);
  const [planned] = (await run('start', '--dry-run', '--json')).json;
  expect(planned).toMatchObject({ todo: 1, order: [], landed: ['done'], nothing: { left: told?.left } });
  expect(await runsOf(held)).toEqual([first]);
  expect((await run('report', '--json')).json[0]).toMatchObject({ run: { runId: first } });
  expect((await run('status', '--json')).json[0]).toMatchObject({ last: { landed: 1 } });

  // The full screen says the same where it starts again.
  const screen = new PtyScreen(process.execPath, [cliPath], { columns: 120, cwd: held.box.repo, env: held.box.env });
  try {
    await screen.shows('1 landed');
    screen.press('P');
    await screen.shows('y yes');
    screen.press('y');
    await screen.shows('nothing to start: 1 of 3 ideas of roadmap.md');
  } finally {
    await screen.dispose();
  }

  // An idea that becomes ready again makes a run.
  expect((await run('retry', 'stuck')).code).toBe(0);
  expect((await run('hint', 'stuck', 'the key is there')).code).toBe(0);
  await held.start();
  await held.closed();
  expect(await runsOf(held)).toHaveLength(2);
  const over = await run('start', '--wait');
  expect(over.code, over.stderr).toBe(0);
  expect(over.stdout).toContain('nothing to start: all 3 ideas of roadmap.md have landed or are ticked');
  const none = await run('start', '--dry-run');
  expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('nothing to start: all 3 ideas')]);
  expect(await runsOf(held)).toHaveLength(2);
}, 480_000);

it('C6: a start beside a command that works on the project waits, reads the backlog again, and goes on', async () => {
  held = await Held.open(inject('stateRoot'), [{ id: 'one', steps: [DONE] }]);
  const { env, scratch, repo } = held.box;
  const bin = join(scratch, 'bin');
  const hold = join(scratch, 'hold');
  await mkdir(bin);
  // git waits while the test says so: the test takes the lock between two steps of the start.
  const git = `#!/bin/sh\nwhile [ -e '${hold}' ]; do sleep 0.05; done\nPATH='${env.PATH}' exec git "$@"\n`;
  await writeFile(join(bin, 'git'), git, { mode: 0o755 });
  const project = (await held.box.run('status', '--json')).json[0]?.project ?? (await projectOf(held));
  const dir = closedLockDir(held.stateRoot, String(project));
  const release = await acquireLock(dir, { waitMs: 0 });
  env.PATH = `${bin}:${env.PATH}`;
  const child = held.box.spawn('start', '--detach');
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const waits = () => said.split('waiting for another command on this project').length - 1;
  const over = new Promise<number | null>((done) => child.once('exit', done));
  await until('the start to wait', async () => waits() === 1);
  await writeFile(hold, '');
  await release();
  const freed = async () => {
    const claims = (await readdir(dir)).filter((name) => /^\d+$/.test(name)).sort();
    return claims.length > 1 && (await readFile(join(dir, claims.at(-1) ?? ''), 'utf8')) === '';
  };
  await until('the start to take and release the lock', freed);
  const second = await acquireLock(dir, { waitMs: 0 });
  await rm(hold);
  await until('the start to wait again', async () => waits() === 2);
  await held.box.write({ 'roadmap.md': roadmap([{ id: 'one' }, { id: 'two' }]) });
  await second();
  expect(await over, said).toBe(0);
  expect(said).toMatch(/run \S+: 2 ideas onto main/);
  expect(repo).toBeTruthy();
}, 240_000);

async function projectOf({ box: { repo } }: Held): Promise<string> {
  const { findProjectId } = await import('../../src/client/context.js');
  return findProjectId({ root: inject('stateRoot'), cacheRoot: '', env: {}, cwd: repo, json: true });
}

it('F6: a dry run names everything that start would refuse, in text and JSON, and leaves nothing behind', async () => {
  const own = join(inject('stateRoot'), 'none-yet');
  box = await sandbox(own, {
    'roadmap.md': roadmap([{ id: 'a-1' }, { id: 'a-2' }]),
    'ralphctl.yaml': yaml({
      version: 1,
      agent: 'gemini',
      fallback: ['mine'],
      agents: { mine: { adapter: 'command', command: ['/no/such/program'] } },
      prompt: { template: 'no-such-template.md' },
      gate: ['true'],
    }),
  });
  const bin = join(box.scratch, 'bin');
  await mkdir(bin);
  for (const name of ['git', 'sh', 'node']) {
    await writeFile(join(bin, name), `#!/bin/sh\nPATH='${box.env.PATH}' exec ${name} "$@"\n`);
    await chmod(join(bin, name), 0o755);
  }
  box.env.PATH = bin;
  const plan = await box.run('start', '--dry-run');
  expect(plan.code, plan.stderr).toBe(2);
  expect(plan.stdout, plan.stderr).toMatch(/^ {2}1 {2}a-1 /m);
  const lines = plan.stdout.split('\n').filter((line) => line.startsWith('start would refuse: '));
  expect(lines).toEqual([
    expect.stringContaining('the program "gemini" of agent gemini is not on PATH'),
    expect.stringContaining('the program /no/such/program of agent mine does not exist'),
    expect.stringContaining('cannot read no-such-template.md'),
  ]);
  expect(plan.stdout).toMatch(/nothing was started$/);
  const told = await box.run('start', '--dry-run', '--json');
  const refused = lines.map((line) => line.replace(/^[^:]*: /, ''));
  expect([told.code, told.json[0]?.refused]).toEqual([2, refused]);
  // A real start refuses for the first of them.
  expect((await box.run('start')).stderr).toContain(refused[0]);
  box.env.RALPHCTL_HOME = join(box.repo, 'roadmap.md');
  const folder = (await box.run('start', '--dry-run')).stdout;
  expect(folder).toMatch(/would refuse: cannot use the state folder .*roadmap\.md \(from RALPHCTL_HOME\)/);
  box.env.RALPHCTL_HOME = own;
  expect(existsSync(own)).toBe(false);
});

/** A backlog of 10,000 ideas. */
async function many(more: (n: number) => object): Promise<Sandbox> {
  return sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap(Array.from({ length: 10_000 }, (_, n) => ({ id: `i-${n}`, ...more(n) }))),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', gate: ['true'] }),
    '.ralph-script.yaml': yaml({ default: [] }),
  });
}

it('F6: a dry run of 10,000 ideas side by side lists each of them once, and ends', async () => {
  box = await many(() => ({}));
  const { code, stdout, stderr } = await box.run('start', '--dry-run');
  expect(code, stderr).toBe(0);
  const listed = stdout.split('\n').flatMap((line) => /^ {2}1 {2}(i-\d+) /.exec(line)?.[1] ?? []);
  expect([listed.length, new Set(listed).size]).toEqual([10_000, 10_000]);
  expect(stdout).toMatch(/nothing was started$/);
});

it('F6: a dry run of 10,000 ideas one behind the other gives each its own round, and ends', async () => {
  box = await many((n) => (n === 0 ? {} : { depends: `i-${n - 1}` }));
  const told = await box.run('start', '--dry-run', '--json');
  expect(told.code, told.stderr).toBe(0);
  const order = told.json[0]?.order as { id: string; round: number }[];
  expect(order.map(({ id, round }) => `${id} ${round}`)).toEqual(
    Array.from({ length: 10_000 }, (_, n) => `i-${n} ${n + 1}`),
  );
});

it('D5: a worker refuses a grace that is no whole number of seconds', async () => {
  box = await sandbox(inject('stateRoot'), { 'roadmap.md': roadmap([{ id: 'a-1' }]) });
  for (const grace of ['abc', '-1', '1.5', '']) {
    const { code, stderr } = await box.run('worker', '--grace', grace);
    expect([code, stderr], grace).toEqual([2, expect.stringContaining('Use a whole number of seconds.')]);
  }
  const json = await box.run('worker', '--grace', 'abc', '--json');
  expect(json.code).toBe(2);
});

it('a worker that starts slowly is waited for, and told; one that ends is not', { timeout: 240_000 }, async () => {
  box = await sandbox(inject('stateRoot'), {
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', gate: ['true'] }),
    'roadmap.md': roadmap([{ id: 'a-1' }]),
    '.ralph-script.yaml': yaml({ default: [{ do: [{ write: { path: 'a.txt', text: 'a' } }], signal: 'COMPLETE' }] }),
  });
  const [go, held] = [join(box.scratch, 'go'), join(box.scratch, 'held.cjs')];
  await writeFile(held, `if (process.argv.includes('--supervise')) process.exit(9);`);
  box.env.NODE_OPTIONS = `--require ${held}`;
  const dead = await box.run('start', '--detach');
  expect(dead.stderr).toContain('the background worker did not start: it ended (exit code 9). Its log is in ');
  expect(dead.code).toBe(1);

  await writeFile(
    held,
    `const { existsSync } = require('node:fs');
    if (process.argv.includes('--supervise'))
      while (!existsSync(${JSON.stringify(go)})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);`,
  );
  const started = box.spawn('start', '--detach');
  let said = '';
  started.stderr?.on('data', (text: Buffer) => {
    said += text.toString();
  });
  const ended = new Promise<number | null>((resolve) => started.on('exit', resolve));
  await until('the word of a slow worker, or an end', () =>
    Promise.resolve(said.includes('the background worker is still starting') || started.exitCode !== null),
  );
  await writeFile(go, '');
  expect(await ended, said).toBe(0);
  expect(said).toContain('the background worker is still starting');
});
