/**
 * Landed ideas whose work has left the target since, by a person or a rollback, with the command that runs each again.
 * Invariant: reads only, and asks the target, not the records of runs.
 */
import type { Landed } from '../../git/landing/landed.js';
import { goneOf, type TakenBack } from '../../git/landing/taken-back.js';
import { targetTip } from '../../git/repository.js';
import type { SummaryFile } from '../../model/facts.js';
import type { StartAgain } from '../../model/start-again.js';
import type { Gone } from '../../report/extra.js';
import { loadRun } from '../../run-files/run.js';
import type { RunFile } from '../../run-files/shapes.js';
import { startAgainOf } from '../../run-files/start-again.js';
import { fixOf, lookAt, takenBackText } from '../open-run/landed-report.js';

/** By idea. `whole`: only ideas of which nothing is left, which takes less time. */
export async function goneSince(
  file: RunFile,
  ideas: readonly string[],
  { whole, landed }: { whole: boolean; landed?: Landed },
): Promise<Map<string, Gone>> {
  const { repo, target, backlog } = file;
  const start = startAgainOf(file);
  const gone = await goneOf({ ...lookAt(repo, target, backlog.file), whole }, ideas, landed).catch(() => []);
  return new Map(gone.map((one) => [one.idea, told(one, target, start)]));
}

/** Asks git again only when the target has moved: the answer takes many processes. */
export class KeptGone {
  #kept: { key: string; gone: Map<string, Gone> } | undefined;

  forget(): void {
    this.#kept = undefined;
  }

  readonly since: typeof goneSince = async (file, ideas, { whole, landed }) => {
    const { runId, repo, target } = file;
    const tip = await targetTip(repo, target).catch(() => undefined);
    const key = JSON.stringify([runId, tip, whole, ideas]);
    if (tip !== undefined && this.#kept?.key === key) return this.#kept.gone;
    const gone = await goneSince(file, ideas, { whole, ...(landed ? { landed } : {}) });
    this.#kept = { key, gone };
    return gone;
  };
}

function told(one: TakenBack, target: string, start: StartAgain): Gone {
  const { by, part, landed } = one;
  return {
    ...{ landed, text: takenBackText(one, target), command: fixOf(one, start).command },
    ...(by ? { by: by.commit } : {}),
    ...(part ? { part } : {}),
  };
}

export type GoneIdea = Gone & { idea: string };

/** Of what an ended run landed. */
export async function goneFromRun(root: string, project: string, last: SummaryFile | undefined): Promise<GoneIdea[]> {
  const landed = (last?.ideas ?? []).flatMap(({ idea, status, commit }) =>
    status === 'landed' && commit ? [idea] : [],
  );
  if (!last || landed.length === 0) return [];
  const run = await loadRun(root, { project, runId: last.status.runId }).catch(() => undefined);
  const gone = run ? await goneSince(run.file, landed, { whole: true }) : [];
  return [...gone].map(([idea, one]) => ({ idea, ...one }));
}

/** For `status`. */
export function goneLines(gone: readonly GoneIdea[], most: number): string[] {
  const more = gone.length > most ? [`! and ${gone.length - most} more; all of them: ralphctl report --all`] : [];
  return [...gone.slice(0, most).map(({ text, command }) => `! ${text}. Run it again with: ${command}`), ...more];
}
