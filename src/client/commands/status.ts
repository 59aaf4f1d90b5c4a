/**
 * `ralphctl status`: always knows something. A live worker gives the full view; without one the server's record does;
 * without a server the files of the last run do.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir, runDir } from '../../config/paths.js';
import { withUnreported } from '../../decide/iterations.js';
import type { AgentProgress } from '../../protocol/activities.js';
import type { RunSummary } from '../../protocol/run.js';
import type { IdeaLine, IdeaPage, IdeaView, RunStatistics, RunStatus } from '../../protocol/views.js';
import { listRuns } from '../../runs/run-files.js';
import { resolveConnection } from '../../server/connection.js';
import { runningServer } from '../../server/embedded.js';
import { runningWorker } from '../../worker/record.js';
import type { RunApi, RunFacts } from '../api/run.js';
import { type Context, print, printJson } from '../context.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import {
  accountText,
  budgetText,
  clean,
  localTime,
  many,
  seconds,
  signalText,
  spentText,
  warningText,
} from '../live-lines.js';
import { findProjectId } from '../project.js';
import { usageText } from '../stream-lines.js';
import { UserError } from '../user-error.js';
import { describeList, listIdeas, listProblem, type StatusOptions } from './status-list.js';

/** Each running idea is asked on its own; with a hundred slots that would keep the worker busy for seconds. */
const MOST_ASKED = 20;
/** Lines of each list that a person is shown. */
const SHOWN = 20;
const ATTENTION = ['needs-human', 'blocked', 'failed', 'timeout'] as const;

interface Found {
  facts?: RunFacts;
  status?: RunStatus;
  list?: IdeaPage;
  ideas: IdeaView[];
  /** Folder with the worker's logs. */
  logs: string;
  /** What running agents told last, by idea. */
  progress: Record<string, AgentProgress>;
  uiUrl?: string;
  worker: boolean;
  last?: RunSummary;
  /** The newest run has no summary and the embedded server does not run: it is open, and nothing moves. */
  stranded?: string;
}

export async function status(context: Context, options: StatusOptions = {}): Promise<number> {
  const problem = listProblem(options);
  if (problem) throw new UserError(problem, EXIT.usage);
  const id = await findProjectId(context);
  const found = await look(context, id, options);
  if (context.json) {
    printJson({ project: id, ...found });
    return exitCode(found);
  }
  describe(found);
  if (found.facts?.open) describeList(found.list, options);
  return exitCode(found);
}

async function look(context: Context, project: string, options: StatusOptions): Promise<Found> {
  const logs = join(projectDir(context.root, project), 'logs');
  const found: Found = {
    ideas: [],
    logs,
    progress: {},
    worker: (await runningWorker(context.root, project)) !== undefined,
  };
  const embedded = (await resolveConnection(context)).kind === 'embedded';
  if (!embedded || (await runningServer(context.root))) {
    const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
    const connected = await connect(context, { start: false });
    try {
      const api = new RunApi(connected.client, project);
      found.facts = await api.facts();
      if (connected.target.uiUrl)
        found.uiUrl = `${connected.target.uiUrl}/namespaces/${connected.target.namespace}/workflows`;
      // Only a worker answers queries; without one of ours, asking would only cost the wait.
      if (found.facts?.open && (found.worker || !embedded)) {
        const [live, list] = await Promise.all([api.status(), listIdeas(api, options)]);
        if (list) found.list = list;
        if (live) Object.assign(found, await withIdeas(api, live, options.all ? live.active.length : MOST_ASKED));
      }
    } finally {
      await connected.close();
    }
  } else {
    const [newest] = await listRuns(context.root, project);
    const over =
      newest && (await stat(join(runDir(context.root, project, newest), 'summary.json')).catch(() => undefined));
    if (newest && !over) found.stranded = newest;
  }
  if (!found.facts?.open) found.last = await summaryOf(context, project, found.facts?.runId);
  return found;
}

/** What running ideas say themselves, those first in the list. */
async function withIdeas(
  api: RunApi,
  live: RunStatus,
  most: number,
): Promise<Pick<Found, 'status' | 'ideas' | 'progress'>> {
  const running = live.active.filter((line) => line.status === 'running').slice(0, most);
  const views = await Promise.all(running.map((line) => api.idea(line.id).catch(() => undefined)));
  const ideas = views.filter((view) => view !== undefined);
  const progress: Found['progress'] = {};
  const ask = async ({ idea }: IdeaView): Promise<void> => {
    const told = await api.progress(idea).catch(() => undefined);
    if (told) progress[idea] = told;
  };
  await Promise.all(ideas.filter((view) => view.phase === 'agent').map(ask));
  return { status: { ...live, statistics: withUnreported(live.statistics, running, ideas) }, ideas, progress };
}

/** Of the run that the server knows as the last one; one that was terminated has none. Without a server, of the newest that has. */
async function summaryOf(context: Context, project: string, wanted?: string): Promise<RunSummary | undefined> {
  for (const runId of wanted === undefined ? await listRuns(context.root, project) : [wanted]) {
    try {
      return JSON.parse(
        await readFile(join(runDir(context.root, project, runId), 'summary.json'), 'utf8'),
      ) as RunSummary;
    } catch {
      // That run wrote no summary; an older one may have.
    }
  }
  return undefined;
}

function exitCode({ facts, status: live, stranded }: Found): ExitCode {
  if (stranded) return EXIT.unreachable;
  if (!facts?.open) return EXIT.noRun;
  return live && live.counts['needs-human'] > 0 ? EXIT.needsHuman : EXIT.ok;
}

function describe(found: Found): void {
  const { facts, status: live, last } = found;
  if (found.stranded) {
    print(
      `run ${found.stranded} is open, but the Temporal server is not running, so nothing moves. Go on with: ralphctl start`,
    );
    return;
  }
  if (!facts?.open) {
    print('no run is open');
    if (facts) print(`last run: ${ending(facts, last)} ${facts.closedAt?.toISOString() ?? ''}`);
    if (facts && !last) print('  it left no summary. What it did: ralphctl logs');
    if (last) {
      print(`  ${last.landed} landed, ${last.notLanded.length} not`);
      for (const one of last.notLanded.slice(0, 20))
        print(`  ${one.idea} ${one.status}${one.reason ? `: ${clean(one.reason)}` : ''}`);
      if (last.notLanded.length > 0)
        print('try them again with: ralphctl start   why one did not land: ralphctl why IDEA');
    }
    return;
  }
  if (live) describeLive(live, found.ideas, found.progress);
  else {
    const { progress } = facts;
    const known = progress ? `${progress.state}, ${progress.landed}/${progress.total} landed` : 'open';
    print(`run ${facts.runId ?? ''}: ${known} (as last recorded)`);
    if (progress && progress.asking > 0) print(`${progress.asking} wait for an answer`);
    if (facts.failing && found.worker) {
      print(`its workflow fails, so nothing moves: ${clean(facts.failing)}`);
      print(`  the worker's log has the whole error: ${found.logs}`);
      print('  after an update or a fix: ralphctl worker --stop, then ralphctl start');
      return;
    }
    print(
      found.worker
        ? 'its worker runs but does not answer yet: it has just started, or the machine is busy. Ask again in some seconds'
        : 'no worker answers, so nothing moves. Start one with: ralphctl start',
    );
  }
  if (!found.worker && live) print('the worker runs elsewhere');
  if (found.uiUrl) print(`Web UI ${found.uiUrl}`);
}

/** Temporal calls a run that was stopped completed, too. */
function ending({ temporalStatus, runId }: RunFacts, last: RunSummary | undefined): string {
  const told = temporalStatus === 'COMPLETED' && last && last.status.runId === runId;
  return told ? last.outcome : temporalStatus.toLowerCase();
}

function describeLive(live: RunStatus, views: readonly IdeaView[], progress: Found['progress']): void {
  const { counts, statistics } = live;
  print(
    `run ${live.runId}: ${live.state}${live.mode && live.mode !== 'autopilot' ? `, mode ${live.mode}` : ''}${live.why ? ` (${clean(live.why)})` : ''}, ${counts.landed}/${live.total} landed on ${live.target}`,
  );
  const details = new Map(views.map((view) => [view.idea, view]));
  for (const line of live.active.slice(0, SHOWN)) {
    print(`  ${ideaText(line, details.get(line.id), live.landing)}`);
    const told = progress[line.id];
    if (told) print(`      ${progressText(told, Date.now())}`);
  }
  const active = counts.running + counts.paused + counts['wants-slot'] + counts.landing;
  if (active > SHOWN) print(`  and ${active - SHOWN} more; all of them: ralphctl status --all`);
  if (live.next.length > 0) print(`next: ${live.next.join(', ')}`);
  for (const line of live.attention.slice(0, SHOWN)) {
    print(`! ${line.id} ${line.held ? 'held' : line.status}${line.reason ? `: ${clean(line.reason)}` : ''}`);
    const fix = remedy(line);
    if (fix) print(`    ${fix}`);
  }
  const attention = live.attention.length + (live.more?.attention ?? 0);
  if (attention > SHOWN) {
    const each = ATTENTION.map((one) => `--only ${one}`).join(' ');
    print(`! and ${attention - SHOWN} more; all of them: ralphctl status ${each}`);
  }
  const { iterations, merges } = statistics;
  print(
    `${seconds(elapsed(statistics, Date.now()))}, ${statistics.remaining} remaining, ${many(iterations.total, 'iteration')}` +
      (iterations.total > 0 ? ` (average ${seconds(iterations.averageMs)})` : '') +
      `, ${merges.pending} waiting to land`,
  );
  const warnings = live.warnings ?? [];
  for (const warning of warnings.slice(0, SHOWN)) print(`⚠ ${warningText(warning)}`);
  const warned = warnings.length - SHOWN + (live.more?.warnings ?? 0);
  if (warned > 0) print(`⚠ and ${warned} more`);
  for (const line of live.budget ?? []) print(`budget of the ${line.scope}: ${budgetText(line)}`);
  for (const account of live.accounts ?? []) print(`◷ ${accountText(account)}`);
  if (live.review) print('! a review is needed: look at the ideas that failed, then go on with: ralphctl review');
  else if (live.resumesAt !== undefined)
    print(
      `goes on by itself at ${localTime(live.resumesAt)}, or now with: ralphctl ${live.accounts ? 'limits retry' : 'budget raise'}`,
    );
  else if (live.state === 'paused') print(`go on with: ralphctl ${live.accounts ? 'limits retry' : 'resume'}`);
  if (live.state === 'waiting_user')
    print('start an idea with: ralphctl assign IDEA   or all of them: ralphctl mode autopilot');
}

/** What a clock on the wall says. */
export const elapsed = ({ startedAt, runtimeMs }: RunStatistics, now: number): number =>
  startedAt === undefined ? runtimeMs : Math.max(runtimeMs, now - startedAt);

/** The first thing to do about an idea that waits for a person. */
function remedy({ id, status, approval, held }: IdeaLine): string | undefined {
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
export function progressText({ at, last, waits, tools, usage = {} }: AgentProgress, now: number): string {
  const used = usageText(usage);
  const done = `${tools} tool ${tools === 1 ? 'call' : 'calls'}${used === '' ? '' : `, ${used}`}`;
  const what = waits === undefined ? '' : waits === 'retrying' ? 'tries its provider again, ' : 'waits for a limit, ';
  return `${done} · ${what}${seconds(Math.max(0, now - at))} ago${last ? `: ${clean(last)}` : ''}`;
}
