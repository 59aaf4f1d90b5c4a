/** `why` names the open warnings of an idea as `status` does, and says what each means. Features: A8 B6. */
import { expect, it } from 'vitest';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { why } from '../../../src/decide/views/why.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { WhyView } from '../../../src/protocol/views.js';
import { idea } from '../../activities/idea.js';
import { card, decided, pilotOf, SETTINGS, say } from '../decide/support.js';

const AT = Date.parse('2026-01-01T00:00:00Z');
const TEXT = '24 of 30 iterations used';
const view: WhyView = { idea: 'a', title: 'A', status: 'running', score: 0, parts: [], waitsFor: [] };
const about = { root: '/nowhere', project: 'p' };

function told(...events: RunEvent[]) {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a')]);
  for (const [n, event] of events.entries()) fold(model, { at: new Date(AT + n * 1000).toISOString(), ...event });
  return model.ideas.get('a') ?? expect.fail('no idea');
}
const runs: RunEvent = { kind: 'idea', idea: 'a', title: 'A', status: 'running', agentName: 'ed-001' };
const warned: RunEvent = { kind: 'warning', idea: 'a', warning: 'iterations', text: TEXT };

it('B6: the run tells its open warnings, and why says what one means and how to answer it', async () => {
  const pilot = pilotOf([card('a'), card('b')]);
  decided(pilot);
  say(pilot, 'a', 'warnings', { warnings: [{ kind: 'iterations', text: TEXT, since: AT }] });
  const asked = why('a', SETTINGS, pilot.graph, pilot.state) ?? expect.fail('no idea');
  expect(asked.warnings).toEqual([{ kind: 'iterations', text: TEXT, since: AT }]);
  expect(why('b', SETTINGS, pilot.graph, pilot.state)?.warnings).toBeUndefined();

  expect(describeIdea(await reportOn(asked, { ...about, over: false })).slice(1, 4)).toEqual([
    'status running',
    `! iterations nearly used: ${TEXT}`,
    '    it keeps working, and times out when they are used up. Answer with: ralphctl warn a continue|stop|+N',
  ]);
});

it('B6: the events tell them where no run answers, and no answer is offered after the run', async () => {
  const open = await reportOn({ ...view }, { ...about, over: false, told: told(runs, warned) });
  expect(open.warnings).toEqual([{ kind: 'iterations', text: TEXT, since: AT + 1000 }]);

  // A stop cut it off, so that its warning stays open.
  const cut = told(runs, warned, { kind: 'idea', idea: 'a', title: 'A', status: 'pending' });
  const after = describeIdea(await reportOn({ ...view, status: 'pending' }, { ...about, over: true, told: cut }));
  expect(after).toContain(`! iterations nearly used: ${TEXT}`);
  expect(after.join('\n')).not.toContain('ralphctl warn');
});

it('B6: more iterations are not offered to an idea that takes none, and a change outside stands once', async () => {
  const outside: RunEvent = { kind: 'warning', idea: 'a', warning: 'outside', text: 'x.ts changed' };
  const single = { ...view, possible: ['hint', 'stop'] };
  const lines = describeIdea(await reportOn(single, { ...about, over: false, told: told(runs, outside) }));
  expect(lines.filter((line) => line.includes('x.ts changed'))).toEqual([
    '! changes outside its worktree: x.ts changed',
  ]);
  expect(lines).toContainEqual(expect.stringMatching(/ralphctl warn a continue\|stop$/));
});

it('B6: an idea that has no warning says nothing of them', async () => {
  const none = await reportOn({ ...view }, { ...about, over: false, told: told(runs) });
  expect(none.warnings).toBeUndefined();
  expect(describeIdea(none).join('\n')).not.toContain('!');
});

it('B6: an idea that waits for a person is not said to keep working', async () => {
  const warnings = [{ kind: 'stuck' as const, text: 'the last 5 iterations made no progress', since: AT }];
  const asks: WhyView = { ...view, status: 'needs-human', reason: 'What should change?', warnings };
  const lines = describeIdea(await reportOn(asks, { ...about, over: false })).join('\n');
  expect(lines).toContain('it waits for you before it works on. Answer with: ralphctl warn a continue|stop|+N');
  expect(lines).not.toContain('keeps working');
});
