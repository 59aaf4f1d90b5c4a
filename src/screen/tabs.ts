/** The tabs Agent, Task and Said: the words of agent, backlog and people about one idea. */
import type { IdeaModel, Said } from '../model/model.js';
import type { StreamLine } from './details.js';
import { coloured, dim, type Line, line } from './line.js';
import { withSignals } from './need-lines.js';
import { clean, cut, labelled, pad, wrap, wrapAll } from './text.js';
import { clock } from './time.js';
import { chosenRun, notYet } from './timeline.js';
import type { View } from './view.js';

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
  const words = chosenRun(idea, view.ui.serial)?.words;
  if (words)
    return wrapAll(withSignals(words), columns - 2)
      .slice(-height)
      .map((one) => line(` ${one}`));
  return [line(dim(idea.iterations.length === 0 ? ` ${notYet(idea)}` : ' nothing was said yet'))];
}

export function taskTab(view: View, idea: IdeaModel, columns: number, height: number): Line[] {
  const cells = columns - 2;
  const about = [
    ['tags', idea.tags.join(', ')],
    ['part of', idea.parent ?? ''],
    ['after', idea.dependsOn.join(', ')],
  ].flatMap(([name = '', text = '']) => (text === '' ? [] : labelled(name, text, cells, 9)));
  const all = [
    ...wrapAll(idea.title, cells),
    ...(about.length > 0 ? ['', ...about] : []),
    ...(idea.text ? ['', ...wrapAll(idea.text, cells)] : []),
  ];
  const first = Math.max(0, Math.min(view.ui.scroll['idea task'] ?? 0, all.length - height));
  return all.slice(first, first + height).map((one) => line(` ${one}`));
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
