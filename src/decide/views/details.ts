import type { AgentSignal } from '../../protocol/agent-run.js';
import { cutAroundCommands } from '../../protocol/cut.js';
import { many } from '../../protocol/many.js';
import type { IdeaStatus, ShownState } from '../../protocol/states.js';
import type { IdeaLine, IdeaView, RunStatus } from '../../protocol/views.js';
import { lineText, usedText } from '../budget/amounts.js';
import { took } from '../duration.js';
import { code, MAX_REASON, oneLine, quoted, utcMinute } from '../text.js';
import { needsAndHeld, needsOfRun, nothingRuns, type RunNeed } from './resting.js';
import { slotsView } from './slots.js';

const SHOWN = 20;

function landedOn({ counts: { landed }, landedBefore = 0, total, target }: Omit<RunStatus, 'state'>): string {
  if (landedBefore === 0) return `${landed} of ${total} landed on ${code(target)}`;
  return `${landed - landedBefore} landed on ${code(target)} in this run (${landed} of ${total} in all)`;
}

/** The Web UI cuts off the last line: a no-break space fills it. */
const page = (parts: readonly string[]): string => [...parts.filter(Boolean), '\u00a0'].join('\n\n');

export function runDetails(status: Omit<RunStatus, 'state'> & { state: ShownState }): string {
  const { counts } = status;
  const count = (...statuses: IdeaStatus[]): number => statuses.reduce((sum, one) => sum + counts[one], 0);
  const { needs, held } = needsAndHeld(status);
  const ofRun = needsOfRun(status);
  const waiting = ofRun.length + count('needs-human', 'blocked', 'failed', 'timeout') + needs.filter(unlisted).length;
  const resting = held.length + (status.more?.held ?? 0);
  const taken = status.active.filter((line) => line.agentName !== undefined).length;
  const slots = slotsView(status);
  const parts = [
    headLine(status, taken),
    status.spent && status.spent.ms > 0 ? `Used: ${usedText(status.spent)}` : '',
    wavesText(status.waves),
    todo(status),
    section(`Needs you (${waiting})`, [...ofRun.map(runNeedLine), ...needs.map(needLine)], waiting),
    resting > 0 ? section(`Held (${resting})`, held.map(needLine), resting) : '',
    section(slots.title, slots.lines.map(slotLine), slots.total, status.state in ENDED ? '' : 'nothing runs'),
    section(
      'Next',
      status.next.map((id) => `- ${id}${scoreText(status.scores?.[id])}`),
      status.next.length,
    ),
    accounts(status),
    warnings(status),
    asOf(status),
  ];
  return page(parts);
}

const ENDED: Partial<Record<ShownState, true>> = { completed: true, stopped: true, aborted: true };

/** `**waits for you** since 2026-11-22 01:12 UTC · 31 of 35 landed on `main` · 6h02m · $21.40 · nothing runs` */
function headLine(status: Parameters<typeof runDetails>[0], taken: number): string {
  const { state, since, why, spent, statistics } = status;
  const reason = why ? ` — ${oneLine(cutAroundCommands(why, MAX_REASON, MAX_REASON))}` : '';
  const rests = nothingRuns(status);
  const parts = [
    `**${state}**${since === undefined ? '' : ` since ${utcMinute(since)}`}${reason}`,
    landedOn(status),
    ...(statistics.startedAt === undefined ? [] : [took(statistics.runtimeMs)]),
    ...(spent && spent.dollars > 0 ? [`$${spent.dollars.toFixed(2)}`] : []),
    ...(rests ? [rests.text] : taken === 0 && !(state in ENDED) ? ['nothing runs'] : []),
  ];
  return parts.join(' · ');
}

const asOf = ({ statistics: { startedAt, runtimeMs } }: Pick<RunStatus, 'statistics'>): string =>
  startedAt === undefined ? '' : `As of ${utcMinute(startedAt + runtimeMs)}`;

export function ideaDetails(view: IdeaView): string {
  // Not "5/8": the Web UI renders that as a fraction.
  const most = view.maxIterations ? ` of ${view.maxIterations}` : '';
  const commits = many(view.commits, 'commit');
  const lines = [
    `**${view.phase}** · iteration ${view.iteration}${most} · ${view.agentName}${view.agent ? ` · ${oneLine([view.agent, view.model].filter(Boolean).join(' '))}` : ''} · ${commits}`,
  ];
  if (view.step) {
    const { number, of, id, phase, skipped } = view.step;
    lines.push(
      `Step ${number} of ${of} (${code(id)}) · ${oneLine(phase)}${skipped > 0 ? ` · ${skipped} skipped` : ''}`,
    );
  }
  if (view.question) {
    lines.push(`### Question\n${quoted(view.question)}`);
    if (view.said) lines.push(`What it said before:\n${quoted(view.said)}`);
    lines.push(
      `Answer: \`ralphctl answer ${view.idea} "…"\`, or send this workflow the signal \`answer\`. Its input is the text in double quotes: \`"use port 8080"\`.`,
    );
  }
  if (view.signal && view.signal.kind !== 'none') lines.push(`Last signal: ${signalText(view.signal)}`);
  if (view.gate) lines.push(gateText(view.gate));
  for (const { kind, text } of view.warnings ?? []) {
    lines.push(
      `Warning (${kind}): ${oneLine(text)}. Answer: signal \`warn\` with \`"continue"\`, \`"stop"\` or \`"+5"\`.`,
    );
  }
  for (const line of view.budget ?? []) lines.push(`Budget: ${lineText(line)}`);
  if (view.spent && view.spent.ms > 0) lines.push(`Used: ${usedText(view.spent)}`);
  if (view.worktree) lines.push(`Worktree: ${code(view.worktree)}`);
  return page(lines);
}

function gateText({ pass, none, command }: NonNullable<IdeaView['gate']>): string {
  if (none) return 'No gate is configured';
  return pass ? 'Gate: green' : `Gate: red at ${code(command ?? '(unknown)')}`;
}

/** With its percent, or the reason that the agent gave. */
function signalText(signal: Exclude<AgentSignal, { kind: 'none' }>): string {
  switch (signal.kind) {
    case 'progress':
      return `PROGRESS ${signal.percent} %`;
    case 'blocked':
      return `BLOCKED: ${oneLine(cutAroundCommands(signal.reason, MAX_REASON, MAX_REASON))}`;
    case 'needs-human':
      return `NEEDS_HUMAN: ${oneLine(cutAroundCommands(signal.question, MAX_REASON, MAX_REASON))}`;
    case 'complete':
      return 'COMPLETE';
  }
}

/** In the list, but its status does not count as waiting. */
const unlisted = ({ approval, status }: IdeaLine): boolean => approval === true && status !== 'needs-human';

function warnings({ warnings: lines = [], budget = [] }: Pick<RunStatus, 'warnings' | 'budget'>): string {
  const shown = lines.slice(0, SHOWN).map(({ idea, kind, text }) => `- **${oneLine(idea ?? kind)}** ${oneLine(text)}`);
  if (lines.length > shown.length) shown.push(`- and ${lines.length - shown.length} more`);
  const used = budget.map((line) => `Budget of the ${line.scope}: ${lineText(line)}`);
  return [shown.length > 0 ? `### Warnings\n${shown.join('\n')}` : '', ...used].filter(Boolean).join('\n\n');
}

function accounts({ accounts: lines = [] }: Pick<RunStatus, 'accounts'>): string {
  if (lines.length === 0) return '';
  const shown = lines.map(({ key, agents, state, kind, reason, until }) => {
    const end = until === undefined ? '' : ` · until ${utcMinute(until)}`;
    return `- **${oneLine(agents.join(', ') || key)}** ${state} · ${kind ?? ''}${end}: ${oneLine(cutAroundCommands(reason ?? '', MAX_REASON, MAX_REASON))}`;
  });
  return `### Agents that cannot work\n${shown.join('\n')}`;
}

function todo(status: Parameters<typeof runDetails>[0]): string {
  if (status.review) return '';
  if (status.resumesAt !== undefined) {
    return `Resumes by itself at ${utcMinute(status.resumesAt)}; now: signal \`retryLimit\`, or \`ralphctl limits retry\`.`;
  }
  if (status.state === 'paused' && status.accounts)
    return 'To resume: signal `retryLimit`, or `ralphctl limits retry`.';
  if (status.state === 'paused' && status.resume && status.resume !== 'ralphctl resume')
    return `To resume: \`${status.resume}\`.`;
  if (status.state === 'paused') return 'To resume: signal `resume`, or `ralphctl resume`.';
  const rests = nothingRuns(status);
  if (rests) {
    const { first } = rests;
    return `To resume: \`ralphctl resume ${first}\`, or signal \`resume\` with \`{"idea": "${first}"}\`.`;
  }
  return '';
}

function wavesText(waves: RunStatus['waves']): string {
  if (!waves) return '';
  const { wave, of, phase, batch, over, held, waits } = waves;
  if (phase === 'over') return `Waves: no further one after wave ${wave} of ${of}`;
  if (held !== undefined) return `Wave ${wave} of ${of} waits: the source cannot be read: ${oneLine(held)}`;
  if (waits !== undefined) return `Wave ${wave} of ${of} waits: its reports depend on ideas that are open`;
  return phase === 'working'
    ? `Wave ${wave} of ${of}: ${over} of ${many(batch, 'idea')} ${batch === 1 ? 'is' : 'are'} over`
    : `Wave ${wave} of ${of}`;
}

const scoreText = (score: number | undefined): string => (score === undefined ? '' : ` · ${score}`);

/** An idea that works goes on after its last report, so its percentage has a time. */
function percentText({ status, course }: IdeaLine): string[] {
  if (course?.percent === undefined) return [];
  const { percent, at } = course;
  const told = status === 'running' && at !== undefined ? ` (reported ${utcMinute(at)})` : '';
  return [`${percent} %${told}`];
}

/** ` · since 2026-11-22 01:12 UTC · 60 % · step 2 of 4 · claude opus · $0.41` */
function courseText(line: IdeaLine): string {
  const { since, course = {}, retries } = line;
  const { step, agent, model, asking, spent } = course;
  const parts = [
    ...(asking && asking !== 'question' ? [`about its ${asking}`] : []),
    ...(since === undefined ? [] : [`since ${utcMinute(since)}`]),
    ...percentText(line),
    ...(step ? [`step ${step.number} of ${step.of}`] : []),
    ...(agent ? [oneLine([agent, model].filter(Boolean).join(' '))] : []),
    ...(retries ? [`retry ${retries}`] : []),
    ...(spent && spent.dollars > 0 ? [`$${spent.dollars.toFixed(2)}`] : []),
  ];
  return parts.map((part) => ` · ${part}`).join('');
}

const reasonText = ({ reason }: IdeaLine): string =>
  reason ? `: ${oneLine(cutAroundCommands(reason, MAX_REASON, MAX_REASON))}` : '';

/** A running idea whose agent has ended holds no slot. */
const stageOf = ({ status, gating }: IdeaLine): string =>
  gating === undefined ? status : `gate, since ${utcMinute(gating)}`;

function slotLine(line: IdeaLine): string {
  const agent = line.agentName ? ` · ${line.agentName}` : '';
  return `- **${line.id}** ${oneLine(line.title)} · ${line.review ? 'in review' : stageOf(line)}${agent}${courseText(line)}${reasonText(line)}`;
}

/** Sign, word and command of what waits for a person, as the full screen and `status` have them. */
const NEEDS: Partial<Record<IdeaStatus, { sign: string; word: string; verb: string }>> = {
  'needs-human': { sign: '?', word: 'asks', verb: 'answer' },
  blocked: { sign: '⊗', word: 'blocked', verb: 'unblock' },
  timeout: { sign: '◔', word: 'timed out', verb: 'retry' },
  failed: { sign: '✗', word: 'failed', verb: 'retry' },
};

function needOf({ approval, held, busy, status }: IdeaLine): { sign: string; word: string; verb?: string } {
  if (busy) return { sign: '▹', word: busy };
  if (approval) return { sign: '?', word: 'wants approval', verb: 'approve' };
  if (held) return { sign: '◫', word: 'held', verb: 'resume' };
  return NEEDS[status] ?? { sign: '?', word: status };
}

/** With the Temporal signal that answers it; its input is JSON. */
function needLine(line: IdeaLine): string {
  const { id, title } = line;
  const { sign, word, verb } = needOf(line);
  const text = verb === 'answer' ? ', "text": "…"' : '';
  const how = verb
    ? `\n  \`ralphctl ${verb} ${id}${text ? ' "…"' : ''}\`, or signal \`${verb}\` with \`{"idea": "${id}"${text}}\``
    : '';
  return `- **${sign} ${id}** ${oneLine(title)} · ${word}${courseText(line)}${reasonText(line)}${how}`;
}

const RUN_NEEDS = {
  review: { sign: '!', word: 'needs a review', signal: 'review' },
  login: { sign: '◷', word: 'needs a login', signal: 'retryLimit' },
} as const;

function runNeedLine({ kind, name, text, fix, command }: RunNeed): string {
  const { sign, word, signal } = RUN_NEEDS[kind];
  const why = oneLine(cutAroundCommands(text, MAX_REASON, MAX_REASON));
  return `- **${sign} ${oneLine(name)}** ${word}: ${why}\n  ${oneLine(fix)}\`${command}\`, or signal \`${signal}\``;
}

/** `empty` takes the place of an empty list; without it, an empty section is missing. */
function section(title: string, lines: readonly string[], total: number, empty = ''): string {
  if (lines.length === 0) return empty && `### ${title}\n${empty}`;
  const shown = lines.slice(0, SHOWN);
  if (total > shown.length) shown.push(`- and ${total - shown.length} more`);
  return `### ${title}\n${shown.join('\n')}`;
}
