/** Without a configured gate nothing was judged, and no view says that a gate was green. Features: B2 G1 G2. */
import { describe, expect, it } from 'vitest';
import { factsText } from '../../../src/client/views/fact-lines.js';
import { runLine } from '../../../src/client/views/idea-lines.js';
import { lineOf } from '../../../src/client/views/idea-report.js';
import { operationText } from '../../../src/client/views/ledger-lines.js';
import { liveLine } from '../../../src/client/views/live-lines.js';
import { tripwireQuestion } from '../../../src/decide/idea/tripwires.js';
import { ideaDetails } from '../../../src/decide/views/details.js';
import { gateDraft, landingDrafts } from '../../../src/jobs/ledger/drafts.js';
import { ideaFacts } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { IdeaModel, RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { GateCommandResult, GateInput, GateResult } from '../../../src/protocol/gate.js';
import type { LandInput } from '../../../src/protocol/git-work.js';
import type { LedgerRow } from '../../../src/protocol/ledger.js';
import { makeReport } from '../../../src/report/build.js';
import { historyRun } from '../../../src/report/history.js';
import { htmlReport } from '../../../src/report/html.js';
import { markdownReport } from '../../../src/report/markdown.js';
import { showText } from '../../../src/report/show.js';
import { textReport } from '../../../src/report/text.js';
import { compose } from '../../../src/screen/compose.js';
import { noDetails } from '../../../src/screen/details.js';
import { plainLine } from '../../../src/screen/text/line.js';
import { initialUi, type Ui } from '../../../src/screen/ui.js';
import { clockAt, idea, NOW } from './shop.js';

type Commands = GateCommandResult[] | undefined;
const NONE: Commands = [];
const ONE: Commands = [{ command: 'npm test', exitCode: 0, durationMs: 1000 }];

/** a-1 landed; b-1 asks after its gate. */
function model(commands: Commands): RunModel {
  const made = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [
    idea('a-1', 'A'),
    idea('b-1', 'B'),
  ]);
  const tell = (time: string, event: RunEvent): void =>
    fold(made, { at: new Date(clockAt(time)).toISOString(), ...event });
  tell('23:00', { kind: 'run', state: 'running', landed: 0, total: 2 });
  for (const id of ['a-1', 'b-1']) {
    const of = { idea: id, serial: 1, iteration: 1 } as const;
    const judged = { kind: 'gate', idea: id, pass: true, durationMs: 1000, ...(commands ? { commands } : {}) } as const;
    tell('23:00', { kind: 'idea', idea: id, title: id, status: 'running', agentName: 'ed-001' });
    tell('23:00', { kind: 'iteration', ...of, max: 5, agentName: 'ed-001' });
    tell('23:05', {
      ...{ kind: 'iteration-end', ...of, signal: { kind: 'complete' }, outcome: 'ok', durationMs: 1000, commits: 1 },
    });
    tell('23:06', judged);
    if (id === 'a-1') tell('23:07', { ...judged, merged: true });
    if (id === 'a-1') tell('23:08', { kind: 'idea', idea: id, title: id, status: 'landed', commit: 'a'.repeat(40) });
    else tell('23:08', { kind: 'idea', idea: id, title: id, status: 'needs-human', reason: 'Which port?' });
  }
  return made;
}

const of = (from: RunModel, id: string): IdeaModel => from.ideas.get(id) as IdeaModel;
const LINES = new Map([
  ['a-1', { added: 1, deleted: 0, commits: 1, first: 'c', before: 'bbbbbbbb', to: 'a'.repeat(40) }],
]);
const report = (from: RunModel) => makeReport(from, { now: NOW, zone: 'UTC', over: true, lines: LINES });
const page = (ui: Partial<Ui>, from: RunModel): string =>
  compose(from, { ...initialUi(), ...ui }, noDetails(), { columns: 160, rows: 50 }, { colour: true, ascii: false }, NOW)
    .lines.map(plainLine)
    .join('\n');
const of1 = { project: 'p', runId: 'r', idea: 'a-1' } as const;
const row = (draft: object | undefined) => ({ ...(draft as LedgerRow) });
const result = (commands: Commands = []): GateResult => ({ pass: true, commands, durationMs: 1 });
const landedDraft = (commands: Commands = []) =>
  landingDrafts(
    { ...of1, base: 'b', head: 'h', branch: 'ralph/a-1' } as unknown as LandInput,
    { kind: 'landed', commit: 'c', commits: 1, durationMs: 1, gate: { commands, durationMs: 1 } } as never,
  );
const stamped = (event: RunEvent) => ({ ...event, at: '2026-03-04T05:06:07.000Z' });
const gateEvent = (commands: Commands, merged?: true): RunEvent => ({
  ...{ kind: 'gate', idea: 'a-1', pass: true, durationMs: 900 },
  ...(commands ? { commands } : {}),
  ...(merged ? { merged } : {}),
});

/** Every view of a gate. */
const VIEWS: Record<string, (commands: Commands) => string> = {
  'a line of the logs': (commands) => `${liveLine(stamped(gateEvent(commands)), false)}`,
  'a landing in the logs': (commands) => `${liveLine(stamped(gateEvent(commands, true)), false)}`,
  'a run of show': (commands) => {
    const [run] = of(model(commands), 'a-1').iterations;
    return run ? runLine(lineOf(run)) : '';
  },
  status: (commands) => factsText(ideaFacts(of(model(commands), 'b-1')), NOW),
  show: (commands) =>
    showText(
      { model: model(commands), idea: of(model(commands), 'a-1'), commands: [], others: [], now: NOW },
      100,
    ).join('\n'),
  'the report': (commands) => textReport(report(model(commands))).join('\n'),
  'the report as Markdown': (commands) => markdownReport(report(model(commands))),
  'the report as a page': (commands) => htmlReport(report(model(commands))).replace(/<style>[\s\S]*?<\/style>/g, ''),
  'the page of a landed idea': (commands) => page({ screen: 'idea', back: ['run'], idea: 'a-1' }, model(commands)),
  'the Gate tab': (commands) => page({ screen: 'idea', back: ['run'], idea: 'a-1', tab: 'gate' }, model(commands)),
  'the list of what needs you': (commands) => page({ screen: 'needs', back: ['run'] }, model(commands)),
  Log: (commands) => page({ screen: 'log', back: ['run'] }, model(commands)),
  'the ledger': (commands) => operationText(row(gateDraft({ ...of1, serial: 1 } as GateInput, result(commands)))),
  'the ledger of a landing': (commands) =>
    landedDraft(commands)
      .map((one) => operationText(row(one)))
      .join('\n'),
  'the page in the Web UI': (commands) =>
    ideaDetails({
      ...{ idea: 'a-1', title: 'A', phase: 'gate', agentName: 'ed-001', iteration: 1, activeMs: 0, commits: 1 },
      ...{ iterations: { total: 1, byOutcome: {} } },
      gate: { pass: true, ...(commands?.length === 0 ? { none: true } : {}) },
    } as never),
  'the question about a change': (commands) =>
    tripwireQuestion('a', [{ kind: 'outside', subject: 'x' }], result(commands)),
};

describe('without a gate', () => {
  it.each(Object.keys(VIEWS))('%s says so, and says nothing of green', (name) => {
    const text = VIEWS[name]?.(NONE) ?? '';
    expect(text.replaceAll('npm test', '')).not.toMatch(/green|✓ all commands|✓ *gate/);
    expect(text).toMatch(/no gate|without a gate|No gate/);
  });

  it.each(Object.keys(VIEWS))('%s has a green gate where one ran', (name) => {
    const text = VIEWS[name]?.(ONE) ?? '';
    expect(text).toMatch(/green|✓ npm test|✓ +\S*npm test/);
    expect(text).not.toMatch(/no gate|without a gate/i);
  });

  it('is listed among what is worth a look, and colours no target', () => {
    const made = report(model(NONE));
    expect(made.look).toContainEqual({
      kind: 'no gate',
      text: '1 idea landed without a gate, so only its agent says that it is done: a-1. Add gate: to ralphctl.yaml',
    });
    expect(made.target).toMatchObject({ noGate: true });
    expect(made.target).not.toHaveProperty('green');
    expect(textReport(made).join('\n')).toMatch(/main stands at aaaaaaa \(.*\), landed without a gate/);
    expect(historyRun(made, []).target).not.toHaveProperty('green');
    expect(made.landed[0]?.runs[0]?.gate).toMatchObject({ pass: true, none: true });
    expect(report(model(ONE)).look).not.toContainEqual(expect.objectContaining({ kind: 'no gate' }));
  });

  it('gives no evidence in the ledger', () => {
    expect(gateDraft({ ...of1, serial: 1 } as GateInput, result(NONE))).not.toHaveProperty('pass');
    expect(landedDraft(NONE)[0]).not.toHaveProperty('pass');
    expect(landedDraft(ONE)[0]).toMatchObject({ pass: true });
  });

  it('is unknown of events of older versions, which keep their words', () => {
    expect(VIEWS['a line of the logs']?.(undefined)).toMatch(/✓ a-1 gate green, 0\.9s/);
    expect(VIEWS.status?.(undefined)).toContain('gate green');
    const made = report(model(undefined));
    expect(made.target).toMatchObject({ green: true });
    expect(made.look).not.toContainEqual(expect.objectContaining({ kind: 'no gate' }));
  });
});
