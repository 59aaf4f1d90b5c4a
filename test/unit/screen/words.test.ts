/** One phrase book: the logs, *Lately* and *Log* tell an event in the same words. Features: G1 G2 G6. */
import { describe, expect, it } from 'vitest';
import { liveLine } from '../../../src/client/views/live-lines.js';
import { newModel } from '../../../src/model/fold.js';
import { ACTIVITIES, type RunEvent } from '../../../src/protocol/events.js';
import { IDEA_STATUSES } from '../../../src/protocol/states.js';
import { happened } from '../../../src/screen/run/happened.js';

const AT = '2026-03-04T05:06:07.000Z';
const NOW = Date.parse(AT);
const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, []);
const idea = 'a-1';
const tests = { passed: 4, failed: 2, skipped: 0, total: 6 };
const end = { serial: 4, iteration: 3, durationMs: 120_000, commits: 2 } as const;
const spent = { iterations: 0, ms: 120_000, tokens: 0, dollars: 0.2, unknownTokens: 1, unknownDollars: 0 };
const wave = { kind: 'wave', wave: 2, of: 5 } as const;
const taken = [{ idea: 'issue-12', tier: 'T1' as const, score: 5 }];

/** Of every kind at least one. */
const EVENTS = {
  run: [
    { kind: 'run', state: 'paused', why: 'lunch', landed: 1, total: 5 },
    { kind: 'run', state: 'waiting_user', landed: 1, total: 5 },
  ],
  idea: IDEA_STATUSES.flatMap((status): RunEvent[] => [
    { kind: 'idea', idea, title: 'Add login', status, reason: 'because' },
    { kind: 'idea', idea, title: 'Add login', status, held: true },
    { kind: 'idea', idea, title: 'Add login', status, approval: true },
  ]),
  landing: [{ kind: 'landing', idea }],
  bounced: [{ kind: 'bounced', idea, why: 'it conflicts' }],
  iteration: [{ kind: 'iteration', idea, serial: 1, iteration: 1, max: 5, agentName: 'ed-001' }],
  'iteration-end': [
    { ...end, kind: 'iteration-end', idea, signal: { kind: 'progress', percent: 40 }, outcome: 'ok' },
    { ...end, kind: 'iteration-end', idea, signal: { kind: 'complete' }, turnedDown: 'no change', outcome: 'ok' },
    { ...end, kind: 'iteration-end', idea, signal: { kind: 'none' }, outcome: 'failed', message: 'exit 1' },
  ],
  'gate-start': [{ kind: 'gate-start', idea, command: 'npm test', number: 1, of: 2 }],
  activity: ACTIVITIES.map((activity) => ({ kind: 'activity', idea, activity, command: 'npm ci', number: 1, of: 2 })),
  gate: [
    { kind: 'gate', idea, pass: true, tests, flaky: ['npm test'], tolerated: ['npm run lint'], durationMs: 120_000 },
    { kind: 'gate', idea, pass: false, merged: true, command: 'npm test', tests, durationMs: 120_000 },
  ],
  'step-start': [{ kind: 'step-start', idea, step: 's', phase: 'p', number: 1, of: 2 }],
  step: [{ kind: 'step', idea, step: 's', phase: 'p', state: 'failed', why: 'red' }],
  waiting: [{ kind: 'waiting', idea, why: 'the forge is away', ms: 120_000 }],
  asks: [{ kind: 'asks', idea, asking: 'question', question: 'Which port?' }],
  answered: [{ kind: 'answered', idea, text: 'this one' }],
  command: [{ kind: 'command', verb: 'retry', idea, reason: 'again', done: 'done' }],
  refused: [{ kind: 'refused', verb: 'retry', idea, why: 'it works' }],
  delivered: [{ kind: 'delivered', idea, serial: 4, notes: 2, fromProgram: 1 }],
  interrupted: [
    { kind: 'interrupted', idea, iteration: 2 },
    { kind: 'interrupted', idea, iteration: 2, gate: true },
  ],
  parked: [{ kind: 'parked', idea, trouble: { kind: 'auth', agent: 'claude', message: 'no key' } }],
  held: [{ kind: 'held', idea, why: 'the budget of the run is used up' }],
  account: [
    {
      kind: 'account',
      account: {
        key: 'k',
        agents: ['codex'],
        state: 'parked',
        kind: 'limited',
        reason: 'weekly',
        since: 1,
        until: NOW,
      },
    },
    { kind: 'account', account: { key: 'k', agents: ['codex'], state: 'open' } },
  ],
  'all-limited': [{ kind: 'all-limited', why: 'codex is at a limit' }],
  agent: [{ kind: 'agent', idea, agent: 'claude', before: 'codex', why: 'a limit' }],
  escalated: (['nudge', 'fresh', 'stronger', 'other', 'ask'] as const).map((rung) => ({
    ...{ kind: 'escalated', idea, rung, iterations: 3 },
  })),
  left: [{ kind: 'left', idea, why: 'it has landed' }],
  review: [{ kind: 'review', idea, state: 'checks', number: 5, url: 'https://forge/5', why: 'lint' }],
  reverted: [{ kind: 'reverted', idea, by: 'abcdef01', text: 'abcdef01 (no) took it off main again' }],
  push: [
    { kind: 'push', state: 'pushed', to: 'origin/main', commits: 2, ideas: [idea] },
    { kind: 'push', state: 'held', to: 'origin/main', ideas: [idea], why: 'the remote refuses' },
  ],
  alert: (['delivered', 'failed', 'bell'] as const).map((state) => ({
    ...{ kind: 'alert', row: 'phone', state, events: 1, why: 'no answer' },
  })),
  tracker: (['claimed', 'taken', 'told', 'done', 'released', 'waits', 'failed'] as const).map((state) => ({
    ...{ kind: 'tracker', idea, state, why: 'no answer' },
  })),
  wave: [
    { ...wave, state: 'began', taken, open: 40, rejected: 20, left: 17 },
    { ...wave, state: 'empty', open: 2, rejected: 2 },
    { ...wave, state: 'began', taken, read: { agent: 'claude', reports: 3, byRules: 1, why: 'a limit', spent } },
    {
      ...wave,
      state: 'began',
      taken,
      unknownRuns: { why: 'triage does not know the work of run r-1: no file', more: 2 },
    },
    { ...wave, state: 'waits', why: 'no network' },
    { ...wave, state: 'ended', attempted: 3, passed: 2, failed: 1, ms: 120_000, dollars: 0.84 },
    { ...wave, state: 'over', why: 'waves.maxWaves is reached (5)' },
  ],
  rejected: [
    {
      kind: 'rejected',
      wave: 1,
      report: '17',
      as: 'report-17',
      title: 'T',
      gate: 'coherence',
      reason: 'too short',
      quote: 'asdf',
    },
  ],
  cleaned: [
    { kind: 'cleaned', bytes: 1_200_000_000, what: 'transcripts of 12 runs, 1 worktree' },
    { kind: 'cleaned', bytes: 9, what: '1 save', more: true },
  ],
  warning: [
    { kind: 'warning', idea, warning: 'outside', text: 'b.txt changed' },
    { kind: 'warning', warning: 'errors', text: '3 ideas failed' },
  ],
  gone: [{ kind: 'gone', idea, text: 'its branch ralph/a-1 and its worktree are gone; it goes on from its save 1' }],
  'warning-over': [{ kind: 'warning-over', idea, warning: 'outside' }],
} as const satisfies { [K in RunEvent['kind']]: readonly (Extract<RunEvent, { kind: K }> | RunEvent)[] };

/** The list is coarse about time; two minutes are the same in both. */
const all: RunEvent[] = Object.values(EVENTS).flat();
const listed = (event: RunEvent) => happened({ at: AT, ...event }, model, NOW);
const logged = (event: RunEvent): string | undefined => liveLine({ at: AT, ...event }, false);

describe('the phrase book', () => {
  it.each(all.map((event) => [`${event.kind} ${JSON.stringify(event).slice(0, 90)}`, event] as const))(
    '%s',
    (_, event) => {
      const { text, sign } = listed(event);
      expect(text.trim()).not.toBe('');
      const line = logged(event);
      if (line === undefined) return;
      if (event.kind === 'account') return;
      const words =
        event.kind === 'command' || event.kind === 'refused' ? text.slice(text.indexOf(event.verb) + 5) : text;
      expect(line).toContain(words);
      if (event.kind !== 'run') expect(line.slice(9)).toMatch(new RegExp(`^[${sign}] `, 'u'));
    },
  );

  it('a wave tells of the runs whose work triage does not know', () => {
    const unknown = (more: number): RunEvent => ({
      ...{
        ...wave,
        state: 'began',
        taken: [],
        unknownRuns: { why: 'triage does not know the work of run r-1: why', more },
      },
    });
    expect(logged(unknown(0))).toMatch(/; triage does not know the work of run r-1: why$/);
    expect(logged(unknown(2))).toMatch(/: why \(and of 2 more runs\)$/);
  });

  it('an account has its short name in the list and its reason in the logs', () => {
    const [closed, open] = EVENTS.account;
    expect(listed(closed)).toMatchObject({
      who: 'codex',
      text: expect.stringMatching(/^usage limit, until \d\d:\d\d$/),
    });
    expect(logged(closed)).toMatch(/◷ codex \(k\) is at a usage limit: weekly; resumes at /);
    expect([listed(open).text, logged(open)?.slice(9)]).toEqual(['open again', '✓ codex (k) is open']);
  });

  it('C6: a branch that the agent left is told below the end of its iteration', () => {
    const repaired = ['moved ralph/a-1 to the tip of branch side'];
    const event: RunEvent = {
      ...end,
      kind: 'iteration-end',
      idea,
      signal: { kind: 'complete' },
      outcome: 'ok',
      repaired,
    };
    expect(logged(event)).toContain(
      '! the agent had left its branch; ralphctl moved ralph/a-1 to the tip of branch side',
    );
  });

  it('names a state of the run, a warning and an alert in words, not as the wire does', () => {
    expect(listed(EVENTS.run[1]).text).toBe('waits for you to start ideas');
    expect(listed(EVENTS.warning[0]).text).toBe('changes outside its worktree: b.txt changed');
    expect(EVENTS.alert.map((event) => listed(event).text)).toEqual([
      'the alert to phone was delivered: no answer',
      'the alert to phone could not be delivered: no answer',
      'the alert to phone rang in the attached terminals: no answer',
    ]);
    for (const event of EVENTS.escalated) expect(listed(event).text).not.toMatch(/nudge|stronger$|: other$/);
  });

  it('an idea that wants an approval says so in the logs, with the command that gives it', () => {
    const asks = (more: object): RunEvent => ({ kind: 'idea', idea, title: 't', status: 'needs-human', ...more });
    expect(logged(asks({ reason: 'ok?', approval: true }))).toMatch(
      /\? a-1 wants approval: ok\?\n {11}approve with: ralphctl approve a-1$/,
    );
    expect(logged(asks({ reason: 'ok?' }))).toMatch(/\? a-1 asks: ok\?\n {11}answer with: ralphctl answer a-1 "…"$/);
  });
});
