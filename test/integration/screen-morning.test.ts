/**
 * A new user with the README only: its example, its commands, and from then on the keys of the full screen. They answer a
 * question, retry a failure, and read what the night brought. Features: C2 C4 C5 G5 G8.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { cliPath, type Sandbox, sandbox } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

const scripted = fileURLToPath(new URL('../../dist/scripted-agent.js', import.meta.url));
const SCRIPT = {
  ideas: {
    'login-001': [
      { do: [{ say: 'There are two ways.' }], signal: 'NEEDS_HUMAN: OAuth, or passwords of our own?' },
      { do: [{ write: { path: 'login.txt', text: 'login\n' } }], signal: 'COMPLETE' },
    ],
    'logout-001': [
      {
        whenPrompt: { contains: 'the session is a cookie' },
        do: [{ write: { path: 'logout.txt', text: 'logout\n' } }],
        signal: 'COMPLETE',
      },
      { do: [{ complain: 'no session found' }], exit: 3 },
    ],
    'help-001': [{ signal: 'NEEDS_HUMAN: Who writes the texts?' }],
  },
};
/** As Claude Code reports it; the script says what it does. */
const CLAUDE = `import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
if (process.argv.includes('--version')) { console.log('2.1.329 (Claude Code)'); process.exit(0); }
const args = [${JSON.stringify(scripted)}, '--script', process.env.HOME + '/scratch/script.json'];
const { status, stdout, stderr } = spawnSync(process.execPath, args, { input: readFileSync(0), encoding: 'utf8' });
process.stderr.write(stderr);
if (status !== 0) process.exit(status ?? 1);
const usage = { input_tokens: 1000, output_tokens: 200 };
for (const event of [
  { type: 'system', subtype: 'init', session_id: 'one', model: 'claude-opus' },
  { type: 'assistant', session_id: 'one', message: { id: 'm', content: [{ type: 'text', text: stdout }], usage } },
  { type: 'result', subtype: 'success', is_error: false, result: stdout, session_id: 'one', total_cost_usd: 0.25, usage },
]) console.log(JSON.stringify(event));
`;

let box: Sandbox;
let screen: PtyScreen;
beforeAll(async () => {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, example = ''] = /```markdown\n(- \[ \] \*\*login-001[\s\S]*?)```/.exec(readme) ?? [];
  expect(example).toContain('**logout-001**');
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': `${example}- [ ] **help-001**: Write the help\n  - ralph: true\n`,
    Makefile: 'test:\n\ttest ! -e broken.txt\n',
  });
  const bin = `${box.scratch}/bin`;
  await mkdir(bin);
  const program = (name: string, file: string) =>
    writeFile(`${bin}/${name}`, `#!/bin/sh\nexec ${process.execPath} ${file} "$@"\n`, { mode: 0o755 });
  await program('ralphctl', cliPath);
  await program('claude', `${box.scratch}/claude.mjs`);
  await writeFile(`${box.scratch}/claude.mjs`, CLAUDE);
  await writeFile(`${box.scratch}/script.json`, JSON.stringify(SCRIPT));
  box.env.PATH = `${bin}:${box.env.PATH}`;
  screen = new PtyScreen('bash', ['--norc', '--noprofile', '-i'], {
    ...{ columns: 80, rows: 24, cwd: box.repo },
    env: { ...box.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', PS1: 'shell> ' },
  });
  await screen.shows('shell>');
}, 300_000);
afterAll(async () => {
  await screen?.dispose();
  await box?.dispose();
});

const type = (line: string): void => screen.press('clear', 'enter', line, 'enter');

/** Selects one idea in the list. */
const list = async (id: string): Promise<void> => {
  screen.press('3');
  await screen.shows('3 of 5');
  screen.press('/', 'ctrl-u', id, 'enter');
  await screen.shows(new RegExp(`/${id} .*\\n>.*${id} `, 's'));
};

it('A8: init finds the agent and the checks, start opens the screen, and leaving it says how to come back', async () => {
  type('ralphctl init');
  await screen.shows(/ralphctl\.yaml[\s\S]*shell>/);
  const config = await readFile(`${box.repo}/ralphctl.yaml`, 'utf8');
  expect(config).toMatch(/^agent: claude$/m);
  expect(config).toContain('make test');
  type('git add --all && git commit --quiet --message "Set ralphctl up" && ralphctl start');
  await screen.shows(/\? login-001 +asks/);
  screen.press('q');
  await screen.shows(/The run continues\. Come back with: ralphctl [\s\S]*shell>/);
});

it('C5: the question is answered by key, from a draft', async () => {
  type('ralphctl');
  await screen.shows(/\? login-001 +asks/);
  await list('login-001');
  screen.press('a');
  await screen.shows('OAuth, or passwords of our own?');
  screen.press('use OA');
  await screen.shows('use OA');
  screen.press('esc');
  await screen.shows('? keys');
  screen.press('a');
  await screen.shows('use OA');
  screen.press('uth', 'enter');
  await screen.shows('login-001 has your answer');
  screen.press('1');
  await screen.shows(/✓ login-001 .*landed/);
});

it('C2 C4: the failure is explained, gets a hint and is retried by key, and lands', async () => {
  await list('logout-001');
  await screen.shows(/[✗] logout-001 .*failed/);
  screen.press('enter');
  await screen.shows(/✗ failed[\s\S]*no session found/);
  screen.press('i');
  await screen.shows('hint for logout-001');
  screen.press('the session is a cookie', 'enter');
  await screen.shows(/prompt|hint/);
  screen.press('r');
  await screen.shows('✓ landed');
});

it('G8: the report says what landed, what did not and why, what to do, and what it cost', async () => {
  screen.press('1');
  await screen.shows(/waits for you/);
  screen.press('S');
  await screen.shows('y yes  n no');
  screen.press('y');
  await screen.shows(/the (?:run|night) of/);
  screen.press('q');
  await screen.shows('shell>');
  type('ralphctl');
  const text = await screen.shows(/the (?:run|night) of[\s\S]*LANDED/);
  expect(text).toMatch(/2 landed +1 not .*\$/);
  expect(text).toMatch(/\? help-001 +Who writes the texts\?/);
  expect(text).toContain('ralphctl answer help-001');
  expect(text).toMatch(/LANDED \(2\)/);
  screen.press('q');
  await screen.shows('shell>');
  expect(await box.git('log', '--format=%s', 'main')).toMatch(/login-001/);
  expect(await box.git('show', 'main:logout.txt')).toBe('logout');
});
