/**
 * What a person does around the keys: editor, clipboard, shell, a second screen, a second start of the program. One run
 * serves all of it, and its abort comes last. Features: C1 C3 C4 C5 G8.
 */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { cliPath, events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

const write = (path: string) => ({ write: { path, text: '1' } });
const waits = (name: string) => ({ waitFor: { path: `PLACE/${name}` } });
const SCRIPT = {
  ideas: {
    ask: [
      { signal: 'NEEDS_HUMAN: Which port should the server use?' },
      { do: [{ echoPrompt: true }, write('port.txt')], signal: 'COMPLETE' },
    ],
    slow: [{ do: [waits('slow'), write('a.txt')], signal: 'COMPLETE' }],
    hold: [{ do: [waits('hold'), write('b.txt')], signal: 'COMPLETE' }],
  },
};
const SIZE = { columns: 80, rows: 24 };
let box: Sandbox;
let screen: PtyScreen;
let second: PtyScreen | undefined;
/** Words of a message, wherever the screen breaks its lines. */
const says = (words: string, on = screen): Promise<string> =>
  on.shows(new RegExp(words.replace(/[.()]/g, '\\$&').replaceAll(' ', '\\s+')));
const told = async () => events(await box.run('logs', '--json'));
const list = async (id: string): Promise<void> => {
  screen.press('3');
  await screen.shows('3 of 5');
  screen.press('/', 'ctrl-u', id, 'enter');
  await screen.shows(new RegExp(`/${id} .*\\n>.*${id} `, 's'));
};
/** A program that does what the shell text says to the file. */
async function editor(name: string, text: string): Promise<string> {
  const path = `${box.scratch}/${name}`;
  await writeFile(path, `#!/bin/sh\n${text}\n`);
  await chmod(path, 0o755);
  return path;
}

beforeAll(async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([
      { id: 'ask', text: 'Choose the port' },
      { id: 'slow', text: 'Take a while', max_iterations: 1 },
      { id: 'hold', text: 'Wait for long' },
    ]),
  });
  await box.write({
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 3, stepDelayMs: 0, gate: ['true'] }),
    '.ralph-script.yaml': yaml(SCRIPT).replaceAll('PLACE', box.scratch),
  });
  await box.commit('set up');
  const started = await box.run('start', '--detach');
  expect(started.code, started.stderr).toBe(0);
  // Its answer comes from a file, so that a test can change it while the screen is open.
  const hands = await editor('hands', `. ${box.scratch}/does`);
  screen = new PtyScreen('bash', ['--norc', '--noprofile', '-i'], {
    ...{ ...SIZE, cwd: box.repo },
    env: { ...box.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', PS1: 'shell> ', EDITOR: hands },
  });
  await screen.shows('shell>');
  screen.press(`${process.execPath} ${cliPath}; echo left with $?`, 'enter');
  await screen.shows(/2 work .*1 needs you/);
}, 300_000);
afterAll(async () => {
  await second?.dispose();
  await screen?.dispose();
  await box?.dispose();
});

it('C5: Ctrl-E writes the answer in the editor; a failed editor stays readable and changes nothing', async () => {
  await list('ask');
  screen.press('a', 'Use');
  await screen.shows(/^ Use$/m);
  await writeFile(`${box.scratch}/does`, `cat "$1" >> ${box.scratch}/given; printf ' 8080\\nplease' >> "$1"`);
  screen.press('\u0005');
  await screen.shows(/^ Use 8080\n please$/m);
  expect(await readFile(`${box.scratch}/given`, 'utf8')).toBe('Use');
  await writeFile(`${box.scratch}/does`, 'echo "the editor is broken" >&2; echo lost > "$1"; exit 3');
  screen.press('\u0005');
  const failed = await screen.shows('Enter goes back to the screen');
  expect(failed).toContain('the editor is broken');
  expect(failed).toContain('the editor exited with code 3; the answer is as it was');
  expect(await screen.full()).toBe(false);
  screen.press('enter');
  await screen.shows(/^ Use 8080\n please$/m);
  screen.press('esc');
  await screen.shows('? keys');
});

it('C5: an unsent answer is there when the program starts again', async () => {
  screen.press('q');
  await screen.shows('left with 0');
  screen.press('clear', 'enter', `${process.execPath} ${cliPath}; echo left with $?`, 'enter');
  await screen.shows(/needs? you/);
  await list('ask');
  screen.press('a');
  await screen.shows(/^ Use 8080\n please$/m);
  screen.press('esc');
  await screen.shows('? keys');
});

it('C1: Ctrl-Z gives the shell back, and fg the picture', async () => {
  screen.press('1');
  await screen.shows('Slots 2 of 3');
  screen.press('ctrl-z');
  await until('the shell is back', async () => !(await screen.full()));
  screen.press('echo in the she""ll', 'enter');
  await screen.shows('in the shell');
  screen.press('fg', 'enter');
  await screen.shows('Slots 2 of 3');
  expect(await screen.full()).toBe(true);
});

it('C1: y copies with OSC 52, and o on History writes the page of the run', async () => {
  await list('slow');
  screen.press('y');
  await screen.shows('copied: slow');
  expect(screen.raw).toContain(`\u001b]52;c;${Buffer.from('slow').toString('base64')}\u0007`);
  screen.press('5');
  await screen.shows(/1 run\b.*running/s);
  screen.press('o');
  const text = (await screen.shows(/as a page:\s+file:[\s\S]*\.html/)).replace(/\n */g, '');
  const [, url = ''] = /as a page: ?(file:\/\/\S+?\.html)/.exec(text) ?? [];
  expect(await readFile(fileURLToPath(url), 'utf8')).toContain('Take a while');
});

it('C4: a hint to the only iteration is kept, and its answer names what makes it be read', async () => {
  await list('slow');
  screen.press('i');
  await screen.shows('its last iteration: read only after');
  screen.press('look twice', 'enter');
  await says('this is its only iteration. To have it read: ralphctl retry slow');
  const said = await box.run('hint', 'slow', 'and again');
  expect(said.stdout).toContain('no prompt follows by itself that would have it: this is its only iteration');
});

it('C3: e opens the editor, tells the answer of the run, and a failed editor stays readable', async () => {
  await list('hold');
  await writeFile(`${box.scratch}/does`, 'sed -i \'s/^title:.*/title: Wait for very long/\' "$1"');
  screen.press('e');
  await says('changed; it applies from the next iteration of hold on');
  expect(await screen.full()).toBe(true);
  await writeFile(`${box.scratch}/does`, 'echo "no such terminal" >&2; exit 1');
  screen.press('e');
  const failed = await screen.shows('Enter goes back to the screen');
  expect(failed).toMatch(/no such terminal[\s\S]*the editor exited with code 1; hold is unchanged/);
  screen.press('enter');
  await screen.shows('3 of 5');
});

it('C1: two screens show one run: what one does, the other shows, and a late command is refused in words', async () => {
  second = new PtyScreen(process.execPath, [cliPath], {
    ...{ ...SIZE, cwd: box.repo, columns: 120, rows: 40 },
    env: { ...box.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
  });
  await second.shows('Slots 2 of 3');
  screen.press('1');
  await screen.shows('Slots 2 of 3');
  screen.press('P');
  await until('the key is answered at once', async () => screen.raw.includes('pause of the run: sent'));
  await screen.shows(/^[^\n]*paus(?:ed|ing)/);
  await second.shows(/^[^\n]*paus(?:ed|ing)/);
  second.press('P');
  await second.shows(/^[^\n]*(?:running|waits for you)/);
  await screen.shows(/^[^\n]*(?:running|waits for you)/);
  // The draft of the first screen is not that of the second, whose answer is the one that counts.
  second.press('n', 'a');
  await second.shows('your answer');
  second.press('ctrl-u', 'Use 80.', 'enter');
  await until('the answer is taken', async () => (await told()).some(({ kind }) => kind === 'answered'));
  await screen.shows(/ask +landed|✓ ask/);
  await list('ask');
  screen.press(':', 'answer ask late', 'enter');
  await screen.shows(/ask (?:has landed|asks nothing|.*answer)/);
  second.press('q');
  expect(await second.exited).toBe(0);
  expect((await box.run('status', '--json')).code).not.toBe(6);
});

it('C1: the run is aborted from the screen after a question, and the end is told on the page of an idea', async () => {
  await list('hold');
  screen.press('enter');
  await screen.shows(/^repo › hold /m);
  screen.press(':', 'abort', 'enter');
  await screen.shows('end the run at once');
  screen.press('y');
  await says('run ended, aborted: 1 landed, 2 not landed; report: v');
  screen.press('v');
  await screen.shows(/1 landed +2 not/);
  screen.press('q');
  await screen.shows(/left with [1-9]/);
});

it('C1: --no-wait leaves the screen by itself when all that is left waits for a person, with exit code 4', async () => {
  for (const name of ['slow', 'hold']) await writeFile(`${box.scratch}/${name}`, '');
  const map = await readFile(`${box.repo}/roadmap.md`, 'utf8');
  await box.write({
    'roadmap.md': `${map}- [ ] **more**: One more\n  - ralph: true\n`,
    '.ralph-script.yaml': yaml({
      ideas: { ...SCRIPT.ideas, more: [{ signal: 'NEEDS_HUMAN: Which one?' }] },
    }).replaceAll('PLACE', box.scratch),
  });
  await box.commit('one more idea');
  screen.press('clear', 'enter', `${process.execPath} ${cliPath} start --no-wait; echo ended with $?`, 'enter');
  await screen.shows('ended with 4');
  expect(await screen.full()).toBe(false);
  expect(await screen.text()).toContain('more waits for you');
});
