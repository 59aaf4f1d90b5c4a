/** The machine is kept awake while agents run, by real processes: a stand-in for systemd-inhibit that runs its command. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AwakeMode } from '../../../src/config/schema/awake.js';
import { sysfs } from '../../../src/process/power.js';
import { findByToken } from '../../../src/process/tokens.js';
import { Awake } from '../../../src/worker/awake.js';
import { inhibitor } from '../../../src/worker/inhibitor.js';
import { until } from '../../support/program.js';

/** As systemd-inhibit does: runs what follows its options. */
const RUNS_IT = 'while case "$1" in --*) true;; *) false;; esac; do shift; done; "$@"';

let base: string;
let env: NodeJS.ProcessEnv;
let project: string;
let awake: Awake | undefined;
let child: ChildProcess | undefined;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'ralphctl-awake-'));
  project = `awake-${base.slice(-6).toLowerCase()}`;
  env = { PATH: `${base}${delimiter}${process.env.PATH}`, HOME: base };
  await inhibit(RUNS_IT);
});
afterEach(async () => {
  awake?.close();
  child?.kill('SIGKILL');
  await gone();
  await rm(base, { recursive: true, force: true });
});

/** Replaces the stand-in; a line in `calls` for each call. */
async function inhibit(body: string): Promise<void> {
  const path = join(base, 'systemd-inhibit');
  await writeFile(path, `#!/bin/sh\necho "$*" >> "${base}/calls"\n${body}\n`);
  await chmod(path, 0o755);
}

const calls = async (): Promise<string[]> =>
  (await readFile(join(base, 'calls'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const holds = async (): Promise<boolean> => (await findByToken(project)).length > 0;
const held = () => until('a hold', holds);
const gone = () => until('no hold', async () => !(await holds()));

/** `looks`: resolves when the keeper has looked that often more. */
function keeper(
  mode: () => AwakeMode,
  battery: () => boolean = () => false,
  answerMs?: number,
): { notes: string[]; looks: (more: number) => Promise<unknown> } {
  const notes: string[] = [];
  let looked = 0;
  awake = new Awake({
    ...{ project, env, lingerMs: 30, lookMs: 20, platform: 'linux', answerMs },
    mode: async () => {
      looked += 1;
      return mode();
    },
    power: { onBattery: async () => battery() },
    onNote: (note, about) => void notes.push([note, about?.why].filter(Boolean).join(': ')),
  });
  const looks = (more: number): Promise<unknown> => {
    const enough = looked + more;
    return until('looks', async () => looked >= enough);
  };
  return { notes, looks };
}

/** A work that ends when it is told to. */
function work(): { done: Promise<void>; end: () => void } {
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { done, end };
}

describe('a worker', () => {
  it('holds one lock for all of its work, and gives it back when nothing runs', async () => {
    const { notes, looks } = keeper(() => 'on');
    const [first, second] = [work(), work()];
    void awake?.during('runAgent', first.done);
    void awake?.during('runGate', second.done);
    await held();
    first.end();
    await looks(2);
    expect(await calls()).toEqual([
      `--what=idle:sleep --mode=block --who=ralphctl --why=agents work on ${project} sh -c echo && exec cat`,
    ]);
    expect(await holds()).toBe(true);
    second.end();
    await gone();
    // As after an answer of a person.
    const third = work();
    void awake?.during('runAgent', third.done);
    await held();
    await looks(2);
    awake?.close();
    await gone();
    third.end();
    expect(notes).toEqual(['keeps the machine awake', 'lets the machine sleep again', 'keeps the machine awake']);
  });

  it('holds nothing for what recurs for days, and nothing with awake: off', async () => {
    let mode: AwakeMode = 'off';
    const { looks } = keeper(() => mode);
    const [look, agent] = [work(), work()];
    void awake?.during('lookAtPull', look.done);
    void awake?.during('runAgent', agent.done);
    await expect(awake?.during('runAgent', Promise.reject(new Error('as it is')))).rejects.toThrow('as it is');
    await looks(3);
    expect(await calls()).toEqual([]);
    // config reload
    mode = 'on';
    await held();
    mode = 'off';
    await gone();
  });

  it('lets a machine on battery sleep, unless the configuration says always', async () => {
    let battery = true;
    let mode: AwakeMode = 'on';
    const { looks } = keeper(
      () => mode,
      () => battery,
    );
    void awake?.during('runAgent', work().done);
    await looks(3);
    expect(await holds()).toBe(false);
    battery = false;
    await held();
    battery = true;
    await gone();
    mode = 'always';
    await held();
  });

  it('says once that the system refuses, and goes on', async () => {
    await inhibit('echo "Failed to inhibit: Access denied" >&2; exit 1');
    const { notes, looks } = keeper(() => 'on');
    void awake?.during('runAgent', work().done);
    const refusals = () => notes.filter((note) => note.startsWith('cannot'));
    await until('the refusal', async () => refusals().length > 0);
    await looks(3);
    // These looks come every few milliseconds, so one may be earlier than the refusal.
    expect(refusals()).toEqual(['cannot keep the machine awake: Failed to inhibit: Access denied']);
    expect(await calls()).toHaveLength(1);
  });

  it('does not say that the machine stays awake while the system has not answered, and gives up in time', async () => {
    // As while logind hangs, or waits for a password that nobody types.
    await inhibit('exec sleep 600');
    const { notes, looks } = keeper(() => 'on', undefined, 400);
    void awake?.during('runAgent', work().done);
    await held();
    await looks(3);
    await until('the reason', async () => notes.length > 0);
    // All that it said.
    expect(notes).toEqual(['cannot keep the machine awake: systemd-inhibit did not answer within 0.4 s']);
    await gone();
    await looks(2);
    expect(await calls()).toHaveLength(1);
  });

  it('says so where there is no such program', async () => {
    env.PATH = join(base, 'nothing');
    const { notes } = keeper(() => 'on');
    void awake?.during('runAgent', work().done);
    await until('the reason', async () => notes.length > 0);
    expect(notes[0]).toContain('ENOENT');
  });

  it('that is killed leaves no lock', async () => {
    const outfile = join(base, 'inhibitor.mjs');
    const source = fileURLToPath(new URL('../../../src/worker/inhibitor.ts', import.meta.url));
    await build({ entryPoints: [source], bundle: true, platform: 'node', format: 'esm', outfile });
    const main = join(base, 'main.mjs');
    await writeFile(
      main,
      `import { hold, inhibitor } from './inhibitor.mjs';
       hold(inhibitor('linux', 'test'), { env: process.env, project: '${project}' });
       setInterval(() => undefined, 1000);`,
    );
    child = spawn(process.execPath, [main], { env, stdio: 'ignore' });
    await held();
    child.kill('SIGKILL');
    await gone();
  });
});

it('uses caffeinate on a Mac, for as long as this process lives', () => {
  expect(inhibitor('darwin', 'x')).toEqual(['caffeinate', '-i', '-w', String(process.pid)]);
  expect(inhibitor('win32', 'x')).toBeUndefined();
});

describe('the power supplies of Linux', () => {
  const supplies = async (all: Record<string, Record<string, string>>): Promise<boolean> => {
    const dir = await mkdtemp(join(base, 'supply-'));
    for (const [name, values] of Object.entries(all)) {
      await mkdir(join(dir, name));
      for (const [key, value] of Object.entries(values)) await writeFile(join(dir, name, key), `${value}\n`);
    }
    return sysfs(dir).onBattery();
  };
  const BATTERY = { type: 'Battery', scope: 'System', status: 'Discharging', capacity: '50' };

  it.each([
    ['a laptop on its battery', true, { BAT0: BATTERY, AC: { type: 'Mains', online: '0' } }],
    [
      'a laptop with its charger',
      false,
      { BAT0: { ...BATTERY, status: 'Charging' }, AC: { type: 'Mains', online: '1' } },
    ],
    ['a weak charger by USB', false, { BAT0: BATTERY, usb: { type: 'USB', online: '1' } }],
    ['a full battery', false, { BAT0: { ...BATTERY, status: 'Full' } }],
    ['a desktop with a mouse', false, { mouse: { ...BATTERY, scope: 'Device' } }],
    ['a server', false, {}],
  ])('%s', async (_name, expected, all: Record<string, Record<string, string>>) => {
    expect(await supplies(all)).toBe(expected);
  });

  it('that cannot be read count as no battery', async () => {
    expect(await sysfs(join(base, 'nothing')).onBattery()).toBe(false);
  });
});
