/**
 * What a person does to one idea by key, and the bell that calls a person: one run in a pseudo terminal for all.
 * Features: C1 G5 G7.
 */
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { cliPath, events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

const fails = (id: string) => [
  {
    do: [{ say: 'This will not work' }, { write: { path: `${id}.txt`, text: '1' } }, { run: 'exit 3' }],
    signal: 'COMPLETE',
  },
];
const write = (path: string) => ({ write: { path, text: '1' } });
const waits = (name: string) => ({ waitFor: { path: `PLACE/${name}` } });
const FAILING = ['clean', 'drop', 'parts', 'words'];
const SCRIPT = {
  ideas: {
    slow: [
      { do: [waits('one'), write('a.txt')], signal: 'PROGRESS: 20' },
      { do: [waits('two'), write('b.txt')], signal: 'PROGRESS: 40' },
      { do: [waits('three')], signal: 'COMPLETE' },
    ],
    ask: [
      { do: [waits('ask')], signal: 'NEEDS_HUMAN: Which port?' },
      { do: [write('port.txt')], signal: 'COMPLETE' },
    ],
    back: [{ do: [write('back.txt')], signal: 'COMPLETE' }],
    ...Object.fromEntries(FAILING.map((id) => [id, fails(id)])),
  },
};
let box: Sandbox;
let screen: PtyScreen;
const place = (name: string): string => `${box.scratch}/${name}`;
const go = (name: string): Promise<void> => writeFile(place(name), '');
const told = async () => events(await box.run('logs', '--json'));
const command = (verb: string, idea?: string) =>
  until(`the run has taken ${verb}`, async () =>
    (await told()).some(
      (one) => one.kind === 'command' && one.verb === verb && (idea === undefined || one.idea === idea),
    ),
  );
/** Selects one idea in the list. */
const list = async (id: string): Promise<void> => {
  screen.press('3');
  await screen.shows('3 of 5');
  screen.press('/', 'ctrl-u', id, 'enter');
  await screen.shows(new RegExp(`/${id} .*\\n>.*${id} `, 's'));
};
const titled = (title: string): Promise<true> => until(`the title ${title}`, async () => screen.title === title);

beforeAll(async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap(Object.keys(SCRIPT.ideas).map((id) => ({ id, text: `Idea ${id}` }))),
  });
  await box.write({
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 4, stepDelayMs: 0, gate: ['true'] },
      errors: { maxRetries: 0, threshold: 100 },
    }),
    '.ralph-script.yaml': yaml(SCRIPT).replaceAll('PLACE', box.scratch),
  });
  await box.commit('set up');
  const started = await box.run('start', '--detach');
  expect(started.code, started.stderr).toBe(0);
  screen = new PtyScreen('bash', ['--norc', '--noprofile', '-i'], {
    ...{ columns: 120, rows: 40, cwd: box.repo },
    env: { ...box.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', PS1: 'shell> ' },
  });
  await screen.shows('shell>');
  screen.press(`${process.execPath} ${cliPath}; echo left with $?`, 'enter');
  await screen.shows(/1 landed .*4 need you/);
}, 300_000);
afterAll(async () => {
  await screen?.dispose();
  await box?.dispose();
});

it('G7: a new question rings once where nobody looks, and the title counts it', async () => {
  // The terminal gets the title after the picture.
  await titled('ralph repo 1/7 ?4');
  screen.press('focus-out');
  const before = screen.bells;
  await go('ask');
  await until('the bell', async () => screen.bells > before);
  expect(screen.bells).toBe(before + 1);
  await titled('ralph repo 1/7 ?5');
  screen.press('focus-in');
});

it('C1: one idea is paused, resumed and stopped, and the run goes on', async () => {
  await list('slow');
  screen.press('p');
  await command('pause', 'slow');
  await go('one');
  await screen.shows(/slow .*paused/);
  screen.press('p');
  await command('resume', 'slow');
  await screen.shows(/slow .*works .*2\/30/);
  screen.press('x');
  await screen.shows('stop slow: its iteration ends at its next boundary');
  screen.press('y');
  await command('stop', 'slow');
  await go('two');
  await screen.shows(/slow .*held/);
  expect(await screen.text()).toMatch(/^[^\n]*(?:running|waits for you)/);
});

it('a landed idea is rolled back after a question', async () => {
  await list('back');
  await screen.shows(/back .*landed/);
  screen.press('R');
  await screen.shows('take the commits of back back off main');
  screen.press('y');
  await command('rollback', 'back');
  await screen.shows(/back +\S.*(?<!landed)$/m);
  await until(
    'the file is gone from main',
    async () => !(await box.git('ls-tree', '--name-only', 'main')).includes('back.txt'),
  );
});

it('a worktree is cleaned up, an idea given up, another split', async () => {
  await list('clean');
  screen.press('X');
  await screen.shows('save the worktree of clean, then remove it');
  screen.press('y');
  await command('cleanup', 'clean');
  // Its commits stay on the branch.
  await until('the worktree is gone', async () => !(await box.git('worktree', 'list')).includes('[ralph/clean]'));
  await list('drop');
  screen.press('x');
  await screen.shows('give drop up, in later runs too');
  screen.press('y');
  await screen.shows(/drop .*given up/);
  await list('parts');
  screen.press('D');
  await screen.shows('split parts into');
  screen.press('First half; Second half', 'enter');
  await command('split', 'parts');
  screen.press('/', 'ctrl-u', 'half', 'enter');
  await screen.shows(/First half[\s\S]*Second half/);
});
