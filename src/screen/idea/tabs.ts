/** The tabs Agent, Task and Said: the words of agent, backlog and people about one idea. */
import type { IdeaModel, Iteration, Said } from '../../model/model.js';
import type { StreamLine } from '../details.js';
import { withSignals } from '../pages/need-lines.js';
import { isPast } from '../past.js';
import { coloured, dim, type Line, line } from '../text/line.js';
import { clean, cut, labelled, pad, paragraphs, wrap, wrapAll } from '../text/text.js';
import { clock, clockCells } from '../text/time.js';
import type { View } from '../view.js';
import { runName } from '../words/idea-words.js';
import { chosenRun, notYetLines } from './timeline.js';
import { loading, type TabBody, toldOf, toldOfRun } from './told.js';

/** A stream of timed lines: the last ones, or the ones `back` lines before the end. */
export function streamLines(
  view: View,
  lines: readonly StreamLine[],
  columns: number,
  height: number,
  key: string,
): TabBody {
  const { ui, now } = view;
  const stamp = clockCells(lines.flatMap(({ at }) => at ?? []).slice(0, 1), now);
  const cells = Math.max(8, columns - stamp - 3);
  const back = ui.scroll[key] ?? 0;
  const out: Line[] = [];
  // Starts at the end and stops at the visible height.
  for (let index = lines.length - 1; index >= 0 && out.length < height + back; index -= 1) {
    const one = lines[index];
    if (!one) continue;
    const text = clean(withSignals(one.text));
    const wrapped = ui.wrap ? wrap(text, cells, text.startsWith('→') ? 2 : 0) : [cut(text, cells)];
    const time = one.at === undefined || one.more ? '' : clock(one.at, now);
    const made = wrapped.map((row, at) =>
      line(dim(` ${pad(at === 0 ? time : '', stamp)}  `), coloured(row, one.colour ?? hueOf(text))),
    );
    out.unshift(...made);
  }
  const end = Math.max(Math.min(height, out.length), out.length - back);
  const most = out.length < height + back ? { most: Math.max(0, out.length - height) } : {};
  return { lines: out.slice(Math.max(0, end - height), end), ...most };
}

const hueOf = (text: string): 'red' | 'blue' | 'cyan' | undefined =>
  text.startsWith('✗') ? 'red' : text.startsWith('→') ? 'blue' : text.startsWith('? NEEDS_HUMAN') ? 'cyan' : undefined;

export function agentTab(view: View, idea: IdeaModel, columns: number, height: number): TabBody {
  const run = chosenRun(idea, view.ui.serial);
  if (!run) return { lines: notYetLines(view, idea, columns).slice(0, height) };
  const told = toldOfRun(view, idea);
  // The event of its end has the last words alone: other words than the stream, which comes a moment later.
  if (!told) return { lines: [loading(`what the agent said in ${runName(run)}`)] };
  if (told.stream?.length)
    return streamLines(view, [...told.stream, ...errorAfter(run, told.stream)], columns, height, 'idea agent');
  const { words } = run;
  if (words)
    return {
      lines: wrapAll(withSignals(words), columns - 2)
        .slice(-height)
        .map((one) => line(` ${one}`)),
    };
  if (run.endedAt !== undefined)
    return { lines: withoutWords(logsCommand(view, idea, run), run, told.output ?? [], columns - 2, height) };
  return { lines: [line(dim(' nothing was said yet'))] };
}

/** The error that ended an agent run, where its stream does not end with it. */
function errorAfter({ outcome, message = '', endedAt }: Iteration, stream: readonly StreamLine[]): StreamLine[] {
  const rows = paragraphs(message).filter((row) => row.trim() !== '');
  const [first] = rows;
  if (outcome !== 'failed' || first === undefined) return [];
  if (stream.slice(-5).some(({ text }) => text.includes(first))) return [];
  const at = endedAt === undefined ? {} : { at: endedAt };
  return rows.map((text, index) => ({
    ...(index === 0 ? { ...at, text: `✗ ${text}` } : { text, more: true }),
    colour: 'red',
  }));
}

/** Without options `logs` shows the last agent run of the newest run. */
function logsCommand(view: View, idea: IdeaModel, { serial }: Iteration): string {
  const before = toldOf(view, idea)?.before?.runId;
  const of = before ?? (isPast(view.ui) ? view.ui.ofRun : undefined);
  const run = of === undefined ? '' : ` --run ${of}`;
  const last = serial === idea.iterations.at(-1)?.serial;
  return `ralphctl logs ${idea.id}${run}${last ? '' : ` --iteration ${serial}`}`;
}

/** An agent run that ended without a word: its error, the end of its output, and the command that prints all of it. */
function withoutWords(
  command: string,
  { message = '' }: Iteration,
  output: readonly string[],
  cells: number,
  height: number,
): Line[] {
  const error = wrapAll(message, cells).map((one) => line(' ', coloured(one, 'red')));
  const rows = output.flatMap((text) => wrapAll(text, cells)).map((one) => line(` ${one}`));
  const room = Math.max(0, height - error.length - 2);
  return [
    line(dim(' the agent ended without a message')),
    ...error,
    ...(room > 0 ? rows.slice(-room) : []),
    line(dim(` its whole output: ${command}`)),
  ];
}

/** The task; of a chosen agent run its prompt, which holds the task. */
export function taskTab(view: View, idea: IdeaModel, columns: number, height: number): TabBody {
  const cells = columns - 2;
  const all = view.ui.serial === undefined ? taskRows(idea, cells) : promptRows(view, idea, cells);
  const most = Math.max(0, all.length - height);
  const first = Math.min(view.ui.scroll['idea task'] ?? 0, most);
  return { lines: all.slice(first, first + height).map((one) => line(` ${one}`)), most };
}

function promptRows(view: View, idea: IdeaModel, cells: number): string[] {
  const told = toldOfRun(view, idea);
  const run = chosenRun(idea, view.ui.serial);
  if (!told) return [`loading the prompt of ${run ? runName(run) : 'an agent run'} …`];
  if (told.prompt !== undefined) return wrapAll(told.prompt.trimEnd(), cells);
  return [
    'the prompt of this agent run is not here',
    `look at the rest of it: ralphctl show ${idea.id}${isPast(view.ui) ? ` --run ${view.ui.ofRun}` : ''} --iteration ${view.ui.serial}`,
  ];
}

function taskRows(idea: IdeaModel, cells: number): string[] {
  const about = [
    ['tags', idea.tags.join(', ')],
    ['part of', idea.parent ?? ''],
    ['after', idea.dependsOn.join(', ')],
  ].flatMap(([name = '', text = '']) => (text === '' ? [] : labelled(name, text, cells, 9)));
  // The text of an idea begins with its title.
  const text = idea.text?.startsWith(idea.title) ? idea.text.slice(idea.title.length).trim() : idea.text;
  const success = (idea.success ?? []).flatMap((one) => labelled('·', one, cells, 2));
  return [
    ...wrapAll(idea.title, cells),
    ...(about.length > 0 ? ['', ...about] : []),
    ...(text ? ['', ...wrapAll(text, cells)] : []),
    ...(success.length > 0 ? ['', 'done when', ...success] : []),
  ];
}

/** Lines of a question above its answer. */
const MOST_ASKED = 6;
const TELLERS = { cli: 'command line', screen: 'screen', signal: 'Temporal' } as const;

export function saidTab(view: View, idea: IdeaModel, columns: number, height: number): TabBody {
  const { idea: about } = view.details;
  const before = (about?.id === idea.id && about.saidBefore) || [];
  if (idea.said.length + before.length === 0) return { lines: [line(dim(' nobody has said anything to it'))] };
  const lines = [
    ...before.flatMap(({ runId, said }) => [
      line(dim(` in run ${runId}`)),
      ...said.flatMap((one) => saidLines(one, view, columns)),
    ]),
    ...(before.length > 0 && idea.said.length > 0 ? [line(dim(' since then'))] : []),
    ...idea.said.flatMap((one) => saidLines(one, view, columns)),
  ];
  const most = Math.max(0, lines.length - height);
  const back = Math.min(view.ui.scroll['idea said'] ?? 0, most);
  return { lines: lines.slice(Math.max(0, lines.length - height - back), lines.length - back), most };
}

function saidLines({ at, verb, text, by, done, question }: Said, { now }: View, columns: number): Line[] {
  const time = clock(at, now);
  const cells = columns - 9;
  const head = line(
    dim(` ${pad(time, Math.max(5, time.length))}  `),
    coloured(clean(verb), 'cyan'),
    dim(by ? `, ${TELLERS[by]}` : ''),
  );
  const asked = question
    ? wrapAll(`? ${question}`, cells)
        .slice(0, MOST_ASKED)
        .map((one) => line(`        ${one}`))
    : [];
  const rows = text ? wrapAll(text, cells).map((one) => line(`        ${one}`)) : [];
  const answer = done ? wrapAll(done, cells).map((one) => line(dim(`        ${one}`))) : [];
  return [head, ...asked, ...rows, ...answer];
}
