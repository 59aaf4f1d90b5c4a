/** Formats an open run as lines for a person. */
import { took } from '../../decide/duration.js';
import type { IdeaFacts, RunFacts } from '../../model/facts.js';
import type { AgentHeartbeat } from '../../protocol/agent-run.js';
import type { IdeaLine, IdeaView, RunStatistics, RunStatus } from '../../protocol/views.js';
import { print } from '../context.js';
import { factsText, tallyText } from './fact-lines.js';
import { statusWord } from './idea-lines.js';
import { accountText, budgetText, clean, many, paragraphs, signalText, spentText, warningText } from './live-lines.js';
import { usageText } from './stream-lines.js';
import { localTime } from './terminal.js';
import { stateWord } from './words.js';

/** Lines of each list. */
export const SHOWN = 20;
const ATTENTION = ['needs-human', 'blocked', 'failed', 'timeout'] as const;

/** Where the score decides nothing, it is left out. */
const nextText = (id: string, score: number | undefined): string => (score ? `${id} (${score})` : id);

/** What the run's events tell. */
export interface Told {
  run?: RunFacts;
  told?: Readonly<Record<string, IdeaFacts>>;
}

export function describeLive(
  live: RunStatus,
  views: readonly IdeaView[],
  progress: Readonly<Record<string, AgentHeartbeat>>,
  { run, told = {} }: Told = {},
): void {
  const { counts, statistics } = live;
  print(
    `run ${live.runId}: ${stateWord(live.state)}${live.mode && live.mode !== 'autopilot' ? `, mode ${live.mode}` : ''}${live.why ? ` (${clean(live.why)})` : ''}, ${counts.landed}/${live.total} landed on ${live.target}`,
  );
  const details = new Map(views.map((view) => [view.idea, view]));
  for (const line of live.active.slice(0, SHOWN)) {
    print(`  ${ideaText(line, details.get(line.id), live.landing)}`);
    factsLine(told[line.id]);
    const doing = progress[line.id];
    if (doing) print(`      ${progressText(doing, Date.now())}`);
  }
  const active = counts.running + counts.paused + counts['wants-slot'] + counts.landing;
  if (active > SHOWN) print(`  and ${active - SHOWN} more; all of them: ralphctl status --all`);
  if (live.next.length > 0) print(`next: ${live.next.map((id) => nextText(id, live.scores?.[id])).join(', ')}`);
  for (const line of live.attention.slice(0, SHOWN)) {
    attention(line, told[line.id]);
  }
  const waiting = live.attention.length + (live.more?.attention ?? 0);
  if (waiting > SHOWN) {
    const each = ATTENTION.map((one) => `--only ${one}`).join(' ');
    print(`! and ${waiting - SHOWN} more; all of them: ralphctl status ${each}`);
  }
  const { iterations, merges } = statistics;
  print(
    `${took(elapsed(statistics, Date.now()))}, ${statistics.remaining} remaining, ${many(iterations.total, 'iteration')}` +
      (iterations.total > 0 ? ` (average ${took(iterations.averageMs)})` : '') +
      `, ${merges.pending} waiting to land` +
      (run && run.spent.iterations > 0 ? `, ${tallyText(run.spent)}` : ''),
  );
  // The line about the review shows it.
  const warnings = (live.warnings ?? []).filter(({ kind }) => kind !== 'errors' || !live.review);
  for (const warning of warnings.slice(0, SHOWN)) print(`! ${warningText(warning)}`);
  const warned = warnings.length - SHOWN + (live.more?.warnings ?? 0);
  if (warned > 0) print(`! and ${warned} more`);
  for (const line of live.budget ?? []) print(`budget of the ${line.scope}: ${budgetText(line)}`);
  for (const account of live.accounts ?? []) print(`◷ ${accountText(account)}`);
  if (live.review)
    print('! the run needs a review: look at the ideas that failed, then continue with: ralphctl review');
  else if (live.resumesAt !== undefined)
    print(
      `resumes by itself at ${localTime(live.resumesAt)}, or now with: ralphctl ${live.accounts ? 'limits retry' : 'budget raise'}`,
    );
  else if (live.state === 'paused') print(`resume with: ralphctl ${live.accounts ? 'limits retry' : 'resume'}`);
  if (live.state === 'waiting_user')
    print('start an idea with: ralphctl assign IDEA   or all of them: ralphctl mode autopilot');
}

function factsLine(facts: IdeaFacts | undefined): void {
  const text = facts && factsText(facts, Date.now());
  if (text) print(`      ${text}`);
}

/** An idea that waits for a person, with its whole question. */
export function attention(line: IdeaLine, facts?: IdeaFacts): void {
  const { id, status, reason, held } = line;
  const state = held ? 'held' : statusWord(status);
  if (reason && status === 'needs-human') {
    print(`? ${id} asks:`);
    for (const text of paragraphs(reason, '    | ')) print(text);
  } else print(`! ${id} ${state}${reason ? `: ${clean(reason)}` : ''}`);
  factsLine(facts);
  const fix = remedy(line);
  if (fix) print(`    ${fix}`);
}

/** Local clock time. */
export const elapsed = ({ startedAt, runtimeMs }: RunStatistics, now: number): number =>
  startedAt === undefined ? runtimeMs : Math.max(runtimeMs, now - startedAt);

/** The first thing to do about an idea that waits for a person. */
function remedy({ id, status, approval, held, reason }: IdeaLine): string | undefined {
  // Two commands would make the person guess.
  if (held && reason?.includes('ralphctl ')) return undefined;
  if (approval) return `ralphctl approve ${id}`;
  if (held) return `ralphctl resume ${id}`;
  if (status === 'needs-human') return `ralphctl answer ${id} "…"`;
  return undefined;
}

function ideaText(line: IdeaLine, view: IdeaView | undefined, landing: string | undefined): string {
  const agent = line.agentName ? ` ${line.agentName}` : '';
  const state = line.status === 'landing' ? (landing === line.id ? 'landing' : 'waits to land') : line.status;
  if (!view) return `${line.id}${agent} ${state}  ${clean(line.title, 80)}`;
  const limit = view.maxIterations ? `/${view.maxIterations}` : '';
  const signal = view.signal ? `, last ${signalText(view.signal)}` : '';
  const spent = view.spent ? `, ${spentText(view.spent)}` : '';
  const by = view.agent ? ` (${view.agent}${view.stronger ? ', stronger' : ''})` : '';
  return `${line.id}${agent}${by} ${view.phase}, iteration ${view.iteration}${limit}${signal}${spent}  ${clean(line.title, 80)}`;
}

/** `12 tool calls, 34.5k tokens in · 3 s ago: Edit: src/x.ts` */
export function progressText({ at, last, waits, tools, usage = {} }: AgentHeartbeat, now: number): string {
  const used = usageText(usage);
  const done = `${tools} tool ${tools === 1 ? 'call' : 'calls'}${used === '' ? '' : `, ${used}`}`;
  const what = waits === undefined ? '' : waits === 'retrying' ? 'retries its provider, ' : 'waits for a limit, ';
  return `${done} · ${what}${took(Math.max(0, now - at))} ago${last ? `: ${clean(last)}` : ''}`;
}

/**
 * The next steps for ideas that the ended run did not land. `givenUp`: abandoned ideas, which no `start` runs again.
 */
export function nextSteps(notLanded: readonly { idea: string }[], givenUp: ReadonlySet<string>): string[] {
  const abandoned = notLanded.filter(({ idea }) => givenUp.has(idea)).length;
  const others = abandoned === 0 ? 'them' : 'the others';
  const why = 'why one did not land: ralphctl why IDEA';
  return [
    ...(notLanded.length > abandoned ? [`try ${others} again with: ralphctl start   ${why}`] : []),
    ...(abandoned > 0 ? ['an abandoned idea is left out until: ralphctl retry IDEA'] : []),
  ];
}
