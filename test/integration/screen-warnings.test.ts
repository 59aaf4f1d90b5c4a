/** Warnings on the full screen, in a real run: they go when their cause does, or when a person answers. Features: A7 B6 G4. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { cliPath, events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

let box: Sandbox | undefined;
let screen: PtyScreen | undefined;
afterEach(async () => {
  await screen?.dispose();
  await box?.dispose();
  box = undefined;
  screen = undefined;
});

it('A7 B6 G4: V ends the warning about failures, c that of an idea', async () => {
  const made = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'w-1' }, { id: 'f-1' }]),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 2, stepDelayMs: 0, gate: ['true'] },
      ...{ errors: { maxRetries: 0, threshold: 1 }, warnings: { stuckAfter: 2 }, escalation: { steps: [] } },
    }),
  });
  box = made;
  const [go, fail] = [join(made.scratch, 'go'), join(made.scratch, 'fail')];
  const fails = [{ do: [{ waitFor: { path: fail } }], signal: 'none', exit: 3 }];
  await made.write({
    '.ralph-script.yaml': yaml({
      ideas: {
        'w-1': [
          { signal: 'PROGRESS: 10' },
          { signal: 'PROGRESS: 10' },
          { signal: 'PROGRESS: 10' },
          { do: [{ waitFor: { path: go } }, { write: { path: 'w.txt', text: '1' } }], signal: 'COMPLETE' },
        ],
        ...{ 'f-1': fails },
      },
    }),
  });
  await made.commit('set up');
  const env = { ...made.env, TERM: 'xterm-256color' };
  screen = new PtyScreen(process.execPath, [cliPath, 'start'], { columns: 100, rows: 30, cwd: made.repo, env });
  await screen.shows('running');
  screen.press('2');
  await screen.shows('screen 2 of 5');
  await screen.shows(/! w-1 +stuck +since/);
  await writeFile(fail, '');
  // A screen that reads both events at once shows the review alone.
  await screen.shows(/! run +(?:errors|review) +since/);

  // The worker has said that a review is what the run waits for.
  await screen.shows('V reviewed');
  screen.press('V');
  await screen.shows(/^(?![\s\S]*! run +(?:errors|review) +since)/);
  await screen.shows(/! w-1 +stuck +since/);

  // The last line of the list, whatever failed.
  screen.press('G');
  await screen.shows(/>! w-1/);
  screen.press('c');
  await screen.shows(/^(?![\s\S]*! w-1 +stuck +since)/);
  const over = await until('both are over in the events', async () => {
    const all = events(await made.run('logs', '--json'));
    const kinds = all.flatMap((event) => (event.kind === 'warning-over' ? [event.warning] : []));
    return kinds.length >= 2 ? kinds : undefined;
  });
  expect(over).toEqual(['errors', 'stuck']);
  screen.press('1');
  await writeFile(go, '');
  await screen.shows(/1 landed +1 not/);
  screen.press('q');
  await screen.exited;
});
