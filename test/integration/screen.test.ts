/** The full screen as a person uses it: a real pseudo terminal, a real run, keys in, picture out. Features: C1 C4 G1 G2 G5 G8. */
import { rename } from 'node:fs/promises';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { cliPath, roadmap, type Sandbox, sandbox, until } from '../support/program.js';
import { type PtyOptions, PtyScreen } from '../support/pty.js';

const SCRIPT = `ideas:
  asks:
    - {signal: "NEEDS_HUMAN: Which port should the server use?"}
    - {do: [{echoPrompt: true}, {write: {path: port.txt, text: "x"}}], signal: COMPLETE}
  slow:
    - {do: [{say: "I look at the files"}, {write: {path: a.txt, text: "1"}}], signal: "PROGRESS: 40"}
    - {do: [{say: "I look at the files"}, {waitFor: {path: GO}}, {write: {path: b.txt, text: "1"}}], signal: COMPLETE}
`;

let box: Sandbox | undefined;
let screen: PtyScreen | undefined;
afterEach(async () => {
  await screen?.dispose();
  await box?.dispose();
  box = undefined;
  screen = undefined;
});

async function opened(
  options: PtyOptions,
  ...args: string[]
): Promise<{ box: Sandbox; screen: PtyScreen; go: () => Promise<void> }> {
  const made = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'asks', text: 'Ask for the port' }, { id: 'slow' }]),
  });
  box = made;
  const go = `${made.scratch}/go`;
  await made.write({
    'ralphctl.yaml': 'version: 1\nagent: scripted\nslots: 2\ngate: ["true"]\n',
    '.ralph-script.yaml': SCRIPT.replace('GO', go),
  });
  await made.commit('set up');
  const env = { ...made.env, TERM: 'xterm-256color', ...options.env };
  screen = new PtyScreen(process.execPath, [cliPath, ...args], { ...options, cwd: made.repo, env });
  return { box: made, screen, go: () => import('node:fs/promises').then(({ writeFile }) => writeFile(go, '')) };
}

describe.each([
  { columns: 80, rows: 24, env: {}, landed: '✓' },
  { columns: 120, rows: 40, env: { LANG: 'C', LC_ALL: 'C', NO_COLOR: '1' }, landed: '+' },
])('at $columns x $rows', ({ columns, rows, env, landed }) => {
  it('shows the run, takes an answer, follows an idea, and ends as start does', async () => {
    const { box, screen, go } = await opened({ columns, rows, env }, 'start');
    await screen.shows(/running|waits for you/);
    await screen.shows('Needs you 1');
    await screen.shows(/asks.*Which port should the server use/);
    expect(await screen.full()).toBe(true);

    screen.press('n');
    await screen.shows('screen 2 of 5');
    screen.press('a', 'Use 8080.', 'enter');
    await until('the answer is taken', async () =>
      (await box.run('logs', '--json')).json.some((event) => event.kind === 'command' && event.verb === 'answer'),
    );
    screen.press('1');
    await screen.shows(new RegExp(`\\${landed} asks`));

    screen.press('3');
    await screen.shows('3 of 5');
    screen.press('/', 'slow', 'enter', 'enter');
    await screen.shows('I look at the files');
    screen.press('1');
    await go();
    // The report takes the place of the run.
    await screen.shows(/completed|the (?:run|night) of/);
    const text = await screen.text();
    if (landed === '+') {
      expect(text).toMatch(/^\p{ASCII}*$/u);
      // A colour, not a place such as line 3.
      expect(screen.raw).not.toMatch(new RegExp(`${'\u001b'}\\[(?:\\d+;)*3[0-7]m`));
    }
    screen.press('q');
    expect(await screen.exited).toBe(0);
    expect(await screen.full()).toBe(false);
  });
});

it('leaving, a closed terminal and a kill leave the run alone; a resize and another size keep the picture whole', async () => {
  const { box, screen: first, go } = await opened({}, 'start');
  await first.shows('slow');
  // The head of a section is as wide as the terminal.
  const asWideAs = (columns: number): RegExp => new RegExp(`^(?=.{${columns}}$)─ Needs you`, 'm');
  await first.shows(asWideAs(80));
  first.resize(100, 30);
  await first.shows(asWideAs(100));
  first.resize(70, 20);
  await first.shows(asWideAs(70));
  first.press('q');
  expect(await first.exited).toBe(0);
  expect(await first.text()).toContain('The run continues');

  screen = new PtyScreen(process.execPath, [cliPath], { cwd: box.repo, env: { ...box.env, TERM: 'xterm-256color' } });
  await screen.shows('slow');
  screen.process.kill('SIGHUP');
  await screen.exited;
  screen = new PtyScreen(process.execPath, [cliPath], {
    columns: 60,
    rows: 10,
    cwd: box.repo,
    env: { ...box.env, TERM: 'xterm-256color' },
  });
  await screen.shows('slow');
  screen.process.kill('SIGTERM');
  await screen.exited;
  expect(await screen.full()).toBe(false);
  expect((await box.run('status', '--json')).code).not.toBe(6);
  await go();
});

it('a pause by key is told by the run, and a command that it refuses is answered in its own words', async () => {
  const { box, screen, go } = await opened({}, 'start');
  await screen.shows(/slow .*2\/30/);
  screen.press('P');
  await screen.shows(/paus(?:ed|ing)/);
  const refused = await box.run('retry', 'slow');
  expect(refused.code).toBe(7);
  const words = refused.stderr.replace(/^ralphctl: /, '').slice(0, 60);
  expect(await screen.text()).not.toContain(words);
  screen.press(':', 'retry slow', 'enter');
  await screen.shows(words);
  // A list has the terminal to itself, line by line.
  screen.press(':', 'backlog', 'enter');
  await screen.shows('Enter goes back to the screen');
  expect(await screen.text()).toMatch(/^.*\basks\b.*\n(?:.*\n)*.*\bslow\b/m);
  expect(await screen.full()).toBe(false);
  screen.press('enter');
  await screen.shows(/paus(?:ed|ing)/);
  screen.press(':', 'abort', 'enter');
  await screen.shows('end the run at once');
  screen.press('esc', 'P');
  await screen.shows(/running|waits for you/);
  await go();
  screen.press('q');
  await screen.exited;
});

/** What the program alone in a terminal prints, when that is no screen. */
async function aloneIn({ repo }: Sandbox, env: NodeJS.ProcessEnv): Promise<string> {
  const alone = new PtyScreen(process.execPath, [cliPath], { columns: 120, rows: 40, cwd: repo, env });
  try {
    expect(await alone.exited).toBe(0);
    expect(alone.raw).not.toContain('\u001b[?1049h');
    return await alone.text();
  } finally {
    await alone.dispose();
  }
}

it('C1: leaving the screen prints the report of the run on it, also of one that was started there', async () => {
  const made = await sandbox(inject('stateRoot'), { 'roadmap.md': roadmap([{ id: 'later', text: 'Land at last' }]) });
  box = made;
  const fixed = `${made.scratch}/fixed`;
  await made.write({
    'ralphctl.yaml': 'version: 1\nagent: scripted\nslots: 1\ngate: ["true"]\nerrors: {maxRetries: 0}\n',
    '.ralph-script.yaml': `ideas:\n  later:\n    - {do: [{run: "test -e ${fixed}"}, {write: {path: a.txt, text: "1"}}], signal: COMPLETE}\n`,
  });
  await made.commit('set up');
  const env = { ...made.env, TERM: 'xterm-256color' };
  // Before the first run there is nothing to show on a screen: what to do first, as lines.
  const first = await aloneIn(made, env);
  expect(first).toMatch(
    /^No run of this repository yet\. Begin with:\n {2}ralphctl doctor .*\n {2}ralphctl start +start a run$/,
  );
  await rename(`${made.repo}/ralphctl.yaml`, `${made.scratch}/aside`);
  expect(await aloneIn(made, env)).toMatch(
    /^No run [^\n]*\n {2}ralphctl init +write a first ralphctl\.yaml\n {2}ralphctl doctor/,
  );
  await rename(`${made.scratch}/aside`, `${made.repo}/ralphctl.yaml`);
  screen = new PtyScreen(process.execPath, [cliPath, 'start'], { columns: 120, rows: 40, cwd: made.repo, env });
  await screen.shows('P start again');
  const { writeFile } = await import('node:fs/promises');
  await writeFile(fixed, '');
  screen.press('P');
  await screen.shows('start a new run with 1 idea, and new ones: later');
  screen.press('y');
  // The list of ideas stays when the run ends.
  screen.press('3');
  await screen.shows('✓ completed');
  screen.press('q');
  expect(await screen.exited).toBe(0);
  expect(await screen.text()).toContain('completed: 1 landed, 0 did not land');
});
