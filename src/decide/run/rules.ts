/**
 * Rules of deciding that came later than some open runs. A run that has decided without a rule replays without it.
 * Invariant: a rule is asked for only where it makes a difference, so that histories without that case stay as they
 * are. Must not import anything.
 */

/**
 * `review-hears-stop`: an idea whose pull request opens in a stopping run is told to stop.
 * `apart-is-a-round`: a conflict with an unmoved base counts, so that an idea does not land again without end.
 * `waves-act-at-once`: what a wave decides about the run reaches the ideas at once, also when the run has just paused.
 * `waves-wait-for-ideas`: while reports are left that wait for open ideas, the waves are not over.
 * `places-are-kept`: an idea that came back from a conflict keeps its place, and a round on another tip than its agent got
 * does not count.
 * `looks-must-reach`: before the question about a pull request that is out, the forge has to say how the one above it is.
 * `merged-must-arrive`: a person is asked where the remote stays without the commit of a merged pull request.
 * `stuck-holds-nobody`: nobody waits for the place of an idea that makes no progress.
 * `paused-work-waits`: the finished work of an idea that a person has paused lands once it resumes.
 * `rollback-is-no-retry`: a rollback does not count as a retry, and what a person left out stays out after it.
 * `waves-ask-later`: the question of `waves.confirm` follows once a paused run goes on.
 * `review-is-told`: the tracker is told that an idea is in review, and where.
 * `alone-gets-a-slot`: an idea that a person resumes alone in a paused run gets a slot.
 * `waves-pass-approvals`: a landing that waits for an approval does not hold its wave up.
 */
export type Rule =
  | 'review-hears-stop'
  | 'apart-is-a-round'
  | 'waves-act-at-once'
  | 'waves-wait-for-ideas'
  | 'waves-ask-later'
  | 'looks-must-reach'
  | 'merged-must-arrive'
  | 'stuck-holds-nobody'
  | 'paused-work-waits'
  | 'rollback-is-no-retry'
  | 'places-are-kept'
  | 'review-is-told'
  | 'alone-gets-a-slot'
  | 'waves-pass-approvals';

/** Whether the rule applies now. */
export type Rules = (rule: Rule) => boolean;

export const ALL_RULES: Rules = () => true;
