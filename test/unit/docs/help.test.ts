import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { pageOf, plainText } from '../../../src/client/help/plain-text.js';
import { TOPIC_NAMES } from '../../../src/client/help/topics.js';
import { cliPath } from '../../support/program.js';

const ralphctl = async (...args: string[]) => execa(process.execPath, [cliPath, ...args], { reject: false });
const page = (name: string) => readFile(fileURLToPath(new URL(`../../../docs/${name}`, import.meta.url)), 'utf8');

describe('ralphctl --help', async () => {
  const { stdout } = await ralphctl('--help');
  const groups = [...stdout.matchAll(/^(\w[\w ]*):\n((?: {2}.*\n)+)/gm)].map(([, name, lines]) => ({
    name,
    lines: (lines ?? '').trimEnd().split('\n'),
  }));

  it('groups the commands as people look for them', () => {
    const names = groups.map(({ name }) => name).filter((name) => name !== 'Options');
    expect(names).toEqual(['Setup', 'Run', 'Inspect', 'Steer', 'Recover', 'Internals']);
  });

  it('has one line of at most 80 columns for each command', () => {
    for (const { lines } of groups)
      for (const line of lines) expect(line, line).toMatch(/^ {2}[-a-z][^ ]*(?: .*)? {2}\S.*$/);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('says something about every argument and option of every command', async () => {
    const commands = groups
      .filter(({ name }) => name !== 'Options')
      .flatMap(({ lines }) => lines.map((line) => line.trim().split(' ')[0] ?? ''));
    expect(commands.length).toBeGreaterThan(30);
    const helps = await Promise.all(commands.map(async (name) => (await ralphctl('help', name)).stdout));
    for (const [at, text] of helps.entries()) {
      expect(text, commands[at]).toContain('Usage: ralphctl');
      expect(text.match(/^ {2}--?[\w-]+(?: <[\w-]+>)?$/gm), commands[at]).toBeNull();
      const told = /^Arguments:\n((?: .*\n)*)/m.exec(text)?.[1] ?? '';
      expect(told.match(/^ {2}\w+$/gm), commands[at]).toBeNull();
    }
    // It starts the program some fifty times.
  }, 300_000);
});

it('ralphctl runs --help tells what it lists, and that history is the same', async () => {
  const [runs, history] = await Promise.all([ralphctl('runs', '--help'), ralphctl('history', '--help')]);
  const text = runs.stdout.replace(/\s+/g, ' ');
  expect(text).toContain('when each began, how long it took, how it ended');
  expect(text).toContain('ralphctl history is the same command.');
  expect(history.stdout).toBe(runs.stdout);
});

describe('ralphctl help <topic>', () => {
  it.each(TOPIC_NAMES)('prints a page that fits 80 columns: %s', async (topic) => {
    const { stdout, exitCode } = await ralphctl('help', topic);
    expect(exitCode).toBe(0);
    expect(stdout.length).toBeGreaterThan(500);
    // Code and words without a blank stay whole.
    const long = stdout.split('\n').filter((line) => line.length > 80 && !/^ {4}/.test(line));
    expect(long).toEqual([]);
    expect(stdout).not.toMatch(/^\s*\|/m);
    expect(stdout).not.toMatch(/\]\(/);
  });

  it('takes the texts from the pages of the documentation', async () => {
    const code = /^\| 5 \| `(\w+)` \| (.*) \|$/m.exec(await page('cli.md'));
    const { stdout } = await ralphctl('help', 'exit-codes');
    expect(stdout).toContain(`5     ${code?.[1]}  ${code?.[2]}`);
    expect((await ralphctl('help', 'signals')).stdout).toContain('NEEDS_HUMAN: question');
    expect((await ralphctl('help', 'backlog')).stdout).toContain('max_iterations');
    expect((await ralphctl('help', 'config')).stdout).toMatch(/Usage: ralphctl config[\s\S]*gate\.baseline/);
  });

  it('G8: every topic is in the list with a line about it, and says what its name promises', async () => {
    const list = (await ralphctl('--help')).stdout.split(/^Help topics .*$/m)[1] ?? '';
    expect(
      list
        .trim()
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/)),
    ).toEqual(TOPIC_NAMES.map((name) => [name, expect.stringMatching(/^\S.{10,}$/)]));
    const promised: Record<string, readonly string[]> = {
      answering: ['approve IDEA', 'wants approval', 'unblock IDEA', 'The first answer counts', '--question'],
      alerts: ['quietExcept', 'run-done', 'RALPHCTL_ALERT_ID', 'webhook-signature'],
      backlog: ['max_iterations', 'ideas.yaml', 'taskmaster', 'beads', 'openspec'],
      config: ['gate.baseline', 'RALPHCTL_HOME', '--max-iterations'],
      'exit-codes': ['130', 'needsHuman', 'refused'],
      trackers: ['claim'],
      triage: ['five gates'],
      waves: ['maxWaves'],
      delivery: ['pull request'],
      service: ['lingering', 'systemd-inhibit', '--print'],
    };
    for (const [name, words] of Object.entries(promised)) {
      const { stdout } = await ralphctl('help', name);
      for (const one of words) expect(stdout, `${name}: ${one}`).toContain(one);
    }
  }, 240_000);

  it('prints the help of a command, and of a command below it', async () => {
    expect((await ralphctl('help', 'start')).stdout).toBe((await ralphctl('start', '--help')).stdout);
    expect((await ralphctl('help', 'budget', 'raise')).stdout).toContain('--scope');
  });

  it('names the topics for an unknown one', async () => {
    const { stderr, exitCode } = await ralphctl('help', 'signal');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Did you mean signals?');
    for (const topic of TOPIC_NAMES) expect(stderr).toContain(topic);
  });
});

it('writes Markdown as plain text', () => {
  const markdown = `# Title

Some **bold** words and \`code\` with [a link](page.md).

| key | value | meaning |
|---|---|---|
| \`a.long.key.that.needs.much.space\` | \`x\`, \`y \\| z\` | Explains it. |

## Next

- one
- two and
  more

<!-- hidden -->
\`\`\`sh
  ralphctl  status
\`\`\`
`;
  expect(plainText(pageOf(markdown), 60)).toBe(`Title

  Some bold words and \`code\` with a link.

  a.long.key.that.needs.much.space
      value: \`x\`, \`y | z\`
      Explains it.

Next

  - one
  - two and more

      ralphctl  status
`);
});
