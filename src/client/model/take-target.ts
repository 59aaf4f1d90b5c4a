/**
 * Takes into the model of a run that is over what its target says now: landed work that is gone, and work that is back.
 * Every view and command after the run reads it there.
 * Invariant: reads only, and fails nothing: without an answer of git, the record counts.
 */
import { type Stands, standsAs } from '../../decide/idea/on-target.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import { takeVerdicts, type Verdict } from '../../model/stands.js';
import type { RunFile } from '../../run-files/shapes.js';
import { type TargetNow, targetNow } from '../report/gone.js';
import { startOnto } from '../report/renamed.js';
import { takeForNext } from './for-next.js';

/** What the records say that has landed, and ideas that may have. */
export function askedOf(model: RunModel): { recorded: Map<string, string | undefined>; others: string[] } {
  const recorded = new Map<string, string | undefined>();
  const others: string[] = [];
  for (const idea of model.ideas.values()) {
    if (idea.group) continue;
    const { landedAs, landedBefore, recorded: record, status } = idea;
    const commit = landedAs?.commit ?? (landedBefore ? undefined : (record ?? idea).commit);
    if (commit !== undefined) recorded.set(idea.id, commit);
    else if ((record?.status ?? status) !== 'abandoned') others.push(idea.id);
  }
  return { recorded, others };
}

/** `again`: ideas that the run took once more although they had landed. */
export function verdictsOf(
  model: RunModel,
  now: TargetNow,
  again: readonly string[] = [],
): ReadonlyMap<string, Verdict> {
  const found = new Map<string, Verdict>();
  for (const idea of model.ideas.values()) {
    if (idea.group) continue;
    const { id } = idea;
    const whole = now.gone.get(id);
    const gone = whole?.part ? undefined : whole;
    const stands: Stands = standsAs(
      { status: (idea.recorded ?? idea).status, worked: hasWorked(idea), again: tookAgain(idea, again) },
      { landed: now.landed?.has(id) === true, gone: gone !== undefined },
    );
    if (stands === 'off' && gone) found.set(id, { is: 'off', gone });
    else if (stands === 'landed') found.set(id, { is: 'landed', commit: now.landed?.get(id) ?? '' });
  }
  return found;
}

/** Whether an agent has worked on it since its last landing and its last rollback. */
function hasWorked({ iterations, landedAs, said }: IdeaModel): boolean {
  const last = iterations.at(-1)?.startedAt;
  const rolledBack = said.findLast(({ verb, done }) => verb === 'rollback' && done !== undefined)?.at ?? 0;
  return last !== undefined && last > Math.max(landedAs?.at ?? 0, rolledBack);
}

/** After a rollback, only the target tells. */
const tookAgain = ({ id, told, forNext }: IdeaModel, again: readonly string[]): boolean =>
  again.includes(id) && !forNext?.rolledBack && told?.verb !== 'rollback';

/** All that is told beside the run: by the target, and by people for the next start. */
export async function takeNow(
  root: string,
  model: RunModel,
  file: RunFile,
  ask?: typeof targetNow,
): Promise<{ now: TargetNow; changed: boolean }> {
  const { now, changed } = await takeTarget(model, file, ask);
  // What is on the target is not next.
  if (changed) delete model.nextOrder;
  const told = await takeForNext(root, model, file).catch(() => false);
  return { now, changed: changed || told };
}

/** `ask`: for who asks often. */
async function takeTarget(
  model: RunModel,
  file: RunFile,
  ask: typeof targetNow = targetNow,
): Promise<{ now: TargetNow; changed: boolean }> {
  const { recorded, others } = askedOf(model);
  const now = await ask(file, recorded, { whole: false, others }).catch(
    (): TargetNow => ({ landed: undefined, gone: new Map() }),
  );
  const before = model.renamed?.text;
  if (now.renamed) model.renamed = now.renamed;
  else delete model.renamed;
  model.startAgain = startOnto(file, now.renamed?.branch);
  const moved = before !== now.renamed?.text;
  return { now, changed: takeVerdicts(model, verdictsOf(model, now, file.again)) || moved };
}
