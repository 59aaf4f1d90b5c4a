/** A gate that a person has to look at: tripwires, and a target that is red on its own. Features: B3, B5, C5, D1. */
import { afterEach, describe, expect, inject, it } from 'vitest';
import type { RunStatus } from '../../src/protocol/views.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox;
afterEach(() => box?.dispose());

const status = async (): Promise<RunStatus> => (await box.run('status', '--json')).json[0]?.status as RunStatus;
const asks = (idea: string) =>
  until(`${idea} asks`, async () => (await status())?.attention.find((line) => line.id === idea)?.reason);

describe('a green gate over deleted tests', () => {
  it('waits for a person: a plain yes lands it, anything else goes to the agent', async () => {
    const tests = Object.fromEntries(['t-1', 't-2'].map((id) => [`${id}.test.js`, "test('a', () => {});\n"]));
    box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap(['t-1', 't-2'].map((id) => ({ id }))),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 2, stepDelayMs: 0, gate: ['true'] }),
      ...tests,
      '.ralph-script.yaml': yaml({
        // biome-ignore-start lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in
        default: [
          {
            do: [{ run: 'rm "$RALPHCTL_IDEA.test.js"' }, { append: { path: '${IDEA}.txt', text: 'x\n' } }],
            signal: 'COMPLETE',
          },
          { do: [{ append: { path: '${IDEA}.test.js', text: "test('a', () => {});\n" } }], signal: 'COMPLETE' },
        ],
        // biome-ignore-end lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in
      }),
    });
    await box.run('start', '--detach');
    expect(await asks('t-1')).toMatch(/tests are gone \(t-1\.test\.js\)/);
    await asks('t-2');
    expect((await box.run('answer', 't-1', 'ok')).code).toBe(0);
    expect((await box.run('answer', 't-2', 'keep the test')).code).toBe(0);
    const done = await box.run('start', '--json', '--wait');
    expect(done.code, done.stderr).toBe(0);
    const files = (await box.git('ls-tree', '--name-only', 'main')).split('\n');
    expect(files).toEqual(expect.arrayContaining(['t-1.txt', 't-2.txt', 't-2.test.js']));
    expect(files).not.toContain('t-1.test.js');
  });
});

describe('a run whose idea writes the next gate (F3)', () => {
  it('waits for a person, also in a single attempt, and lands with a yes', async () => {
    const edit = "sed -i.old 's/test ! -e broken/exit 0/' ralphctl.yaml; rm ralphctl.yaml.old";
    const work = (run: string) => [{ do: [{ run }, { append: { path: 'n', text: 'x\n' } }], signal: 'COMPLETE' }];
    box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 't-1' }, { id: 't-2', ralph: false }]),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 2, stepDelayMs: 0, gate: ['test ! -e broken'] }),
      '.ralph-script.yaml': yaml({ ideas: { 't-1': work(edit), 't-2': work('git mv ralphctl.yaml old.yaml') } }),
    });
    await box.run('start', '--detach');
    for (const id of ['t-1', 't-2']) expect(await asks(id)).toMatch(/is new or changed \(ralphctl\.yaml\)/);
    expect(await box.git('show', 'main:ralphctl.yaml')).toContain('test ! -e broken');
    expect((await box.run('approve', 't-1')).code).toBe(0);
    await until('t-1 lands', async () => (await box.git('show', 'main:ralphctl.yaml')).includes('exit 0'));
    expect((await box.run('stop')).code).toBe(0);
  });
});

describe('work that changes what was tested before (F3)', () => {
  it('waits for a person, who sees which tests, and lands it with a yes', async () => {
    const suite = (sum: number): string =>
      `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { add } from './add.js';\ntest('adds', () => assert.equal(add(1, 2), ${sum}));\n`;
    box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 't-1' }]),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['node --test'] }),
      'package.json': '{"type":"module"}',
      'add.js': 'export const add = (a, b) => a + b;\n',
      'add.test.js': suite(3),
      '.ralph-script.yaml': yaml({
        default: [
          {
            do: [
              { write: { path: 'add.js', text: 'export const add = (a, b) => a + b + 1;\n' } },
              { write: { path: 'add.test.js', text: suite(4) } },
            ],
            signal: 'COMPLETE',
          },
        ],
      }),
    });
    await box.run('start', '--detach');
    expect(await asks('t-1')).toMatch(
      /it breaks behaviour that was tested before \(node --test: adds\)\. To land it as it is: /,
    );
    expect((await box.run('approve', 't-1')).code).toBe(0);
    const done = await box.run('start', '--json', '--wait');
    expect(done.code, done.stderr).toBe(0);
    expect(await box.git('show', 'main:add.js')).toContain('+ 1');
  });
});

describe('a gate whose program no worktree has', () => {
  it('says what is missing, and never that the target was red (B3)', async () => {
    box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 't-1' }]),
      'package.json': JSON.stringify({ scripts: { test: 'checker' } }),
      '.gitignore': 'node_modules\n',
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['npm test'] }),
      '.ralph-script.yaml': yaml({ default: [{ do: [{ write: { path: 'w', text: 'x\n' } }], signal: 'COMPLETE' }] }),
    });
    await box.run('start', '--detach');
    const question = await asks('t-1');
    expect(question).toMatch(/checker: command not found in a fresh worktree: no set-up is configured/);
    expect(question).not.toContain('red before');
  });
});

describe('a target that is red on its own', () => {
  it('tolerated, lands with what was tolerated in its events (C4)', async () => {
    box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 't-1' }]),
      'ralphctl.yaml': yaml({
        ...{ version: 1, agent: 'scripted', stepDelayMs: 0 },
        gate: { commands: ['test ! -e broken'], baseline: 'tolerate' },
      }),
      broken: 'x\n',
      '.ralph-script.yaml': yaml({
        default: [{ do: [{ append: { path: 'work.txt', text: 'x\n' } }], signal: 'COMPLETE' }],
      }),
    });
    const done = await box.run('start');
    expect(done.code, done.stderr).toBe(0);
    expect(done.stdout).toMatch(/t-1 gate green.*tolerated: test ! -e broken \(red on the base, too\)/);
    expect(done.stdout).toMatch(/t-1 landed .*test ! -e broken is red, as on the target before/);
  });

  it('costs no idea its iterations: a person is asked after the first claim', async () => {
    box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap([{ id: 't-1' }]),
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['test ! -e broken'] }),
      broken: 'x\n',
      '.ralph-script.yaml': yaml({
        default: [
          { do: [{ append: { path: 'work.txt', text: 'x\n' } }], signal: 'COMPLETE' },
          { do: [{ run: 'rm broken' }], signal: 'COMPLETE' },
        ],
      }),
    });
    await box.run('start', '--detach');
    expect(await asks('t-1')).toMatch(/red before this idea began: test ! -e broken/);
    await box.run('answer', 't-1', 'remove the file');
    const done = await box.run('start', '--json', '--wait');
    expect(done.code, done.stderr).toBe(0);
    expect(await box.git('ls-tree', '--name-only', 'main')).not.toContain('broken');
  });
});
