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

describe('a target that is red on its own', () => {
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
