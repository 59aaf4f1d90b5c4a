/** What an agent or a gate that works now adds to the sums of its idea. Features: A5 G1 G2. */
import { expect, it } from 'vitest';
import { factsText } from '../../../src/client/views/fact-lines.js';
import { ideaFacts, withSize } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { showText } from '../../../src/report/show.js';
import { compose } from '../../../src/screen/compose.js';
import { type IdeaDetails, noDetails } from '../../../src/screen/details.js';
import { iterationBox } from '../../../src/screen/idea/idea-box.js';
import { timeline } from '../../../src/screen/idea/timeline.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi } from '../../../src/screen/ui.js';

const MINUTE = 60_000;
const BEGAN = 1_700_000_000_000;
const NOW = BEGAN + 10 * MINUTE;
const running: RunEvent = { kind: 'idea', idea: 'a', title: 'A', status: 'running', agentName: 'ed-001' };
const begin = (serial: number): RunEvent => ({
  ...{ kind: 'iteration', idea: 'a', serial, iteration: serial, max: 9, agentName: 'ed-001' },
});
const end: RunEvent = {
  ...{ kind: 'iteration-end', idea: 'a', serial: 1, iteration: 1, signal: { kind: 'none' }, outcome: 'ok' },
  ...{ durationMs: 2 * MINUTE, commits: 1, usage: { costUsd: 0.4, inputTokens: 1000, outputTokens: 100 } },
};
const gate = (number: number, merged = false): RunEvent => ({
  ...{ kind: 'gate-start', idea: 'a', command: 'npm test', number, of: 2 },
  ...(merged ? { merged } : {}),
});

/** Each event with its minute. */
function told(...events: readonly [minute: number, event: RunEvent][]): RunModel {
  const model = newModel({ project: 'p', runId: 'r', name: 'n', target: 'main' });
  for (const [minute, event] of events) fold(model, { at: new Date(BEGAN + minute * MINUTE).toISOString(), ...event });
  return model;
}

function views(model: RunModel, details: Partial<IdeaDetails> = {}, columns = 100) {
  const idea = model.ideas.get('a') ?? expect.fail('no idea');
  const view = {
    ...{
      model,
      ui: { ...initialUi(), idea: 'a' },
      now: NOW,
      details: { ...noDetails(), idea: { id: 'a', ...details } },
    },
    ...{ size: { columns, rows: 40 }, theme: { colour: false, ascii: false } },
  };
  return {
    box: iterationBox(view, idea, columns).map(plainLine).join('\n'),
    sum: timeline(view, idea, columns, 20).map(plainLine).at(-1) ?? '',
  };
}

const second = told([0, running], [0, begin(1)], [2, end], [7, begin(2)]);

it('G2: the sum of the timeline has the time of the agent that works, on a narrow screen, too', () => {
  expect(views(second).sum).toContain('2 iterations · 5m agent');
  expect(views(second, {}, 60).sum).toContain('2 iterations · 5m');
});

it('G1: the cost has what its output tells, once, and of no other agent run', () => {
  const live = { serial: 2, dollars: 0.6, tokensIn: 2000, tokensOut: 300 };
  expect(views(second, live).box).toContain('$1.00 so far');
  expect(views(second, live).sum).toContain('$1.00');
  expect(views(second, live, 60).box).toContain('$1.00, 3k in, 400 out');
  expect(views(second, { ...live, serial: 1 }).box).toContain('$0.40 so far');
  const first = told([0, running], [9, begin(1)]);
  expect(views(first, { ...live, serial: 1 }).box).toContain('$0.60 so far');
  expect(views(first).box).toContain('cost   –');
  const shown = { model: second, now: NOW, commands: [], others: [] };
  const text = showText({ ...shown, idea: second.ideas.get('a') ?? expect.fail(), used: live });
  expect(text.join('\n')).toContain('$1.00 so far');
});

it('G1: the line of its slot has that cost, too, from the first agent run on', () => {
  const slot = (model: RunModel, dollars: number | undefined, columns: number): string => {
    const details = { ...noDetails(), ...(dollars === undefined ? {} : { dollarsOf: new Map([['a', dollars]]) }) };
    const size = { columns, rows: 24 };
    const { lines } = compose(model, initialUi(), details, size, { colour: false, ascii: false }, NOW);
    return lines.map(plainLine).find((one) => / a .* 1\/9| a .* 2\/9/.test(one)) ?? expect.fail('no slot');
  };
  const first = told([0, running], [9, begin(1)]);
  for (const columns of [80, 120]) {
    expect(slot(first, undefined, columns)).not.toContain('$');
    expect(slot(first, 0.6, columns)).toContain(' $0.60 ');
    expect(slot(second, 0.6, columns)).toContain(' $1.00 ');
    // The end of an agent run has it in the sum.
    expect(slot(told([0, running], [0, begin(1)], [2, end]), 0.4, columns)).toContain(' $0.40 ');
  }
});

it('A5: a gate that runs counts for the time of its idea from its first command, and one on the merged tree does not', () => {
  const own = told([0, running], [0, begin(1)], [2, end], [4, gate(1)], [6, gate(2)]);
  expect(views(own, { ideaLimitMs: 30 * MINUTE }).box).toContain('idea 8m of 30m');
  expect(views(own).sum).toContain('2m agent, 6m gate');
  const landing = told([0, running], [0, begin(1)], [2, end], [4, gate(1, true)]);
  expect(views(landing, { ideaLimitMs: 30 * MINUTE }).box).toContain('idea 2m of 30m');
});

it('G4: where the branch has other commits than this run made, each view says which it counts', () => {
  const { box, sum } = views(second, { ahead: 8 });
  expect(box).toContain('commits  8');
  expect(sum).toContain('1 commit in this run');
  expect(views(second, { ahead: 1 }).sum).not.toContain('in this run');
  const facts = ideaFacts(second.ideas.get('a') ?? expect.fail());
  expect(
    factsText(
      withSize(facts, () => 8),
      NOW,
    ),
  ).toContain('8 commits on its branch');
  expect(
    factsText(
      withSize(facts, () => 1),
      NOW,
    ),
  ).toMatch(/ 1 commit(?! on)/);
  const shown = { model: second, now: NOW, commands: [], others: [] };
  const branch = { name: 'ralph/a', commits: 8 };
  const text = showText({ ...shown, idea: second.ideas.get('a') ?? expect.fail(), branch }).join('\n');
  expect(text).toContain('commits  8');
  expect(text).toContain('1 commit in this run');
});
