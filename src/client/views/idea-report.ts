/**
 * Reports on one idea: agent runs, last gate, whole question, place of its work, and the commands that help now. It
 * reads files and git, so that it is the same with a worker and without.
 * Invariant: reads only.
 */

import { join } from 'node:path';
import { jsonOf } from '../../config/own-files.js';
import { ideaDir, iterationDir } from '../../config/paths.js';
import { withoutSignal } from '../../decide/text.js';
import { ideaBranch } from '../../git/refs.js';
import { exists, listWorktrees } from '../../git/worktrees/list.js';
import { isReplaced } from '../../git/worktrees/relink.js';
import { answersInRun } from '../../jobs/agent-run/answers.js';
import { lastGate } from '../../model/fold-gate.js';
import type { GateRun, Gone, IdeaModel, Iteration, Renamed } from '../../model/model.js';
import { changedOutside } from '../../model/outside.js';
import type { Refused } from '../../model/refused.js';
import { isOff } from '../../model/reverted.js';
import type { LineGone } from '../../model/since.js';
import { startCommand } from '../../model/start-again.js';
import type { AgentSignal, RunAgentResult } from '../../protocol/agent-run.js';
import { withoutApproveOffer } from '../../protocol/approve-offer.js';
import type { Answered } from '../../protocol/command.js';
import type { WhyView } from '../../protocol/views.js';
import type { ShownRun } from '../../report/show.js';
import { cleanedText } from '../../run-files/cleaned.js';
import { isCutOff } from '../../screen/cut-off.js';
import { restText } from '../../screen/words/idea-words.js';
import type { LeftWorking } from '../api/left-working.js';
import { type AfterRun, alsoAfter, commandsAfter, commandsNow } from './commands-now.js';
import { pendingWord } from './pending-word.js';
import { type SaidEarlier, saidEarlier } from './said-earlier.js';
import { openWarnings } from './warning-lines.js';

export interface AgentRunLine {
  serial: number;
  iteration?: number;
  at?: string;
  outcome?: Iteration['outcome'];
  message?: string;
  signal?: AgentSignal;
  /** Why the agent's COMPLETE does not count. */
  turnedDown?: string;
  commits?: number;
  gate?: { pass: boolean; none?: true; command?: string; exitCode?: number | null; why?: string };
}

export interface IdeaReport extends WhyView {
  runs: AgentRunLine[];
  gate?: {
    pass: boolean;
    none?: true;
    /** On the merged tree. */
    merged?: true;
    at: string;
    command?: string;
    exitCode?: number | null;
    why?: string;
    log?: string;
    cleaned?: string;
  };
  /** The gate on the merged tree did not run again: this one had found the same tree green. */
  sameTree?: string;
  /** The whole text, with its line breaks. */
  question?: string;
  /** Of a pending idea: the word of the screen for it. */
  shown?: string;
  /** A person's answers in this run, oldest first, whole. */
  answers?: Answered[];
  earlier?: SaidEarlier[];
  /** The agent's text before its question. */
  said?: string;
  /** Its agent has ended, and its gate runs. `settling`: its work is settled before. */
  gating?: { command?: string; number?: number; of?: number; freeSlot?: true; settling?: true };
  bounced?: string;
  /** Its last rollback was refused, and nothing has moved since. */
  refused?: { at: string; text: string };
  /** Changes outside its worktree while its agent ran, by somebody unknown. */
  outside?: string[];
  worktree?: string;
  branch?: string;
  /** Its uncommitted work is in this save, and not in its worktree. `back`: the next start brings it back. */
  putAway?: { n: number; back: boolean };
  /** The next start begins it anew. */
  anew?: true;
  /** Its branch is behind its target: a sentence without its end. */
  behind?: string;
  over: boolean;
  /** What a person asked for while its step goes on, in the words of the screen. */
  rests?: string;
  /** The end of its run cut it off. */
  stopped?: true;
  /** Why nothing moves although the run is open, with the command that goes on. */
  still?: string;
  /** Why it waits with its slot before it tries again. */
  backsOff?: string;
  /** It is open on the server although its run has ended: somebody terminated the run. */
  left?: Pick<LeftWorking, 'doing' | 'since'> & { start: string };
  /** The run is open, and a person merged commits of it: the commit of the target. */
  merged?: string;
  /** How its landed work left the target. */
  off?: Gone;
  /** The run is open: a person took all of it off the target, as the reason says. */
  takenOff?: true;
  /** Its target does not exist any more, and another branch has what landed there. */
  renamed?: Renamed;
  /** The backlog does not have it any more, or has it ticked. */
  lineGone?: LineGone;
  /** All commands that people gave it, oldest first; `told` is the last one. */
  commandsTold?: { verb: string; text?: string; undelivered?: true }[];
  /** Complete commands, the most useful first. */
  commands: string[];
  /** Further verbs, while no run is open. */
  also?: string[];
}

export interface About {
  root: string;
  project: string;
  runId?: string;
  /** Absent when there was no run. */
  repo?: string;
  told?: IdeaModel;
  over: boolean;
  still?: string;
  left?: LeftWorking;
  /** The idea in the runs of the project, newest first. */
  runs?: readonly ShownRun[];
  /** What it accepts while no run is open. */
  after?: AfterRun;
  renamed?: Renamed | undefined;
  refused?: Refused | undefined;
}

export async function reportOn(view: WhyView, about: About): Promise<IdeaReport> {
  const { told, over, repo, runId } = about;
  const refused = view.status === 'landed' ? about.refused : undefined;
  const [said, place, answers, earlier] = await Promise.all([
    saidBefore(view, about),
    repo === undefined ? {} : placeOf(repo, view),
    runId === undefined ? [] : answersInRun(ideaDir(about.root, about.project, runId, view.idea)),
    saidEarlier(view.idea, about),
  ]);
  const commandsTold = (told?.said ?? []).flatMap(({ verb, text, done, undelivered }) =>
    done === undefined ? [] : [{ verb, ...(text ? { text } : {}), ...(undelivered ? { undelivered } : {}) }],
  );
  const rests = told && restText(told);
  const changed = told ? changedOutside(told) : [];
  const asked = view.status === 'needs-human' ? wholeQuestion(told, view.reason) : undefined;
  const question = (over && asked && withoutApproveOffer(asked)) || asked || undefined;
  const commands = possibleNow(view, about);
  const line = about.after?.lineGone;
  const also =
    over && !view.group ? alsoAfter(view.idea, { ...about.after, refused: refused !== undefined }, commands) : [];
  return {
    ...view,
    ...openWarnings(view, told),
    ...(rests && !over ? { rests } : {}),
    ...(view.status === 'pending' && !view.group ? { shown: pendingWord(view, told) } : {}),
    runs: (told?.iterations ?? []).map(lineOf),
    gate: told ? await newestGate(told, about) : undefined,
    sameTree: told?.mergedGate?.same,
    ...{ question, said: (question && said) || undefined },
    answers: answers.length > 0 ? eachOnce(answers) : undefined,
    ...(earlier.length > 0 ? { earlier } : {}),
    bounced: view.status === 'landed' ? undefined : told?.moments.findLast(({ kind }) => kind === 'bounced')?.text,
    ...(refused ? { refused: { at: new Date(refused.at).toISOString(), text: refused.text } } : {}),
    ...(changed.length > 0 ? { outside: changed } : {}),
    ...place,
    ...(about.after?.putAway && !about.after.anew ? { putAway: about.after.putAway } : {}),
    ...(about.after?.anew ? { anew: true as const } : {}),
    ...(!over && view.status === 'running' && (told?.gating || told?.gateNow) ? { gating: gatingOf(told) } : {}),
    ...(about.after?.behind ? { behind: about.after.behind } : {}),
    over,
    ...(over && told && !about.left && view.status === 'pending' && isCutOff(told) ? { stopped: true as const } : {}),
    ...(about.still ? { still: about.still } : {}),
    ...(!over && told?.backsOff ? { backsOff: told.backsOff } : {}),
    ...(about.left ? { left: leftOf(about.left, about) } : {}),
    ...(!over && told?.merged ? { merged: told.merged } : {}),
    ...(about.after?.off ? { off: about.after.off } : {}),
    ...(!over && told && isOff(told) ? { takenOff: true as const } : {}),
    ...(about.renamed ? { renamed: about.renamed } : {}),
    ...(line ? { lineGone: { backlog: line.backlog, ...(line.ticked ? { ticked: line.ticked } : {}) } } : {}),
    ...(commandsTold.length > 1 || commandsTold.some((one) => one.undelivered) ? { commandsTold } : {}),
    commands,
    ...(also.length > 0 ? { also } : {}),
  };
}

const leftOf = ({ doing, since }: LeftWorking, { after }: About): NonNullable<IdeaReport['left']> => ({
  ...{ doing, since },
  start: startCommand(after?.start),
});

function possibleNow(
  { idea, status, reason, group, possible = [] }: WhyView,
  { over, after, told, refused }: About,
): string[] {
  if (group) return [];
  return over
    ? commandsAfter(idea, status, { ...after, reason, single: told?.single, refused: refused !== undefined })
    : commandsNow(idea, status, refused ? possible.filter((one) => one !== 'rollback') : possible, reason);
}

export function lineOf(run: Iteration): AgentRunLine {
  const { serial, number, startedAt, endedAt, durationMs, outcome, signal, commits, gate } = run;
  const ended = durationMs !== undefined;
  return {
    serial,
    iteration: number,
    at: new Date((ended ? endedAt : undefined) ?? startedAt).toISOString(),
    ...(ended ? { outcome, signal, commits } : endedAt === undefined ? {} : { outcome: 'interrupted' as const }),
    turnedDown: run.turnedDown || undefined,
    message: run.message || undefined,
    gate: gate ? { pass: gate.pass, ...redAt(gate) } : undefined,
  };
}

const redAt = ({ none, command, exitCode, why }: GateRun) => ({
  ...{ ...(none ? { none } : {}), command, exitCode, ...(why === undefined ? {} : { why }) },
});

const gatingOf = ({ gateNow, gating, iterations }: IdeaModel): NonNullable<IdeaReport['gating']> => ({
  ...(gateNow ? { command: gateNow.command, number: gateNow.number, of: gateNow.of } : {}),
  ...(gating ? { freeSlot: true as const } : {}),
  ...(gating && !gateNow && iterations.at(-1)?.endedAt === undefined && iterations.length > 0
    ? { settling: true as const }
    : {}),
});

const gateOf = (gate: GateRun): NonNullable<IdeaReport['gate']> => ({
  pass: gate.pass,
  at: new Date(gate.at).toISOString(),
  ...redAt(gate),
  log: gate.log,
});

/** Says when a log was cleaned, instead of naming it. */
async function withoutCleaned(
  gate: NonNullable<IdeaReport['gate']>,
  { root, project, runId }: About,
): Promise<NonNullable<IdeaReport['gate']>> {
  const { log, ...rest } = gate;
  if (log === undefined || runId === undefined || (await exists(log))) return gate;
  const cleaned = await cleanedText(root, { project, runId }, ['gateLogs']);
  return cleaned === undefined ? gate : { ...rest, cleaned };
}

/** The run keeps the beginning of a question, and its events keep the whole text. */
export function wholeQuestion(told: IdeaModel | undefined, reason: string | undefined): string | undefined {
  const signal = told?.iterations.at(-1)?.signal;
  if (reason === undefined) return reason;
  const cut = reason.endsWith('…') ? reason.slice(0, -1) : reason;
  const said = [told?.question, signal?.kind === 'needs-human' ? signal.question : undefined];
  return said.find((question) => question?.startsWith(cut)) ?? reason;
}

async function saidBefore(view: WhyView, { root, project, runId, told }: About): Promise<string | undefined> {
  const serial = told?.iterations.at(-1)?.serial;
  if (view.status !== 'needs-human' || runId === undefined || serial === undefined) return undefined;
  const path = join(iterationDir(root, project, runId, view.idea, serial), 'result.json');
  const { tail = '' } = (await jsonOf<Partial<RunAgentResult>>(path)) ?? {};
  return withoutSignal(tail) || undefined;
}

/** On its own branch or on the merged tree. One that did not run again has a line of its own. */
async function newestGate(told: IdeaModel, about: About): Promise<IdeaReport['gate']> {
  const { gate, merged } = lastGate(told) ?? {};
  if (gate && merged && gate.same === undefined) return { ...(await withoutCleaned(gateOf(gate), about)), merged };
  return told.gate && withoutCleaned(gateOf(told.gate), about);
}

/** An agent run that was ended runs again, and its prompt has the same answer. */
const eachOnce = (answers: readonly Answered[]): Answered[] => [
  ...new Map(answers.map((one) => [JSON.stringify([one.question, one.answer]), one])).values(),
];

/** The idea's worktree, when it still has one, and its branch. */
async function placeOf(repo: string, { idea, status }: WhyView): Promise<Pick<IdeaReport, 'worktree' | 'branch'>> {
  if (status === 'landed') return {};
  const branch = ideaBranch(idea);
  const found = (await listWorktrees(repo).catch(() => [])).find((one) => one.branch === branch);
  // Something else may be in its place.
  return found && !(await isReplaced(found.path)) ? { worktree: found.path, branch } : {};
}
