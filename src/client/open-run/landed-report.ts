/**
 * Reports ideas that count as landed although a person took them back, wholly or in part, or although the backlog has them again without a
 * tick.
 * Invariant: reads only, and names for each the command that runs it again.
 */
import { rewound } from '../../git/landing/gone.js';
import { landedOnce } from '../../git/landing/landed.js';
import { type Look, type TakenBack, takenBack } from '../../git/landing/taken-back.js';
import type { Gone } from '../../model/model.js';
import { againCommand, type StartAgain, startCommand } from '../../model/start-again.js';
import type { FormatName } from '../../protocol/backlog-formats.js';
import type { Idea } from '../../protocol/idea.js';
import { shellWord } from '../../protocol/shell-words.js';
import { fixSentence } from '../../report/gone-text.js';
import { repositoryPath } from '../../run-files/ticks.js';
import { clean } from '../views/live-lines.js';
import { ideasOnTarget } from './not-committed.js';

export interface LandedReport {
  /** `runs`: the next start runs it in any case. */
  takenBack: (TakenBack & { runs?: true })[];
  /** Ideas that landed before and are not ticked. Perhaps someone used the id twice. */
  unticked: { idea: string; landed: string }[];
}

export interface Asked {
  root: string;
  target: string;
  /** The backlog file. */
  file: string;
  format?: FormatName | undefined;
  ideas: readonly Idea[];
  /** Whether landed ideas get a tick. */
  ticks: boolean;
  /** Ideas that a person wants again. */
  again?: readonly string[];
  /** Ideas without a line in the file, which nothing could tick. */
  parts?: readonly string[];
}

export async function landedReport({
  root,
  target,
  file,
  format,
  ideas,
  ticks,
  again = [],
  parts = [],
}: Asked): Promise<LandedReport> {
  const known = new Set(ideas.filter(({ id }) => !again.includes(id)).map(({ id }) => id));
  const look = lookAt(root, target, file);
  const read = landedOnce(root, target, look.backlogPath);
  const [{ landed }, gone, off] = await Promise.all([
    read(),
    takenBack(look, read),
    rewound(
      root,
      target,
      [...known].filter((id) => ideas.some((idea) => idea.id === id && !idea.blue)),
      read,
    ),
  ]);
  const done = new Set(ideas.flatMap(({ id, done: ticked }) => (ticked ? [id] : [])));
  const lostNow = off.map((one) => (done.has(one.idea) ? one : { ...one, runs: true as const }));
  const lost = [...gone, ...lostNow].filter(({ idea }) => known.has(idea));
  const open = ideas.filter(
    ({ id, done, blue }) =>
      ticks &&
      !done &&
      !blue &&
      known.has(id) &&
      !parts.includes(id) &&
      landed.has(id) &&
      !lost.some((one) => one.idea === id && !one.part),
  );
  const onTarget = open.length > 0 ? await ideasOnTarget({ root, target, file, format }) : undefined;
  // The file in the checkout may be behind, or have edits.
  const ticked = new Set(onTarget?.filter(({ done }) => done).map(({ id }) => id));
  const unticked = open
    .filter(({ id }) => !ticked.has(id))
    .map(({ id }) => ({ idea: id, landed: landed.get(id) ?? '' }));
  return { takenBack: lost, unticked };
}

export function lookAt(repo: string, target: string, file: string): Look {
  const backlogPath = repositoryPath(repo, file);
  return { repo, target, backlogPath };
}

const MOST_LINES = 5;

export function reportLines({ takenBack: gone, unticked }: LandedReport, target: string, start?: StartAgain): string[] {
  return [
    ...some(
      gone,
      (one) => `${takenBackText(one, target)}. ${one.runs ? 'It runs again' : fixSentence(fixOf(one, start))}`,
    ),
    ...some(
      unticked,
      ({ idea, landed }) =>
        `${idea} is not ticked, but landed before as ${short(landed)}, so it does not run. ` +
        `Run it again with: ${againCommand(idea, start) ?? startCommand(start)}; or give new work another id`,
    ),
  ];
}

/**
 * While a run is open, no start runs an idea again, and the run itself tells what it accepts. What landed without a tick
 * is no news then: mostly the run itself landed it.
 */
export const attachedLines = ({ takenBack: gone }: LandedReport, target: string): string[] =>
  some(gone, (one) => `${takenBackText(one, target)}. What to do about it: ralphctl status`);

function some<T>(all: readonly T[], line: (one: T) => string): string[] {
  const more = all.length - MOST_LINES;
  return [...all.slice(0, MOST_LINES).map(line), ...(more > 0 ? [`and ${more} more like the last one`] : [])];
}

interface Fixing {
  target?: string;
  /** Where the target's branch can begin again. */
  lost?: string | undefined;
  /** Ideas that the backlog has open. */
  open?: ReadonlySet<string>;
}

/** The command about it, and the one after it. */
export function fixOf(
  { idea, by, part, noBranch }: TakenBack,
  start: StartAgain | undefined,
  { target = '', lost, open }: Fixing = {},
): Pick<Gone, 'command' | 'start' | 'runs' | 'part' | 'noBranch'> {
  if (noBranch)
    return { command: `git branch ${shellWord(target)} ${lost === undefined ? 'COMMIT' : short(lost)}`, noBranch };
  if (by && part)
    return { command: `git show ${short(by.commit)} -- ${part.slice(0, MOST_FILES).map(shellWord).join(' ')}`, part };
  // A wave takes it like any other report.
  const waveTakesIt = againCommand(idea, start) === undefined;
  // No commit took it off: once its tick is gone, too, it is to do like any other.
  if (waveTakesIt || (!by && open?.has(idea))) return { command: startCommand(start), runs: true };
  return { command: `ralphctl retry ${idea}`, start: startCommand(start) };
}

const short = (commit: string): string => commit.slice(0, 8);

const MOST_FILES = 3;

export const landedText = (idea: string, landed: string): string =>
  landed === '' ? `${idea} landed` : `${idea} landed as ${short(landed)}`;

export function takenBackText({ idea, landed, by, part, rolledBack, noBranch }: TakenBack, target: string): string {
  const head = landedText(idea, landed);
  if (noBranch) return `${head} on ${target}, and that branch does not exist any more`;
  if (!by) return `${head}, which ${target} does not contain any more: it was reset or rewritten`;
  if (rolledBack) return `${head}, and was taken off ${target} by ${short(by.commit)}, its rollback`;
  const taker = `${short(by.commit)} (${clean(by.subject, 60)})`;
  if (!part) return `${head}, and ${taker} took it off ${target} again`;
  const more = part.length > MOST_FILES ? ` and ${part.length - MOST_FILES} more` : '';
  const files = clean(part.slice(0, MOST_FILES).join(', '), 200);
  return `${head}, and ${taker} took part of it off ${target} again: ${files}${more}`;
}
