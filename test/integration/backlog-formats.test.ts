/**
 * Backlogs of other tools, each in a run of the real program: one idea lands, and its mark is in the landing commit and
 * nothing else of the file changes. Its undo takes the mark off. Features: F5, C2.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { readBeside } from '../../src/backlog/beside.js';
import { FORMATS } from '../../src/backlog/formats/registry.js';
import { readBacklog } from '../../src/backlog/index.js';
import { tickBacklog } from '../../src/backlog/mark.js';
import { type Sandbox, sandbox, yaml } from '../support/program.js';
import { copyTo, FIXTURES, type Fixture, markedIn, NOW, withMark } from '../unit/backlog/fixtures.js';

const FOLDER = (fixture: Fixture): string => join(box.repo, fixture.folder);
// biome-ignore lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in
const WORK = 'done/${IDEA}.txt';
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;

let box: Sandbox;
beforeAll(async () => {
  box = await sandbox(inject('stateRoot'), {
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'] }),
    '.ralph-script.yaml': yaml({
      default: [{ do: [{ append: { path: WORK, text: 'done\n' } }], signal: 'COMPLETE' }],
    }),
  });
  for (const fixture of FIXTURES) {
    await copyTo(fixture, FOLDER(fixture));
    await finishOthers(fixture);
  }
  await box.commit('backlogs');
});
afterAll(() => box?.dispose());

/** Ticks every idea but the one to land, so that a run is short. */
async function finishOthers(fixture: Fixture): Promise<void> {
  const { ideas } = await readBacklog(join(FOLDER(fixture), fixture.file));
  for (const { id, blue, source } of ideas.filter((idea) => !idea.done)) {
    if (blue || id === fixture.idea) continue;
    const text = await readFile(source.file, 'utf8');
    const beside = await readBeside(FORMATS[fixture.format], source.file);
    await writeFile(source.file, tickBacklog(source.file, text, id, { beside }) ?? text);
  }
}

it.each(FIXTURES)('F5 D1: a run lands an idea of $folder/$file and marks it in its landing commit', async (fixture) => {
  const { folder, file, format, idea } = fixture;
  const path = `${folder}/${markedIn(fixture)}`;
  const before = await readFile(join(box.repo, path), 'utf8');
  const shown = await box.run('backlog', `${folder}/${file}`, '--json');
  expect(shown, shown.stderr).toMatchObject({ code: 0, json: [{ kind: 'backlog', format }] });
  const read = (shown.json[0]?.ideas ?? []) as { id: string; parent?: string; round: number | null }[];
  expect(read.find(({ id }) => id === idea)).toMatchObject({ round: 1, done: false });
  const parent = read.find(({ id }) => id === idea)?.parent;

  const run = await box.run('start', `${folder}/${file}`, '--json', '--wait');
  expect(run.code, `${run.stderr}${run.stdout}`).toBe(0);

  const [commit = ''] = (await box.git('log', '-1', '--format=%H', `--grep=^Ralph-Idea: ${idea}$`, 'main')).split('\n');
  const after = `${await box.git('show', `${commit}:${path}`)}\n`;
  const marked = withMark(before, fixture);
  // The last idea of a group ends the group, too.
  const whole =
    parent === undefined ? marked : (tickBacklog(join(box.repo, path), marked, parent, { now: NOW }) ?? marked);
  expect(after.replaceAll(TIME, NOW)).toBe(whole.replaceAll(TIME, NOW));
  expect((await box.git('diff', '--name-only', `${commit}^`, commit)).split('\n').sort()).toEqual(
    [path, `done/${idea}.txt`].sort(),
  );
  // The checkout follows, and a run after it finds nothing to do.
  expect(await box.git('status', '--porcelain')).toBe('');

  // Its undo takes the mark off again, and nothing else of the file changes.
  const back = await box.run('rollback', idea);
  expect(back.code, `${back.stderr}${back.stdout}`).toBe(0);
  const undone = `${await box.git('show', `main:${path}`)}\n`;
  expect(undone.replaceAll(TIME, NOW)).toBe(before.replaceAll(TIME, NOW));
  expect(await box.git('ls-files', `done/${idea}.txt`)).toBe('');
});

it('F5: through bd, where it is on PATH and knows the issue; the file is left to it, and a bd that fails is a note', async () => {
  const bin = join(box.scratch, 'bin');
  const log = join(box.scratch, 'bd.log');
  await mkdir(bin, { recursive: true });
  await writeFile(
    join(bin, 'bd'),
    `#!/bin/sh\necho "$PWD $*" >> '${log}'\n[ "$1 $2" != 'close bd-2' ] || { echo 'no database' >&2; exit 1; }\n`,
    { mode: 0o755 },
  );
  const folder = join(box.repo, 'with-bd');
  await mkdir(join(folder, '.beads'), { recursive: true });
  const lines = ['bd-1', 'bd-2'].map((id) =>
    JSON.stringify({ id, title: 'Store books', status: 'open', priority: 2, issue_type: 'task' }),
  );
  await writeFile(join(folder, '.beads/issues.jsonl'), `${lines.join('\n')}\n`);
  await box.commit('issues');
  await box.run('worker', '--stop');
  box.env.PATH = `${bin}:${box.env.PATH}`;
  const run = await box.run('start', 'with-bd/.beads/issues.jsonl', '--json', '--wait');
  expect(run.code, `${run.stderr}${run.stdout}`).toBe(0);
  const said = await readFile(log, 'utf8');
  expect(said).toContain(`${folder} show bd-1\n`);
  expect(said).toMatch(/ close bd-1 --reason landed as [0-9a-f]{10}\n/);
  expect(await box.git('diff', '--name-only', 'HEAD~2', 'HEAD')).toBe('done/bd-1.txt\ndone/bd-2.txt');
  expect(run.stdout).toContain('bd did not close bd-2: no database. Close it by hand: bd close bd-2.');
});
