/** A run that only paused and held ideas keep open, on its page in the Web UI. Features: C2 G9. */
import { expect, test } from 'vitest';
import { runDetails } from '../../../../src/decide/views/details.js';
import { runStatus } from '../../../../src/decide/views/status.js';
import { card, closed, decided, pilotOf, SETTINGS, say } from '../support.js';

test('G9 C2: a run that only paused and held ideas keep open says so, with the command that resumes the first', () => {
  const pilot = pilotOf([card('a'), card('b')]);
  decided(pilot);
  say(pilot, 'a', 'paused');
  const entry = pilot.state.entries.find(({ card: { id } }) => id === 'b');
  if (!entry) throw new Error('no b');
  closed(pilot, 'b', 'failed', 'exit code 3');
  pilot.command({ verb: 'retry', idea: 'b' });
  pilot.command({ verb: 'pause', idea: 'b' });
  const page = (): string => runDetails(runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0));
  expect(entry).toMatchObject({ status: 'pending', hold: true });
  expect(page()).toMatch(/^\*\*running\*\* · 0 of 2 landed on `main` · .* · nothing runs: 1 paused, 1 held\n/);
  expect(page()).toContain('To resume: `ralphctl resume a`, or signal `resume` with `{"idea": "a"}`.');
  pilot.command({ verb: 'resume', idea: 'b' });
  expect(page()).not.toContain('1 paused');
});
