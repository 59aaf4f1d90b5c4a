/**
 * The files of a run are damaged: every command goes on with the other runs, names the damage once, and its advice works.
 * Features: A8 C6 G1 G6.
 */
import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { assertOver, withClosed } from '../../../src/client/after-run/closed.js';
import { events } from '../../../src/client/commands/inspect/events.js';
import { logs } from '../../../src/client/commands/inspect/logs.js';
import { report, runs } from '../../../src/client/commands/inspect/report.js';
import { show } from '../../../src/client/commands/inspect/show.js';
import { status } from '../../../src/client/commands/inspect/status.js';
import { why } from '../../../src/client/commands/inspect/why.js';
import { sync } from '../../../src/client/commands/recover/sync.js';
import { findProject } from '../../../src/client/context.js';
import { checkRuns } from '../../../src/client/doctor/runs.js';
import { recordedRemote } from '../../../src/client/plan/remote.js';
import { planRun, type RunPlan, runFile } from '../../../src/client/plan/run-plan.js';
import { KeptGone } from '../../../src/client/report/gone.js';
import { Pages } from '../../../src/client/screen/pages.js';
import { RunSource } from '../../../src/client/screen/source.js';
import { runDir, runsDir } from '../../../src/config/paths.js';
import { IDEA_TRAILER } from '../../../src/git/landing/message.js';
import { ideaFacts, runFacts, toldIdeas } from '../../../src/model/facts.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { EXIT, UserError } from '../../../src/protocol/user-error.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { keptHints } from '../../../src/run-files/kept.js';
import { readModel } from '../../../src/run-files/read-model.js';
import { reloadRun, writeRun } from '../../../src/run-files/run.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { commitFiles, type TestRepo } from '../git/repo.js';
import { plannedRepo } from './planned-repo.js';

const [OLD, NEW, NEXT] = ['20260101-000000-aaaa', '20260102-000000-bbbb', '20260103-000000-cccc'] as const;
let repo: TestRepo;
let project: string;
let plan: RunPlan;
/** Each test has a state folder of its own. */
let states = 0;
const context = (json = false) => ({
  cwd: repo.root,
  root: join(repo.scratch, `state-${states}`),
  cacheRoot: repo.scratch,
  env: { ...process.env, TEMPORAL_ADDRESS: '' },
  json,
});
const dirOf = (runId: string): string => runDir(context().root, project, runId);

/** A run that is over, with all its files. */
async function over(runId: string, idea: string, open = ['a-1', 'a-2']): Promise<void> {
  const { root } = context();
  await writeRun(root, runFile(plan, runId), plan.ideas);
  const end = { kind: 'iteration-end', idea, serial: 1, iteration: 1, outcome: 'ok', durationMs: 500, commits: 1 };
  const told: RunEvent[] = [
    { kind: 'run', state: 'running', landed: 0, total: 2 },
    { kind: 'idea', idea, title: `Title of ${idea}`, status: 'running' },
    { kind: 'iteration', idea, serial: 1, iteration: 1, max: 5, agentName: 'ed-001' },
    { ...end, signal: { kind: 'blocked', reason: 'no key' } } as RunEvent,
    { kind: 'idea', idea, title: `Title of ${idea}`, status: 'blocked', reason: 'no key' },
    { kind: 'run', state: 'stopped', landed: 0, total: 2 },
  ];
  const begin = Date.parse(`${runId.slice(0, 4)}-${runId.slice(4, 6)}-${runId.slice(6, 8)}T00:00:00.000Z`);
  const line = (event: RunEvent, at: number): string =>
    `${JSON.stringify({ at: new Date(begin + at * 1000).toISOString(), ...event })}\n`;
  await writeFile(eventsPath(root, { project, runId }), told.map(line).join(''));
  await mkdir(join(dirOf(runId), 'ideas', idea, '001'), { recursive: true });
  const { model } = (await readModel(root, { project, runId })) as { model: RunModel };
  const notLanded = open.map((id) => ({ idea: id, status: id === idea ? 'blocked' : 'pending' }));
  const facts = { run: runFacts(model), ideas: toldIdeas(model).map(ideaFacts) };
  const rest = { runId, statistics: { iterations: { total: 1 }, runtimeMs: 5000 } };
  const summary = { outcome: 'stopped', landed: 0, notLanded, status: rest, ...facts };
  await writeFile(join(dirOf(runId), 'summary.json'), JSON.stringify(summary));
}

beforeAll(async () => {
  repo = await plannedRepo();
  plan = await planRun(context(), {});
  project = (await findProject(context())).id;
});
beforeEach(async () => {
  states += 1;
  await over(OLD, 'a-1');
  await over(NEW, 'a-2');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await chmod(dirOf(NEW), 0o700).catch(() => {});
});
afterAll(() => repo.remove());

const noRun = (): Promise<boolean> => Promise.resolve(false);

/** This process has read the run before. */
async function damaged(runId: string, damage: (dir: string) => unknown): Promise<void> {
  await damage(dirOf(runId));
  await reloadRun(context().root, { project, runId }).catch(() => undefined);
}

interface Said {
  out: string;
  err: string;
  code: number;
}

async function run(command: () => Promise<number>): Promise<Said> {
  const said = { out: '', err: '', code: 0 };
  const into = (name: 'out' | 'err') => (chunk: string | Uint8Array) => {
    said[name] += String(chunk);
    return true;
  };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into('out')),
    vi.spyOn(process.stderr, 'write').mockImplementation(into('err')),
  ];
  try {
    said.code = await command();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return said;
}

const COMMANDS: Record<string, () => Promise<number>> = {
  report: () => report(context(), {}),
  runs: () => runs(context()),
  status: () => status(context(), {}),
  'show a-1': () => show(context(), 'a-1', {}),
  'why a-1': () => why(context(), 'a-1'),
  logs: () => logs(context(), undefined, {}),
  'logs a-1': () => logs(context(), 'a-1', {}),
  events: () => events(context(), {}),
};

async function all(): Promise<{ said: Record<string, Said>; warnings: string[] }> {
  const said: Record<string, Said> = {};
  for (const [name, command] of Object.entries(COMMANDS)) said[name] = await run(command);
  const lines = Object.values(said).flatMap(({ err }) => err.split('\n'));
  return { said, warnings: lines.filter((line) => line.startsWith('warning: ')) };
}

describe('doctor', () => {
  const rows = async () =>
    (await checkRuns(context().root, project)).map(({ what, state, found, fix }) => [what, state, found, fix]);

  it('C6 G1: has one row for all runs whose files are whole', async () => {
    expect(await rows()).toEqual([['runs', 'ok', 'the files of 2 runs', undefined]]);
  });

  it('C6 G1: names each run with damaged files, and its fix works', async () => {
    await damaged(OLD, (dir) => rm(join(dir, 'backlog.json')));
    await damaged(NEW, async (dir) => {
      await rm(join(dir, 'events.jsonl'));
      await mkdir(join(dir, 'events.jsonl'));
    });
    const found = await rows();
    expect(found.map(([what, state]) => [what, state])).toEqual([
      [`run ${NEW}`, 'warn'],
      [`run ${OLD}`, 'warn'],
    ]);
    for (const [, , sentence, fix] of found) {
      expect(sentence).not.toMatch(/EISDIR|ENOENT|mv /);
      expect(fix).toContain('ove');
      execFileSync('sh', ['-c', /mv .*$/.exec(fix ?? '')?.[0].replace(/, then .*/, '') ?? 'false']);
    }
    expect(await rows()).toEqual([['runs', 'ok', 'the files of 1 run', undefined]]);
  });
});

const isRoot = process.getuid?.() === 0;
const DAMAGES: Record<string, (dir: string) => Promise<unknown>> = {
  'is empty: a start of an older version was killed': async (dir) => {
    await rm(dir, { recursive: true });
    await mkdir(dir);
  },
  'has only the backlog': async (dir) => {
    const backlog = await readFile(join(dir, 'backlog.json'));
    await rm(dir, { recursive: true });
    await mkdir(dir);
    await writeFile(join(dir, 'backlog.json'), backlog);
  },
  'has an empty run.json': (dir) => truncate(join(dir, 'run.json')),
  'has half a run.json': (dir) => truncate(join(dir, 'run.json'), 40),
  'has a backlog.json of another shape': (dir) => writeFile(join(dir, 'backlog.json'), '{}'),
  'has null as its run.json': (dir) => writeFile(join(dir, 'run.json'), 'null'),
  'is of a newer version': (dir) => writeFile(join(dir, 'run.json'), '{"version":2}'),
  'has a folder in the place of run.json': async (dir) => {
    await rm(join(dir, 'run.json'));
    await mkdir(join(dir, 'run.json'));
  },
  'is a file': async (dir) => {
    await rm(dir, { recursive: true });
    await writeFile(dir, '');
  },
  'is a link to itself': async (dir) => {
    await rm(dir, { recursive: true });
    await symlink(dir, dir);
  },
  'leads nowhere': async (dir) => {
    await rm(dir, { recursive: true });
    await symlink(`${dir}-gone`, dir);
  },
  ...(isRoot ? {} : { 'cannot be entered': (dir: string) => chmod(dir, 0o000) }),
};

it.each(Object.keys(DAMAGES))(
  'C6 the folder of the newest run %s: each command tells of the run before, and the advice works',
  async (damage) => {
    await damaged(NEW, (dir) => DAMAGES[damage]?.(dir));
    const { said, warnings } = await all();
    // `warnOnce` speaks once per process, and a command is a process.
    const left = warnings.filter((line) => line.startsWith(`warning: run ${NEW} is left out: `));
    expect(left).toHaveLength(1);
    expect(left[0]).toContain(dirOf(NEW));
    expect(left[0]).toMatch(/ove (it|its folder) away: mv |Use the newer ralphctl|Look at /);
    expect(said.report?.out).toMatch(/a-1 +no key/);
    expect(said.runs?.out).toContain('a-1');
    expect(said['show a-1']?.out).toContain('no key');
    expect(said['why a-1']?.out).toContain('no key');
    expect(said['logs a-1']?.code).toBe(0);
    expect(said.status?.out).toContain('no run is open');
    // Without a server only the files tell whether it is over.
    if (await readFile(join(dirOf(NEW), 'summary.json')).catch(() => undefined))
      await assertOver(context(), project, new UserError('no server', EXIT.unreachable));
    const hint = { verb: 'hint', idea: 'a-1', text: 'look at x' } as const;
    await withClosed(context(), project, noRun, (closed) => actWithoutRun(closed, hint));
    expect(await keptHints(context().root, project, 'a-1')).toEqual(['look at x']);
    const move = /mv .*$/.exec(left[0] ?? '')?.[0];
    if (move) {
      execFileSync('sh', ['-c', move]);
      expect((await all()).warnings).toEqual([]);
    }
    await writeRun(context().root, runFile(plan, NEXT), plan.ideas);
    expect((await run(() => report(context(true), {}))).out).toContain(NEXT);
  },
);

it('C6 a damaged older run keeps no other one from being read', async () => {
  await damaged(OLD, (dir) => truncate(join(dir, 'run.json')));
  const { out, err } = await run(() => show(context(), 'a-1', {}));
  expect(out).toContain(NEW);
  expect(err.match(/run\.json is damaged/g)).toHaveLength(1);
  expect((await run(() => runs(context()))).out).toContain('a-2');
  expect((await run(() => report(context(true), {}))).out).toContain(NEW);
  // Who names the run gets the error.
  await expect(report(context(), { run: OLD })).rejects.toThrow(/run\.json is damaged/);
});

it.each([['run.json', 'summary.json'], ['run.json'], ['backlog.json']])(
  'C6 G1 the run that landed an idea has damaged files (%s, %s): show and why tell the same of it',
  async (...names) => {
    const git = (...args: string[]): string => execFileSync('git', args, { cwd: repo.root, encoding: 'utf8' }).trim();
    const before = git('rev-parse', 'HEAD');
    await commitFiles(repo.root, { 'done.txt': 'x\n' }, `feat: done\n\n${IDEA_TRAILER}: a-1`);
    const commit = git('rev-parse', 'HEAD');
    try {
      const at = '2026-01-02T00:01:00.000Z';
      const event = { at, kind: 'idea', idea: 'a-1', title: 'Title of a-1', status: 'landed', commit };
      await appendFile(eventsPath(context().root, { project, runId: NEW }), `${JSON.stringify(event)}\n`);
      await over(NEXT, 'a-2', ['a-2']);
      for (const name of names) await damaged(NEW, (dir) => truncate(join(dir, name), 10));
      const shown = (await run(() => show(context(), 'a-1', {}))).out;
      const told = (await run(() => why(context(), 'a-1'))).out;
      expect(told).toContain('status landed');
      expect(shown).toMatch(new RegExp(`✓ landed ─[^]*commit +${commit.slice(0, 8)}`));
      expect(shown.replace(/\s+/g, ' ')).toContain(
        `landed in run ${NEW}, of which not all files can be read; its iterations and timeline here are of run ${OLD}`,
      );
    } finally {
      git('reset', '-q', '--hard', before);
    }
  },
);

it('C6 no run can be read: the commands say so, and that there were runs', async () => {
  for (const runId of [OLD, NEW]) await damaged(runId, (dir) => truncate(join(dir, 'run.json')));
  const words = /no run of this repository can be read/;
  await expect(report(context(), {})).rejects.toThrow(words);
  await expect(show(context(), 'a-1', {})).rejects.toThrow(words);
  expect((await run(() => runs(context()))).code).toBe(0);
});

it('C6 what is no run in the folder of the runs is passed over', async () => {
  const dir = runsDir(context().root, project);
  await rename(dirOf(NEW), `${dirOf(NEW)}.away`);
  for (const name of ['backup', '.20260109-000000-dddd-1.new', 'lost+found']) await mkdir(join(dir, name));
  await writeFile(join(dir, '.DS_Store'), '');
  const { said, warnings } = await all();
  expect(warnings).toEqual([]);
  expect(said.report?.out).toMatch(/a-1 +no key/);
});

const LOSSES: Record<string, (path: string) => Promise<unknown>> = {
  removed: (path) => rm(path),
  emptied: (path) => truncate(path),
  'cut short': (path) => truncate(path, 300),
};

describe.each(Object.keys(LOSSES))('G1 the events of a run that is over were %s', (loss) => {
  beforeEach(() => LOSSES[loss]?.(eventsPath(context().root, { project, runId: NEW })));

  it('its summary tells how it ended, and a warning what is missing', async () => {
    const { said } = await all();
    const lost = `the events of run ${NEW} are lost: `;
    for (const name of ['report', 'status', 'runs']) {
      const { out = '', err = '' } = said[name] ?? {};
      expect(out, name).not.toMatch(/running|did no work/);
      expect(err, name).not.toMatch(/did no work/);
    }
    expect(said.report?.out).toMatch(/a-2 +no key/);
    expect(said.report?.out.replace(/\s+/g, ' ')).toContain(lost);
    expect(said.status?.out).toMatch(/no run is open[\s\S]*a-2 blocked/);
    expect(said.runs?.out).toMatch(/stopped[\s\S]*a-2/);
    const told = Object.values(said).map(({ err }) => err);
    expect(told.join('\n').split(lost)).toHaveLength(2);
    const { out } = await run(() => show(context(), 'a-2', {}));
    expect(out).toMatch(/blocked[\s\S]*no key/);
    expect((await run(() => why(context(), 'a-2'))).out).toContain('no key');
    const [found] = JSON.parse(`[${(await run(() => runs(context(true)))).out.trim().split('\n')[0]}]`) as object[];
    expect(found).toMatchObject({ runId: NEW, outcome: 'stopped' });
  });

  it('nobody who follows its events waits for more', async () => {
    const { code, err } = await run(() => events(context(), { follow: true }));
    expect(code).toBe(EXIT.ok);
    expect(err).toContain(`the events of run ${NEW} are lost: `);
  }, 30_000);

  it('the full screen shows it as over, with its ideas and the warning', async () => {
    const source = new RunSource(context(), { project, runId: NEW }, () => {}, new KeptGone());
    try {
      const model = await source.open();
      await expect.poll(() => (model.notices ?? []).map(({ text }) => text).join()).toContain('are lost: ');
      expect(model).toMatchObject({ state: 'stopped', counts: { needYou: 1, todo: 1 } });
      expect(model.ideas.get('a-2')).toMatchObject({
        status: 'blocked',
        reason: 'no key',
        iterations: [{ serial: 1 }],
      });
    } finally {
      await source.close();
    }
  });
});

it('G1: events that cannot be read are lost for all that can do without them', async () => {
  const path = eventsPath(context().root, { project, runId: NEW });
  await rm(path);
  await mkdir(path);
  for (const command of [
    () => report(context(), {}),
    () => show(context(), 'a-2', {}),
    () => why(context(), 'a-2'),
    () => runs(context()),
  ]) {
    const { out } = await run(command);
    expect(out).toMatch(/no key/);
    expect(out).not.toContain('running');
  }
  await expect(logs(context(), undefined, {})).rejects.toThrow(`${path} is unusable: `);
});

it('D2: sync does not push by the settings of an older run', async () => {
  const remote = join(repo.scratch, `remote-${states}.git`);
  execFileSync('git', ['init', '--quiet', '--bare', remote]);
  const git = (...args: string[]): string => execFileSync('git', args, { cwd: repo.root, encoding: 'utf8' });
  git('remote', 'add', 'origin', remote);
  git('commit', '--quiet', '--allow-empty', '-m', `feat: landed\n\n${IDEA_TRAILER}: a-9`);
  try {
    const { root } = context();
    const { config, ideas, remote: _, ...rest } = plan;
    const pushing = { ...config, landing: { ...config.landing, mode: 'push' as const } };
    const record = await recordedRemote(repo.root, plan.target, pushing);
    const pushes = { ...rest, ideas, config: pushing, ...(record ? { remote: record } : {}) } as RunPlan;
    await damaged(OLD, async (dir) => {
      await rm(dir, { recursive: true });
      await writeRun(root, runFile(pushes, OLD), ideas);
    });
    await damaged(NEW, (dir) => truncate(join(dir, 'run.json'), 10));
    await run(() => sync(context(), {}));
    expect(git('ls-remote', 'origin')).toBe('');
    // The same settings in the newest run are its word.
    await rm(dirOf(NEW), { recursive: true });
    await run(() => sync(context(), {}));
    expect(git('ls-remote', 'origin')).toContain(`refs/heads/${plan.target}`);
  } finally {
    git('remote', 'remove', 'origin');
  }
});

it('C6 G4 the full screen says on Run and History that a damaged run is left out', async () => {
  await damaged(NEW, (dir) => truncate(join(dir, 'run.json'), 10));
  const gone = new KeptGone();
  const ref = { project, runId: OLD };
  const source = new RunSource(context(), ref, () => {}, gone);
  try {
    const model = await source.open();
    await expect.poll(() => model.notices?.map(({ text }) => text).join()).toContain(`run ${NEW} is left out: `);
    for (const columns of [80, 120]) {
      const size = { columns, rows: 24 };
      const drawn = async (screen: 'run' | 'history'): Promise<string> => {
        const ui = { ...initialUi(), screen };
        const details = { ...noDetails(), ...(await new Pages(context(), ref, gone).read(ui, columns)) };
        return compose(model, ui, details, size, { colour: false, ascii: false }, Date.now())
          .lines.map(plainLine)
          .join('\n');
      };
      expect(await drawn('run')).toContain('1 newer run is left out: ralphctl doctor');
      expect(await drawn('history')).toContain('! 1 run left out: ralphctl doctor');
    }
  } finally {
    await source.close();
  }
});
