/** E5 D2: what happens to a pull request is evidence, once, whatever was cut off. Pure. */
import { describe, expect, it } from 'vitest';
import { operationText } from '../../../src/client/views/ledger-lines.js';
import { landingDrafts } from '../../../src/jobs/ledger/drafts.js';
import { lookDrafts } from '../../../src/jobs/ledger/pulls.js';
import type { LandInput, LandResult } from '../../../src/protocol/git-work.js';
import type { Draft, LedgerRow } from '../../../src/protocol/ledger.js';
import type { LookInput, LookResult } from '../../../src/protocol/review.js';

const ref = { project: 'p', runId: 'r-1', idea: 'a' };
const work = { worktree: '/w', branch: 'ralph/a', base: 'b', head: 'h', agentName: 'one' };
const pull = { number: 4, url: 'https://forge/4', candidate: 'c0ffee00', onto: 'tip' };
const looked = (result: LookResult, seen: string[] = []): Draft[] =>
  lookDrafts({ ...ref, pull, work, seen } as LookInput, result);
const landed = (result: LandResult): Draft[] => landingDrafts({ ...ref, ...work } as LandInput, result);
const lines = (drafts: readonly Draft[]): unknown[] =>
  drafts.map((draft) => [draft.kind, draft.actor.kind, draft.pass, operationText(draft as unknown as LedgerRow)]);

const back = (about: 'checks' | 'comments', what: string, ...seen: string[]): LookResult => ({
  ...{ kind: 'back', about, what, tail: 'the words', seen },
});

describe('a look', () => {
  it('that finds red checks, asked changes or a close leaves evidence that it did', () => {
    expect(lines(looked(back('checks', 'ci/jenkins (https://ci/7)', 'status 2')))).toEqual([
      ['pr', 'ralphctl', false, 'pull request 4 has red checks: ci/jenkins (https://ci/7)'],
    ]);
    expect(lines(looked(back('comments', 'ann, bob', 'line 1', 'review 2')))).toEqual([
      ['review', 'person', false, 'pull request 4: ann, bob asked for changes'],
    ]);
    expect(lines(looked({ kind: 'closed', by: 'ann', why: 'too big' }))).toEqual([
      ['pr', 'person', false, 'pull request 4 was closed by ann: too big'],
    ]);
    expect(looked({ kind: 'open' })).toEqual([]);
    expect(JSON.stringify(looked(back('comments', 'ann', 'line 1')))).not.toContain('the words');
  });

  it('that is repeated has one key, also where somebody said more meanwhile; the next round has its own', () => {
    const key = (result: LookResult, seen: string[] = []) => looked(result, seen)[0]?.key;
    const first = key(back('comments', 'ann', 'line 1'));
    expect(key(back('comments', 'ann, bob', 'line 1', 'line 2'))).toBe(first);
    expect(key(back('comments', 'bob', 'line 2'), ['line 1'])).not.toBe(first);
    expect(key(back('checks', 'build', 'check 1'))).not.toBe(first);
    const closed = landed({ kind: 'pull-closed', number: 4, url: pull.url, by: 'ann', durationMs: 1 });
    expect(key({ kind: 'closed' })).toBe(closed[0]?.key);
  });
});

describe('a landing that opens it or pushes again', () => {
  const result: LandResult = {
    ...{ kind: 'in-review', pull, durationMs: 1, asked: ['ann', 'bob'], answered: ['line 2', 'comment 1'] },
  };

  it('tells who is asked, and what is answered', () => {
    expect(lines(landed(result))).toEqual([
      ['pr', 'ralphctl', true, 'pull request 4 is open: https://forge/4'],
      ['review', 'ralphctl', undefined, 'pull request 4: asked ann, bob for a review'],
      ['review', 'ralphctl', undefined, 'pull request 4: answered 2 comments, up to c0ffee00'],
    ]);
  });

  it('again with another commit asks nobody and answers nothing once more', () => {
    const later = landed({ ...result, pull: { ...pull, candidate: 'other' }, answered: ['comment 1', 'line 2'] });
    expect(later.map(({ key }) => key).slice(1)).toEqual(
      landed(result)
        .map(({ key }) => key)
        .slice(1),
    );
    expect(later[0]?.key).not.toBe(landed(result)[0]?.key);
  });
});
