import type { AgentSignal } from '../../protocol/agent-run.js';
import type { IdeaStatus, ShownState } from '../../protocol/states.js';
import type { IdeaLine, IdeaView, RunStatus } from '../../protocol/views.js';
import { lineText, usedText } from '../budget/amounts.js';
import { clip, code, MAX_REASON, oneLine, quoted } from '../text.js';

const SHOWN = 20;

/** The Web UI cuts off the last line: a no-break space fills it. */
const page = (parts: readonly string[]): string => [...parts.filter(Boolean), '\u00a0'].join('\n\n');

export function runDetails(status: Omit<RunStatus, 'state'> & { state: ShownState }): string {
  const { counts } = status;
  const count = (...statuses: IdeaStatus[]): number => statuses.reduce((sum, one) => sum + counts[one], 0);
  const reason = status.why ? ` — ${oneLine(clip(status.why, MAX_REASON))}` : '';
  const parts = [
    `**${status.state}**${reason} · ${counts.landed} of ${status.total} landed on ${code(status.target)}`,
    status.spent && status.spent.ms > 0 ? `Used: ${usedText(status.spent)}` : '',
    todo(status),
    accounts(status),
    warnings(status),
    section('Running', status.active, count('running', 'paused', 'wants-slot', 'landing')),
    section(
      'Waits for you',
      status.attention,
      count('needs-human', 'blocked', 'failed', 'timeout') + status.attention.filter(unlisted).length,
    ),
    status.next.length > 0
      ? `### Next\n${status.next.map((id) => `- ${id}${scoreText(status.scores?.[id])}`).join('\n')}`
      : '',
  ];
  return page(parts);
}

export function ideaDetails(view: IdeaView): string {
  // Not "5/8": the Web UI renders that as a fraction.
  const most = view.maxIterations ? ` of ${view.maxIterations}` : '';
  const commits = `${view.commits} ${view.commits === 1 ? 'commit' : 'commits'}`;
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
    lines.push(
      `Answer: \`ralphctl answer ${view.idea} "…"\`, or send this workflow the signal \`answer\`. Its input is the text in double quotes: \`"use port 8080"\`.`,
    );
  }
  if (view.signal && view.signal.kind !== 'none') lines.push(`Last signal: ${signalText(view.signal)}`);
  if (view.gate) lines.push(view.gate.pass ? 'Gate: green' : `Gate: red at ${code(view.gate.command ?? '(unknown)')}`);
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

/** With its percent, or the reason that the agent gave. */
function signalText(signal: Exclude<AgentSignal, { kind: 'none' }>): string {
  switch (signal.kind) {
    case 'progress':
      return `PROGRESS ${signal.percent} %`;
    case 'blocked':
      return `BLOCKED: ${oneLine(clip(signal.reason, MAX_REASON))}`;
    case 'needs-human':
      return `NEEDS_HELP: ${oneLine(clip(signal.question, MAX_REASON))}`;
    case 'complete':
      return 'COMPLETE';
  }
}

/** In the list, but its status does not count as waiting. */
const unlisted = (line: IdeaLine): boolean => line.held === true || line.approval === true;

function warnings({ warnings: lines = [], budget = [] }: Pick<RunStatus, 'warnings' | 'budget'>): string {
  const shown = lines.slice(0, SHOWN).map(({ idea, kind, text }) => `- **${oneLine(idea ?? kind)}** ${oneLine(text)}`);
  if (lines.length > shown.length) shown.push(`- and ${lines.length - shown.length} more`);
  const used = budget.map((line) => `Budget of the ${line.scope}: ${lineText(line)}`);
  return [shown.length > 0 ? `### Warnings\n${shown.join('\n')}` : '', ...used].filter(Boolean).join('\n\n');
}

function accounts({ accounts: lines = [] }: Pick<RunStatus, 'accounts'>): string {
  if (lines.length === 0) return '';
  const shown = lines.map(({ key, agents, state, kind, reason, until }) => {
    const end = until === undefined ? '' : ` · until ${new Date(until).toISOString()}`;
    return `- **${oneLine(agents.join(', ') || key)}** ${state} · ${kind ?? ''}${end}: ${oneLine(clip(reason ?? '', MAX_REASON))}`;
  });
  return `### Agents that cannot work\n${shown.join('\n')}`;
}

function todo(status: Parameters<typeof runDetails>[0]): string {
  if (status.review) return 'To do: look at the ideas that failed, then `ralphctl review`, or the signal `review`.';
  if (status.resumesAt !== undefined) {
    return `Resumes by itself at ${new Date(status.resumesAt).toISOString()}; now: signal \`retryLimit\`, or \`ralphctl limits retry\`.`;
  }
  if (status.state === 'paused' && status.accounts)
    return 'To resume: signal `retryLimit`, or `ralphctl limits retry`.';
  if (status.state === 'paused') return 'To resume: signal `resume`, or `ralphctl resume`.';
  if (status.attention.some((line) => line.approval)) return 'To do: `ralphctl approve`, or the signal `approve`.';
  const question = status.attention.find((line) => line.status === 'needs-human');
  return question
    ? `To do: \`ralphctl answer ${question.id} "…"\`, or the signal \`answer\` with \`{"idea": "${question.id}", "text": "…"}\`.`
    : '';
}

const scoreText = (score: number | undefined): string => (score === undefined ? '' : ` · ${score}`);

/** ` · since 2026-11-22T01:12:00.000Z · 60 % · step 2 of 4 · claude opus · $0.41` */
function courseText({ since, course = {}, retries }: IdeaLine): string {
  const { percent, step, agent, model, asking, spent } = course;
  const parts = [
    ...(asking && asking !== 'question' ? [`about its ${asking}`] : []),
    ...(since === undefined ? [] : [`since ${new Date(since).toISOString()}`]),
    ...(percent === undefined ? [] : [`${percent} %`]),
    ...(step ? [`step ${step.number} of ${step.of}`] : []),
    ...(agent ? [oneLine([agent, model].filter(Boolean).join(' '))] : []),
    ...(retries ? [`retry ${retries}`] : []),
    ...(spent && spent.dollars > 0 ? [`$${spent.dollars.toFixed(2)}`] : []),
  ];
  return parts.map((part) => ` · ${part}`).join('');
}

function section(title: string, lines: readonly IdeaLine[], total: number): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, SHOWN).map((line) => {
    const agent = line.agentName ? ` · ${line.agentName}` : '';
    const reason = line.reason ? `: ${oneLine(clip(line.reason, MAX_REASON))}` : '';
    return `- **${line.id}** ${oneLine(line.title)} · ${line.status}${agent}${courseText(line)}${reason}`;
  });
  if (total > shown.length) shown.push(`- and ${total - shown.length} more`);
  return `### ${title}\n${shown.join('\n')}`;
}
