/** The state a new run would begin with: its ideas, and what people decided before. Reads only. */
import { toCard } from '../../backlog/cards.js';
import { firstState } from '../../decide/run/first-state.js';
import type { CarriedOver, KeptCommand } from '../../protocol/activities.js';
import type { Idea } from '../../protocol/idea.js';
import type { AutopilotState } from '../../protocol/run.js';
import type { RunSettings } from '../../protocol/run-settings.js';
import { abandonedIdeas, retriedIdeas, withoutThose } from '../../run-files/carried.js';
import { keptForNext } from '../../run-files/kept.js';

/** A person who names an idea again wants it to run. */
async function carriedInto(root: string, project: string, again: readonly string[]): Promise<CarriedOver> {
  const [givenUp, retries, next] = await Promise.all([
    abandonedIdeas(root, project),
    retriedIdeas(root, project),
    keptForNext(root, project),
  ]);
  const abandoned = [...givenUp]
    .filter(([idea]) => !again.includes(idea))
    .map(([idea, { reason }]) => ({ idea, reason: reason || undefined }));
  const kept = next.flatMap(({ idea, kept: all }): KeptCommand[] =>
    withoutThose(
      all.map(({ at: _, ...command }) => ({ idea, ...command })),
      again,
    ),
  );
  return { abandoned, hints: [], retries, kept };
}

interface Begins {
  project: string;
  target: string;
  ideas: readonly Idea[];
  /** Ideas that need no work. */
  landed: string[];
  again?: readonly string[];
}

export async function beginning(
  root: string,
  { project, target, ideas, landed, again = [] }: Begins,
  settings: RunSettings,
): Promise<AutopilotState> {
  const carried = await carriedInto(root, project, again);
  const opened = { agentsQueue: '', gitQueue: '', target, cards: ideas.map(toCard), landed, carried };
  return firstState(opened, settings, Date.now());
}
