/** How a run ends for the person who leaves it: its exit code, the lines left behind, and what was typed. Features: C1 C5 G8. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../../src/client/context.js';
import { exitOfRun, exitOfSummary } from '../../../src/client/follow/run-end.js';
import { CurrentRun } from '../../../src/client/screen/current-run.js';
import { Drafts } from '../../../src/client/screen/drafts.js';
import { farewell } from '../../../src/client/screen/farewell.js';
import { strandedRun } from '../../../src/client/views/recorded.js';
import { defaultConfig } from '../../../src/config/load.js';
import { runDir } from '../../../src/config/paths.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { IdeaStatus } from '../../../src/protocol/states.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import type { RunFile } from '../../../src/run-files/shapes.js';
import { textsOf, together, withLook, withoutSent } from '../../../src/screen/control/drafts.js';
import { draftOf } from '../../../src/screen/control/typing.js';
import type { Ui } from '../../../src/screen/ui.js';
import { idea } from '../../activities/idea.js';
import { until } from '../../support/program.js';

const ref = { project: 'p', runId: '20260101-000000-aaaa' };
let root: string;
let repo: string;
const context = (): Context => ({ root, cwd: repo, env: {}, json: false }) as unknown as Context;
const git = (...args: string[]): string =>
  execFileSync('git', ['-C', repo, '-c', 'user.name=x', '-c', 'user.email=x@y.invalid', ...args], { encoding: 'utf8' });

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-end-'));
  repo = join(root, 'repo');
  execFileSync('git', ['init', '-q', '-b', 'main', repo]);
  git('commit', '-q', '--allow-empty', '-m', 'begin');
});
afterEach(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));

const IDEAS = ['a', 'b', 'epic'].map((id) => idea(id, { title: id, blue: id === 'epic' }));
const ended = (
  state: 'running' | 'stopping' | 'completed' | 'stopped' | 'aborted' | 'paused',
  b: IdeaStatus,
): RunModel => {
  const model = newModel({ ...ref, name: 'shop', target: 'main' }, IDEAS);
  const told: RunEvent[] = [
    { kind: 'run', state: 'running', landed: 0, total: 2 },
    { kind: 'idea', idea: 'a', title: 'a', status: 'landed', commit: 'abc' },
    { kind: 'idea', idea: 'b', title: 'b', status: b },
    { kind: 'run', state, landed: 1, total: 2 },
  ];
  for (const [at, event] of told.entries()) fold(model, { at: new Date(at * 1000).toISOString(), ...event });
  return model;
};
const runFile = (): RunFile => ({
  ...{ version: 1, ...ref, repo, target: 'main', config: defaultConfig(), tick: true },
  backlog: { file: join(repo, 'roadmap.md'), format: 'roadmap', sha256: '' },
  createdAt: new Date(0).toISOString(),
});
async function recorded(summary: object | undefined): Promise<void> {
  await writeRun(root, runFile(), IDEAS);
  if (!summary) return;
  const status = {
    runId: ref.runId,
    statistics: { iterations: { total: 1 } },
    ...('delivery' in summary ? summary : {}),
  };
  await writeFile(
    join(runDir(root, ref.project, ref.runId), 'summary.json'),
    JSON.stringify({ outcome: 'completed', landed: 2, notLanded: [], ...summary, status }),
  );
}
const open = (status: IdeaStatus) => ({ notLanded: [{ idea: 'b', status }] });

describe('the exit code on leaving the screen is that of start', () => {
  it.each([
    ['everything landed', 'completed', 'landed', {}, 0],
    ['an idea was skipped', 'completed', 'skipped', open('skipped'), 3],
    ['an idea was abandoned', 'completed', 'abandoned', open('abandoned'), 3],
    ['the run was stopped', 'stopped', 'pending', { outcome: 'stopped', ...open('pending') }, 3],
    ['the run was aborted', 'aborted', 'failed', { outcome: 'aborted', ...open('failed') }, 3],
    ['landed work waits for a push', 'completed', 'landed', { delivery: { state: 'held', text: 'no key' } }, 3],
    ['it was ended and left no summary', 'aborted', 'pending', undefined, 3],
    ['the run is paused and goes on', 'paused', 'pending', undefined, 0],
  ] as const)('%s', async (_, state, status, summary, code) => {
    await recorded(summary);
    expect(await exitOfRun(context(), ended(state, status))).toBe(code);
  });

  it('landed work that has left the target counts', async () => {
    await recorded({});
    await writeFile(join(repo, 'a.txt'), 'a');
    git('add', '.');
    git('commit', '-q', '-m', 'feat: a\n\nRalph-Idea: a');
    expect(await exitOfRun(context(), ended('completed', 'landed'))).toBe(0);
    git('revert', '--no-edit', 'HEAD');
    expect(await exitOfRun(context(), ended('completed', 'landed'))).toBe(3);
    expect(exitOfSummary({ notLanded: [], status: {} }, ['a left the target'])).toBe(3);
  });
});

it('leaving prints three lines: how it stands, who is waited for, how to come back', () => {
  expect(farewell(ended('paused', 'blocked'))).toEqual([
    'shop onto main: paused; 1 of 2 landed, 1 needs you',
    'Waiting for you: b',
    expect.stringContaining('The run stays paused; go on with: ralphctl resume. Come back with: ralphctl'),
  ]);
  expect(farewell(ended('stopping', 'blocked')).at(-1)).toContain(
    'The run ends once its running iterations have ended',
  );
  expect(farewell(ended('running', 'blocked')).at(-1)).toContain('The run continues. Come back with: ralphctl');
  expect(farewell(ended('completed', 'landed')).slice(1)).toEqual([
    'Nobody is waited for.',
    'See again: ralphctl, ralphctl status',
  ]);
});

it('a start that failed leaves no run: the screen does not follow it, and status does not call it open', async () => {
  const told = async (runId: string, ...events: RunEvent[]): Promise<void> => {
    const at = { ...ref, runId };
    await writeRun(root, { ...runFile(), ...at }, IDEAS);
    await mkdir(dirname(eventsPath(root, at)), { recursive: true });
    const lines = events.map((event) => `${JSON.stringify({ at: new Date(1000).toISOString(), ...event })}\n`);
    await writeFile(eventsPath(root, at), lines.join(''));
  };
  const [began, failed] = ['20260102-000000-bbbb', '20260103-000000-cccc'];
  await recorded({});
  await told(ref.runId, { kind: 'run', state: 'completed', landed: 0, total: 2 });
  // A command of a person that came later.
  await told(failed, { kind: 'command', verb: 'hint', idea: 'a', done: 'kept' });
  const screen = new CurrentRun(context(), ref, () => {});
  try {
    await screen.open();
    expect(await screen.followNewest(() => {})).toBeUndefined();
    expect(await strandedRun(root, ref.project)).toBeUndefined();
    await told(began, { kind: 'run', state: 'running', landed: 0, total: 2 });
    expect(await strandedRun(root, ref.project)).toBe(began);
    expect(await screen.followNewest(() => {})).toBe(began);
    expect(screen.model.runId).toBe(began);
  } finally {
    await screen.close();
  }
});

describe('unsent answers', () => {
  const dir = (): string => join(runDir(root, ref.project, ref.runId), 'drafts');
  const files = async (): Promise<string[]> => (await readdir(dir())).map((name) => join(dir(), name));
  const made = (): Drafts => new Drafts(root, ref);

  it('outlast the screen, for their owner only, until they are sent', async () => {
    await recorded(undefined);
    const first = made();
    expect(await first.read()).toEqual({});
    first.keep({ a: draftOf('half an ans') });
    await first.close();
    for (const file of await files()) expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await files()).toHaveLength(1);
    const second = made();
    expect(await second.read()).toEqual({ a: draftOf('half an ans') });
    second.keep({});
    await second.close();
    expect(await made().read()).toEqual({});
    expect(await files()).toEqual([]);
  });

  it('of two screens to the same question are both there, until each is sent or deleted', async () => {
    await recorded(undefined);
    const begun = made();
    begun.keep({ a: draftOf('begun') });
    await begun.close();
    const [one, two] = [made(), made()];
    expect([await one.read(), await two.read()]).toEqual([{ a: draftOf('begun') }, { a: draftOf('begun') }]);
    one.keep({ a: draftOf('begun, the left way') });
    await one.close();
    two.keep({ a: draftOf('begun, the right way') });
    await two.close();
    const third = made();
    const both = await third.read();
    expect(textsOf(both.a).sort()).toEqual(['begun, the left way', 'begun, the right way']);
    const [sent = '', left = ''] = textsOf(both.a);
    third.keep(withoutSent(both, { a: draftOf(sent) }, 'a'));
    await third.close();
    expect(await made().read()).toEqual({ a: draftOf(left) });
  });

  it('of a screen that is open come to the other one, and what it sends goes there, too', async () => {
    await recorded(undefined);
    const [one, two] = [made(), made()];
    await one.read();
    let ui = await two.read();
    const looks = async (busy?: string): Promise<typeof ui> => {
      await two.look((looked) => {
        ui = withLook(ui, looked, busy);
        two.keep(ui);
      });
      return ui;
    };
    one.keep({ a: draftOf('of one'), b: draftOf('also of one') });
    await one.close();
    ui = { a: draftOf('of two') };
    two.keep(ui);
    expect(await looks('a')).toEqual({
      a: { ...draftOf('of two'), others: ['of one'] },
      b: draftOf('also of one'),
    });
    const again = made();
    await again.read();
    again.keep({ b: draftOf('also of one, and more') });
    await again.close();
    expect(await looks()).toEqual({ a: draftOf('of two'), b: draftOf('also of one, and more') });
    await two.close();
    expect(await made().read()).toEqual({ a: draftOf('of two'), b: draftOf('also of one, and more') });
  });

  it('of two screens do not erase each other, and a broken file costs nothing but itself', async () => {
    await recorded(undefined);
    const [one, two] = [made(), made()];
    await one.read();
    await two.read();
    one.keep({ a: draftOf('of one') });
    two.keep({ b: draftOf('of two') });
    await one.close();
    await two.close();
    expect(await made().read()).toEqual({ a: draftOf('of one'), b: draftOf('of two') });
    for (const file of await files())
      if ((await readFile(file, 'utf8')).includes('of one')) await writeFile(file, '{"name": ');
    const third = made();
    expect(await third.read()).toEqual({ b: draftOf('of two') });
    third.keep({ b: draftOf('again') });
    await third.close();
    expect(await made().read()).toEqual({ b: draftOf('again') });
  });

  it('stay where somebody removes or moves away the folder, and are written again once there is one', async () => {
    await recorded(undefined);
    const drafts = made();
    await drafts.read();
    drafts.keep({ a: draftOf('half'), b: draftOf('an answer') });
    await drafts.close();
    const typed = { a: draftOf('half'), b: draftOf('an answer') };
    let ui: Ui['drafts'] = typed;
    const look = (): Promise<void> =>
      drafts.look((looked) => {
        ui = withLook(ui, looked);
      });
    await rename(join(dir(), '..'), join(root, 'away'));
    await look();
    expect(ui).toEqual(typed);
    await drafts.close();
    expect(await stat(join(dir(), '..')).catch(() => undefined)).toBeUndefined();
    await rename(join(root, 'away'), join(dir(), '..'));
    await rm(dir(), { recursive: true });
    await look();
    expect(ui).toEqual(typed);
    await drafts.close();
    expect(await made().read()).toEqual(typed);
  });

  it('of a version that kept them in one file are there, too', async () => {
    await recorded(undefined);
    const old = join(dir(), '..', 'drafts.json');
    await writeFile(old, '{"a": "half an ans", "b": ""}\n');
    expect(await made().read()).toEqual({ a: draftOf('half an ans') });
    expect(await stat(old).catch(() => undefined)).toBeUndefined();
    expect(await made().read()).toEqual({ a: draftOf('half an ans') });
    await writeFile(old, '{"a": ');
    expect(await made().read()).toEqual({ a: draftOf('half an ans') });
  });

  it('are written again after a write that failed', async () => {
    await recorded(undefined);
    const drafts = made();
    await drafts.read();
    await writeFile(dir(), 'in the way');
    drafts.keep({ a: draftOf('typed while the disk was full') });
    await drafts.close();
    await rm(dir());
    drafts.keep({ a: draftOf('typed while the disk was full'), b: draftOf('later') });
    await drafts.close();
    expect(await made().read()).toEqual({ a: draftOf('typed while the disk was full'), b: draftOf('later') });
  });

  it('are whole on the disk when the screen closes during a write', async () => {
    await recorded(undefined);
    const drafts = made();
    await drafts.read();
    const text = 'long '.repeat(8_000_000);
    drafts.keep({ a: draftOf(text) });
    await until('the write has begun', async () => (await files().catch(() => [])).length > 0);
    await drafts.close();
    expect((await made().read()).a?.text === text).toBe(true);
  });

  it('go with the screen to the run that it follows, and those which that run has stay', async () => {
    const run = async (runId: string, state: 'completed' | 'running'): Promise<void> => {
      const at = { ...ref, runId };
      await writeRun(root, { ...runFile(), ...at }, IDEAS);
      const events: RunEvent[] = [{ kind: 'run', state, landed: 0, total: 2 }];
      const lines = events.map((event) => `${JSON.stringify({ at: new Date(1000).toISOString(), ...event })}\n`);
      await mkdir(dirname(eventsPath(root, at)), { recursive: true });
      await writeFile(eventsPath(root, at), lines.join(''));
    };
    const next = { ...ref, runId: '20260102-000000-bbbb' };
    await run(ref.runId, 'completed');
    const screen = new CurrentRun(context(), ref, () => {});
    try {
      await screen.open();
      let ui: Ui['drafts'] = { ...(await screen.drafts.read()), a: draftOf('half an ans') };
      screen.drafts.keep(ui);
      await run(next.runId, 'running');
      const theirs = new Drafts(root, next);
      theirs.keep({ b: draftOf('of another screen') });
      await theirs.close();
      expect(
        await screen.followNewest((found) => {
          ui = together(ui, found);
          screen.drafts.keep(ui);
        }),
      ).toBe(next.runId);
      expect(ui).toEqual({ a: draftOf('half an ans'), b: draftOf('of another screen') });
    } finally {
      await screen.close();
    }
    expect(await new Drafts(root, next).read()).toEqual({ a: draftOf('half an ans'), b: draftOf('of another screen') });
    expect(await made().read()).toEqual({ a: draftOf('half an ans') });
  });
});
