/** Ideas with phases of steps: one worktree, one step an iteration, optional ones left out. Feature: B9. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { type Sandbox, sandbox, yaml } from '../support/program.js';

let box: Sandbox;
afterEach(() => box?.dispose());

it('goes through the steps in order, skips an optional one, and lands once', async () => {
  const append = (text: string) => ({ append: { path: 'work.txt', text: `${text}\n` } });
  box = await sandbox(inject('stateRoot'), {
    'ideas.yaml': yaml({
      version: 1,
      ideas: [
        {
          id: 'p-1',
          text: 'Build it',
          plan: {
            phases: [
              {
                name: 'Model',
                steps: ['Make the model', { text: 'Try a shortcut', optional: true, maxIterations: 1 }],
              },
              { name: 'Wiring', steps: [{ id: 'wire', text: 'Wire it' }] },
            ],
          },
        },
        // Its first step fails: errors.strategy leaves out that step alone.
        { id: 'p-2', text: 'Build the rest', plan: { phases: [{ name: 'All', steps: ['Break down', 'Go on'] }] } },
      ],
    }),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['test -e work.txt -o -e rest.txt'] },
      errors: { strategy: 'skip', threshold: 1 },
    }),
    '.ralph-script.yaml': yaml({
      ideas: {
        'p-2': [
          { do: [{ say: 'This did not work.' }], exit: 1 },
          { do: [{ write: { path: 'rest.txt', text: 'rest\n' } }], signal: 'COMPLETE' },
        ],
      },
      default: [
        { do: [append('model'), { say: 'The model is there.' }], signal: 'COMPLETE' },
        { do: [append('half')], signal: 'PROGRESS:10' },
        { do: [append('wired')], signal: 'COMPLETE' },
      ],
    }),
  });
  const run = await box.run('start', '--json', '--wait');
  expect(run.code, `${run.stderr}${run.stdout}`).toBe(0);
  const stepsOf = (idea: string) => run.json.filter((event) => event.kind === 'step' && event.idea === idea);
  const steps = stepsOf('p-1');
  expect(steps).toMatchObject([
    { step: '1.1', phase: 'Model', state: 'complete' },
    { step: '1.2', phase: 'Model', state: 'skipped', why: '1 of 1 iterations used' },
    { step: 'wire', phase: 'Wiring', state: 'complete' },
  ]);
  expect(stepsOf('p-2')).toMatchObject([
    { step: '1.1', state: 'skipped', why: expect.stringMatching(/^agent: .*1/) },
    { step: '1.2', state: 'complete' },
  ]);
  expect(await box.git('show', 'main:rest.txt')).toBe('rest');
  expect(await box.git('show', 'main:work.txt')).toBe('model\nhalf\nwired');
  const started = run.json.find((event) => event.kind === 'started') as { project: string; runId: string };
  const dir = join(inject('stateRoot'), 'projects', started.project, 'runs', started.runId, 'ideas', 'p-1');
  const last = await readFile(join(dir, '003', 'prompt.md'), 'utf8');
  expect(last).toContain('[x] 1.1 Make the model');
  expect(last).toContain('[-] 1.2 Try a shortcut');
  expect(last).toContain('Now do step wire, and only this one:');
});
