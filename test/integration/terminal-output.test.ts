/** Long output in a pager, progress while a command is silent, links: in a terminal only. Feature: G8. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { cliPath, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

const END = '\u001e';

let box: Sandbox;
let screen: PtyScreen | undefined;
afterEach(async () => {
  await screen?.dispose();
  await box?.dispose();
});

async function repository(config: Record<string, unknown> = {}): Promise<void> {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'a-1' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', gate: ['true'], ...config }),
  });
}

/**
 * The program in a terminal, until it ends. A shell keeps the terminal open until this process has read everything:
 * node-pty throws away what it has not read 200 ms after the exit.
 */
async function inTerminal(
  args: string[],
  env: Record<string, string> = {},
  columns = 80,
): Promise<{ code: number; raw: string }> {
  screen = new PtyScreen(
    '/bin/sh',
    ['-c', `"$@"; code=$?; printf '${END}'; read -r _; exit $code`, 'sh', process.execPath, cliPath, ...args],
    {
      cwd: box.repo,
      env: { ...box.env, ...env },
      columns,
    },
  );
  const shown = screen;
  await until('the end of the program', async () => shown.raw.includes(END));
  const raw = screen.raw.slice(0, screen.raw.indexOf(END));
  screen.press('enter');
  const code = await screen.exited;
  await screen.dispose();
  screen = undefined;
  return { code, raw };
}

describe('a pager', () => {
  it('gets long output in a terminal: RALPHCTL_PAGER before PAGER; not with --no-pager, --json, or in a pipe', async () => {
    await repository();
    const [one, two] = [join(box.scratch, 'one'), join(box.scratch, 'two')];
    const pagers = { PAGER: `cat > ${two}`, RALPHCTL_PAGER: `cat > ${one}` };
    const topic = ['help', 'exit-codes'];
    expect((await inTerminal(topic, pagers)).code).toBe(0);
    expect(await readFile(one, 'utf8')).toContain('needsHuman');
    expect(existsSync(two)).toBe(false);
    const { code } = await inTerminal(topic, { PAGER: `cat > ${two}` });
    expect([code, await readFile(two, 'utf8')]).toEqual([0, await readFile(one, 'utf8')]);

    await writeFile(one, '');
    const plain = await inTerminal([...topic, '--no-pager'], pagers);
    expect(plain.raw).toContain('needsHuman');
    expect((await inTerminal(['runs', '--json'], pagers)).code).toBe(0);
    box.env.RALPHCTL_PAGER = pagers.RALPHCTL_PAGER;
    expect((await box.run(...topic)).stdout).toContain('needsHuman');
    expect(await readFile(one, 'utf8')).toBe('');
  });

  it('takes errors too, ends with it, and is not missed where there is none or it is left early', async () => {
    await repository();
    const file = join(box.scratch, 'out');
    const unknown = await inTerminal(['help', 'no-such-topic'], { PAGER: `cat > ${file}` });
    expect([unknown.code, unknown.raw]).toEqual([2, expect.stringContaining('no-such-topic')]);
    const none = await inTerminal(['help', 'exit-codes'], { PAGER: 'no-such-pager-here' });
    expect([none.code, none.raw]).toEqual([0, expect.stringContaining('needsHuman')]);
    const early = await inTerminal(['help', 'config'], { PAGER: 'head -n 1' });
    expect(early.code).toBe(0);
    expect(early.raw.trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['false', 'failed with exit code 1'],
    ['X=1 no-such-pager-here', 'failed with exit code 127'],
    // It dies after it has taken a part.
    ['head -c 100 >/dev/null; kill -KILL $$', 'was ended by SIGKILL'],
  ])('that dies prints the text plainly, after one sentence: %s', async (pager, how) => {
    await repository();
    const topic = ['help', 'exit-codes'];
    const plain = await inTerminal([...topic, '--no-pager']);
    const { code, raw } = await inTerminal(topic, { RALPHCTL_PAGER: pager });
    expect(code).toBe(0);
    // The shell says by itself that there is no such program.
    const [said = '', ...text] = raw.slice(raw.indexOf('ralphctl: the pager')).split('\n');
    expect(said.trimEnd()).toBe(`ralphctl: the pager "${pager}" ${how}. The output follows`);
    expect(text.join('\n')).toBe(plain.raw);
    expect(plain.raw).toContain('needsHuman');
  });
});

describe('progress', () => {
  it('says after two seconds what doctor does, and leaves no trace', async () => {
    // The gate tells that it has begun, and waits for the test.
    const hold = join((await repositoryWithGate()).scratch, 'go');
    screen = new PtyScreen(process.execPath, [cliPath, 'doctor'], { cwd: box.repo, env: box.env });
    await screen.shows(/… doctor: set-up and gate in a fresh worktree, \d+s/, 120_000);
    await writeFile(hold, '');
    await screen.exited;
    const text = await screen.text();
    expect(text).toMatch(/gate/);
    expect(text).not.toContain('… doctor');
  }, 240_000);

  it('stays out of pipes and JSON', async () => {
    await writeFile(join((await repositoryWithGate('sleep 3')).scratch, 'go'), '');
    const { stderr } = await box.run('doctor');
    expect(stderr).not.toContain('…  doctor');
    expect(stderr).not.toContain('\u001b');
  }, 240_000);
});

async function repositoryWithGate(gate?: string): Promise<Sandbox> {
  await repository();
  const go = join(box.scratch, 'go');
  await box.write({
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', gate: [gate ?? `while test ! -e ${go}; do sleep 0.1; done`] },
    }),
  });
  await box.commit('gate');
  return box;
}

describe('links', () => {
  it('make files and web addresses clickable in a terminal that knows them, and nowhere else', async () => {
    await repository();
    const path = join(box.repo, 'roadmap.md');
    await box.write({ 'roadmap.md': '- [ ] **a-1**: Do a\n  - depends: no-such-idea\n' });
    const known = await inTerminal(['start', '--dry-run'], { FORCE_HYPERLINK: '1', COLUMNS: '500' });
    expect(known.code).toBe(2);
    expect(known.raw).toContain(`\u001b]8;;file://${path}`);
    const other = await inTerminal(['start', '--dry-run'], { FORCE_HYPERLINK: '0' });
    expect(other.raw).not.toContain('\u001b]8;;');
    box.env.FORCE_HYPERLINK = '1';
    expect((await box.run('start', '--dry-run')).stderr).not.toContain('\u001b]8;;');
  });
});

const words = (text: string): string[] => text.trim().split(/\s+/);

describe('D3 words wrap at the width of the terminal', () => {
  /** No line is wider, unless it is one word, and no word is cut. */
  function fits(raw: string, plain: string, columns: number): void {
    const lines = raw.split('\r\n');
    expect(lines.filter((line) => line.length > columns && words(line).length > 1)).toEqual([]);
    expect(words(raw)).toEqual(words(plain));
  }

  it('in errors: a long one, and a list of problems with a line for each', async () => {
    await repository();
    const unknown = ['help', 'no-such-topic', '--no-pager'];
    fits((await inTerminal(unknown, {}, 60)).raw, (await box.run(...unknown)).stderr, 60);
    const ideas = Array.from({ length: 3 }, (_, at) => `- [ ] **a-${at}**: Do it\n  - depends: no-such-idea-${at}\n`);
    await box.write({ 'roadmap.md': ideas.join('') });
    const { raw } = await inTerminal(['start', '--dry-run'], {}, 60);
    const { stderr } = await box.run('start', '--dry-run');
    fits(raw, stderr, 60);
    // What belongs to a problem is indented below it.
    expect(raw.split('\r\n').filter((line) => /^\S/.test(line))).toHaveLength(3);
  });

  it('and errors have an ASCII form', async () => {
    await repository();
    const ideas = Array.from({ length: 60 }, (_, at) => `- [ ] **a-${at}**: Do it\n  - depends: no-such-idea\n`);
    await box.write({ 'roadmap.md': ideas.join('') });
    const { code, raw } = await inTerminal(['start', '--dry-run'], { LANG: 'C', LC_ALL: 'C' }, 200);
    expect(code).toBe(2);
    expect(raw).toContain('\n... and 10 more');
    expect(raw).not.toMatch(/\P{ASCII}/u);
  });

  it.each([
    [['--help'], 40],
    [['--help'], 60],
    [['start', '--help'], 40],
    [['start', '--help'], 60],
    [['help', 'config', 'show', '--no-pager'], 40],
    [['strat'], 40],
  ])('in help: %j at %i columns', async (args, columns) => {
    await repository();
    const { stdout, stderr } = await box.run(...args);
    fits((await inTerminal(args, {}, columns)).raw, stdout + stderr, columns);
  });
});
