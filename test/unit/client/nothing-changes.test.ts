/** Between runs, a command that changes nothing is refused, and says so. Features: C2. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { actWithoutRun } from '../../../src/client/after-run/act.js';
import { withClosed } from '../../../src/client/after-run/closed.js';
import { forgetAmendment, forgetCarried } from '../../../src/client/commands/steer/forget.js';
import { worktreesDir } from '../../../src/config/paths.js';
import { keep } from '../../../src/git/saves/saves.js';
import { rollbackIdea } from '../../../src/git/worktrees/rollback.js';
import { EXIT } from '../../../src/protocol/user-error.js';
import { recordOf } from '../../../src/run-files/carried.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { worktreeOf } from '../git/idea-work.js';
import { commitFiles, sh, type TestRepo } from '../git/repo.js';
import { contextOf, planned, RUN_ID, repoOfOne, toldRun } from './told-run.js';

let repo: TestRepo;
let project: string;
const context = () => contextOf(repo, true);
type Command = Parameters<typeof actWithoutRun>[1];
const act = (command: Omit<Command, 'idea'>) =>
  withClosed(
    context(),
    project,
    () => Promise.resolve(false),
    (closed) => actWithoutRun(closed, { ...command, idea: 'i-1' }),
  );
const refused = (words: string) => ({ exitCode: EXIT.refused, message: expect.stringContaining(words) });
const worktreesRoot = () => worktreesDir(context().root, project);
/** Its agent leaves a commit. */
async function works(): Promise<void> {
  const { path } = await worktreeOf(repo, 'i-1', { worktreesRoot: worktreesRoot() });
  await commitFiles(path, { 'work.txt': 'w\n' }, 'work');
}
const events = () => readFile(eventsPath(context().root, { project, runId: RUN_ID }), 'utf8');

beforeEach(async () => {
  repo = await repoOfOne();
  project = await planned(context());
  await toldRun(context(), project, 'completed', [
    { kind: 'idea', idea: 'i-1', title: 'Do it', status: 'blocked', reason: 'no key' },
  ]);
});
afterEach(() => repo.remove());

// Each command that needs git waits for Ctrl-C until its process ends.
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
afterEach(() => {
  for (const signal of SIGNALS)
    for (const one of process.listeners(signal)) if (!before.get(signal)?.includes(one)) process.off(signal, one);
});

it.each<[Omit<Command, 'idea'>, string]>([
  [{ verb: 'retry' }, 'i-1 is queued again already, so this changes nothing. No run is open. The next start runs it'],
  [{ verb: 'unblock' }, 'i-1 is queued again already, so this changes nothing. No run is open. Start one with: '],
  [{ verb: 'skip' }, 'the next run leaves i-1 out already, so this changes nothing. No run is open.'],
  [{ verb: 'bump' }, 'i-1 is ahead of all other ready ideas in the next run already, so this changes nothing. No run'],
  [{ verb: 'score', n: 5 }, 'i-1 has 5 points from you in the next run already, so this changes nothing. No run'],
])('C2: a second %o changes nothing, and is no event', async (command, words) => {
  await act(command);
  const before = [await events(), await recordOf(context().root, project, 'i-1')];
  await expect(act(command)).rejects.toMatchObject(refused(words));
  expect([await events(), await recordOf(context().root, project, 'i-1')]).toEqual(before);
});

it('C2: other points, another reason and the opposite command change something', async () => {
  await act({ verb: 'score', n: 5 });
  expect(await act({ verb: 'score', n: 6 })).toContain('i-1 has 6 points from you in the next run. ');
  await act({ verb: 'retry' });
  expect(await act({ verb: 'retry', reason: 'the key is there' })).toContain('i-1 is queued again. ');
  await expect(act({ verb: 'retry' })).rejects.toMatchObject(refused('already'));
  await act({ verb: 'skip' });
  expect(await act({ verb: 'retry' })).toContain('i-1 is queued again. ');
  await act({ verb: 'abandon' });
  expect(await act({ verb: 'retry' })).toContain('i-1 is no longer abandoned. ');
});

it('C2: a retry that begins again is no repeat of a plain one, and has work to drop once', async () => {
  await works();
  await act({ verb: 'retry' });
  expect(await act({ verb: 'retry', fresh: true })).toContain('i-1 begins again: 1 commit taken off its branch');
  await expect(act({ verb: 'retry', fresh: true })).rejects.toMatchObject(refused('i-1 has not started'));
});

it('C2: a second rollback of an idea that has not landed has nothing to take back', async () => {
  await works();
  expect(await act({ verb: 'rollback' })).toContain('i-1 was rolled back: 1 commit taken off its branch; saved as');
  const before = await events();
  await expect(act({ verb: 'rollback' })).rejects.toMatchObject(
    refused('there is nothing to take back of i-1: its branch has no commits of its own'),
  );
  expect(await events()).toBe(before);
  // What somebody restored can be taken back again, although it has its save.
  const { path } = await worktreeOf(repo, 'i-1', { worktreesRoot: worktreesRoot() });
  await sh(path, 'reset', '-q', '--hard', 'refs/ralphctl/save/i-1/1');
  expect(await act({ verb: 'rollback' })).toContain('1 commit taken off its branch');
});

it('C2: a rollback that a kill kept from its report says what it has done', async () => {
  await works();
  const done = await rollbackIdea({ repo: repo.root, worktreesRoot: worktreesRoot(), target: 'main', idea: 'i-1' });
  expect(await act({ verb: 'rollback' })).toContain(`1 commit taken off its branch; saved as ${done.saved}`);
  await expect(act({ verb: 'rollback' })).rejects.toMatchObject(refused('there is nothing to take back of i-1'));
});

it('C2: without work to take back, a second retry that begins again changes nothing', async () => {
  await worktreeOf(repo, 'i-1', { worktreesRoot: worktreesRoot() });
  expect(await act({ verb: 'retry', fresh: true })).toContain('i-1 is queued again; its branch has no commits');
  const before = [await events(), await recordOf(context().root, project, 'i-1')];
  await expect(act({ verb: 'retry', fresh: true })).rejects.toMatchObject(
    refused('i-1 is queued again already, so this changes nothing; its branch has no commits'),
  );
  expect([await events(), await recordOf(context().root, project, 'i-1')]).toEqual(before);
});

it('C2: a retry that begins again changes something where the next start would go on from a save', async () => {
  await works();
  await keep(repo.root, 'i-1', await sh(repo.root, 'rev-parse', 'ralph/i-1'), 'its worktree was moved away');
  await sh(repo.root, 'worktree', 'remove', join(worktreesRoot(), 'ralph-tree-001'));
  await sh(repo.root, 'branch', '-D', 'ralph/i-1');
  expect(await act({ verb: 'retry' })).toContain('it goes on from its save 1');
  expect(await act({ verb: 'retry', fresh: true })).toContain('i-1 is queued again; its branch has no commits');
  await expect(act({ verb: 'retry', fresh: true })).rejects.toMatchObject(refused('already, so this changes nothing'));
});

it('C2: a retry that begins again changes something where the branch is behind its target', async () => {
  await worktreeOf(repo, 'i-1', { worktreesRoot: worktreesRoot() });
  await commitFiles(repo.root, { 'new.txt': 'n\n' }, 'the target moves on');
  expect(await act({ verb: 'retry' })).toContain('its branch is 1 commit behind main; --fresh begins on main');
  expect(await act({ verb: 'retry', fresh: true })).toContain('i-1 is queued again; its branch has no commits');
  expect(await sh(repo.root, 'rev-parse', 'ralph/i-1')).toBe(await sh(repo.root, 'rev-parse', 'main'));
  await expect(act({ verb: 'retry', fresh: true })).rejects.toMatchObject(refused('already, so this changes nothing'));
});

it('C2: a hint, a command or an edit that nobody gave is not taken back', async () => {
  await expect(forgetCarried(context(), 'i-1', 'hint')).rejects.toMatchObject(
    refused('there is no hint of i-1 to drop'),
  );
  await expect(forgetAmendment(context(), 'i-1', 'edit')).rejects.toMatchObject(
    refused('there is no edit of i-1 to drop'),
  );
});

it('C2: an unblock after a retry changes nothing', async () => {
  await act({ verb: 'retry' });
  const before = [await events(), await recordOf(context().root, project, 'i-1')];
  await expect(act({ verb: 'unblock' })).rejects.toMatchObject(refused('i-1 is queued again already'));
  expect([await events(), await recordOf(context().root, project, 'i-1')]).toEqual(before);
});
