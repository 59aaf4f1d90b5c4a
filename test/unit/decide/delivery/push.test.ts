/** When a push begins, how long a failed one waits, and when a run may end without it. Features: D2. */
import { describe, expect, it } from 'vitest';
import {
  beginPush,
  deliveryLine,
  endPush,
  heldAfterRun,
  heldText,
  heldWithoutSync,
  needsPerson,
  owePush,
  pushWakesAt,
  waitsForPush,
} from '../../../../src/decide/delivery/push.js';
import type { Autopilot } from '../../../../src/decide/run/autopilot.js';
import { runStatus, runSummary, runWarnings } from '../../../../src/decide/views/status.js';
import { why } from '../../../../src/decide/views/why.js';
import {
  type DeliverySettings,
  type DeliveryState,
  HELD_CAUSES,
  type HeldCause,
  type PushTargetResult,
} from '../../../../src/protocol/delivery.js';
import type { RunState } from '../../../../src/protocol/states.js';
import { card, decided, landedResult, pilotOf, say, settings } from '../support.js';

const TO: DeliverySettings = { mode: 'push', to: 'origin/main', retryMs: 1000 };
const tips = { local: 'aaa', remote: 'bbb' };
const no = (cause: HeldCause = 'unreachable'): PushTargetResult => ({
  kind: 'held',
  cause,
  why: 'it is so',
  commits: 1,
  ideas: ['a'],
  tips,
});
const yes: PushTargetResult = { kind: 'pushed', commit: 'ccc', commits: 1, ideas: ['a'] };

const run = (delivery?: DeliveryState, state: RunState = 'running') => ({
  run: state,
  ...(delivery ? { delivery } : {}),
});
/** Tries until `count` have failed; the waits between them. */
function waits(count: number, cause: HeldCause = 'unreachable'): number[] {
  const state = run({ due: true });
  const found: number[] = [];
  let now = 0;
  for (let n = 0; n < count; n++) {
    expect(beginPush(state, now)).toHaveLength(1);
    endPush(state, TO, no(cause), now);
    const at = pushWakesAt(state) ?? 0;
    found.push(at - now);
    expect(beginPush(state, at - 1)).toEqual([]);
    now = at;
  }
  return found;
}

/** Of two ideas, `a` has landed. */
function landed(more: object = { delivery: TO }): Autopilot {
  const pilot = pilotOf([card('a'), card('b')], more);
  pilot.decide(false);
  say(pilot, 'a', 'ready');
  expect(decided(pilot)).toContain('land a');
  pilot.landed('a', landedResult());
  return pilot;
}

describe('D2 a push', () => {
  it('begins once after a landing, and the next landing does not wait for it', () => {
    const pilot = landed();
    say(pilot, 'b', 'ready');
    expect(decided(pilot)).toEqual(expect.arrayContaining(['push', 'land b']));
    pilot.landed('b', landedResult('d00d'));
    expect(decided(pilot)).not.toContain('push');
    pilot.pushed(yes, 5);
    expect(decided(pilot)).toContain('push');
    pilot.pushed(yes, 6);
    expect(pilot.state.delivery).toBeUndefined();
  });

  it('never begins in a run that does not push', () => {
    const pilot = landed({});
    expect(decided(pilot)).not.toContain('push');
    expect(pilot.state).not.toHaveProperty('delivery');
  });

  it.each<RunState>(['paused', 'pausing'])('waits while the run is %s', (state) => {
    expect(beginPush(run({ due: true }, state), 0)).toEqual([]);
    expect(
      pushWakesAt(run({ due: true, held: { cause: 'moved', why: '', ideas: [], tries: 1, since: 0, at: 9 } }, state)),
    ).toBeUndefined();
  });

  it('is tried again with a wait that doubles, up to a quarter of an hour', () => {
    expect(waits(12)).toEqual([
      1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 512_000, 900_000, 900_000,
    ]);
  });

  it('a landing does not wait for that', () => {
    const state = run({ due: true });
    beginPush(state, 0);
    endPush(state, TO, no(), 0);
    owePush(state, TO);
    expect(beginPush(state, 1)).toHaveLength(1);
  });

  it.each([...HELD_CAUSES])('after %s the next try knows the commits only where the cause is in them', (cause) => {
    const state = run({ due: true });
    beginPush(state, 0);
    endPush(state, TO, no(cause), 0);
    const again = beginPush(state, pushWakesAt(state) ?? 0);
    const inCommits = ['conflict', 'red', 'foreign', 'secret'].includes(cause);
    // With the cause, which a try of the same commits keeps.
    const { why } = no(cause) as { why: string };
    expect(again).toEqual([inCommits ? { do: 'push', known: { ...tips, cause, why } } : { do: 'push' }]);
  });
});

describe('D2 the end of a run', () => {
  const stays = (cause: HeldCause, tries: number, state: RunState = 'running') =>
    waitsForPush(run({ due: true, held: { cause, why: '', ideas: [], tries, since: 0, at: 5 } }, state));

  it('waits for a push that is due or under way, and not after an abort', () => {
    expect(waitsForPush(run({ due: true }))).toBe(true);
    expect(waitsForPush(run({ busy: true }, 'stopping'))).toBe(true);
    expect(waitsForPush(run({ due: true }, 'stopping'))).toBe(true);
    expect(waitsForPush({ ...run({ due: true }, 'stopping'), aborting: true })).toBe(false);
    expect(waitsForPush(run())).toBe(false);
  });

  it('waits a limited number of tries for what can pass, and not for what a person must do', () => {
    expect([1, 5, 6].map((tries) => stays('unreachable', tries))).toEqual([true, true, false]);
    expect(stays('unreachable', 1, 'stopping')).toBe(false);
    expect(
      (['rejected', 'conflict', 'red', 'foreign', 'secret', 'remote'] as const).map((cause) => stays(cause, 1)),
    ).toEqual(Array.from({ length: 6 }, () => false));
  });
});

describe('D2 what people see', () => {
  it('status warns, why says it of the ideas, and both end with the push', () => {
    const pilot = landed();
    pilot.decide(false);
    pilot.pushed(no('rejected'), 7);
    const all = settings({ delivery: TO });
    const said = `1 commit (a) is not on origin/main: it is so. Allow the push there, or fix what its answer names. An open run retries by itself; to retry now: ralphctl sync`;
    expect(runWarnings(pilot.state, all)).toEqual([{ kind: 'push', text: said, since: 7 }]);
    expect(why('a', all, pilot.graph, pilot.state)?.reason).toBe(said);
    expect(why('b', all, pilot.graph, pilot.state)?.reason).toBeUndefined();
    expect(deliveryLine(pilot.state.delivery, TO)).toEqual({ to: 'origin/main', text: said, since: 7, at: 1007 });
    pilot.decide(false, 2000);
    pilot.pushed(yes, 2001);
    expect(runWarnings(pilot.state, all)).toEqual([]);
  });

  it.each([...HELD_CAUSES])('%s: a sentence with a command that helps', (cause) => {
    const text = heldText({ cause, why: 'it is so', commits: 2, ideas: ['a', 'b', 'c', 'd'] }, 'origin/main');
    expect(text).toMatch(/^2 commits \(a, b, c, …\) are not on origin\/main: it is so\. .*ralphctl (?:sync|start)/);
  });

  it('after the run nothing retries by itself: the summary names the commands that push', () => {
    const pilot = landed();
    pilot.decide(false);
    pilot.pushed(no('rejected'), 7);
    const status = runStatus({ project: 'p', runId: 'r' }, pilot.state, settings({ delivery: TO }), pilot.graph, 8);
    expect(status.delivery?.text).toContain('An open run retries');
    const after = runSummary('completed', pilot.state.entries, status).status;
    const text =
      '1 commit (a) is not on origin/main: it is so. Allow the push there, or fix what its answer names. To push it: ralphctl sync, or the next ralphctl start';
    expect(after.delivery?.text).toBe(text);
    expect(after.warnings).toEqual([{ kind: 'push', text, since: 7 }]);
  });

  it.each([...HELD_CAUSES])(
    '%s: after the run the text still names a command, and a list can name it itself',
    (cause) => {
      const text = heldText({ cause, why: 'it is so', commits: 1, ideas: ['a'] }, 'origin/main');
      expect(heldAfterRun(text)).toMatch(/ralphctl sync/);
      expect(heldAfterRun(text)).not.toMatch(/open run|ralphctl stop/);
      expect(heldWithoutSync(text)).not.toContain('ralphctl');
    },
  );

  it('an idea that landed again has its new commit', () => {
    const pilot = landed();
    pilot.decide(false);
    pilot.pushed(
      {
        ...yes,
        kind: 'pushed',
        replaced: [
          { idea: 'a', commit: 'new' },
          { idea: 'b', commit: 'x' },
        ],
      } as PushTargetResult,
      1,
    );
    expect(pilot.graph.entry('a')?.commit).toBe('new');
    expect(pilot.graph.entry('b')?.commit).toBeUndefined();
  });

  it('a person hears of what does not pass at once, and of what may pass after three tries', () => {
    expect(needsPerson({ cause: 'rejected', tries: 1 })).toBe(true);
    expect([1, 2, 3].map((tries) => needsPerson({ cause: 'unreachable', tries }))).toEqual([false, false, true]);
  });
});

it('F3 after a run, the way to take an issue over stays as it is', () => {
  const pilot = pilotOf([card('a'), card('b')]);
  const status = runStatus({ project: 'p', runId: 'r' }, pilot.state, settings(), pilot.graph, 8);
  const [a, b] = pilot.state.entries;
  if (a)
    a.reason = 'run r of another ralphctl has it in the tracker; if that one is gone: ralphctl retry a --take-over';
  if (b) b.reason = 'it failed; try again: ralphctl retry b';
  const { notLanded } = runSummary('completed', pilot.state.entries, status);
  expect(notLanded.map(({ reason }) => reason?.split(': ')[1])).toEqual([
    'ralphctl retry a --take-over',
    'ralphctl start',
  ]);
});
