/** An idea at its gate beside the slots: status and why say that no agent works on it. Features: A8 C5. */
import { expect, it, vi } from 'vitest';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { describeLive } from '../../../src/client/views/status-lines.js';
import { runStatus } from '../../../src/decide/views/status.js';
import { ideaFacts } from '../../../src/model/facts.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { WhyView } from '../../../src/protocol/views.js';
import { idea } from '../../activities/idea.js';
import { printedNow } from '../../support/printed.js';
import { card, decided, pilotOf, SETTINGS, say } from '../decide/support.js';

const AT = Date.parse('2026-01-01T00:00:00Z');

function told(...events: RunEvent[]) {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('a')]);
  for (const [n, event] of events.entries()) fold(model, { at: new Date(AT + n * 1000).toISOString(), ...event });
  return model.ideas.get('a') ?? expect.fail('no idea');
}
const is = (more: object): RunEvent => ({
  ...{ kind: 'idea', idea: 'a', title: 'A', status: 'running', agentName: 'ed-001' },
  ...more,
});
const view: WhyView = { idea: 'a', title: 'A', status: 'running', score: 0, parts: [], waitsFor: [] };
const about = { root: '/nowhere', project: 'p', over: false };
const gate: RunEvent = { kind: 'gate-start', idea: 'a', command: 'npm test', number: 1, of: 2 };

it('C5: why tells the gate apart from an agent that works', async () => {
  const first = async (...events: RunEvent[]) =>
    describeIdea(await reportOn({ ...view }, { ...about, told: told(...events) }))[1];
  expect(await first(is({}))).toBe('status running');
  expect(await first(is({}), is({ gating: true }))).toBe('status running: at its gate; its slot is free');
  expect(await first(is({}), is({ gating: true }), gate)).toBe(
    'status running: at its gate, npm test (1 of 2); its slot is free',
  );
  expect(await first(is({}), gate)).toBe('status running: at its gate, npm test (1 of 2)');
  const run = { kind: 'iteration', idea: 'a', serial: 1, iteration: 1, max: 5, agentName: 'ed-001' } as const;
  const end = { kind: 'iteration-end', idea: 'a', serial: 1, iteration: 1, outcome: 'ok', commits: 1 } as const;
  const ended = { ...end, signal: { kind: 'complete' as const }, durationMs: 1000 };
  expect(await first(is({}), run, is({ gating: true }))).toBe(
    'status running: its finished work is settled for its gate; its slot is free',
  );
  expect(await first(is({}), run, is({ gating: true }), ended)).toBe('status running: at its gate; its slot is free');
});

it('A8: status says which gates run beside the slots', () => {
  const pilot = pilotOf([card('a'), card('b')], { slots: 1, gatesBeside: 1 });
  decided(pilot);
  say(pilot, 'a', 'gating');
  decided(pilot);
  const status = runStatus({ project: 'p', runId: 'r' }, pilot.state, { ...SETTINGS, gatesBeside: 1 }, pilot.graph, AT);
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const phase = (one: string, now: 'gate' | 'agent') =>
    ({ idea: one, phase: now, iteration: 1, commits: 0, agentName: 'ed-001' }) as never;
  try {
    describeLive(status, [phase('a', 'gate'), phase('b', 'agent')], {});
  } finally {
    write.mockRestore();
  }
  const text = lines.join('');
  expect(text).toContain('Slots (1 of 1; 1 at the gate beside them)');
  expect(text).toMatch(/ {2}a ed-001 gate beside the slots, iteration 1 /);
  expect(text).toMatch(/ {2}b ed-002 agent, iteration 1 /);
});

it('A8: status says whose finished work is settled beside the slots', () => {
  const settings = { slots: 1, gatesBeside: 1, settlesBeside: true } as const;
  const pilot = pilotOf([card('a'), card('b')], settings);
  decided(pilot);
  pilot.agentEnded({ idea: 'a', run: 'r', life: 1, after: 0 }, AT);
  decided(pilot);
  const status = runStatus({ project: 'p', runId: 'r' }, pilot.state, { ...SETTINGS, ...settings }, pilot.graph, AT);
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  // The idea learns of it with the result.
  const at = (one: string) => ({ idea: one, phase: 'agent', iteration: 1, commits: 0, agentName: 'ed-001' }) as never;
  try {
    describeLive(status, [at('a'), at('b')], {});
  } finally {
    write.mockRestore();
  }
  const text = lines.join('');
  expect(text).toMatch(/ {2}a ed-001 settling beside the slots, iteration 1 /);
  expect(text).toMatch(/ {2}b ed-002 agent, iteration 1 /);
});

it('C3: status and why show a stop that waits for the end of the step, in the words of the screen', async () => {
  const stop: RunEvent = { kind: 'command', idea: 'a', verb: 'stop', by: 'cli', done: 'a stops after this step' };
  const stopping = told(is({}), stop);
  const text = describeIdea(await reportOn({ ...view }, { ...about, told: stopping }));
  expect(text).toContain('it stops after this step');
  const pilot = pilotOf([card('a')], { slots: 1 });
  decided(pilot);
  const status = runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, AT);
  const shown = printedNow(() => describeLive(status, [], {}, { told: { a: ideaFacts(stopping) } }));
  expect(shown).toMatch(/^ {2}a ed-001 running, stops after this step /m);
  expect(printedNow(() => describeLive(status, [], {}, { told: { a: ideaFacts(told(is({}))) } }))).not.toContain(
    'stops',
  );
});
