/**
 * What the target says of ideas, where it overrules the record of their run: landed work that is gone, and work that is
 * back.
 * Invariant: what the record said is kept, and comes back once the target no longer overrules it. May import protocol and
 * the files beside it only.
 */
import { keepEnd } from './at-end.js';
import { count } from './counts.js';
import type { Gone, IdeaModel, RunModel } from './model.js';
import { isOff } from './reverted.js';

/**
 * `landed`: the target has it, though its record says otherwise. `off`: it landed, and the target has it no longer.
 * In an open run it stays landed: `reverted`, as an event of the run would tell it; or `back`, though the run told that.
 */
export type Verdict =
  | { is: 'landed'; commit: string }
  | { is: 'off'; gone: Gone }
  | { is: 'reverted'; text: string; part?: true }
  | { is: 'back' };

/** Absent ideas stand as recorded. True when something changed. */
export function takeVerdicts(model: RunModel, verdicts: ReadonlyMap<string, Verdict>): boolean {
  let changed = false;
  for (const idea of model.ideas.values()) {
    const next = idea.group ? undefined : verdicts.get(idea.id);
    if (!next && !idea.recorded) continue;
    const before = stateOf(idea);
    count(model.counts, idea, -1);
    asRecorded(idea);
    if (next) overrule(model, idea, next);
    count(model.counts, idea, 1);
    changed ||= stateOf(idea) !== before;
  }
  return changed;
}

const stateOf = ({ status, reason, commit, off }: IdeaModel): string => JSON.stringify([status, reason, commit, off]);

function overrule(model: RunModel, idea: IdeaModel, verdict: Verdict): void {
  // Of what was taken off in part, the target has the rest in any case.
  const isBack = verdict.is === 'landed' && isOff(idea);
  if (verdict.is === 'landed' && idea.status === 'landed' && !isBack) return;
  const inRun = verdict.is === 'reverted' || verdict.is === 'back';
  if (!inRun) keepEnd(idea);
  const { status, reason, commit, held, approval, reverted } = idea;
  idea.recorded = {
    ...{ status, held, approval },
    ...(reason === undefined ? {} : { reason }),
    ...(commit === undefined ? {} : { commit }),
    ...(reverted === undefined ? {} : { reverted }),
  };
  if (inRun) {
    delete idea.reason;
    delete idea.reverted;
    if (verdict.is === 'back') return;
    const { text, part } = verdict;
    Object.assign(idea, { reason: text, reverted: { text, ...(part ? { part } : {}) } });
    return;
  }
  Object.assign(idea, { held: false, approval: false });
  if (verdict.is === 'landed') {
    Object.assign(idea, { status: 'landed', commit: verdict.commit, reason: `its work is on ${model.target} again` });
    return;
  }
  Object.assign(idea, { status: 'pending', off: verdict.gone, reason: verdict.gone.text });
  delete idea.commit;
}

/** Before an event about the idea, which changes its record. */
export function asRecorded(idea: IdeaModel): void {
  const { recorded } = idea;
  if (!recorded) return;
  delete idea.off;
  delete idea.recorded;
  delete idea.reason;
  delete idea.commit;
  delete idea.reverted;
  Object.assign(idea, recorded);
}
