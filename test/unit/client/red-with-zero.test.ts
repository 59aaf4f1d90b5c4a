/** A gate that is red although its command ended with 0: each view says why. Features: B2 C5 G1 G2 G4. */
import { describe, expect, it } from 'vitest';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { operationText } from '../../../src/client/views/ledger-lines.js';
import { liveLine } from '../../../src/client/views/live-lines.js';
import { gateFeedback } from '../../../src/decide/idea/completion.js';
import { causeOf, wordsOf } from '../../../src/decide/idea/stall.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { IdeaModel, RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { LedgerRow } from '../../../src/protocol/ledger.js';
import { showText } from '../../../src/report/show.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { gateText } from '../../../src/screen/idea/cards.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from '../screen/shop.js';

const WHY = 'ended with exit code 0, but reports no test. On the commit that the work started from 1 test passes';
const TESTS = { passed: 0, failed: 0, skipped: 0, total: 0 };
const gate: Extract<RunEvent, { kind: 'gate' }> = {
  ...{ kind: 'gate', idea: 'a-1', pass: false, command: 'npm test', exitCode: 0, why: WHY, durationMs: 1000 },
  ...{ tests: TESTS, commands: [{ command: 'npm test', exitCode: 0, durationMs: 1000, tests: TESTS }] },
};

function model(): RunModel {
  const made = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a-1', 'A')]);
  const of = { idea: 'a-1', serial: 1, iteration: 1 } as const;
  const events: RunEvent[] = [
    { kind: 'run', state: 'running', landed: 0, total: 1 },
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'running', agentName: 'ed-001' },
    { kind: 'iteration', ...of, max: 5, agentName: 'ed-001' },
    { kind: 'iteration-end', ...of, signal: { kind: 'complete' }, outcome: 'ok', durationMs: 1, commits: 1 },
    gate,
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'needs-human', reason: 'What should change?' },
  ];
  for (const event of events) fold(made, { at: new Date(clockAt('23:00')).toISOString(), ...event });
  return made;
}
const told = (from: RunModel): IdeaModel => from.ideas.get('a-1') as IdeaModel;
const flat = (lines: readonly string[]): string => lines.join(' ').replace(/[\s│]+/g, ' ');

describe('a gate that is red with exit code 0', () => {
  it('C5: why', async () => {
    const view = { idea: 'a-1', title: 'A', status: 'needs-human', score: 0, parts: [], waitsFor: [], possible: [] };
    const about = { root: '/nowhere', project: 'p', over: false, told: told(model()) };
    expect(describeIdea(await reportOn(view as never, about as never)).join('\n')).toContain(`npm test ${WHY}`);
  });

  it('G4: show, whole in a pipe', () => {
    const from = model();
    const said = showText({ model: from, idea: told(from), now: NOW, commands: [], others: [] }).join('\n');
    expect(said).toContain(`npm test ${WHY}`);
    expect(said).toMatch(/✗ npm test .*0\/0 passing/);
    expect(said).not.toContain('✓ npm test');
  });

  it.each([240, 60])('G1: the page of the gate with %i columns', (columns) => {
    const ui = { ...initialUi(), screen: 'idea', back: ['run'], idea: 'a-1', tab: 'gate' } as const;
    const theme = { colour: false, ascii: false };
    const drawn = compose(model(), { ...ui, back: ['run'] }, noDetails(), { columns, rows: 40 }, theme, NOW).lines.map(
      plainLine,
    );
    expect(flat(drawn)).toContain(`npm test ${WHY}`);
    expect(flat(drawn)).toContain('✗ npm test');
    expect(flat(drawn)).not.toContain('✓ npm test');
  });

  it('G1: the card', () => {
    expect(gateText(told(model()).gate)).toBe('✗ npm test 0/0');
  });

  it('G2: logs', () => {
    expect(liveLine({ at: new Date(NOW).toISOString(), ...gate }, false)).toContain(WHY);
  });

  it('C1: the question and the reason', () => {
    const failure = { command: 'npm test', exitCode: 0, timedOut: false, tail: '', log: '/l', why: WHY };
    const feedback = gateFeedback({ pass: false, commands: [], durationMs: 1, failure });
    expect(causeOf(feedback, undefined)).toBe(`the gate was red: npm test ${WHY}`);
    expect(wordsOf('a-1', { do: 'ask' }, 10, feedback)).toContain(
      `made no progress on this task. The last time the gate was red: npm test ${WHY}. What should change?`,
    );
  });

  it('the ledger', () => {
    const data = { commands: [], failed: { command: 'npm test', exitCode: 0, why: WHY } };
    const row = { op: 'evidence', kind: 'build', pass: false, data, actor: { kind: 'ralphctl' } };
    expect(operationText(row as never as LedgerRow)).toBe(`gate red: npm test ${WHY}`);
  });
});
