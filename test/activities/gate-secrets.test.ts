/** What a gate and set-up print of the variables that they get. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bench } from './bench.js';

it('F6: a secret inside a variable that every gate gets stands in no result', async () => {
  const b = await bench({
    config: { gate: ['echo "$PIP_INDEX_URL"; for one in $MAVEN_OPTS; do echo "$one"; done; exit 1'] },
  });
  Object.assign(b.env, {
    PIP_INDEX_URL: 'https://t0ken-alone@host/simple',
    MAVEN_OPTS: '-Dhttp.proxyPassword=hunter2',
  });
  const at = await b.prepare();
  const input = { ...b.ref, idea: 't-1', serial: 1, agentName: 'ed-001', worktree: at.worktree, base: at.base };
  const gate = await b.call(b.activities.runGate, input).done;
  expect(gate.failure?.tail).toContain('https://[redacted]@host/simple\n-Dhttp.proxyPassword=[redacted]');
  expect(await b.read(gate.failure?.log ?? '')).not.toMatch(/t0ken-alone|hunter2/);
});

it('F6: what passEnv passes to gate and set-up stands in no log and no result, whatever its name', async () => {
  const b = await bench({
    config: {
      setup: { run: 'echo "set up for $CUSTOMER"', passEnv: ['CUSTOMER'] },
      gate: {
        commands: ['echo "$LICENCE with $MYSQL_PWD in $NODE_ENV"; exit 1'],
        passEnv: ['LICENCE', 'MYSQL_PWD', 'NODE_ENV'],
      },
    },
  });
  Object.assign(b.env, { CUSTOMER: 'acme', LICENCE: 'correct horse battery', MYSQL_PWD: 'hunter2', NODE_ENV: 'test' });
  const at = await b.prepare();
  const input = { ...b.ref, idea: 't-1', serial: 1, agentName: 'ed-001', worktree: at.worktree, base: at.base };
  const gate = await b.call(b.activities.runGate, input).done;
  expect(gate.failure?.tail).toContain('[redacted] with [redacted] in test');
  const logs = (await readdir(b.root, { recursive: true, withFileTypes: true })).filter(({ name }) =>
    name.endsWith('.log'),
  );
  const texts = await Promise.all(logs.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
  expect(texts).toContain('set up for [redacted]\n');
  expect(texts.join()).not.toMatch(/hunter2|acme|correct horse/);
});
