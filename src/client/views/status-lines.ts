/** Formats an open run as lines for a person. */

import { took } from '../../decide/duration.js';
import { nothingRuns } from '../../decide/views/resting.js';
import { slotsView } from '../../decide/views/slots.js';
import { outcomeOfStatus } from '../../model/at-end.js';
import type { IdeaFacts, RunFacts } from '../../model/facts.js';
import type { RunModel } from '../../model/model.js';
import { isOff, revertedIn } from '../../model/reverted.js';
import { type StartAgain, startCommand } from '../../model/start-again.js';
import { runsOf } from '../../model/tally.js';
import type { AgentHeartbeat } from '../../protocol/agent-run.js';
import { upToMore } from '../../protocol/up-to-more.js';
import type { IdeaLine, IdeaView, RunStatistics, RunStatus } from '../../protocol/views.js';
import { restText } from '../../screen/words/idea-words.js';
import { signalWords } from '../../screen/words/signal-words.js';
import { stateWord } from '../../screen/words/state-words.js';
import { print } from '../context.js';
import { failingLines } from '../open-run/failing-run.js';
import { besideLines } from './beside-lines.js';
import { elapsed } from './elapsed.js';
import { tallyText } from './fact-lines.js';
import { leftOutLine } from './left-out.js';
import { endedHereLines } from './left-working-lines.js';
import { accountText, backsOffText, budgetText, clean, many, spentText, warningText } from './live-lines.js';
import { factsLine, needs, SHOWN } from './need-lines.js';
import { usageText } from './stream-lines.js';
import { localTime } from './terminal.js';
import { wavesLines } from './wave-lines.js';

/** Where the score decides nothing, it is left out. */
const nextText = (id: string, score: number | undefined): string => (score ? `${id} (${score})` : id);

/** What the run's events tell. */
export interface Told {
  run?: RunFacts;
  told?: Readonly<Record<string, IdeaFacts>>;
  model?: RunModel | undefined;
  /** By the files: nobody answered. */
  recorded?: boolean;
}

export function describeLive(
  live: RunStatus,
  views: readonly IdeaView[],
  progress: Readonly<Record<string, AgentHeartbeat>>,
  { run, told = {}, model, recorded = false }: Told = {},
): void {
  const { statistics } = live;
  print(
    `run ${live.runId}: ${runWord(live)}${live.mode && live.mode !== 'autopilot' ? `, mode ${live.mode}` : ''}${live.why ? ` (${clean(live.why)})` : ''}, ${landedOn(live)}${offText(live, model)}${recorded ? ' (as last recorded)' : ''}`,
  );
  const nothing = nothingRuns(live);
  if (nothing) print(`${nothing.text}. Resume with: ralphctl resume ${nothing.first}`);
  needs(live, told, model?.startAgain);
  slots(live, new Map(views.map((view) => [view.idea, view])), progress, told);
  if (live.next.length > 0) print(`next: ${live.next.map((id) => nextText(id, live.scores?.[id])).join(', ')}`);
  if (model) for (const line of besideLines(model)) print(line);
  if (live.waves) for (const line of wavesLines(live.waves)) print(line);
  print(
    `${took(elapsed(statistics, Date.now()))}, ${leftText(live, model)}, ${iterationsText(statistics)}` +
      `, ${waitingToLand(live)} waiting to land` +
      (run && run.spent.iterations > 0 ? `, ${tallyText(run.spent)}` : ''),
  );
  // The review among the needs shows it.
  const warnings = (live.warnings ?? []).filter(({ kind }) => kind !== 'errors' || !live.review);
  const all = warnings.length + (live.more?.warnings ?? 0);
  const shown = upToMore(SHOWN, warnings, all);
  for (const warning of shown) print(`! ${warningText(warning)}`);
  const warned = all - shown.length;
  if (warned > 0) print(`! and ${warned} more`);
  for (const line of endedHereLines(model)) print(line);
  if (model?.renamed) print(`! ${clean(model.renamed.text)}. ${model.renamed.fix}`);
  if (model) for (const line of takenOffLines(model)) print(line);
  for (const line of live.budget ?? []) print(`budget of the ${line.scope}: ${budgetText(line)}`);
  // The list of what needs a person has the review and the logins.
  for (const account of live.accounts ?? [])
    if (account.kind !== 'auth' || live.state === 'stopping') print(`◷ ${accountText(account)}`);
  if (live.review) return;
  if (live.resumesAt !== undefined)
    print(
      `resumes by itself at ${localTime(live.resumesAt)}, or now with: ralphctl ${live.accounts ? 'limits retry' : 'budget raise'}`,
    );
  else if (live.state === 'paused') print(`resume with: ${resumeWith(live)}`);
  if (waitsForAssignment(live))
    print('start an idea with: ralphctl assign IDEA   or all of them: ralphctl mode autopilot');
}

/** In semi-auto mode: an idea is ready to assign, or nothing is at work, so that only a person moves the run on. */
const waitsForAssignment = ({ state, next, active }: Pick<RunStatus, 'state' | 'next' | 'active'>): boolean =>
  state === 'waiting_user' && (next.length > 0 || active.length === 0);

export const runWord = (live: Pick<RunStatus, 'state' | 'next' | 'active'>): string =>
  stateWord(live.state === 'waiting_user' && !waitsForAssignment(live) ? 'running' : live.state);

/** The one that lands now waits no more. */
export function waitingToLand({ active, landing, statistics: { merges } }: RunStatus): number {
  const lands = active.some(({ id, status }) => id === landing && status === 'landing');
  return merges.pending - (lands ? 1 : 0);
}

/** The command that resumes a paused run. */
export const resumeWith = ({ resume, accounts }: Pick<RunStatus, 'resume' | 'accounts'>): string =>
  resume ?? `ralphctl ${accounts ? 'limits retry' : 'resume'}`;

/** Landed ideas of an open run that are off its target. */
export function takenOffLines(model: RunModel): string[] {
  const reverted = revertedIn(model) ?? [];
  const shown = upToMore(SHOWN, reverted);
  const more = reverted.length - shown.length;
  return [
    ...shown.map(({ idea, text }) => `! ${idea} landed, and ${clean(text)}`),
    ...(more > 0 ? [`! and ${more} more; all of them: ralphctl report --all`] : []),
  ];
}

/** Why nothing moves in an open run, and what to do. `silent`: of a worker that does not answer. */
export function stillLines(
  { worker, logs, crashes }: { worker: boolean; logs: string; crashes?: string },
  failing: string | undefined,
  silent: string,
): string[] {
  if (!worker) return ['no worker answers, so nothing moves. Start one with: ralphctl start'];
  if (crashes !== undefined) return [`nothing moves: ${crashes}`];
  if (failing === undefined) return [silent];
  const [what, ...more] = failingLines(logs, failing);
  return [what, ...more.map((line) => `  ${line}`)];
}

/** `3 not landed (2 to do), 1 left out`: to do as the full screen and a dry run count it. */
export function leftText(live: Parameters<typeof outcomeOfStatus>[0], model: RunModel | undefined): string {
  const { open, leftOut } = outcomeOfStatus(live);
  const todo = model?.counts.todo ?? 0;
  return `${open} not landed${todo > 0 ? ` (${todo} to do)` : ''}${leftOut > 0 ? `, ${leftOut} left out` : ''}`;
}

function slots(
  live: RunStatus,
  views: ReadonlyMap<string, IdeaView>,
  progress: Readonly<Record<string, AgentHeartbeat>>,
  told: Readonly<Record<string, IdeaFacts>>,
): void {
  const { title, lines, total } = slotsView(live);
  print(title);
  const shown = upToMore(SHOWN, lines, total);
  for (const line of shown) {
    const facts = told[line.id];
    print(`  ${ideaText(line, views.get(line.id), live.landing, facts)}`);
    factsLine(facts);
    if (facts?.backsOff) print(`      ${backsOffText(facts.backsOff)}`);
    const doing = progress[line.id];
    if (doing) print(`      ${progressText(doing, Date.now())}`);
  }
  if (total > shown.length) print(`  and ${total - shown.length} more; all of them: ralphctl status --all`);
}

/** The run keeps its number. */
function offText({ target }: RunStatus, model: RunModel | undefined): string {
  const off = model ? [...model.ideas.values()].filter((idea) => !idea.group && isOff(idea)).length : 0;
  return off === 0 ? '' : `, ${off} of them no longer on ${target}`;
}

function landedOn({ counts: { landed }, landedBefore = 0, total, target }: RunStatus): string {
  if (landedBefore === 0) return `${landed}/${total} landed on ${target}`;
  return `${landed - landedBefore} landed on ${target} in this run (${landed}/${total} in all)`;
}

/** `12 iterations (average 3 minutes, fastest 40 s, slowest 9 minutes)` (A8). */
export function iterationsText({ iterations }: Pick<RunStatistics, 'iterations'>): string {
  const { total, averageMs, fastestMs, slowestMs } = iterations;
  const ends = total > 1 ? `, fastest ${took(fastestMs)}, slowest ${took(slowestMs)}` : '';
  return `${many(total, 'iteration')}${total > 0 ? ` (average ${took(averageMs)}${ends})` : ''}`;
}

/** The facts under the line have what it used. */
function ideaText(
  line: IdeaLine,
  view: IdeaView | undefined,
  landing: string | undefined,
  facts: IdeaFacts | undefined,
): string {
  const costTold = facts && runsOf(facts.spent) > 0;
  const asked = facts && restText(facts);
  const rests = asked ? `, ${asked}` : '';
  const agent = line.agentName ? ` ${line.agentName}` : '';
  const on = line.below ? `, on top of ${line.below.number} (${line.below.idea})` : '';
  const review = line.review && `in review as pull request ${line.review.number}${on}${lookText(line)}`;
  const lands = landing === line.id ? 'landing' : (review ?? 'waits to land');
  const state = line.status === 'landing' ? lands : line.status;
  if (!view) return `${line.id}${agent} ${state}${rests}  ${clean(line.title, 80)}`;
  const limit = view.maxIterations ? `/${view.maxIterations}` : '';
  const signal = view.signal ? `, last ${signalWords(view.signal, clean)}` : '';
  const spent = view.spent && !costTold ? `, ${spentText(view.spent)}` : '';
  const by = view.agent ? ` (${view.agent}${view.stronger ? ', stronger' : ''})` : '';
  const own = review || line.status === 'paused' ? state : doingText(line, view);
  // The first one has not begun.
  const iteration = view.iteration > 0 ? `, iteration ${view.iteration}${limit}` : '';
  return `${line.id}${agent}${by} ${own}${iteration}${signal}${spent}${rests}  ${clean(line.title, 80)}`;
}

/** `gate beside the slots`: another agent may have its slot; the number stands for its ports and its worktree. */
function doingText({ beside, gating }: IdeaLine, { phase }: IdeaView): string {
  if (!beside) return phase;
  // The idea itself learns of the end of its agent with the result, once its work is settled.
  if (phase === 'agent' && gating !== undefined) return 'settling beside the slots';
  return phase === 'gate' ? 'gate beside the slots' : phase;
}

/** What the last look at its pull request found: why it has not landed although nothing seems open. */
function lookText({ reason = '' }: IdeaLine): string {
  const found = /^in review: [^\s;,]+(?:, on top of [^;]*)?; (.+)$/.exec(reason)?.[1];
  return found === undefined ? '' : `; ${clean(found)}`;
}

/** `12 tool calls, 34.5k tokens in · 3 s ago: Edit: src/x.ts` */
export function progressText({ at, last, waits, tools, usage = {} }: AgentHeartbeat, now: number): string {
  const used = usageText(usage);
  const done = `${many(tools, 'tool call')}${used === '' ? '' : `, ${used}`}`;
  const what = waits === undefined ? '' : waits === 'retrying' ? 'retries its provider, ' : 'waits for a limit, ';
  return `${done} · ${what}${took(Math.max(0, now - at))} ago${last ? `: ${clean(last)}` : ''}`;
}

/** The run wrote the plain start into its reasons. */
export const withStart = (reason: string, start: StartAgain | undefined): string =>
  reason.replace(/ralphctl start\b(?! --)/g, () => startCommand(start));

/**
 * The next steps for ideas that the ended run did not land. `out`: abandoned, rolled back and skipped ones, which a
 * `start` leaves out. `waiting`: those that wait for them, which no start can begin either.
 */
export function nextSteps(
  notLanded: readonly { idea: string }[],
  out: ReadonlySet<string>,
  start?: StartAgain,
  waiting: ReadonlySet<string> = new Set(),
): string[] {
  const left = notLanded.filter(({ idea }) => out.has(idea)).map(({ idea }) => idea);
  const canStart = notLanded.some(({ idea }) => !out.has(idea) && !waiting.has(idea));
  const others = left.length === 0 ? 'them' : 'the others';
  const why = 'why one did not land: ralphctl why IDEA';
  return [...(canStart ? [`try ${others} again with: ${startCommand(start)}   ${why}`] : []), ...leftOutLine(left)];
}
