/** What a person does to the target of an open run is told at once, by every view, and not with the next landing. Features: C1 C5 G4 G8. */
import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { logs } from '../../../src/client/commands/inspect/logs.js';
import { report as printReport } from '../../../src/client/commands/inspect/report.js';
import { show } from '../../../src/client/commands/inspect/show.js';
import { status } from '../../../src/client/commands/inspect/status.js';
import { why } from '../../../src/client/commands/inspect/why.js';
import { planRun, runFile } from '../../../src/client/plan/run-plan.js';
import { KeptGone } from '../../../src/client/report/gone.js';
import { RunSource } from '../../../src/client/screen/source.js';
import { ideaDir } from '../../../src/config/paths.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { writeRun } from '../../../src/run-files/run.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type ScreenName } from '../../../src/screen/ui.js';
import { printed } from '../../support/printed.js';
import { until } from '../../support/program.js';
import { commitFiles, makeRepo, sh, type TestRepo } from '../git/repo.js';
import { contextOf, planned, RUN_ID } from './told-run.js';

let repo: TestRepo;
let project: string;
let base: string;
let source: RunSource | undefined;
const context = () => contextOf(repo, false);
const git = async (...args: string[]): Promise<string> => (await sh(repo.root, ...args)).trim();

beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': '# R\n\n- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n- [ ] **a-3**: And this\n',
    'ralphctl.yaml': 'version: 1\nagent: scripted\nlanding: { tick: false }\n',
    '.ralph-script.yaml': 'default: []\n',
  });
  const { root } = context();
  project = await planned(context());
  base = await git('rev-parse', 'HEAD');
  await mkdir(dirname(eventsPath(root, { project, runId: RUN_ID })), { recursive: true });
  await writeFile(eventsPath(root, { project, runId: RUN_ID }), '');
  await tell({ kind: 'run', state: 'running', landed: 0, total: 3 });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await source?.close();
  source = undefined;
  await repo.remove();
});

async function tell(...events: RunEvent[]): Promise<void> {
  const at = new Date(1000).toISOString();
  await appendFile(
    eventsPath(context().root, { project, runId: RUN_ID }),
    events.map((one) => `${JSON.stringify({ at, ...one })}\n`).join(''),
  );
}

async function land(id: string): Promise<void> {
  await commitFiles(repo.root, { [`${id}.txt`]: `${id}\n` }, `feat: ${id}\n\nRalph-Idea: ${id}`);
  await git('update-ref', `refs/ralphctl/landing/${id}`, 'HEAD');
  await tell({ kind: 'idea', idea: id, title: id, status: 'landed', commit: await git('rev-parse', 'HEAD') });
}

async function opened(): Promise<RunModel> {
  source = new RunSource(context(), { project, runId: RUN_ID }, () => {}, new KeptGone());
  return source.open();
}

const drawn = (model: RunModel, screen: ScreenName, columns = 160): string =>
  compose(
    model,
    { ...initialUi(), screen, ...(screen === 'idea' ? { idea: 'a-1' } : {}) },
    noDetails(),
    { columns, rows: 40 },
    { colour: false, ascii: false },
    2000,
  )
    .lines.map(plainLine)
    .join('\n');

it('C1 G4: a revert is told by every view while the run is open, and its revert ends that', async () => {
  await land('a-1');
  await land('a-2');
  const model = await opened();
  await until('the landings', async () => model.counts.landed === 2);
  expect(drawn(model, 'run')).not.toContain('took it off');
  await git('revert', '--no-edit', 'HEAD~1');
  const by = (await git('rev-parse', 'HEAD')).slice(0, 8);
  const took = `${by} (Revert "feat: a-1") took it off main again`;
  const text = `${took}; to run it again, once this run is over: ralphctl retry a-1`;
  await until('the screen to tell it', async () => drawn(model, 'run').includes(took));
  expect(drawn(model, 'run').split('\n')).toContainEqual(expect.stringContaining(` ! a-1 landed, and ${took}`));
  // The run keeps its number, and says what of it is off the target.
  expect(drawn(model, 'run')).toContain(' 2 landed (1 taken off)  ');
  expect(drawn(model, 'needs')).toMatch(/! a-1 +outside/);
  expect(drawn(model, 'needs', 80).split('\n')).toContainEqual(expect.stringContaining(` ! a-1 landed, and ${by}`));
  expect(drawn(model, 'ideas')).toMatch(/⊖ a-1 .*taken off/);
  expect(drawn(model, 'ideas')).toMatch(/✓ a-2 .*landed/);
  expect(drawn(model, 'idea')).toContain('taken off the target');
  expect(drawn(model, 'idea').replace(/[│\s]+/g, ' ')).toContain(took);
  expect(await printed(() => status(context()))).toContain(`! a-1 landed, and ${text}\n`);
  expect(await printed(() => status(context()))).toContain(', 2/3 landed on main, 1 of them no longer on main (');
  expect(await printed(() => why(context(), 'a-1'))).toContain(`status taken off: ${text}\n`);
  expect(await printed(() => show(context(), 'a-1', {}))).toMatch(/taken off/);
  expect(await printed(() => show(context(), 'a-2', {}))).not.toMatch(/taken off/);
  expect(await printed(() => printReport(context(), {}))).toContain(
    `${by} (Revert "feat: a-1") took it off main again`,
  );
  expect(model.counts.landed).toBe(2);
  // The run tells it with its next landing, in the same words.
  await tell({ kind: 'reverted', idea: 'a-1', by, text });
  await until(
    'the event',
    async () => model.ideas.get('a-1')?.moments.some(({ kind }) => kind === 'reverted') === true,
  );
  await until(
    'one line',
    async () =>
      drawn(model, 'run')
        .split('\n')
        .filter((one) => one.startsWith(' ! ')).length === 1,
  );
  await git('revert', '--no-edit', 'HEAD');
  await until('it to be back', async () => !drawn(model, 'ideas').includes('taken off'));
  expect(drawn(model, 'run')).not.toContain(' ! ');
  expect(drawn(model, 'run')).toContain(' 2 landed  ');
  expect(await printed(() => status(context()))).not.toContain('took it off');
  expect(await printed(() => why(context(), 'a-1'))).toContain('status landed\n');
});

it('C1 G4: a revert of what an earlier run landed is in the report of the open run, too', async () => {
  const ticked = '# R\n\n- [x] **a-1**: Do it\n- [ ] **a-2**: Do it too\n';
  await commitFiles(repo.root, { 'a-1.txt': 'a\n', 'roadmap.md': ticked }, 'feat: a-1\n\nRalph-Idea: a-1');
  await git('update-ref', 'refs/ralphctl/landing/a-1', 'HEAD');
  const plan = await planRun(context(), {});
  await writeRun(context().root, runFile(plan, RUN_ID), plan.ideas);
  await tell({ kind: 'run', state: 'running', landed: 1, before: 1, total: 2 });
  const look = () => printed(() => printReport(context(), {}));
  expect(await look()).not.toContain('took it off');
  await git('revert', '--no-edit', 'HEAD');
  const by = (await git('rev-parse', 'HEAD')).slice(0, 8);
  expect(await look()).toMatch(
    new RegExp(`^ +missing +a-1 landed as \\w{8}, and ${by} \\(Revert "feat: a-1"\\) took it off main again$`, 'm'),
  );
});

it('C1 G4: a reset of the target is told while the run is open', async () => {
  await land('a-1');
  const model = await opened();
  await git('reset', '-q', '--hard', base);
  const text =
    'main does not contain it any more: it was reset or rewritten; to run it again, once this run is over: ralphctl start';
  await until('the screen to tell it', async () => drawn(model, 'run').includes(' ! a-1 landed, and main does not'));
  expect(await printed(() => status(context()))).toContain(`! a-1 landed, and ${text}\n`);
  expect(await printed(() => why(context(), 'a-1'))).toContain(`status taken off: ${text}\n`);
});

it.each([true, false])(
  'C5 G4: a target that is renamed is told while the run is open, with landings: %s',
  async (landed) => {
    if (landed) await land('a-1');
    const model = await opened();
    expect(drawn(model, 'run').split('\n')[0]).toContain('→ main ');
    await git('branch', '-m', 'main', 'trunk');
    const text = `the branch main was renamed to trunk${landed ? ', which has what landed on it' : ''}`;
    const fix = 'Until it is back, nothing lands: git branch -m trunk main';
    await until('the screen to tell it', async () => drawn(model, 'run').includes('was renamed to trunk'));
    expect(drawn(model, 'run').split('\n')[0]).toContain('→ main, now trunk ');
    expect(drawn(model, 'run')).toMatch(/^ ! .*git branch -m trunk main/m);
    expect(drawn(model, 'needs', 100)).toMatch(/^ ! .*git branch -m trunk main/m);
    expect(await printed(() => status(context()))).toContain(`! ${text}. ${fix}`);
    expect(await printed(() => why(context(), 'a-1'))).toContain(`${text}. ${fix}`);
    await git('branch', '-m', 'trunk', 'main');
    await until('it to be back', async () => !drawn(model, 'run').includes('trunk'));
    expect(await printed(() => status(context()))).not.toContain('trunk');
  },
);

const tail = async (): Promise<string> =>
  (await printed(() => logs(context(), undefined, {}))).split('\n').at(-2) ?? '';

it('C1 G8: the logs end with what is off the target now, in the words of status, while the run is open and after', async () => {
  await land('a-1');
  await land('a-2');
  expect(await tail()).toContain('landed');
  await git('revert', '--no-edit', 'HEAD~1');
  const took = `${(await git('rev-parse', 'HEAD')).slice(0, 8)} (Revert "feat: a-1") took it off main again`;
  const text = `${took}; to run it again, once this run is over: ralphctl retry a-1`;
  expect(await tail()).toBe(`! a-1 landed, and ${text}`);
  expect(await printed(() => logs({ ...context(), json: true }, undefined, {}))).not.toContain('took it off');
  await tell({ kind: 'run', state: 'stopped', landed: 2, total: 3 });
  expect(await tail()).toMatch(
    /^! a-1 landed as \w{8}, and .* took it off main again\. Run it again with: ralphctl retry/,
  );
  await git('revert', '--no-edit', 'HEAD');
  expect(await tail()).not.toContain('a-1');
});

it('C1 G8: logs that follow tell once what is taken off, and not again what the run tells with its next landing', async () => {
  await land('a-1');
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    lines.push(...String(text).split('\n'));
    return true;
  });
  const off = (): string[] => lines.filter((line) => line.includes('took it off'));
  const following = logs(context(), undefined, { follow: true });
  try {
    await until('the landing', async () => lines.some((line) => line.includes('a-1')));
    await git('revert', '--no-edit', 'HEAD');
    const by = (await git('rev-parse', 'HEAD')).slice(0, 8);
    const text = `${by} (Revert "feat: a-1") took it off main again; to run it again, once this run is over: ralphctl retry a-1`;
    await until('the line', async () => off().length === 1);
    expect(off()).toEqual([`! a-1 landed, and ${text}`]);
    await tell({ kind: 'reverted', idea: 'a-1', by, text });
    await until('the event', async () => off().length === 2);
    await land('a-2');
    await until('the next landing', async () => lines.some((line) => line.includes('a-2')));
    expect(off()).toHaveLength(2);
  } finally {
    await tell({ kind: 'run', state: 'stopped', landed: 2, total: 3 });
    await following;
    write.mockRestore();
  }
  // The end says how it stands, with the command that is needed now.
  expect(off().at(-1)).toContain('Run it again with: ralphctl retry a-1');
});

it('C5 G4: a target that is deleted is told while the run is open, once for all that landed', async () => {
  await land('a-1');
  await land('a-2');
  const commit = (await git('rev-parse', 'HEAD')).slice(0, 8);
  const model = await opened();
  await git('checkout', '-q', '--detach', base);
  await git('branch', '-q', '-D', 'main');
  await until('the screen to tell it', async () => drawn(model, 'run').includes('does not exist any more'));
  expect(drawn(model, 'run').split('\n')[0]).toContain('→ main (missing) ');
  const told = await printed(() => status(context()));
  expect(told).toContain(
    `! the branch main does not exist any more, and all that landed on it is gone: a-1, a-2. Bring it back with: git branch main ${commit}\n`,
  );
  expect(told.match(/does not exist any more/g)).toHaveLength(1);
});

it('C5 G4: a target that is deleted before anything has landed comes back at the commit where it was left', async () => {
  await commitFiles(repo.root, { 'mine.txt': 'mine\n' }, 'mine');
  const tip = await git('rev-parse', 'HEAD');
  await git('checkout', '-q', '--detach', base);
  await git('branch', '-q', '-D', 'main');
  const told = await printed(() => status(context()));
  expect(told).toContain(`Until it is back, nothing lands: git branch main ${tip.slice(0, 12)}\n`);
});

it('C1 G4: work that a reset took off after the run has its line on pages 1 and 2', async () => {
  await land('a-1');
  await tell({ kind: 'run', state: 'stopped', landed: 1, total: 3 });
  await git('reset', '-q', '--hard', base);
  const model = await opened();
  await until('the screen to tell it', async () => model.ideas.get('a-1')?.off !== undefined);
  expect(drawn(model, 'run', 200)).toMatch(
    /^ ! a-1 landed as [0-9a-f]{8}, which main does not contain any more: .*\. Run it again with: ralphctl start *$/m,
  );
  expect(drawn(model, 'needs')).toMatch(/! a-1 +outside/);
  expect(drawn(model, 'needs', 80)).toMatch(/^ ! a-1 .*Run it again with: ralphctl start *$/m);
  expect(drawn(model, 'run', 60)).toMatch(/^ ! a-1.*ralphctl start *$/m);
});

it('C2 G1: the logs of an idea end with the gate of its rollback', async () => {
  const dir = ideaDir(context().root, project, RUN_ID, 'a-1');
  await mkdir(join(dir, '001', 'gate'), { recursive: true });
  await mkdir(join(dir, 'undo'), { recursive: true });
  await writeFile(join(dir, '001', 'stream.jsonl'), '');
  await writeFile(join(dir, '001', 'gate', 'gate-1.log'), 'of the agent run\n');
  await writeFile(join(dir, 'undo', 'gate-1.log'), 'without a-1\n');
  expect(await printed(() => logs(context(), 'a-1', {}))).toMatch(/^of the agent run\nwithout a-1\n$/m);
  expect(await printed(() => logs(context(), 'a-1', { iteration: 1 }))).not.toContain('without a-1');
});
