/** Full disks, and worktrees that agents delete: clear kinds of failure, nothing lost. Field pains E. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.js';
import { writeRun } from '../../src/run-files/run.js';
import { yaml } from '../support/program.js';
import { bench, say } from './bench.js';

describe('a full disk', () => {
  it.each([
    ['megabytes', { minFreeMegabytes: 100_000_000 }, /MB free.*disk.minFreeMegabytes/],
    ['files', { minFreeInodes: 1_000_000_000 }, /free inodes.*disk.minFreeInodes/],
  ])('below the floor of %s nothing is started, and the kind says why', async (_, disk, message) => {
    const b = await bench({ agent: `echo ran > $MARKS/ran\n${say('COMPLETE')}` });
    const at = await b.prepare();
    const config = parseConfig(yaml({ version: 1, agent: 'sh', agents: b.file.config.agents, disk }), 'ralphctl.yaml');
    await writeRun(b.root, { ...b.file, config, runId: 'run-2' }, b.ideas);
    const ref = { ...b.ref, runId: 'run-2', idea: 't-1', agentName: 'ed-001' };
    const expected = { type: 'ralph.DiskFull', message: expect.stringMatching(message) };
    await expect(b.call(b.activities.prepareIdea, ref).done).rejects.toMatchObject({ ...expected, nonRetryable: true });
    await expect(b.call(b.activities.runAgent, b.agentInput(at, { runId: 'run-2' })).done).rejects.toMatchObject(
      expected,
    );
    const landing = { ...ref, title: 'x', worktree: at.worktree, branch: at.branch, base: at.base, head: at.base };
    await expect(b.call(b.activities.landIdea, landing).done).rejects.toMatchObject({
      ...expected,
      nonRetryable: false,
    });
    await expect(b.read(join(b.marks, 'ran'))).rejects.toThrow();
  });
});

describe('an agent that deletes its own worktree', () => {
  it.each([
    ['the folder', 'W=$PWD; cd /; rm -rf "$W"'],
    ['the worktree, with git', 'W=$PWD; cd /; git -C "$W" worktree remove --force "$W"'],
    ['its link to the repository', 'rm .git'],
  ])('%s: it is recreated from its branch, and the claim does not count', async (_, how) => {
    const b = await bench({
      agent: `echo kept > kept.txt; git add .; git commit -qm kept\n${how}\n${say('COMPLETE')}`,
    });
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result).toMatchObject({
      outcome: { kind: 'ok' },
      commits: 1,
      unfinished: expect.stringContaining('recreated it from its branch'),
    });
    expect(await b.read(join(at.worktree, 'kept.txt'))).toBe('kept\n');
    await b.setAgent(`cat kept.txt > more.txt\n${say('COMPLETE')}`);
    const next = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
    expect(next).toMatchObject({ commits: 1, changed: true });
    expect(next).not.toHaveProperty('unfinished', expect.anything());
  });

  it('between two iterations: the next one begins with recreating it', async () => {
    const b = await bench({ agent: `echo kept >> kept.txt\n${say('PROGRESS:50')}` });
    const at = await b.prepare();
    await b.call(b.activities.runAgent, b.agentInput(at)).done;
    await rm(at.worktree, { recursive: true });
    const next = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
    expect(next).toMatchObject({ outcome: { kind: 'ok' }, commits: 1 });
    expect(await b.read(join(at.worktree, 'kept.txt'))).toBe('kept\nkept\n');
  });
});
