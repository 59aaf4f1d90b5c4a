/** Ideas that wait for approvals, in status, why and on the full screen. Features: A6 C2 G1 G5. */
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';
import { cliPath } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

let held: Held;
let screen: PtyScreen | undefined;
afterEach(async () => {
  await screen?.dispose();
  await held?.box.dispose();
});

it('A6 G1 G5: status and screen count the same slots while ideas wait for approvals, and nothing reads as paused', async () => {
  const ids = ['s-1', 's-2', 's-3'];
  held = await Held.open(
    inject('stateRoot'),
    ids.map((id) => ({ id, steps: [{ ...DONE, free: true }] })),
    { slots: 3 },
  );
  const { box } = held;
  await held.start('--mode', 'step');
  for (const id of ids) await held.idea(id, 'paused');
  const status = (await box.run('status')).stdout;
  expect(status).toContain('Slots (3 of 3; 3 wait for your approval)\n');
  expect(status).toContain('Needs you (3)\n? s-1 wants approval: its next iteration waits for an approval\n');
  expect(status).not.toMatch(/\bpaused\b/);
  expect((await box.run('why', 's-1')).stdout).toContain('status wants approval: its next iteration');

  screen = new PtyScreen(process.execPath, [cliPath, '-C', box.repo], {
    ...{ columns: 120, rows: 40, cwd: box.repo },
    env: { ...box.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
  });
  await screen.shows(/step {2}3\/3 slots/);
  await screen.shows('a approve');
  expect(await screen.text()).not.toContain('p resume');
  // The answer of the run, word for word.
  screen.press(':', 'resume s-1', 'enter');
  await screen.shows('s-1 waits for an approval: ralphctl approve s-1');
  expect((await box.run('abort')).code).toBe(0);
  await held.closed();
}, 240_000);
