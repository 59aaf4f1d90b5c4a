/** `doctor` beside a database of the server that is damaged or gone: it does not say ready. Feature: F6. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { databasePath } from '../../src/server/files.js';
import { roadmap, type Sandbox, sandbox, yaml } from '../support/program.js';

let box: Sandbox;
afterEach(async () => {
  await box.run('server', 'stop', '--force');
  await box.dispose();
});

it('F6: a damaged or deleted database is a failure that names it, with a server and without', async () => {
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 't-1' }]),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', gate: ['true'] }),
    '.ralph-script.yaml': 'default: []\n',
  });
  // A server of its own: the others work with the shared one.
  box.env.RALPHCTL_HOME = join(box.scratch, 'state');
  const database = databasePath(box.env.RALPHCTL_HOME);
  const server = async (): Promise<unknown> => {
    const { code, json } = await box.run('doctor', '--quick', '--json');
    const checks = json[0]?.checks as { what: string }[] | undefined;
    return { ...checks?.find(({ what }) => what === 'server'), code };
  };
  const started = await box.run('server', 'start');
  expect(started.code, started.stderr).toBe(0);
  expect(await server()).toMatchObject({ state: 'ok', code: 0 });

  expect((await box.run('server', 'stop')).code).toBe(0);
  for (const part of ['-wal', '-shm']) await rm(database + part, { force: true });
  const whole = await readFile(database);
  await writeFile(database, 'this is no database, and long enough '.repeat(100));
  expect(await server()).toMatchObject({
    ...{ state: 'fail', code: 2, found: `not running, and ${database} is not a database` },
    fix: expect.stringMatching(/^restore a copy of yours, or: ralphctl start\. .*Lost: the open runs/),
  });
  expect((await box.run('doctor', '--quick')).stdout).not.toContain('ready to start');
  await rm(database);
  expect(await server()).toMatchObject({
    ...{ state: 'fail', code: 2, found: `not running, and the database ${database} was deleted` },
  });

  await writeFile(database, whole);
  expect((await box.run('server', 'start')).code).toBe(0);
  await rm(database);
  expect(await server()).toMatchObject({
    ...{ state: 'fail', code: 2, fix: 'let open runs end, then: ralphctl server stop' },
    found: expect.stringMatching(/^Temporal .* runs, but the database .* was deleted$/),
  });
}, 120_000);
