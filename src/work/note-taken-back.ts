/** A landing says which ideas were taken off the target since the landing before it. Never fails one that is done. */
import { type TakenBack, takenBack } from '../git/taken-back.js';
import type { LandResult } from '../protocol/git-work.js';
import { repositoryPath } from '../runs/backlog-place.js';
import type { RunFile } from '../runs/run-files.js';

const MOST_NAMED = 3;

export async function noteTakenBack(result: LandResult, run: RunFile, idea: string): Promise<LandResult> {
  if (result.kind !== 'landed') return result;
  const { repo, target } = run;
  const backlogPath = repositoryPath(repo, run.backlog.file);
  const look = { repo, target, before: idea, ...(backlogPath === undefined ? {} : { backlogPath }) };
  const gone = await takenBack(look).catch(() => []);
  if (gone.length === 0) return result;
  return {
    ...result,
    note: [...new Set(gone.map(({ by }) => by?.commit))]
      .map((by) => words(gone, by))
      .concat(result.note ?? [])
      .join(' '),
  };
}

function words(all: readonly TakenBack[], commit: string | undefined): string {
  const of = all.filter(({ by }) => by?.commit === commit);
  const names = of.slice(0, MOST_NAMED).map(({ idea }) => idea);
  const more = of.length > MOST_NAMED ? ` and ${of.length - MOST_NAMED} more` : '';
  const again = names.map((id) => `--again ${id}`).join(' ');
  const subject = of[0]?.by?.subject.slice(0, 60) ?? '';
  return `${commit?.slice(0, 8)} (${subject}) took ${names.join(', ')}${more} off the target again; in the next run: ralphctl start ${again}.`;
}
