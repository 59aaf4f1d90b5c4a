/** One idea as text: its box or card, timeline, gate and place, and its earlier runs. Pure. */
import { lastGate } from '../model/fold-gate.js';
import type { IdeaModel, RunModel } from '../model/model.js';
import { iterationCount } from '../model/tally.js';
import { UNDELIVERED } from '../protocol/command.js';
import { isCutOff, shownIn } from '../screen/cut-off.js';
import { type IdeaDetails, noDetails } from '../screen/details.js';
import { cardKeys } from '../screen/idea/card-keys.js';
import { card } from '../screen/idea/cards.js';
import { commandLines, failingLines, whyLines } from '../screen/idea/gate.js';
import { iterationBox } from '../screen/idea/idea-box.js';
import { pageIdea } from '../screen/idea/page-idea.js';
import { afterText, partOfText } from '../screen/idea/relations.js';
import { timeline } from '../screen/idea/timeline.js';
import { waitingFor } from '../screen/lists.js';
import { type Line, plainLine } from '../screen/text/line.js';
import { many } from '../screen/text/numbers.js';
import { packed } from '../screen/text/packed.js';
import { width as cells, clean, cut, pad, paragraphs, wrap } from '../screen/text/text.js';
import { LOOKS } from '../screen/text/theme.js';
import { clock, lasted } from '../screen/text/time.js';
import { initialUi } from '../screen/ui.js';
import type { View } from '../screen/view.js';
import { gateWord } from '../screen/words/gate-words.js';
import { stateWord } from '../screen/words/state-words.js';
import type { Gone } from './extra.js';
import { lineGoneText } from './gone-text.js';
import { stateOf } from './open.js';
import { beside, signOf } from './text.js';
import { moneyOf, workOf } from './work.js';

/** The idea in one run of the project. */
export interface ShownRun {
  runId: string;
  startedAt: number;
  idea: IdeaModel;
}

export interface Shown {
  model: RunModel;
  idea: IdeaModel;
  now: number;
  branch?: { name: string; commits: number };
  /** What the agent that works now has used so far. */
  used?: Pick<IdeaDetails, 'serial' | 'tokensIn' | 'tokensOut' | 'dollars'>;
  /** The earlier run that landed it, where the shown one took it off only. */
  before?: ShownRun;
  /** Where it landed after the shown run. */
  landedSince?: string;
  /** Why the remote may lack its landed work. */
  notPushed?: string;
  /** How its landed work left the target. */
  gone?: Gone;
  /** Commands that help the idea. */
  commands: readonly string[];
  /** Newest first, without the shown run. */
  others: readonly ShownRun[];
}

/** Width of a box when the output goes to a pipe. */
const PIPE = 100;

export function showText(shown: Shown, width?: number): string[] {
  const { model, now, before, branch, used, idea: own } = shown;
  const columns = Math.max(38, Math.min(width ?? PIPE, 120));
  const wide = width === undefined ? Number.MAX_SAFE_INTEGER : columns;
  const view: View = {
    ...{ model, ui: { ...initialUi(), idea: own.id }, now, whole: true as const },
    details: {
      ...noDetails(),
      ...(before || used || branch
        ? { idea: { id: own.id, ...used, ...(before ? { before } : {}), ...(branch ? { ahead: branch.commits } : {}) } }
        : {}),
    },
    ...{ size: { columns, rows: 10_000 }, theme: { colour: false, ascii: false } },
    // A pipe takes whole lines.
    ...(width === undefined ? {} : { wraps: true as const }),
  };
  // As the page of the screen has it.
  const idea = pageIdea(view) ?? own;
  const title = `${clean(model.name)} › ${idea.id}  ${clean(idea.title)}`;
  const works = idea.status === 'running' && idea.iterations.length > 0;
  return [
    width === undefined ? title : cut(title, columns),
    ...plain(works ? iterationBox(view, idea, columns) : cardAlone(view, idea, columns)),
    ...(idea.iterations.length + idea.moments.length > 0 ? ['', ...plain(timeline(view, idea, columns, 10_000))] : []),
    ...gateLines(idea, columns, now, wide),
    ...section('where it stands', standing(shown), wide),
    ...section(
      'in other runs',
      shown.others.map((one) => otherLine(one, now)),
      wide,
    ),
    ...section(
      'what helps now',
      shown.commands.map((one): Row => ['', one]),
      wide,
    ),
  ].map((line) => line.trimEnd());
}

const plain = (lines: readonly Line[]): string[] => lines.map(plainLine);

/** The card without the screen's keys. */
function cardAlone(view: View, idea: IdeaModel, columns: number): Line[] {
  const lines = card(view, idea, columns);
  const keys = packed(cardKeys(view, idea), columns - 4).length;
  return [...lines.slice(0, lines.length - 1 - keys), ...lines.slice(-1)];
}

function gateLines(idea: IdeaModel, columns: number, now: number, wide: number): string[] {
  const last = lastGate(idea);
  if (!last) return [];
  const { gate } = last;
  if (gate.none) return ['', ...fitted('no gate is configured: only the agent says that its work is done', wide)];
  const where = last.merged ? ' on the merged tree' : '';
  return [
    '',
    ...fitted(
      `last gate${where}: ${gateWord(gate)}, ${gate.same === undefined ? '' : `same tree as ${clean(gate.same)}, `}${clock(gate.at, now)}`,
      wide,
    ),
    ...plain([
      ...commandLines(idea, { gate, ...(idea.gateNow ? { runs: true } : {}) }, now, columns),
      ...whyLines(gate, wide),
      ...failingLines(gate, columns),
    ]).flatMap((text) => fitted(text, wide)),
    ...(gate.log && !gate.pass ? [`  ${clean(gate.log)}`] : []),
  ];
}

/** Wrapping drops the blanks between columns, so a line that fits stays as it is. */
const fitted = (text: string, columns: number): string[] => (cells(text) <= columns ? [text] : wrap(text, columns, 3));

type Row = readonly [lead: string, text: string];

function section(title: string, rows: readonly Row[], columns: number): string[] {
  if (rows.length === 0) return [];
  return ['', title, ...rows.flatMap(([lead, text]) => beside(`  ${lead}`, [text], columns))];
}

/** What people said in earlier runs, oldest first. */
const saidBefore = ({ model, others }: Pick<Shown, 'model' | 'others'>) =>
  others
    .filter(({ runId }) => runId < model.runId)
    .map((one) => ({ runId: one.runId, said: workOf(one.idea).said }))
    .reverse();

function standing({ model, idea, branch, landedSince, notPushed, gone, now, others }: Shown): Row[] {
  const unblocks = waitingFor(model, idea.id);
  const row = (name: string, text: string): Row => [`${pad(name, 10)} `, text];
  const parent = partOfText(model, idea);
  const after = afterText(model, idea);
  return [
    ...(parent ? [row('part of', parent)] : []),
    ...(unblocks.length > 0 ? [row('unblocks', unblocks.slice(0, 10).join(', '))] : []),
    ...(after ? [row('after', after)] : []),
    ...(landedSince ? [row('landed', clean(landedSince))] : []),
    ...(gone ? [row('target', clean(gone.text))] : []),
    ...(model.renamed ? [row('target', clean(model.renamed.text))] : []),
    ...(idea.lineGone ? [row('backlog', clean(lineGoneText(idea.lineGone)))] : []),
    ...(notPushed ? [row('not pushed', clean(notPushed))] : []),
    ...(branch ? [row('branch', `${branch.name}, ${many(branch.commits, 'commit')}`)] : []),
    ...saidBefore({ model, others }).flatMap(({ runId, said }) =>
      said.map(({ at, verb, text }) =>
        row('you said', `${clock(at, now)} ${verb}${text ? `: ${paragraphs(text).join(' ')}` : ''} (run ${runId})`),
      ),
    ),
    ...idea.said
      .filter(({ verb, done }) => verb !== 'answer' || done !== undefined)
      .map(({ at, verb, text, undelivered }) =>
        row(
          'you said',
          `${clock(at, now)} ${verb}${text ? `: ${paragraphs(text).join(' ')}` : ''}${undelivered ? ` (${UNDELIVERED})` : ''}`,
        ),
      ),
    row('run', `${model.runId}, ${stateWord(model.state)}`),
  ];
}

function otherLine({ runId, startedAt, idea }: ShownRun, now: number): Row {
  // The end of its run made it pending.
  const cut = idea.status === 'pending' && isCutOff(idea);
  const then = idea.atEnd ?? idea;
  const state = then.status === 'landed' ? 'landed' : cut ? 'stopped' : stateOf(then, undefined);
  const sign = state === 'landed' ? LOOKS.landed.sign : signOf(state);
  const took = idea.spent.ms > 0 ? `, ${lasted(idea.spent.ms)}` : '';
  const why = state === 'landed' ? '' : paragraphs(idea.question ?? idea.reason ?? '')[0];
  const text = `${many(iterationCount(idea), 'iteration')}${took}${why ? `: ${why}` : ''}  (ralphctl show ${idea.id} --run ${runId})`;
  return [`${sign} ${pad(state, 9)} ${clock(startedAt, now)}  `, text];
}

/** The idea as data for `show --json`. */
export function showJson({ model, idea, branch, landedSince, notPushed, gone, commands, others }: Shown) {
  const { moments, gate, mergedGate, status, reason, question, percent, commit, retries, since, max } = idea;
  const commits = branch?.commits ?? idea.commits;
  return {
    ...{ run: { runId: model.runId, state: model.state, target: model.target }, ...workOf(idea) },
    said: [
      ...saidBefore({ model, others }).flatMap(({ runId, said }) => said.map((one) => ({ ...one, runId }))),
      ...workOf(idea).said,
    ],
    ...{ status, state: shownIn(model, idea), reason, question, percent, max, commits, commit, retries, since },
    ...{ branch: branch?.name, landedSince, notPushed, gone },
    ...{ dependsOn: idea.dependsOn, parent: idea.parent, gate, mergedGate, moments, commands },
    others: others.map((one) => ({
      ...{ runId: one.runId, startedAt: one.startedAt, status: one.idea.status, reason: one.idea.reason },
      ...{ iterations: iterationCount(one.idea), ms: one.idea.spent.ms, ...moneyOf(one.idea.spent) },
    })),
  };
}
