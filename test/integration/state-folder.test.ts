/** A state folder that cannot be used is an error at once, and never a loop. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { roadmap, sandbox } from '../support/program.js';

describe('a state folder that cannot be used', () => {
  it.each([
    ['below /proc', '/proc/foo'],
    ['below a file', 'FILE/state'],
  ])('%s: start, server and worker refuse, name it, and start nothing', async (_, place) => {
    const base = await mkdtemp(join(tmpdir(), 'ralphctl-folder-'));
    await writeFile(join(base, 'file'), '');
    const folder = place.replace('FILE', join(base, 'file'));
    const box = await sandbox(folder, { 'roadmap.md': roadmap([{ id: 't-1' }]) });
    onTestFinished(async () => {
      await box.dispose();
      await rm(base, { recursive: true, force: true });
    });
    for (const args of [['start', '--agent', 'scripted'], ['server', 'start'], ['worker']]) {
      const refused = await box.run(...args);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(`the state folder ${folder} (from RALPHCTL_HOME) cannot be used`);
      expect(refused.stderr).toContain('export RALPHCTL_HOME=');
    }
  });
});
