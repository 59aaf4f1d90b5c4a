import { describe, expect, test } from 'vitest';
import {
  legalInterventions,
  RUN_EVENTS,
  RUN_TABLE,
  type RunEvent,
  type RunFacts,
  runTransition,
} from '../../../../src/decide/run/table.js';
import type { RunState } from '../../../../src/protocol/states.js';

const facts = (state: RunState, more: Partial<RunFacts> = {}): RunFacts => ({
  state,
  mode: state === 'waiting_user' ? 'semi-auto' : 'autopilot',
  review: false,
  pausedIdeas: 0,
  asking: 0,
  limited: false,
  budgeted: false,
  ...more,
});

/** Columns of the table below, shortened. */
const STATES = ['idle', 'running', 'pausing', 'paused', 'waiting_user', 'stopping', 'completed'] as const;
const SHORT: Record<string, RunState | undefined> = {
  run: 'running',
  psg: 'pausing',
  psd: 'paused',
  usr: 'waiting_user',
  stp: 'stopping',
  com: 'completed',
};

/**
 * Every pair of state and event. `·`: illegal; `=`: legal, the state stays. With the guards met (see `met`), mode autopilot
 * except in waiting_user.
 */
const TABLE = `
                 idle running pausing paused waiting_user stopping completed
START_AUTOPILOT  run  ·       ·       ·      ·            ·        ·
START_SEMI_AUTO  usr  ·       ·       ·      ·            ·        ·
PAUSE            ·    psg     ·       ·      psg          ·        ·
PAUSE_NOW        ·    psg     =       ·      psg          ·        ·
RESUME           ·    =       run     run    =            ·        ·
REVIEW           ·    ·       run     run    ·            ·        ·
STOP             ·    stp     stp     stp    stp          ·        ·
ABORT            ·    stp     stp     stp    stp          =        ·
SLOTS            ·    =       =       =      =            ·        ·
MODE_AUTOPILOT   ·    run     =       =      run          ·        ·
MODE_SEMI_AUTO   ·    usr     =       =      usr          ·        ·
MODE_STEP        ·    run     =       =      run          ·        ·
APPROVE          ·    =       ·       ·      =            ·        ·
ASSIGN_IDEA      ·    ·       =       =      =            ·        ·
RETRY_LIMITS     ·    =       =       =      =            ·        ·
RAISE_BUDGET     ·    =       =       =      =            ·        ·
RELOAD_CONFIG    ·    =       =       =      =            ·        ·
ENQUEUE          ·    =       =       =      =            ·        ·
IDEA             ·    =       =       =      =            ·        ·
ERROR_THRESHOLD  ·    psg     =       =      psg          ·        ·
AT_REST          ·    ·       psd     ·      ·            ·        ·
NO_MORE_IDEAS    ·    com     ·       ·      com          com      ·
`;

/** What the guards ask for beside the state. */
const met: Partial<Record<RunEvent, Partial<RunFacts>>> = {
  RESUME: { pausedIdeas: 1 },
  REVIEW: { review: true },
  ASSIGN_IDEA: { mode: 'semi-auto' },
  APPROVE: { asking: 1, mode: 'step' },
  RETRY_LIMITS: { limited: true },
  RAISE_BUDGET: { budgeted: true },
  MODE_AUTOPILOT: { mode: 'step' },
  MODE_SEMI_AUTO: { mode: 'step' },
  MODE_STEP: { mode: 'autopilot' },
};

const pairs = TABLE.trim()
  .split('\n')
  .slice(1)
  .flatMap((line) => {
    const [event = '', ...cells] = line.trim().split(/\s+/);
    return STATES.map((state, at) => ({ event: event as RunEvent, state, cell: cells[at] ?? '' }));
  });

describe('A5 the run as a state machine', () => {
  test('A5: the table names every state and every event', () => {
    expect(Object.keys(RUN_TABLE).sort()).toEqual([...STATES].sort());
    expect([...new Set(pairs.map(({ event }) => event))]).toEqual([...RUN_EVENTS]);
    expect(pairs).toHaveLength(STATES.length * RUN_EVENTS.length);
  });

  test.each(pairs)('A5: $event in $state gives $cell', ({ event, state, cell }) => {
    const next = runTransition(facts(state, met[event]), event);
    if (cell === '·') {
      expect(next).toHaveProperty('refusal');
      return;
    }
    expect(next).toEqual({ to: cell === '=' ? state : SHORT[cell] });
  });

  test.each(['RESUME', 'REVIEW'] as const)('A6: %s in semi-auto mode waits for assignments again', (event) => {
    const semi = facts('paused', { mode: 'semi-auto', review: event === 'REVIEW' });
    expect(runTransition(semi, event)).toEqual({ to: 'waiting_user' });
  });
});

describe('refusals', () => {
  const refusal = (state: RunState, event: RunEvent, more: Partial<RunFacts> = {}): string => {
    const next = runTransition(facts(state, more), event);
    return 'refusal' in next ? next.refusal : `legal: ${next.to}`;
  };

  test.each<[string, RunState, RunEvent, Partial<RunFacts>, RegExp]>([
    ['A5: a resume of a running run', 'running', 'RESUME', {}, /^the run is already running\. Possible now: pause, /],
    ['A5: a second pause', 'paused', 'PAUSE', {}, /^the run is paused\. Possible now: resume, stop, abort, /],
    [
      'A7: a resume where a review is needed',
      'paused',
      'RESUME',
      { review: true },
      /review is needed.*ralphctl review/,
    ],
    ['A7: a review that nobody needs', 'paused', 'REVIEW', {}, /^no review is needed; resume with: ralphctl resume/],
    [
      'A6: assigning in mode autopilot',
      'running',
      'ASSIGN_IDEA',
      {},
      /^in mode autopilot ideas start by themselves.*bump/,
    ],
    ['A6: assigning in a paused autopilot', 'paused', 'ASSIGN_IDEA', {}, /^in mode autopilot/],
    ['B8: trying limits when none is closed', 'running', 'RETRY_LIMITS', {}, /^every account is open\. Possible now/],
    [
      'a raise without a budget',
      'paused',
      'RAISE_BUDGET',
      {},
      /^neither the run nor the day has a budget; set budget\.run/,
    ],
    ['A6: approving without step mode', 'running', 'APPROVE', {}, /^approvals are for: ralphctl mode step/],
    ['A6: approving when nothing waits', 'running', 'APPROVE', { mode: 'step' }, /^nothing waits for an approval/],
    ['A6: a mode that is on already', 'running', 'MODE_AUTOPILOT', {}, /^the mode is already autopilot/],
    [
      'C1: anything but an abort while it stops',
      'stopping',
      'RESUME',
      {},
      /^the run is stopping\. Possible now: abort$/,
    ],
    [
      'C1: anything after the end',
      'completed',
      'STOP',
      {},
      /^the run is completed\. Start another one with: ralphctl start/,
    ],
  ])('%s', (_title, state, event, more, words) => {
    expect(refusal(state, event, more)).toMatch(words);
  });

  test('A5: what is called possible is what would be taken, for every state', () => {
    for (const state of STATES) {
      for (const review of [false, true]) {
        for (const mode of ['autopilot', 'semi-auto', 'step'] as const) {
          const now = facts(state, { review, mode });
          const legal = RUN_EVENTS.filter((event) => 'to' in runTransition(now, event));
          const rules = ['IDEA', 'ERROR_THRESHOLD', 'AT_REST', 'NO_MORE_IDEAS'];
          expect(legalInterventions(now)).toHaveLength(legal.filter((event) => !rules.includes(event)).length);
        }
      }
    }
  });
});
