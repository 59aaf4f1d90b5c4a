/**
 * `ralphctl show IDEA`: prints its card, timeline, gate and place, and its history in other runs. With `--iteration` it
 * prints the prompt, the final message and the gate of one agent run. Works without a server.
 */
import { join } from 'node:path';
import { readOwn } from '../../../config/own-files.js';
import { iterationDir } from '../../../config/paths.js';
import { nearest } from '../../../config/problems.js';
import { heldWithoutSync } from '../../../decide/delivery/push.js';
import type { Gone, IdeaModel } from '../../../model/model.js';
import { takeVerdicts } from '../../../model/stands.js';
import type { RunRef } from '../../../protocol/run-ref.js';
import { EXIT, UserError } from '../../../protocol/user-error.js';
import { fixOfOpen, type Over, overOf } from '../../../report/commands.js';
import { commitsIn, openIdea } from '../../../report/open.js';
import type { OpenIdea } from '../../../report/schema.js';
import { type Shown, type ShownRun, showJson, showText } from '../../../report/show.js';
import { signalText } from '../../../report/work.js';
import { type CleanedParts, cleanedParts, cleanedText } from '../../../run-files/cleaned.js';
import { readableRuns } from '../../../run-files/readable.js';
import { knownIdeas, loadRun } from '../../../run-files/run.js';
import { isOfEarlierRun } from '../../../screen/idea/page-idea.js';
import { wordsAlone } from '../../../screen/pages/need-lines.js';
import { paragraphs } from '../../../screen/text/text.js';
import { clock, duration, lasted } from '../../../screen/text/time.js';
import { gateWord } from '../../../screen/words/gate-words.js';
import { lastLine } from '../../after-run/line-gone.js';
import { ideaNotPushed } from '../../after-run/not-pushed.js';
import { type Context, findProjectId, print, printJson } from '../../context.js';
import { ideaInRuns, landedEarlier } from '../../model/idea-runs.js';
import { takeLandedSince } from '../../model/landed-since.js';
import { rejectedReport, tellRejected } from '../../model/rejected-report.js';
import { type Gathered, gather, gatherReadable } from '../../report/gather.js';
import { printLines, textWidth } from '../../report/print.js';
import { warnOnce } from '../../report/summaries.js';
import { AgentRunFiles } from '../../screen/idea-files.js';
import { gateLogs } from '../../views/gate-logs.js';
import { chosenRun } from './report.js';

export interface ShowOptions {
  run?: string;
  iteration?: number;
}

export async function show(context: Context, id: string, options: ShowOptions): Promise<number> {
  const project = await findProjectId(context);
  const { root } = context;
  if (options.run !== undefined) await chosenRun(context, project, options.run);
  const all = await ideaInRuns(root, project, id, warnOnce);
  const rejected = options.run === undefined && all.length === 0 ? await rejectedReport(root, project, id) : undefined;
  if (rejected) return tellRejected(context, rejected);
  const { runId, found } = await gathered(context, project, { id, named: options.run, all });
  const idea = found?.model.ideas.get(id);
  if (!found || !idea) throw await unknown(root, { project, runId }, id);
  for (const { kind, text } of found.model.warnings) if (kind === 'files') warnOnce(text);
  if (options.iteration !== undefined) return showIteration(context, { project, runId }, idea, options.iteration);
  // How it stands now counts, also where an older run than the newest had it last.
  const gone = found.extra.gone?.get(id);
  const wasThere = idea.status === 'landed' || idea.told?.verb === 'rollback';
  // An open run keeps it landed, and the model tells that it was taken off.
  const stays = !found.extra.over && idea.status === 'landed';
  const isOff = gone !== undefined && !gone.part && wasThere && !stays;
  if (options.run === undefined && isOff) takeVerdicts(found.model, new Map([[id, { is: 'off', gone }]]));
  const since = options.run === undefined && !isOff ? await takeLandedSince(root, found.model, id, all) : undefined;
  const used = await usedSoFar(root, { project, runId }, idea);
  const shown = {
    ...shownOf(found, idea, all),
    ...(since === undefined ? {} : { landedSince: since }),
    ...(used ? { used } : {}),
  };
  if (found.extra.over) await addNotPushed(root, shown);
  if (options.run === undefined) await addLastLine(root, shown);
  const ref = { project, runId };
  if (context.json) printJson({ ...showJson(shown), ...(await cleanedOf(root, ref)) });
  else {
    printLines(showText(shown, textWidth()));
    const cleaned = await cleanedText(root, ref, CLEANED);
    if (cleaned !== undefined) print(cleaned);
  }
  return EXIT.ok;
}

/** By its output. Undefined while no agent works on it. */
async function usedSoFar(root: string, ref: RunRef, { id, iterations, status }: IdeaModel): Promise<Shown['used']> {
  const last = iterations.at(-1);
  if (status !== 'running' || !last || last.endedAt !== undefined) return undefined;
  const files = new AgentRunFiles(root, ref, id, last.serial);
  const { tokensIn, tokensOut, dollars } = await files.read().finally(() => files.close());
  return {
    serial: last.serial,
    ...(tokensIn === undefined ? {} : { tokensIn }),
    ...(tokensOut === undefined ? {} : { tokensOut }),
    ...(dollars === undefined ? {} : { dollars }),
  };
}

const CLEANED = ['transcripts', 'gateLogs', 'events'] as const;

/** Absent where nothing was cleaned. */
async function cleanedOf(root: string, ref: RunRef): Promise<{ cleaned?: CleanedParts }> {
  const cleaned = await cleanedParts(root, ref);
  const parts = CLEANED.flatMap((part) => (cleaned[part] === undefined ? [] : [[part, cleaned[part]] as const]));
  return parts.length > 0 ? { cleaned: Object.fromEntries(parts) } : {};
}

function shownOf({ model, extra }: Gathered, idea: IdeaModel, all: readonly ShownRun[]): Shown {
  const now = extra.over ? (model.lastAt ?? extra.now) : extra.now;
  const open = idea.status === 'landed' || idea.group || idea.off ? undefined : openIdea(model, idea, extra);
  const over = overOf(model, extra.over);
  const helps = open && open.later === undefined && !idea.lineGone;
  const fix = helps ? (fixOfOpen(idea, open, over)?.fix ?? nextStart(open, over)) : undefined;
  const gone = idea.off ?? extra.gone?.get(idea.id);
  const commits = commitsIn(idea, extra);
  const name = idea.status !== 'landed' && commits > 0 ? extra.branchOf?.(idea.id) : undefined;
  const before = isOfEarlierRun(idea) ? landedEarlier(all, model.runId) : undefined;
  return {
    ...{
      model,
      idea,
      now,
      commands: [
        ...(fix ? [fix] : []),
        ...(gone && !idea.forNext?.queued && !idea.lineGone ? [againOf(idea, gone)] : []),
        ...(idea.status === 'landed' ? (model.renamed?.commands ?? []) : []),
        ...logsOf(model.runId, idea, all),
        `ralphctl why ${idea.id}`,
      ],
    },
    ...(gone ? { gone } : {}),
    ...(before ? { before } : {}),
    others: all.filter(({ runId }) => runId !== model.runId),
    ...(name === undefined ? {} : { branch: { name, commits } }),
  };
}

/** Of an idea that nobody has to do anything about first: a report has no task for it. */
const nextStart = ({ state, answered }: OpenIdea, over: Over): string | undefined =>
  over && !over.stopping && (answered || state === 'ready' || state === 'after') ? over.start : undefined;

async function addNotPushed(root: string, shown: Shown): Promise<void> {
  if (shown.idea.status !== 'landed') return;
  const run = await loadRun(root, shown.model).catch(() => undefined);
  const why = run && (await ideaNotPushed(root, run, shown.idea.id));
  if (!why) return;
  shown.notPushed = heldWithoutSync(why);
  shown.commands = ['ralphctl sync', ...shown.commands];
}

/** No start runs an idea without a line: what helps is the line as it was. */
async function addLastLine(root: string, shown: Shown): Promise<void> {
  const { model, idea } = shown;
  if (!idea.lineGone || idea.status === 'landed') return;
  const { file } = await loadRun(root, model);
  const last = await lastLine(root, file, idea.id);
  if (last?.command) shown.commands = [last.command, ...shown.commands];
}

/** What a person has left out, no start runs by itself. */
const againOf = ({ id, forNext }: IdeaModel, gone: Gone): string =>
  gone.runs && forNext?.leftOut ? `ralphctl retry ${id}` : gone.command;

/** Without the name of a run, `logs` takes the newest one that worked on the idea. */
function logsOf(runId: string, { id, iterations }: IdeaModel, all: readonly ShownRun[]): string[] {
  const worked = all.find(({ idea }) => idea.iterations.length > 0)?.runId;
  if (worked === undefined) return [];
  return [`ralphctl logs ${id}${iterations.length > 0 && worked !== runId ? ` --run ${runId}` : ''}`];
}

interface Wanted {
  id: string;
  named: string | undefined;
  all: readonly ShownRun[];
}

/** The named run, otherwise the newest one that tells of the idea, or has it in its backlog, and can be read. */
async function gathered(
  context: Context,
  project: string,
  { id, named, all }: Wanted,
): Promise<{ runId: string; found: Gathered | undefined }> {
  if (named !== undefined) return { runId: named, found: await gather(context, { project, runId: named }) };
  for (const { runId } of all) {
    const found = await gatherReadable(context, { project, runId });
    if (found) return { runId, found };
  }
  for await (const { file } of readableRuns(context.root, project, warnOnce)) {
    const ref = { project, runId: file.runId };
    if (!(await knownIdeas(context.root, ref)).has(id)) continue;
    const found = await gatherReadable(context, ref);
    if (found) return { runId: file.runId, found };
  }
  return { runId: await chosenRun(context, project, undefined), found: undefined };
}

async function unknown(root: string, ref: RunRef, id: string): Promise<UserError> {
  const run = await loadRun(root, ref).catch(() => undefined);
  const close = nearest(id, run?.ideas.keys() ?? []);
  return new UserError(`no run of this project has an idea ${id}${close ? `. Did you mean ${close}?` : ''}`);
}

/** The prompt, final message and result of one agent run. */
async function showIteration(context: Context, ref: RunRef, idea: IdeaModel, serial: number): Promise<number> {
  const run = idea.iterations.find((one) => one.serial === serial);
  if (!run) {
    const known = idea.iterations.map((one) => one.serial).join(', ');
    throw new UserError(
      `${idea.id} has no agent run ${serial} in run ${ref.runId}${known ? `; it has ${known}` : ''}`,
      EXIT.noRun,
    );
  }
  const dir = iterationDir(context.root, ref.project, ref.runId, idea.id, serial);
  const read = (name: string): Promise<string | undefined> => readOwn(join(dir, name)).catch(() => undefined);
  const [prompt, words, logs] = await Promise.all([read('prompt.md'), read('final-message.md'), gateLogs(dir)]);
  if (context.json) {
    printJson({
      idea: idea.id,
      runId: ref.runId,
      ...run,
      ...(prompt ? { prompt } : {}),
      ...(words ? { words } : {}),
      dir,
      logs,
      ...(await cleanedOf(context.root, ref)),
    });
    return EXIT.ok;
  }
  const part = (title: string, text: string | undefined): void => {
    print(`── ${title} ──`);
    for (const line of paragraphsWhole(text)) print(line);
  };
  const ms = run.durationMs ?? (run.endedAt ?? Date.now()) - run.startedAt;
  const by = [run.agent, run.model].filter(Boolean).join(' ');
  print(
    `${idea.id} agent run ${serial}, iteration ${run.number}${run.max ? ` of ${run.max}` : ''}, ${clock(run.startedAt, Date.now())}, ${(run.durationMs === undefined ? duration : lasted)(ms)}${by ? `, ${by}` : ''}: ${run.signal ? signalText(run.signal) : (run.outcome ?? 'works')}`,
  );
  part(`prompt ── ${join(dir, 'prompt.md')}`, prompt);
  part('its last words', wordsAlone(words ?? run.words ?? '') || undefined);
  const { gate } = run;
  print(`── gate ──`);
  print(
    gate
      ? `${gate.pass ? gateWord(gate) : `red: ${gate.command ?? ''}`}${gate.tests ? ` ${gate.tests.passed}/${gate.tests.total}` : ''}, ${lasted(gate.durationMs)}`
      : 'did not run',
  );
  for (const log of logs) print(log);
  const cleaned = await cleanedText(context.root, ref, CLEANED);
  if (cleaned !== undefined) print(cleaned);
  return EXIT.ok;
}

/** The whole text without control characters: `paragraphs` would cut it. */
const paragraphsWhole = (text: string | undefined): string[] =>
  text === undefined ? ['(not kept)'] : text.trimEnd().split('\n').flatMap(paragraphs);
