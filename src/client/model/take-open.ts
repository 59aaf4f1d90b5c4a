/**
 * Takes into the model of an open run what people did to its target meanwhile: landed work that a commit or a reset took
 * off, commits of an idea that a person merged, and a branch that was renamed or deleted. The run itself looks at its next
 * landing only.
 * Invariant: reads only, and fails nothing: without an answer of git, the model stays as it is.
 */
import { lastTip } from '../../git/landing/missing-target.js';
import type { Gone, IdeaModel, Renamed, RunModel } from '../../model/model.js';
import { isReverted } from '../../model/reverted.js';
import { takeVerdicts, type Verdict } from '../../model/stands.js';
import { startCommand } from '../../model/start-again.js';
import { shellWord } from '../../protocol/shell-words.js';
import { fixSentence, lostText } from '../../report/gone-text.js';
import type { RunFile } from '../../run-files/shapes.js';
import { landedText } from '../open-run/landed-report.js';
import { type TargetNow, targetNow } from '../report/gone.js';
import { startOnto } from '../report/renamed.js';

/** True when something changed. `ask`: for who asks often. */
export async function takeOpen(model: RunModel, file: RunFile, ask: typeof targetNow = targetNow): Promise<boolean> {
  const landed = [...model.ideas.values()].filter(({ group, status }) => !group && status === 'landed');
  const recorded = new Map<string, string | undefined>();
  const others: string[] = [];
  for (const { id, landedAs, landedBefore, recorded: record, commit } of landed) {
    const own = landedAs?.commit ?? (landedBefore ? undefined : (record?.commit ?? commit));
    if (own === undefined) others.push(id);
    else recorded.set(id, own);
  }
  const now = await ask(file, recorded, { whole: false, others }).catch(() => undefined);
  if (!now || now.failed) return false;
  const before = model.renamed?.text;
  // As long as nothing has landed, a person left it at its last commit.
  const last = now.missing ? await lastTip(file.repo, file.target).catch(() => undefined) : undefined;
  const missing = missingOf(file, now, last);
  if (missing) model.renamed = missing;
  else delete model.renamed;
  const merged = takeMerged(model, now, file.again);
  return takeVerdicts(model, verdicts(landed, now, file.target)) || merged || before !== missing?.text;
}

/** An idea that runs although it had landed has an old commit there, which says nothing of its work now. */
function takeMerged(model: RunModel, now: TargetNow, again: readonly string[] = []): boolean {
  let changed = false;
  for (const idea of model.ideas.values()) {
    const { id, status, commits, landedAs } = idea;
    const own = status !== 'landed' && commits > 0 && !landedAs && !again.includes(id);
    const at = own ? now.landed?.get(id) : undefined;
    if (at === idea.merged) continue;
    changed = true;
    if (at === undefined) delete idea.merged;
    else idea.merged = at;
  }
  return changed;
}

function verdicts(
  landed: readonly IdeaModel[],
  { gone, landed: known }: TargetNow,
  target: string,
): Map<string, Verdict> {
  const found = new Map<string, Verdict>();
  for (const idea of landed) {
    const { id } = idea;
    const one = gone.get(id);
    // A lost branch is one loss, which is told of the branch.
    if (one && !one.noBranch) {
      if (!toldBy(idea, one)) found.set(id, { is: 'reverted', ...told(id, one, target) });
    } else if (!one && known?.has(id) && isWholly(idea)) found.set(id, { is: 'back' });
  }
  return found;
}

const recordOf = (idea: IdeaModel): IdeaModel => ({ ...idea, ...idea.recorded });

/** A landing of the run has told it. */
const toldBy = (idea: IdeaModel, { by = '' }: Gone): boolean =>
  isReverted(recordOf(idea)) && by !== '' && recordOf(idea).reason?.startsWith(by.slice(0, 8)) === true;

/** The run told that nothing of it is left. Of a part, only the next landing tells. */
function isWholly(idea: IdeaModel): boolean {
  const record = recordOf(idea);
  return isReverted(record) && record.reverted?.part === undefined;
}

/** In the words of the event that the next landing tells. */
function told(idea: string, { text, landed, by, part, command }: Gone, target: string): { text: string; part?: true } {
  const what = by
    ? text.replace(`${landedText(idea, landed)}, and `, '')
    : `${target} does not contain it any more: it was reset or rewritten`;
  if (part) return { text: what, part: true };
  return { text: `${what}; to run it again, once this run is over: ${command}` };
}

function missingOf(
  file: RunFile,
  { gone, renamed, missing }: TargetNow,
  last: string | undefined,
): Renamed | undefined {
  const { target } = file;
  if (!missing) return undefined;
  if (renamed?.branch !== undefined) {
    const { branch, text, commands } = renamed;
    const back = commands.find((one) => one.startsWith('git branch ')) ?? '';
    const start = startCommand(startOnto(file, branch));
    const fix = `Until it is back, nothing lands: ${back}. Or go on with ${branch}: ralphctl stop, then: ${start}`;
    return { branch, text, fix, commands: [back] };
  }
  const [first] = gone.values();
  if (first) return { text: lostText(target, [...gone.keys()]), fix: fixSentence(first), commands: [first.command] };
  const make = `git branch ${shellWord(target)} ${last?.slice(0, 12) ?? 'COMMIT'}`;
  return {
    text: `the branch ${target} does not exist any more`,
    fix: `Until it is back, nothing lands: ${make}`,
    commands: [make],
  };
}
