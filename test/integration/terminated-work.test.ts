/** Agents that still work after somebody terminated their run: status names them, and commands end them only when told to. Features: C2 C5. */
import { readdir } from 'node:fs/promises';
import { Client, Connection } from '@temporalio/client';
import { afterEach, expect, inject, it } from 'vitest';
import { autopilotId } from '../../src/protocol/names.js';
import { EXIT } from '../../src/protocol/user-error.js';
import { dataConverter } from '../../src/server/codec.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

async function terminate(project: string): Promise<void> {
  const connection = await Connection.connect({ address: inject('address') });
  const { workflow } = new Client({ connection, dataConverter });
  await workflow.getHandle(autopilotId(project)).terminate('a test');
  await connection.close();
}

it('C2 C5: status, why, skip, reset and cleanup', { timeout: 120_000 }, async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'a-1' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] }),
  });
  const { scratch, run, write, commit, git } = box;
  const wait = `echo mine > mine.txt; touch ${scratch}/there; until [ -e ${scratch}/go ]; do sleep 0.1; done`;
  await write({ '.ralph-script.yaml': yaml({ ideas: { 'a-1': [{ do: [{ run: wait }], signal: 'COMPLETE' }] } }) });
  await commit('script');
  expect((await run('start', '--detach')).code).toBe(0);
  await until('the agent', async () => (await readdir(scratch)).includes('there'));
  await terminate(String((await run('status', '--json')).json[0]?.project));
  const named = /1 idea still works for a run that has ended: a-1 \(its agent works since/;
  const status = await until('status to name it', async () => {
    const { stdout } = await run('status');
    return named.test(stdout) && stdout;
  });
  expect(status).toContain(
    'to take it over: ralphctl start; to end it, with its work saved: ralphctl cleanup a-1 --force',
  );
  const why = (await run('why', 'a-1')).stdout;
  expect(why).toMatch(/^! its agent works since .*, for a run that has ended$/m);
  expect(why).toContain('ralphctl cleanup a-1 --force');
  const skip = await run('skip', 'a-1');
  expect(skip.code, skip.stderr).toBe(0);
  expect(skip.stdout).toMatch(/But its agent works since .*: ralphctl cleanup a-1 --force/);
  for (const command of [
    ['cleanup', 'a-1'],
    ['rollback', 'a-1'],
    ['reset', '--all'],
  ]) {
    const refused = await run(...command);
    expect(refused.code, command.join(' ')).toBe(EXIT.refused);
    expect(refused.stderr).toMatch(named);
  }
  // Other tests have runs on this server, too.
  const stop = await run('server', 'stop');
  expect(stop.code).toBe(EXIT.refused);
  expect(stop.stderr).toMatch(/ideas? of a run that somebody terminated (?:is|are) open on this server \(/);
  expect((await run('reset', '--all', '--dry-run')).stdout).toContain('asks first, because its agent works since');
  const done = await run('cleanup', 'a-1', '--force');
  expect(done.code, done.stderr).toBe(0);
  expect(done.stdout).toContain('the worktree of a-1 was removed');
  const saved = await git('for-each-ref', '--format=%(refname)', 'refs/ralphctl/save/a-1');
  const trees = await Promise.all(saved.split('\n').map((ref) => git('ls-tree', '-r', '--name-only', ref)));
  expect(trees.join('\n')).toContain('mine.txt');
  expect((await run('status')).stdout).not.toMatch(named);
});
