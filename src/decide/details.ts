/**
 * The Markdown a person reads in the Temporal Web UI (G9): what runs, what waits, what landed, what to do.
 * Invariant: text from agents and backlogs is escaped, so it can neither break the page nor pose as ours.
 * May import protocol and decide only.
 */
import type { IdeaLine, IdeaView, RunStatus } from '../protocol/run.js';

const SHOWN = 20;

export function runDetails(status: RunStatus): string {
  const { counts } = status;
  const parts = [
    `**${status.state}**${status.why ? ` — ${plain(status.why)}` : ''} · ${counts.landed}/${status.total} landed on \`${status.target}\``,
    todo(status),
    section('Running', status.active),
    section('Waits for you', status.attention),
    status.next.length > 0 ? `### Next\n${status.next.map((id) => `- ${id}`).join('\n')}` : '',
  ];
  return parts.filter(Boolean).join('\n\n');
}

export function ideaDetails(view: IdeaView): string {
  const most = view.maxIterations ? `/${view.maxIterations}` : '';
  const lines = [
    `**${view.phase}** · iteration ${view.iteration}${most} · ${view.agentName} · ${view.commits} commits`,
  ];
  if (view.question) {
    lines.push(`### Question\n> ${plain(view.question).replaceAll('\n', '\n> ')}`);
    lines.push(
      `Answer: \`ralphctl answer ${view.idea} "…"\`, or send this workflow the signal \`answer\` with the text as input.`,
    );
  }
  if (view.signal && view.signal.kind !== 'none') lines.push(`Last signal: ${view.signal.kind}`);
  if (view.gate) lines.push(view.gate.pass ? 'Gate: green' : `Gate: red at \`${plain(view.gate.command ?? '')}\``);
  if (view.worktree) lines.push(`Worktree: \`${view.worktree}\``);
  return lines.join('\n\n');
}

function todo(status: RunStatus): string {
  if (status.state === 'paused') return 'To go on: signal `resume`, or `ralphctl resume`.';
  const question = status.attention.find((line) => line.status === 'needs-human');
  return question ? `To do: \`ralphctl answer ${question.id} "…"\`` : '';
}

function section(title: string, lines: readonly IdeaLine[]): string {
  if (lines.length === 0) return '';
  const shown = lines.slice(0, SHOWN).map((line) => {
    const agent = line.agentName ? ` · ${line.agentName}` : '';
    const reason = line.reason ? `: ${plain(line.reason).replaceAll('\n', ' ').slice(0, 300)}` : '';
    return `- **${line.id}** ${plain(line.title)} · ${line.status}${agent}${reason}`;
  });
  if (lines.length > SHOWN) shown.push(`- and ${lines.length - SHOWN} more`);
  return `### ${title}\n${shown.join('\n')}`;
}

/** Markdown and HTML in foreign text are shown as they are written. */
export function plain(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|~]/g, (char) => `\\${char}`);
}
