/** The output of an alert's command, from a real one. Features: G7. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../../src/jobs/alerts/local.js';

it('G7: a command that floods its output leaves 1 MiB of it: its beginning and its end', async () => {
  const logs = await mkdtemp(join(tmpdir(), 'ralphctl-alert-output-'));
  onTestFinished(() => rm(logs, { recursive: true, force: true }));
  const flood = 'echo the beginning; head -c 5000000 /dev/zero | tr "\\0" x; echo; echo the end; exit 3';
  const alert = { id: 'a', counts: { question: 1 }, items: [] };
  const sent = runCommand(
    {
      to: 'command',
      name: 'ops',
      events: ['question'],
      run: ['/bin/sh', '-c', flood],
      passEnv: [],
      timeoutSeconds: 60,
    },
    { id: 'a', title: 'one asks', lines: [], command: 'ralphctl status', urgent: true, alert, project: 'p' },
    { env: process.env, cwd: logs, logs, project: 'p', signal: new AbortController().signal },
  );
  await expect(sent).rejects.toThrow('failed with exit code 3: the end');
  const log = await readFile(join(logs, 'ops.log'), 'utf8');
  expect(log.startsWith('the beginning\n')).toBe(true);
  expect(log.endsWith('\nthe end\n')).toBe(true);
  // One line tells how much was left out.
  expect(log.length).toBeLessThan((1 << 20) + 200);
});
