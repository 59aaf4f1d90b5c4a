/** Facts that several views tell come from one place each. Features: A2 A4 C5 G1 G2 G4. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { ideaDir } from '../../../src/config/paths.js';
import { keptAnswer } from '../../../src/decide/idea/answers.js';
import { withoutSignal } from '../../../src/decide/text.js';
import { keepAnswers } from '../../../src/jobs/agent-run/answers.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { IDEA_STATUSES } from '../../../src/protocol/states.js';
import { stateOf } from '../../../src/report/open.js';
import { waitingFor } from '../../../src/screen/lists.js';
import { type LOOKS, shownOf } from '../../../src/screen/text/theme.js';
import { idea } from './shop.js';

const told = (ideas: Parameters<typeof newModel>[1], ...events: RunEvent[]) => {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, ideas);
  for (const [n, event] of events.entries()) fold(model, { at: new Date(n * 1000).toISOString(), ...event });
  return model;
};

it('A4 A2: what depends on an epic waits for each idea in it, at any depth, and what depends on that, too', () => {
  const model = told([
    idea('shop', 'Shop', { blue: true }),
    idea('auth', 'Auth', { blue: true, parent: 'shop' }),
    idea('a-1', 'In the epic', { parent: 'auth' }),
    idea('b-1', 'After the inner epic', { dependsOn: ['auth'] }),
    idea('c-1', 'After the outer epic', { dependsOn: ['shop'] }),
    idea('d-1', 'After that', { dependsOn: ['b-1'] }),
    idea('e-1', 'After the idea', { dependsOn: ['a-1'] }),
    idea('f-1', 'After nothing'),
  ]);
  expect(waitingFor(model, 'a-1').sort()).toEqual(['b-1', 'c-1', 'd-1', 'e-1']);
  expect(waitingFor(model, 'f-1')).toEqual([]);
});

it('C5: why names the newest gate, as show does: on the merged tree, where that ran last', async () => {
  const gate = (more: { pass: boolean; merged?: true; command?: string }): RunEvent => ({
    ...{ kind: 'gate', idea: 'a-1', durationMs: 1 },
    ...more,
  });
  const is = (status: 'running' | 'landing'): RunEvent => ({ kind: 'idea', idea: 'a-1', title: 'A', status });
  const said = async (...events: RunEvent[]): Promise<string> => {
    const model = told([idea('a-1', 'A')], is('running'), ...events);
    const view = {
      idea: 'a-1',
      title: 'A',
      status: 'landing',
      score: 0,
      parts: [],
      waitsFor: [],
      possible: [],
    } as const;
    const about = { root: '/nowhere', project: 'p', over: false, told: model.ideas.get('a-1') };
    return describeIdea(await reportOn(view as never, about as never)).join('\n');
  };
  expect(await said(gate({ pass: true }))).toMatch(/^last gate green, /m);
  const red = { pass: false, merged: true, command: 'npm test' } as const;
  expect(await said(gate({ pass: true }), is('landing'), gate(red))).toMatch(
    /^last gate on the merged tree red: npm test, /m,
  );
  expect(await said(gate(red), gate({ pass: true }))).toMatch(/^last gate green, /m);
});

it('C5: an answer in the prompts of several agent runs is one answer, and a failure ends in no second full stop', async () => {
  const root = await mkdtemp(join(tmpdir(), 'ralphctl-alike-'));
  const ref = ['p', 'r', 'a-1'] as const;
  for (const serial of [1, 2, 3]) {
    const dir = join(ideaDir(root, ...ref), `00${serial}`);
    await mkdir(dir, { recursive: true });
    await keepAnswers(dir, [keptAnswer('Which?', serial === 3 ? 'green' : 'blue')]);
  }
  const run = { idea: 'a-1', serial: 1, iteration: 1 };
  const failed = {
    outcome: 'failed',
    message: 'it was killed.',
    signal: { kind: 'none' },
    durationMs: 1,
    commits: 1,
  } as const;
  const model = told(
    [idea('a-1', 'A')],
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'running' },
    { kind: 'iteration', ...run, max: 1, agentName: 'ed-001' },
    { kind: 'iteration-end', ...run, ...failed },
  );
  const view = { idea: 'a-1', title: 'A', status: 'running', score: 0, parts: [], waitsFor: [], possible: [] };
  const about = { root, project: 'p', runId: 'r', over: false, told: model.ideas.get('a-1') };
  const text = describeIdea(await reportOn(view as never, about as never)).join('\n');
  await rm(root, { recursive: true });
  expect(text.match(/you answered:\n {2}\| \w+/g)).toEqual(['you answered:\n  | blue', 'you answered:\n  | green']);
  expect(text).toContain('failed: it was killed, 1 commit');
});

describe('G4: words of an agent have no signal in them, wherever they are shown', () => {
  it.each([
    ['Done. <ralph nonce="x">COMPLETE</ralph>', 'Done.'],
    ['Which? <ralph>NEEDS_HUMAN: blue or green?</ralph> I wait.', 'Which?  I wait.'],
    ['Which? <ralph nonce="x">NEEDS_HUMAN: a question that was cut', 'Which?'],
    ['the end of one that was cut</ralph>', ''],
    ['<RALPH>some old word</RALPH>', ''],
    ['use <b>bold</b> and <ralph> tags', 'use <b>bold</b> and <ralph> tags'],
  ])('%s', (text, words) => expect(withoutSignal(text)).toBe(words));
});

it('G1 G4: a report has the state of the screen, only coarser', () => {
  const coarse: Partial<Record<keyof typeof LOOKS, string>> = {
    ...{ gate: 'works', limit: 'waits', login: 'waits', slot: 'waits', paused: 'held' },
    ...{ queued: 'lands', 'in review': 'lands', landed: 'lands' },
  };
  for (const status of IDEA_STATUSES)
    for (const held of [false, true])
      for (const approval of [false, true])
        for (const waits of [undefined, { kind: 'limit', text: '' } as const])
          for (const after of [undefined, 'b-1']) {
            const [one] = told([idea('a-1', 'A')]).ideas.values();
            if (!one) throw new Error('no idea');
            Object.assign(one, { status, held, approval }, waits ? { waits } : {});
            const shown = shownOf(one, undefined, after);
            expect(stateOf(one, after), `${status} ${shown}`).toBe(coarse[shown] ?? shown);
          }
});
