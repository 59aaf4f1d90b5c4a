/**
 * The ledger operations of a pull request: what people and checks of the forge said, what was asked and answered, and how
 * it ended.
 * Invariant: as in `drafts.ts`. A look that is repeated has the same input, so its operation has the same key.
 */
import { createHash } from 'node:crypto';
import type { ClosedPull, LandResult } from '../../protocol/git-work.js';
import type { Actor, Draft } from '../../protocol/ledger.js';
import type { LookInput, LookResult } from '../../protocol/review.js';

const RALPHCTL: Actor = { kind: 'ralphctl' };
const PERSON: Actor = { kind: 'person' };

const now = (): string => new Date().toISOString();
const nameOf = (keys: readonly string[]): string =>
  createHash('sha256')
    .update([...keys].sort().join('\n'))
    .digest('hex')
    .slice(0, 16);

/** What a look found. */
export function lookDrafts({ runId: run, idea, pull, work, seen }: LookInput, result: LookResult): Draft[] {
  const { number, url, candidate } = pull;
  switch (result.kind) {
    case 'merged': {
      const { commit, by } = result;
      const key = `${run}/${idea}/landed/${work.base}/${work.head}`;
      const data = { commit, branch: work.branch, pull: number, by };
      return [{ key, at: now(), op: 'submit', idea, run, actor: PERSON, pass: true, data }];
    }
    case 'closed':
      return [closedDraft({ run, idea }, { number, url, ...result })];
    case 'back': {
      const { about, what } = result;
      const checks = about === 'checks';
      const data = { number, url, commit: candidate, ...(checks ? { checks: what } : { by: what }) };
      return [
        {
          ...{ key: `${run}/${idea}/${about}/${number}/${candidate}/${nameOf(seen)}`, at: now(), op: 'evidence' },
          ...{ kind: checks ? 'pr' : 'review', idea, run, actor: checks ? RALPHCTL : PERSON, pass: false },
          data: { ...data, count: result.seen.length },
        },
      ];
    }
    default:
      return [];
  }
}

/** Also found by the landing after it, so both have one key. */
export const closedDraft = (
  { run, idea }: { run: string; idea: string },
  { number, url, by, why }: ClosedPull,
): Draft => ({
  ...{ key: `${run}/${idea}/closed/${number}`, at: now(), op: 'evidence', kind: 'pr', idea, run, actor: PERSON },
  ...{ pass: false, data: { number, url, closed: true, by, why } },
});

/** Whom it asks for a review, and which comments have an answer: once each, whatever was cut off. */
export function askedDrafts(
  about: Omit<Draft, 'key' | 'data' | 'kind' | 'pass' | 'durationMs'>,
  { pull, asked = [], answered = [] }: Extract<LandResult, { kind: 'in-review' }>,
): Draft[] {
  const { number, url, candidate } = pull;
  const { idea, run, at, op, actor } = about;
  const one = { at, op, actor, idea, ...(run === undefined ? {} : { run }), kind: 'review' as const };
  const to = `${run}/${idea}/asked/${number}/${nameOf(asked)}`;
  // Without the run: the next one may find the answers of this one as its last round.
  const of = `${idea}/answered/${url}/${nameOf(answered)}`;
  return [
    ...(asked.length === 0 ? [] : [{ ...one, key: to, data: { number, url, asked } }]),
    ...(answered.length === 0 ? [] : [{ ...one, key: of, data: { number, url, commit: candidate, answered } }]),
  ];
}
