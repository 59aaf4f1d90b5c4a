/** The tabs Agent, Task and Said: the words of agent, backlog and people about one idea. */
import type { IdeaModel, Iteration, Said } from '../../model/model.js';
import type { StreamLine } from '../details.js';
import { withSignals } from '../pages/need-lines.js';
import { coloured, dim, type Line, line } from '../text/line.js';
import { clean, cut, labelled, pad, wrap, wrapAll } from '../text/text.js';
import { clock } from '../text/time.js';
import type { View } from '../view.js';
import { chosenRun, notYet } from './timeline.js';

/** A stream of timed lines: the last ones, or the ones `back` lines before the end. */
export function streamLines(
  view: View,
  lines: readonly StreamLine[],
  columns: number,
  height: number,
  key: string,
): Line[] {
  const { ui, now } = view;
  const cells = Math.max(8, columns - 8);
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
      line(dim(` ${pad(at === 0 ? time : '', 5)}  `), coloured(row, one.colour ?? hueOf(text))),
    );
    out.unshift(...made);
  }
  const end = Math.max(Math.min(height, out.length), out.length - back);
  return out.slice(Math.max(0, end - height), end);
}

const hueOf = (text: string): 'red' | 'blue' | 'cyan' | undefined =>
  text.startsWith('✗') ? 'red' : text.startsWith('→') ? 'blue' : text.startsWith('? NEEDS_HUMAN') ? 'cyan' : undefined;

export function agentTab(view: View, idea: IdeaModel, columns: number, height: number): Line[] {
  const told = view.details.idea?.id === idea.id ? view.details.idea : undefined;
  if (told?.stream?.length) return streamLines(view, told.stream, columns, height, 'idea agent');
  const run = chosenRun(idea, view.ui.serial);
  const words = run?.words;
  if (words)
    return wrapAll(withSignals(words), columns - 2)
      .slice(-height)
      .map((one) => line(` ${one}`));
  if (run?.endedAt !== undefined)
    return withoutWords(logsCommand(view, idea, run), run, told?.output ?? [], columns - 2, height);
  return [line(dim(idea.iterations.length === 0 ? ` ${notYet(idea)}` : ' nothing was said yet'))];
}

/** Without options `logs` shows the last agent run of the newest run. */
function logsCommand({ details }: View, idea: IdeaModel, { serial }: Iteration): string {
  const before = details.idea?.id === idea.id && idea.landedBefore ? details.idea.before : undefined;
  const run = before ? ` --run ${before.runId}` : '';
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
export function taskTab(view: View, idea: IdeaModel, columns: number, height: number): Line[] {
  const cells = columns - 2;
  const all = view.ui.serial === undefined ? taskRows(idea, cells) : promptRows(view, idea, cells);
  const first = Math.max(0, Math.min(view.ui.scroll['idea task'] ?? 0, all.length - height));
  return all.slice(first, first + height).map((one) => line(` ${one}`));
}

function promptRows({ details, ui: { serial } }: View, { id }: IdeaModel, cells: number): string[] {
  const prompt = details.idea?.id === id ? details.idea.prompt : undefined;
  if (prompt !== undefined) return wrapAll(prompt.trimEnd(), cells);
  return [
    'the prompt of this agent run is not here',
    `look at the rest of it: ralphctl show ${id} --iteration ${serial}`,
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

const TELLERS = { cli: 'command line', screen: 'screen', signal: 'Temporal' } as const;

export function saidTab(view: View, idea: IdeaModel, columns: number, height: number): Line[] {
  if (idea.said.length === 0) return [line(dim(' nobody has said anything to it'))];
  const lines = idea.said.flatMap((one) => saidLines(one, view, columns));
  const back = Math.max(0, Math.min(view.ui.scroll['idea said'] ?? 0, lines.length - height));
  return lines.slice(Math.max(0, lines.length - height - back), lines.length - back);
}

function saidLines({ at, verb, text, by, done }: Said, { now }: View, columns: number): Line[] {
  const cells = columns - 9;
  const head = line(
    dim(` ${pad(clock(at, now), 5)}  `),
    coloured(clean(verb), 'cyan'),
    dim(by ? `, ${TELLERS[by]}` : ''),
  );
  const rows = text ? wrapAll(text, cells).map((one) => line(`        ${one}`)) : [];
  const answer = done ? wrapAll(done, cells).map((one) => line(dim(`        ${one}`))) : [];
  return [head, ...rows, ...answer];
}
