/**
 * Landed ideas whose work has left the target since, by a person or a rollback, with the command that queues each again.
 * Invariant: reads only, and asks the target, not the records of runs.
 */
import { stat } from 'node:fs/promises';
import { goneOf, type Recorded } from '../../git/landing/gone.js';
import { landedOnce } from '../../git/landing/landed.js';
import { whereLanded } from '../../git/landing/lost-branch.js';
import type { TakenBack } from '../../git/landing/taken-back.js';
import { git } from '../../git/runner.js';
import type { Gone, Renamed } from '../../model/model.js';
import type { StartAgain } from '../../model/start-again.js';
import { fixSentence, lostText } from '../../report/gone-text.js';
import type { RunFile } from '../../run-files/shapes.js';
import { fixOf, lookAt, takenBackText } from '../open-run/landed-report.js';
import { openInBacklog } from '../open-run/open-in-backlog.js';
import { renamedOf, startOnto } from './renamed.js';

export interface TargetNow {
  /** Landed ideas with the newest commit of each; undefined: unknown. */
  landed: ReadonlyMap<string, string> | undefined;
  /** By idea. */
  gone: ReadonlyMap<string, Gone>;
  /** Of a target that does not exist any more, while another branch has its landings: they count as landed. */
  renamed?: Renamed;
  /** The target does not exist. */
  missing?: true;
  /** Git did not answer everything. */
  failed?: true;
}

/** Where the run of a project works. */
export type Place = Pick<RunFile, 'repo' | 'target' | 'backlog' | 'flags' | 'waves' | 'named'>;

export interface Asking {
  /** Only ideas of which nothing is left, which takes less time. */
  whole: boolean;
  /** Ideas that no record calls landed: they count only with a proof in git. */
  others?: readonly string[];
}

const UNKNOWN: TargetNow = { landed: undefined, gone: new Map(), failed: true };

/** `recorded`: ideas that landed by the record of a run. Never fails. */
export async function targetNow(place: Place, recorded: Recorded, { whole, others = [] }: Asking): Promise<TargetNow> {
  const { repo, target, backlog } = place;
  const where = await whereLanded(repo, target, recorded).catch(() => undefined);
  if (!where) return UNKNOWN;
  const { branch = target, newest } = where;
  const look = { ...lookAt(repo, branch, backlog.file), whole };
  // The same moment for both questions.
  const read = landedOnce(repo, branch, look.backlogPath);
  const [landed, gone] = await Promise.all([
    where.branch === undefined
      ? new Map<string, string>()
      : read().then(
          (found) => found.landed,
          () => undefined,
        ),
    goneOf(look, recorded, { others, read }).catch(() => undefined),
  ]);
  const start = startOnto(place, branch);
  const isReset = gone?.some(({ by, noBranch }) => !by && !noBranch) === true;
  const open = isReset ? await openInBacklog(backlog) : new Set<string>();
  const about = { target: branch, start, lost: newest, open };
  const renamed = renamedOf(place, where);
  return {
    landed,
    gone: new Map((gone ?? []).map((one) => [one.idea, told(one, about)])),
    ...(renamed ? { renamed } : {}),
    ...(where.branch === target ? {} : { missing: true as const }),
    ...(landed && gone ? {} : { failed: true as const }),
  };
}

/**
 * Asks git again only when what the answer comes from has changed: the answer takes many processes. A screen has one.
 * Invariant: an answer of a git that failed is not kept; the one before it counts until git answers.
 */
export class KeptGone {
  readonly #kept = new Map<string, { of: string; now: TargetNow }>();

  forget(): void {
    this.#kept.clear();
  }

  readonly now: typeof targetNow = async (place, recorded, asking) => {
    const key = JSON.stringify([place.repo, place.target, asking, ...recorded]);
    const kept = this.#kept.get(key);
    const of = await standOf(place).catch(() => undefined);
    if (of === undefined) return kept?.now ?? UNKNOWN;
    if (kept?.of === of) return kept.now;
    const now = await targetNow(place, recorded, asking);
    if (now.failed) return kept?.now ?? now;
    // It moved meanwhile: the answer may be about either, and is not kept.
    if ((await standOf(place).catch(() => undefined)) !== of) return now;
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(key, { of, now });
    return now;
  };
}

/** The run that the screen shows, and those whose reports were looked at last. */
const MOST_KEPT = 8;

/** The branch, or all of them where it does not exist, and the backlog: one small process. */
async function standOf({ repo, target, backlog }: Place): Promise<string> {
  const name = `refs/heads/${target}`;
  const read = (pattern: string): Promise<string> =>
    git(repo).run(['for-each-ref', '--format=%(refname) %(objectname)', pattern], { read: true });
  const tip = (await read(name)).split('\n').find((line) => line.startsWith(`${name} `));
  const file = await stat(backlog.file).catch(() => undefined);
  return [tip ?? (await read('refs/heads/')), file?.mtimeMs, file?.size].join('\n');
}

interface Told {
  target: string;
  start: StartAgain;
  lost: string | undefined;
  open: ReadonlySet<string>;
}

function told(one: TakenBack, { target, start, lost, open }: Told): Gone {
  const { by, part, landed, stays, noBranch } = one;
  return {
    ...{ landed, text: takenBackText(one, target), ...fixOf(one, start, { target, lost, open }) },
    ...(by ? { by: by.commit, ...(by.at === undefined ? {} : { at: by.at }) } : {}),
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
