/**
 * Landed ideas whose work has left the target since, by a person or a rollback, with the command that queues each again.
 * Invariant: reads only, and asks the target, not the records of runs.
 */
import { goneOf, newestOf, type Recorded } from '../../git/landing/gone.js';
import { landedOnce } from '../../git/landing/landed.js';
import type { TakenBack } from '../../git/landing/taken-back.js';
import { targetTip } from '../../git/repository.js';
import type { Gone } from '../../model/model.js';
import type { StartAgain } from '../../model/start-again.js';
import { fixSentence, lostText } from '../../report/gone-text.js';
import type { RunFile } from '../../run-files/shapes.js';
import { startAgainOf } from '../../run-files/start-again.js';
import { fixOf, lookAt, takenBackText } from '../open-run/landed-report.js';

export interface TargetNow {
  /** Landed ideas with the newest commit of each; undefined: unknown. */
  landed: ReadonlyMap<string, string> | undefined;
  /** By idea. */
  gone: ReadonlyMap<string, Gone>;
}

/** Where the run of a project works. */
export type Place = Pick<RunFile, 'repo' | 'target' | 'backlog' | 'flags' | 'waves' | 'named'>;

export interface Asking {
  /** Only ideas of which nothing is left, which takes less time. */
  whole: boolean;
  /** Ideas that no record calls landed: they count only with a proof in git. */
  others?: readonly string[];
}

/** `recorded`: ideas that landed by the record of a run. */
export async function targetNow(place: Place, recorded: Recorded, { whole, others = [] }: Asking): Promise<TargetNow> {
  const { repo, target, backlog } = place;
  const look = { ...lookAt(repo, target, backlog.file), whole };
  // The same moment for both questions.
  const read = landedOnce(repo, target, look.backlogPath);
  const [landed, gone] = await Promise.all([
    read().then(
      (found) => found.landed,
      () => undefined,
    ),
    goneOf(look, recorded, { others, read }).catch(() => []),
  ]);
  const start = startAgainOf(place);
  const lost = gone.some(({ noBranch }) => noBranch)
    ? await newestOf(
        repo,
        gone.map((one) => one.landed),
      ).catch(() => undefined)
    : undefined;
  return { landed, gone: new Map(gone.map((one) => [one.idea, told(one, { target, start, lost })])) };
}

export const goneSince = async (place: Place, recorded: Recorded, asking: Asking): Promise<ReadonlyMap<string, Gone>> =>
  (await targetNow(place, recorded, asking)).gone;

/** Asks git again only when the target has moved: the answer takes many processes. */
export class KeptGone {
  #kept: { key: string; now: TargetNow } | undefined;

  forget(): void {
    this.#kept = undefined;
  }

  readonly now: typeof targetNow = async (place, recorded, asking) => {
    const { repo, target } = place;
    const tip = await targetTip(repo, target).catch(() => undefined);
    const key = JSON.stringify([repo, target, tip, asking, ...recorded]);
    if (tip !== undefined && this.#kept?.key === key) return this.#kept.now;
    const now = await targetNow(place, recorded, asking);
    this.#kept = { key, now };
    return now;
  };
}

interface Told {
  target: string;
  start: StartAgain;
  lost: string | undefined;
}

function told(one: TakenBack, { target, start, lost }: Told): Gone {
  const { by, part, landed, stays, noBranch } = one;
  return {
    ...{ landed, text: takenBackText(one, target), ...fixOf(one, start, { target, lost }) },
    ...(by ? { by: by.commit } : {}),
    ...(part ? { part } : {}),
    ...(stays ? { stays } : {}),
    ...(noBranch ? { noBranch } : {}),
  };
}

export type GoneIdea = Gone & { idea: string };

/** For `status`: a lost branch is one loss, however many ideas it had. */
export function goneLines(gone: readonly GoneIdea[], target: string, most: number): string[] {
  const lost = gone.filter(({ noBranch }) => noBranch);
  const [first] = lost;
  const each = gone.filter(({ noBranch }) => !noBranch);
  const more = each.length > most ? [`! and ${each.length - most} more; all of them: ralphctl report --all`] : [];
  return [
    ...(first
      ? [
          `! ${lostText(
            target,
            lost.map(({ idea }) => idea),
          )}. ${fixSentence(first)}`,
        ]
      : []),
    ...each.slice(0, most).map((one) => `! ${one.text}. ${fixSentence(one)}`),
    ...more,
  ];
}
