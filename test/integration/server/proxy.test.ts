/** A proxy in the environment is for the world outside: nothing of this machine is asked through it. */
import { expect, inject, it, onTestFinished } from 'vitest';
import { roadmap, sandbox } from '../../support/program.js';

it('a run lands with http_proxy set to an address where nothing answers, and no no_proxy', async () => {
  const box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 't-1' }]),
    '.ralph-script.yaml': 'default: [{do: [{write: {path: made.txt, text: x}}], signal: COMPLETE}]\n',
  });
  onTestFinished(() => box.dispose());
  for (const name of ['http_proxy', 'https_proxy', 'all_proxy', 'grpc_proxy']) box.env[name] = 'http://127.0.0.1:9';
  const done = await box.run('start', '--agent', 'scripted', '--plain', '--no-wait');
  expect([done.code, done.stderr]).toEqual([0, expect.not.stringContaining('cannot reach')]);
  expect(await box.git('show', 'main:made.txt')).toBe('x');
});
