/** What the target says after the run: a branch that was renamed or reset, and the one command that is needed. Features: C1 C5 G4. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { withClosed } from '../../../src/client/after-run/closed.js';
import { asOfNow } from '../../../src/client/after-run/now.js';
import { planRun } from '../../../src/client/plan/run-plan.js';
import { gather } from '../../../src/client/report/gather.js';
import { goneAtEnd } from '../../../src/client/report/gone-at-end.js';
import { commandsAfter } from '../../../src/client/views/commands-now.js';
import { recordedRun } from '../../../src/client/views/recorded.js';
import { closeRun } from '../../../src/jobs/open-run.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { RunSummary } from '../../../src/protocol/run.js';
import { makeReport } from '../../../src/report/build.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { commitFiles, makeRepo, put, sh, type TestRepo } from '../git/repo.js';
import { contextOf, planned, RUN_ID } from './told-run.js';

const BACKLOG = '# R\n\n- [ ] **a-1**: Do it\n- [ ] **a-2**: Do it too\n  - depends: a-1\n';
let repo: TestRepo;
let project: string;
let base: string;
const context = () => contextOf(repo, false);
const git = async (...args: string[]): Promise<string> => (await sh(repo.root, ...args)).trim();

beforeEach(async () => {
  repo = await makeRepo({
    'roadmap.md': BACKLOG,
    'ralphctl.yaml': 'version: 1\nagent: scripted\n',
    '.ralph-script.yaml': 'default: []\n',
  });
  const { root } = context();
  project = await planned(context());
  base = await git('rev-parse', 'HEAD');
  const told: RunEvent[] = [{ kind: 'run', state: 'running', landed: 0, total: 2 }];
  for (const id of ['a-1', 'a-2']) {
    const ticked = BACKLOG.replace(`[ ] **${id}`, `[x] **${id}`).replace(
      '[ ] **a-1',
      id === 'a-2' ? '[x] **a-1' : '$&',
    );
    await commitFiles(
      repo.root,
      { [`${id}.txt`]: `${id}\n`, 'roadmap.md': ticked },
      `feat: ${id}\n\nRalph-Idea: ${id}`,
    );
    await git('update-ref', `refs/ralphctl/landing/${id}`, 'HEAD');
    told.push({ kind: 'idea', idea: id, title: id, status: 'landed', commit: await git('rev-parse', 'HEAD') });
  }
  told.push({ kind: 'run', state: 'completed', landed: 2, total: 2 });
  await mkdir(dirname(eventsPath(root, { project, runId: RUN_ID })), { recursive: true });
  const at = new Date(1000).toISOString();
  await writeFile(
    eventsPath(root, { project, runId: RUN_ID }),
    told.map((one) => `${JSON.stringify({ at, ...one })}\n`).join(''),
  );
});
afterEach(() => repo.remove());

async function report() {
  const found = await gather(context(), { project, runId: RUN_ID });
  if (!found) throw new Error('no files of the run');
  return makeReport(found.model, found.extra);
}
const asks = async () => (await report()).todo.map(({ subject, text, commands }) => ({ subject, text, commands }));
async function whyCommands(id: string): Promise<string[]> {
  const recorded = await recordedRun(context().root, project, RUN_ID);
  if (!recorded) throw new Error('no files of the run');
  await asOfNow(context().root, recorded);
  const { model } = recorded;
  const { status = 'pending', off, commit } = model.ideas.get(id) ?? {};
  return commandsAfter(id, status, { off, commit, renamed: model.renamed, start: model.startAgain });
}
const act = (verb: 'retry' | 'rollback', idea: string) =>
  withClosed(
    context(),
    project,
    () => Promise.resolve(false),
    (closed) => actWithoutRun(closed, { verb, idea }),
  );
/** The sentence, also that of a refusal: it was queued before. */
const retried = (idea: string): Promise<string> => act('retry', idea).catch((error: Error) => error.message);
const ALREADY = 'is queued again already, so this changes nothing. No run is open. ';
const atEnd = () => goneAtEnd(context(), project, RUN_ID, { notLanded: [] } as unknown as RunSummary);

it('C1 C5: a target that was renamed has lost nothing: its new name and both ways to go on are told', async () => {
  expect(await atEnd()).toEqual([]);
  await git('branch', 'copy');
  await git('branch', '-m', 'main', 'trunk');
  const text = 'the branch main was renamed to trunk, which has what landed on it';
  const commands = ['ralphctl start --target trunk', 'git branch -m trunk main'];
  expect(await asks()).toEqual([{ subject: 'main', text, commands }]);
  expect((await report()).counts).toMatchObject({ landed: 2 });
  expect((await report()).counts).not.toHaveProperty('gone');
  expect(await whyCommands('a-1')).toEqual(commands.map((one) => expect.stringContaining(`${one} (`)));
  expect(await atEnd()).toEqual([`${text}. Go on with trunk: ${commands[0]}. Or name it main again: ${commands[1]}`]);
  // A start that still names the old branch gives the same advice.
  await expect(planRun(context(), { target: 'main' })).rejects.toThrow(
    `${text}. Go on with trunk: ${commands[0]}. Or name it main again: ${commands[1]}`,
  );
  await expect(act('retry', 'a-1')).rejects.toThrow(
    'a-1 has landed. Possible without a run: cleanup, rollback. To run it again: ralphctl start --target trunk --again a-1',
  );
  await expect(act('rollback', 'a-1')).rejects.toThrow(`a-1 stays landed, because ${text}. Go on with trunk`);
  // What left the new branch is told of it.
  await git('reset', '-q', '--hard', 'HEAD~1');
  await git('branch', '-q', '-D', 'copy');
  expect((await asks()).map(({ text: one }) => one)).not.toContain(text);
  await git('branch', '-m', 'trunk', 'main');
});

it('C1: a landing was amended before the target was renamed or deleted: no advice drops the amend', async () => {
  await put(repo.root, { 'a-2.txt': 'amended\n' });
  await git('commit', '-q', '-a', '--amend', '--no-edit');
  await git('branch', '-m', 'main', 'trunk');
  const renamed = {
    subject: 'main',
    text: 'the branch main was renamed to trunk, which has what landed on it',
    commands: ['ralphctl start --target trunk', 'git branch -m trunk main'],
  };
  expect(await asks()).toEqual([renamed]);
  // Without a record of the amend, the rename is known all the same.
  await rm(join(repo.root, '.git/logs/HEAD'));
  expect(await asks()).toEqual([{ ...renamed, text: 'the branch main was renamed to trunk' }]);
});

it('C1: a target that was deleted after an amend is brought back with the amend', async () => {
  await put(repo.root, { 'a-2.txt': 'amended\n' });
  await git('commit', '-q', '-a', '--amend', '--no-edit');
  const amended = await git('rev-parse', 'HEAD');
  await git('checkout', '-q', '--detach', base);
  await git('branch', '-q', '-D', 'main');
  expect((await asks())[0]?.commands[0]).toBe(`git branch main ${amended.slice(0, 8)}`);
});

it('C1: a target that was deleted while another branch has its work is brought back by name', async () => {
  await git('checkout', '-q', '-b', 'next');
  await git('branch', '-q', '-D', 'main');
  const landed = (await git('rev-parse', 'HEAD')).slice(0, 8);
  const text = 'the branch main does not exist any more (deleted or renamed); next has what landed on it';
  const commands = [`git branch main ${landed}`, 'ralphctl start --target next'];
  expect(await asks()).toEqual([{ subject: 'main', text, commands }]);
  await git('branch', 'main', landed);
  expect(await asks()).toEqual([]);
});

it('C5: no retry promises to run what a deleted target took along', async () => {
  await git('checkout', '-q', '--detach', base);
  await git('branch', '-q', '-D', 'main');
  expect((await asks()).map(({ text }) => text)).toEqual([
    'the branch main does not exist any more, and all that landed on it is gone: a-1, a-2',
  ]);
  await expect(act('retry', 'a-1')).rejects.toThrow(
    /a-1 is not queued: .* that branch does not exist any more\. Bring it back with: git branch main/,
  );
});

it('C5 G4: after a reset, the advice is the start that runs the work by itself; a tick that is left asks for a retry', async () => {
  await git('reset', '-q', '--hard', base);
  const runs = ['ralphctl start'];
  for (const id of ['a-1', 'a-2'])
    expect(await asks()).toContainEqual({ subject: id, text: expect.stringContaining('was reset'), commands: runs });
  expect(await whyCommands('a-1')).toEqual(['ralphctl start (runs it again)']);
  expect(await atEnd()).toEqual([1, 2].map(() => expect.stringMatching(/Run it again with: ralphctl start$/)));
  const dry = await planRun(context(), {}, { agents: false });
  expect(dry.ideas.map(({ id, done }) => [id, done])).toEqual([
    ['a-1', false],
    ['a-2', false],
  ]);
  // The file in the checkout still has one tick, so that no start runs that idea by itself.
  await put(repo.root, { 'roadmap.md': BACKLOG.replace('[ ] **a-1', '[x] **a-1') });
  expect(await asks()).toContainEqual(
    expect.objectContaining({ subject: 'a-1', commands: ['ralphctl retry a-1', ...runs] }),
  );
  expect(await asks()).toContainEqual(expect.objectContaining({ subject: 'a-2', commands: runs }));
  expect(await whyCommands('a-1')).toEqual(['ralphctl retry a-1 (with this, the next start runs it again)']);
});

it('G4: what a run changed is kept with it: no reset, rename or pruning later changes its numbers', async () => {
  const numbers = async () => (await report()).landed.map(({ idea, lines, commits }) => [idea, lines, commits?.count]);
  const before = await numbers();
  expect(before).toEqual([
    ['a-1', { added: 2, deleted: 1 }, 1],
    ['a-2', { added: 2, deleted: 1 }, 1],
  ]);
  const ref = { project, runId: RUN_ID };
  const statistics = { iterations: { total: 2 } };
  const summary = { outcome: 'completed', landed: 2, notLanded: [], status: { runId: RUN_ID, statistics } };
  const deps = { root: context().root, host: 'h', env: process.env };
  // A run of an older version kept nothing: git tells as long as the commits are there.
  await git('reset', '-q', '--hard', base);
  expect(await numbers()).toEqual(before);
  await closeRun(deps, { ...ref, outcome: 'completed', summary });
  for (const id of ['a-1', 'a-2']) await git('update-ref', '-d', `refs/ralphctl/landing/${id}`);
  await git('reflog', 'expire', '--expire=now', '--all');
  await git('gc', '-q', '--prune=now');
  expect(await numbers()).toEqual(before);
  expect((await report()).target).toMatchObject({ from: base });
});

it('C2: a rollback without a run says what becomes of the ideas that depend on it', async () => {
  expect(await act('rollback', 'a-1')).toMatch(
    /^a-1 was taken off main by [0-9a-f]{8}; a-2 depends on it and stays landed\. Later runs leave it out until: ralphctl retry a-1$/,
  );
  expect(await git('ls-tree', '--name-only', 'main', 'a-1.txt', 'a-2.txt')).toBe('a-2.txt');
});

it('C2: a retry names what it depends on, also where a rollback or a person took that off the target', async () => {
  const waits = 'It waits for a-1, which the next start leaves out until: ralphctl retry a-1. Then a start';
  await act('rollback', 'a-2');
  await act('rollback', 'a-1');
  expect(await act('retry', 'a-2')).toContain(waits);
  expect(await act('retry', 'a-1')).toContain('The next start runs it from its beginning');
  expect(await retried('a-2')).toMatch(`a-2 ${ALREADY}The next start runs it`);
});

it('C2: the same where a person reverted it, and where a reset left its tick', async () => {
  const waits = 'It waits for a-1, which the next start leaves out until: ralphctl retry a-1. Then a start';
  await git('revert', '--no-edit', 'HEAD', 'HEAD~1');
  expect(await act('retry', 'a-2')).toContain(waits);
  await git('reset', '-q', '--hard', base);
  expect(await retried('a-2')).toMatch(`a-2 ${ALREADY}The next start runs it`);
  await put(repo.root, { 'roadmap.md': BACKLOG.replace('[ ] **a-1', '[x] **a-1') });
  expect(await retried('a-2')).toMatch(`a-2 ${ALREADY}${waits}`);
});
