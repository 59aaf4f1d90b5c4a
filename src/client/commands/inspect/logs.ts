/**
 * `ralphctl logs [idea]`: prints the events of a run and, while following, what its agents do. With an idea it prints the
 * agent runs of that idea, readable, as JSON lines or raw, and the output of its gate.
 */

import { access, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonOf, openOwn } from '../../../config/own-files.js';
import { ideaDir, runDir } from '../../../config/paths.js';
import { nearest } from '../../../config/problems.js';
import { readNote } from '../../../config/stored.js';
import { TIMED_OUT } from '../../../decide/idea/completion.js';
import { outcomeOfSummary } from '../../../model/at-end.js';
import type { IdeaModel, Iteration } from '../../../model/model.js';
import type { RunAgentResult } from '../../../protocol/agent-run.js';
import type { StampedEvent } from '../../../protocol/events.js';
import type { ShownState } from '../../../protocol/states.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { LONGEST_WARNING } from '../../../protocol/warnings.js';
import { cleanedText } from '../../../run-files/cleaned.js';
import { eventsPath, followEvents } from '../../../run-files/events.js';
import { readIdea } from '../../../run-files/read-model.js';
import { leftOut, newestRun } from '../../../run-files/readable.js';
import { knownIdeas, listRuns } from '../../../run-files/run.js';
import { RUN_FILE } from '../../../run-files/shapes.js';
import { readSummary } from '../../../run-files/summary.js';
import { outcomeWords } from '../../../screen/outcome-words.js';
import { gateWords, whyRed } from '../../../screen/words/gate-words.js';
import { type Context, findProjectId, print, printJson, say } from '../../context.js';
import { Shown } from '../../follow/follow.js';
import { OffTarget } from '../../follow/off-target.js';
import { StreamFollower } from '../../follow/stream-follow.js';
import { workedOn } from '../../model/idea-runs.js';
import { endFollowing, newestTold, warnOfLost, withWarning } from '../../model/log-of.js';
import { ranBefore } from '../../model/ran-before.js';
import { writeAll } from '../../output.js';
import { warnOnce } from '../../report/summaries.js';
import { AgentsView } from '../../views/agents-view.js';
import { copyLines, gateLogs } from '../../views/gate-logs.js';
import { redText, runLine } from '../../views/idea-lines.js';
import { lineOf } from '../../views/idea-report.js';
import { clean, many } from '../../views/live-lines.js';
import { StreamView } from '../../views/stream-lines.js';
import { localTime, usesColour } from '../../views/terminal.js';

export interface LogsOptions {
  follow?: boolean;
  raw?: boolean;
  run?: string;
  iteration?: number;
  runs?: boolean;
}

const POLL_MS = 200;
/** States in which a run has ended. */
const ENDED = new Set<ShownState>(['completed', 'stopped', 'aborted']);

/** The last event of a run. */
export const hasEnded = (event: StampedEvent): boolean => event.kind === 'run' && ENDED.has(event.state);

export async function logs(context: Context, idea: string | undefined, options: LogsOptions): Promise<number> {
  if (options.raw && idea === undefined) throw new UserError('--raw needs an idea: ralphctl logs --raw <idea>');
  if (options.raw && context.json) throw new UserError('--raw and --json do not work together. Use one of them');
  const project = await findProjectId(context);
  if (options.runs) return showRuns(context, project);
  const runs = await listRuns(context.root, project);
  const runId = options.run ?? (await chosenFor(context, { project, runs }, idea, options.follow === true));
  if (!runId) throw new UserError('this repository has had no run yet. Start one with: ralphctl start', EXIT.noRun);
  if (options.run && !runs.includes(options.run)) {
    throw new UserError(`there is no run ${options.run}. List the runs: ralphctl runs`, EXIT.noRun);
  }
  if (idea !== undefined) await refuseUnknown(context, { project, runId }, idea);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  if (!options.follow) stop.abort();
  else if (idea === undefined) await endFollowing(context.root, { project, runId }, stop);
  if (idea === undefined) await runLogs(context, project, runId, stop.signal);
  else await ideaLogs(context, { project, idea, runId }, options, stop.signal);
  return EXIT.ok;
}

/** The newest run; for an idea the newest one that worked on it, except where an open run may still begin it. */
async function chosenFor(
  { root }: Context,
  { project, runs }: { project: string; runs: readonly string[] },
  idea: string | undefined,
  follow: boolean,
): Promise<string | undefined> {
  const newest = await newestTold(root, project, runs);
  if (newest === undefined || idea === undefined) return newest;
  if (follow && (await readSummary(root, { project, runId: newest }, warnOnce)) === undefined) return newest;
  const worked = await workedOn(root, project, idea, runs);
  if (worked === undefined || worked === newest) return newest;
  say(`run ${newest} did not work on ${idea}. This is run ${worked}, the last one that did:`);
  return worked;
}

/** Following an unknown idea would never end. */
async function refuseUnknown(context: Context, run: { project: string; runId: string }, idea: string): Promise<void> {
  const known = await knownIdeas(context.root, run).catch(() => undefined);
  if (!known || known.has(idea)) return;
  const close = nearest(idea, known);
  throw new UserError(`there is no idea ${idea} in run ${run.runId}${close ? `. Did you mean ${close}?` : ''}`);
}

async function runLogs(context: Context, project: string, runId: string, signal: AbortSignal): Promise<void> {
  const { root } = context;
  const ref = { project, runId };
  const agents = new AgentsView(context, (idea) => ideaDir(root, project, runId, idea));
  const watching = agents.watch(signal);
  const shown = new Shown(context, context.json ? undefined : await ranBefore(root, ref));
  // How ideas stand now, the newest run tells, as in `status`.
  const isNewest = !context.json && (await newestRun(root, project))?.file.runId === runId;
  const off = isNewest ? await OffTarget.of(root, ref) : undefined;
  const read = (): void => (signal.aborted ? undefined : off?.watch(print));
  const follows = !signal.aborted;
  let ended = false;
  for await (const event of followEvents(eventsPath(root, ref), signal, { read })) {
    agents.take(event);
    shown.take(event);
    off?.take(event);
    ended ||= hasEnded(event);
    // An alert may be given up later.
    if (follows && hasEnded(event)) break;
  }
  if (!ended) await warnOfLost(root, ref);
  agents.close();
  await watching;
  for (const line of (await off?.end()) ?? []) print(line);
}

/** Prints one agent run of an idea in the requested form. */
interface Reader {
  /** Prints the output since the last call. */
  more(): Promise<void>;
  close(): Promise<void>;
}

/** The runs of this repository, newest first. */
async function showRuns(context: Context, project: string): Promise<number> {
  const runs = await listRuns(context.root, project);
  if (runs.length === 0) say('this repository has had no run yet. Start one with: ralphctl start');
  for (const runId of runs) {
    const [run, summary] = await Promise.all([
      readNote(join(runDir(context.root, project, runId), 'run.json'), RUN_FILE.schema, 'skip').catch(async (error) => {
        warnOnce(await leftOut(context.root, { project, runId }, error));
        return undefined;
      }),
      readSummary(context.root, { project, runId }, warnOnce),
    ]);
    const { landed, notLanded, outcome = 'no summary', status } = summary ?? {};
    const waves = status?.waves?.done;
    if (context.json)
      printJson({ runId, startedAt: run?.createdAt ?? null, outcome, landed, notLanded: notLanded?.length, waves });
    else
      print(
        `${runId}  ${run ? `${localTime(Date.parse(run.createdAt))}  ` : ''}${outcome}${summary ? `, ${outcomeWords(outcomeOfSummary(summary), '').join(', ')}` : ''}${waves ? `, ${many(waves.length, 'wave')}` : ''}`,
      );
  }
  return EXIT.ok;
}

async function ideaLogs(
  context: Context,
  { project, idea, runId }: { project: string; idea: string; runId: string },
  options: LogsOptions,
  signal: AbortSignal,
): Promise<void> {
  const dir = ideaDir(context.root, project, runId, idea);
  const told = async (): Promise<IdeaModel | undefined> =>
    (await readIdea(context.root, { project, runId }, idea).catch(withWarning))?.idea;
  if (!context.json && !options.raw && options.iteration === undefined) earlier(await told());
  let shown: string | undefined;
  let reader: Reader | undefined;
  let waits = false;
  for (;;) {
    const last = signal.aborted;
    const iterations = (await readdir(dir).catch(() => [])).filter((name) => /^\d+$/.test(name)).sort();
    const wanted = options.iteration === undefined ? iterations.at(-1) : String(options.iteration).padStart(3, '0');
    if (wanted === undefined || !iterations.includes(wanted)) {
      if (last) {
        const known = iterations.length > 0 ? `; it has ${iterations.map(Number).join(', ')}` : '';
        throw new UserError(
          `${idea} has no such output in run ${runId}${known}. Its state: ralphctl why ${idea}`,
          EXIT.noRun,
        );
      }
      if (!waits) say(`${idea} has no such output yet; waiting for it. Its state: ralphctl why ${idea}`);
      waits = true;
    } else {
      if (wanted !== shown) {
        await reader?.more();
        await reader?.close();
        say(`── ${idea}, agent run ${Number(wanted)} ── ${join(dir, wanted)}`);
        const cleaned = await cleanedText(context.root, { project, runId }, ['transcripts', 'gateLogs']);
        if (cleaned !== undefined) say(cleaned);
        reader = await readerOf(context, join(dir, wanted), options.raw === true);
        shown = wanted;
      }
      await reader?.more();
    }
    if (last) {
      await reader?.close();
      if (shown !== undefined && !context.json) await afterwards(join(dir, shown), runOf(await told(), Number(shown)));
      if (options.iteration === undefined && !options.raw && !context.json) await showLogs(dir, 'undo');
      return;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }
}

async function readerOf(context: Context, dir: string, raw: boolean): Promise<Reader> {
  const path = join(dir, 'stream.jsonl');
  // Runs of an earlier version have no stream. A run that is about to begin has neither file.
  const rawOnly =
    (await access(path).then(
      () => false,
      () => true,
    )) && (await stat(join(dir, 'output.log')).catch(() => undefined)) !== undefined;
  if (raw || (rawOnly && !context.json)) return rawReader(join(dir, 'output.log'));
  const follower = new StreamFollower(path);
  const view = new StreamView(usesColour());
  return {
    more: async () => {
      for (const line of await follower.read()) {
        if (context.json) printJson(line);
        else for (const text of view.lines(line)) print(text);
      }
    },
    close: () => follower.close(),
  };
}

function rawReader(path: string): Reader {
  let offset = 0;
  return {
    more: async () => {
      offset = await copyFrom(path, offset);
    },
    close: () => Promise.resolve(),
  };
}

async function copyFrom(path: string, offset: number): Promise<number> {
  const file = await openOwn(path);
  if (!file) return offset;
  try {
    const { size } = await file.stat();
    const from = size < offset ? 0 : offset;
    if (size === from) return size;
    for await (const chunk of file.createReadStream({ start: from, end: size - 1, autoClose: false })) {
      await writeAll(process.stdout, chunk as Buffer);
    }
    return size;
  } finally {
    await file.close();
  }
}

async function showLogs(dir: string, folder: 'gate' | 'undo'): Promise<void> {
  for (const path of await gateLogs(dir, folder)) {
    say(`── ${folder === 'gate' ? 'gate' : 'gate of its rollback'} ── ${path}`);
    await copyLines(path);
  }
}

const runOf = (told: IdeaModel | undefined, serial: number): Iteration | undefined =>
  told?.iterations.find((run) => run.serial === serial);

/** The agent runs before the last one, a line each. */
function earlier(told: IdeaModel | undefined): void {
  const before = told?.iterations.slice(0, -1) ?? [];
  for (const run of before) print(runLine(lineOf(run)));
  if (before.length > 0) say('to show one of them: --iteration N');
}

/** How a finished agent run ended, and its gate. */
async function afterwards(dir: string, run: Iteration | undefined): Promise<void> {
  const result = (await jsonOf<Partial<RunAgentResult>>(join(dir, 'result.json'))) ?? {};
  const { warnings = [], noticed, repaired = [], outcome, exitCode } = result;
  const left = repaired.length > 0 ? [`the agent had left its branch; ralphctl ${repaired.join(', ')}`] : [];
  for (const warning of [...left, ...warnings, ...(noticed ? [noticed] : [])])
    say(`warning: ${clean(warning, LONGEST_WARNING)}`);
  if (outcome?.kind === 'failed')
    print(
      `the agent failed${typeof exitCode === 'number' ? ` with exit code ${exitCode}` : ''}: ${clean(outcome.message)}`,
    );
  else if (outcome?.kind === 'timeout') print(`${TIMED_OUT[outcome.why]}; ralphctl ended it`);
  else if (typeof exitCode === 'number' && exitCode !== 0) print(`the agent ended with exit code ${exitCode}`);
  await showLogs(dir, 'gate');
  if (run?.gate) print(run.gate.pass ? gateWords(run.gate) : `gate ${redText(run.gate)}`);
  for (const text of run?.gate ? whyRed(run.gate) : []) print(`  ${text}`);
}
