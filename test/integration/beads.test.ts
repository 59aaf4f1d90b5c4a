/**
 * The real `bd` of beads, where it is on PATH: its database is the store, so a landing closes the issue there and a
 * rollback opens it again. The file in the repository is left to `bd`. Features: F5.
 */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Sandbox, sandbox, yaml } from '../support/program.js';

const there = await execa('bd', ['version'], { reject: false }).then(({ exitCode }) => exitCode === 0);

describe.skipIf(!there)(`F5 the real bd${there ? '' : ' (left out: bd is not on PATH)'}`, () => {
  let box: Sandbox;
  const bd = async (...args: string[]): Promise<string> => {
    const env = { ...box.env, BEADS_NO_DAEMON: '1' };
    return (await execa('bd', args, { cwd: box.repo, env, stdin: 'ignore' })).stdout;
  };
  /** By title, as `bd` has them. */
  const states = async (): Promise<Record<string, string>> => {
    const all = JSON.parse(await bd('list', '--json')) as { title: string; status: string }[];
    return Object.fromEntries(all.map(({ title, status }) => [title, status]));
  };

  beforeAll(async () => {
    box = await sandbox(inject('stateRoot'), {
      'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'] }),
      '.ralph-script.yaml': yaml({
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the scripted agent fills it in
        default: [{ do: [{ append: { path: 'done/${IDEA}.txt', text: 'done\n' } }], signal: 'COMPLETE' }],
      }),
    });
    await bd('init', '--prefix', 'shop');
    await bd('create', 'Store books', '--priority', '1');
    await bd('create', 'Sell books', '--priority', '2');
    await bd('sync', '--flush-only').catch(() => undefined);
    await box.commit('issues');
  });
  afterAll(() => box?.dispose());

  it('closes what landed with its commit as the reason, and opens it again after a rollback', async () => {
    const file = await realpath(join(box.repo, '.beads/issues.jsonl'));
    expect(await states()).toEqual({ 'Store books': 'open', 'Sell books': 'open' });
    const run = await box.run('start', file, '--json', '--wait');
    expect(run.code, `${run.stderr}${run.stdout}`).toBe(0);
    expect(await states()).toEqual({ 'Store books': 'closed', 'Sell books': 'closed' });
    // The landing commits hold the work only: the file is an export of bd.
    expect(await box.git('log', '--format=', '--name-only', 'main', '--', '.beads')).not.toContain('done/');
    const changed = await box.git('diff', '--name-only', 'HEAD~2', 'HEAD');
    expect(changed.split('\n').every((path) => path.startsWith('done/'))).toBe(true);

    const ids = JSON.parse(await bd('list', '--json')) as { id: string; title: string }[];
    const id = ids.find(({ title }) => title === 'Sell books')?.id ?? '';
    const back = await box.run('rollback', id);
    expect(back.code, back.stderr).toBe(0);
    expect(await states()).toEqual({ 'Store books': 'closed', 'Sell books': 'open' });
  });
});
