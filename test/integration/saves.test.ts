/** `ralphctl saves` through the program, with no server and no worker. Features: B4 C2. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sandbox } from '../support/program.js';

describe('C2 ralphctl saves', () => {
  it('lists and restores with nothing running; refuses what cannot be', async () => {
    const state = await mkdtemp(join(tmpdir(), 'ralphctl-saves-'));
    const box = await sandbox(state, { 'a.txt': 'one\n' });
    onTestFinished(async () => {
      await box.dispose();
      await rm(state, { recursive: true, force: true });
    });
    expect(await box.run('saves')).toMatchObject({ code: 0, stdout: '' });
    await box.git('switch', '-q', '-c', 'ralph/i-1');
    await box.write({ 'a.txt': 'two\n' });
    await box.commit('step \u001b[31m1');
    const commit = await box.git('rev-parse', 'HEAD');
    await box.git('switch', '-q', 'main');
    const reason = 'ralphctl: rolled back';
    await box.git('update-ref', '--create-reflog', '-m', reason, 'refs/ralphctl/save/i-1/1', commit);

    const listed = await box.run('saves');
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(/^i-1\n +1 {2}\d{4}-\d\d-\d\d \d\d:\d\d +1 file {2}step 1 {2}\(rolled back\)$/);
    expect((await box.run('saves', 'i-1', '--json')).json).toEqual([
      expect.objectContaining({ idea: 'i-1', n: 1, why: 'rolled back', files: 1, uncommitted: false, commit }),
    ]);
    expect((await box.run('saves', 'restore', 'i-1', '1', '--json')).json).toEqual([
      { restored: 'restored/i-1-1', commit, how: 'created' },
    ]);
    expect(await box.git('rev-parse', 'restored/i-1-1')).toBe(commit);
    for (const args of [
      ['i-1', '9'],
      ['i-9', '1'],
      ['../x', '1'],
      ['i-1', '1', '--to', 'a..b'],
    ]) {
      const refused = await box.run('saves', 'restore', ...args);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).not.toContain('    at ');
    }
  });
});
