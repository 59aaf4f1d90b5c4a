/** A push and a pull request, told alike in logs and on the screen. Features: D1 G8. */
import { describe, expect, it } from 'vitest';
import { liveLine } from '../../../src/client/views/live-lines.js';
import { newModel } from '../../../src/model/fold.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { happened } from '../../../src/screen/run/happened.js';

const NOW = Date.UTC(2026, 0, 1);
const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, []);
const review = { kind: 'review' as const, idea: 'a-1', number: 5, url: 'https://forge/5' };
const push = { kind: 'push' as const, to: 'origin/main', ideas: [] };

const CASES: readonly [string, RunEvent, string][] = [
  ['nothing to push', { ...push, state: 'pushed' }, 'origin/main has all landed work'],
  ['a push', { ...push, state: 'pushed', commits: 2, ideas: ['a-1'] }, 'pushed 2 commits to origin/main (a-1)'],
  [
    'a push on top of others, with a note',
    { ...push, state: 'pushed', commits: 1, ideas: ['a-1'], again: ['a-1'], why: 'the remote moved' },
    'pushed 1 commit to origin/main (a-1), a-1 landed again on top of what others pushed there: the remote moved',
  ],
  ['a push that is held', { ...push, state: 'held', why: 'the remote refuses' }, 'not pushed: the remote refuses'],
  ['an open one', { ...review, state: 'open' }, 'is in review: https://forge/5'],
  [
    'red checks',
    { ...review, state: 'checks', why: 'lint' },
    'has red checks on pull request 5: lint; its agent gets it back',
  ],
  [
    'comments',
    { ...review, state: 'comments', why: 'ann' },
    'has comments on pull request 5 by ann; its agent gets it back',
  ],
  [
    'a conflict',
    { ...review, state: 'apart' },
    'conflicts with the base of pull request 5; it lands again on top of it',
  ],
  ['a merge', { ...review, state: 'merged', by: 'ann' }, 'pull request 5 was merged by ann'],
];

describe('a push or a pull request', () => {
  it.each(CASES)('%s', (_, event, words) => {
    const stamped = { at: new Date(NOW).toISOString(), ...event };
    expect(happened(stamped, model, NOW).text).toBe(words);
    expect(liveLine(stamped, false)?.endsWith(` ${words}`)).toBe(true);
  });
});
