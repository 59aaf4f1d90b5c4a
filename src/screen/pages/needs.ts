/** *Needs you*: requests to a person, the whole question, and the answer (C3, G4). */

import { withoutSignal } from '../../decide/text.js';
import type { IdeaModel, RunModel } from '../../model/model.js';
import { MAX_COMMAND_TEXT } from '../../protocol/command.js';
import { moreTexts } from '../control/drafts.js';
import { isTooLong } from '../control/typing.js';
import { chooseHint } from '../footer.js';
import { framed, screenLine } from '../frame.js';
import { cardKeys } from '../idea/card-keys.js';
import { isOver, refusedNow } from '../idea/possible.js';
import { commitsOf, toldOf } from '../idea/told.js';
import { listsOf, needName, waitingFor } from '../lists.js';
import { noticeLines } from '../run/notices.js';
import { costText } from '../run/run-slots.js';
import { beside, box, indented, type Part } from '../text/boxes.js';
import { dim, inverse, type Line, line, rule } from '../text/line.js';
import { many, needYou, UNKNOWN, whole } from '../text/numbers.js';
import { packed } from '../text/packed.js';
import { clean, labelled, someOf, upTo, wrapAll } from '../text/text.js';
import { clock, lasted } from '../text/time.js';
import type { Selection, Unsent } from '../ui.js';
import { type Picture, placeOrNone, type View, windowAt } from '../view.js';
import { gateWords } from '../words/gate-words.js';
import { mergedText } from '../words/gone-words.js';
import { type Editor, editor } from './answer.js';
import { decision, nobody, questionOf, windowed, withSignals } from './need-lines.js';
import { listLine, type Row, rowsOf, sinceCells } from './need-list.js';

/** Selectable entries, in display order. */
export const needPlaces = (view: View): Selection[] => rowsOf(view).map(({ at }) => at);

export function needsView(view: View): Picture {
  const { model, ui, size, now } = view;
  const rows = rowsOf(view);
  const at = placeOrNone(
    rows.map((row) => row.at),
    ui.selected.needs,
    ({ id }) => (model.ideas.has(id) ? id : ''),
  );
  const row = rows[at];
  const oldest = Math.min(...listsOf(model).needs.map(({ since }) => since ?? Number.POSITIVE_INFINITY));
  const count = listsOf(model).needs.length;
  const warned = rows.length - count;
  const told = model.reading
    ? ''
    : `${needYou(count)}${Number.isFinite(oldest) ? `, the oldest since ${clock(oldest, now)}` : ''}${warned > 0 ? `, ${many(warned, 'warning')}` : ''}`;
  const head = screenLine(view, told);
  const idea = row?.need?.idea ?? (row?.warning?.idea ? model.ideas.get(row.warning.idea) : undefined);
  const picture = size.columns >= 120 ? wide(view, rows, at, head) : narrow(view, rows, at, head);
  const answering = idea && ui.answering === idea.id;
  const framedPicture = framed(view, picture.lines, {
    idea,
    // After an answer, so that the next key does not answer another question.
    chooses: rows.length > 0 && !row,
    left: idea
      ? `${idea.id} · ${clean(idea.title)}`
      : rows.length > 0 && !row
        ? `no request is selected, so that no key answers another one: ${chooseHint(view.theme)}`
        : '',
    ...(answering ? { footer: answerFooter(size.columns, view.theme.ascii), left: startsAgain(view) } : {}),
  });
  return {
    ...framedPicture,
    ...(picture.cursor && answering && !ui.prompt ? { cursor: picture.cursor } : {}),
    ...(row ? { selected: row.at } : {}),
    scroll: picture.first,
    ...(picture.most === undefined ? {} : { most: picture.most }),
  };
}

interface Body {
  lines: Line[];
  first: number;
  cursor?: { line: number; column: number };
  most?: number | undefined;
}

function narrow(view: View, rows: readonly Row[], at: number, head: Line): Body {
  const { model, size, ui } = view;
  const height = size.rows - 3;
  if (rows.length === 0) return { lines: [head, line(dim(nobody(model)))], first: 0 };
  // A small screen leaves its lines to the question and the editor.
  const least = ui.answering !== undefined && height < 10 ? 1 : 2;
  const list = Math.max(least, Math.min(rows.length, Math.floor(height / 4)));
  // The last line of a list that is cut says how many there are besides.
  const shown = rows.length > list && list > 2 ? list - 1 : list;
  const cells = sinceCells(rows, view);
  const first = windowAt(at, rows.length, shown, ui.scroll.needs);
  const lines = [
    head,
    ...(height >= 18 ? noticeLines(view) : []),
    ...rows
      .slice(first, first + shown)
      .map((row, index) => marked(listLine(row, view, cells), first + index === at, size.columns)),
  ];
  if (shown < list) lines.push(line(dim(` … ${whole(rows.length - shown)} more`)));
  const row = rows[at];
  const parts = row ? detailParts(row, view, size.columns, height - lines.length) : [];
  let cursor: Body['cursor'];
  for (const { title, right = '', lines: own, editor: typed, warns } of parts) {
    lines.push(rule(title, right, size.columns, warns));
    if (typed) cursor = { line: lines.length + typed.cursor.line, column: typed.cursor.column };
    lines.push(...own);
  }
  return { lines, first, most: parts[0]?.most, ...(cursor ? { cursor } : {}) };
}

function wide(view: View, rows: readonly Row[], at: number, head: Line): Body {
  const { size, ui } = view;
  const height = size.rows - 1 - 4;
  const left = Math.floor(size.columns * 0.4);
  const right = size.columns - left;
  const needs = rows.filter(({ need }) => need);
  const warnings = rows.filter(({ warning }) => warning);
  const shown = Math.max(
    1,
    Math.floor((height - 2 - (warnings.length > 0 ? 1 + Math.min(3, warnings.length) * 2 : 0)) / 2),
  );
  const first = windowAt(Math.min(at, needs.length - 1), needs.length, shown, ui.scroll.needs);
  const two = (row: Row): Line[] => {
    const title = row.need?.idea?.title ?? row.need?.text ?? clean(row.warning?.text ?? '');
    const chosen = row === rows[at];
    return [marked(listLine(row, view), chosen, left - 2), line(dim(`   ${clean(title)}`))];
  };
  const list: Part = {
    title: `Needs you ${whole(needs.length)}`,
    lines: needs.length === 0 ? [line(dim(nobody(view.model)))] : needs.slice(first, first + shown).flatMap(two),
  };
  const parts = [list];
  if (warnings.length > 0)
    parts.push({ title: `Warnings ${warnings.length}`, lines: warnings.flatMap(two), grows: true });
  const row = rows[at];
  const details = row ? detailParts(row, view, right - 2, height - 3) : [];
  const titled = details.map(
    (part, index): Part => ({
      title: part.title,
      ...(part.right === undefined ? {} : { right: part.right }),
      ...(part.warns ? { warns: part.warns } : {}),
      lines: index === 0 ? [line(` ${clean(titleOf(row))}`), line(), ...part.lines] : part.lines,
      least: part.editor ? 2 : 1,
      ...(index === details.length - 1 ? { grows: true as const } : {}),
    }),
  );
  const rightBox = box(titled.length > 0 ? titled : [{ title: '', lines: [] }], right, height);
  const lines = [head, ...beside(box(parts, left, height), rightBox, left)];
  const typed = details.find((part) => part.editor)?.editor;
  if (!typed) return { lines, first };
  // The editor is the last part. The lines of the earlier parts give its position.
  const above = titled.slice(0, -1).reduce((sum, part) => sum + part.lines.length + 1, 1);
  const row0 = Math.min(above + 1 + typed.cursor.line, height - 1);
  return { lines, first, most: details[0]?.most, cursor: { line: row0, column: left + 1 + typed.cursor.column } };
}

const titleOf = (row: Row | undefined): string => row?.need?.idea?.title ?? row?.warning?.text ?? row?.need?.text ?? '';

const marked = (spans: Line, chosen: boolean, columns: number): Line => {
  const [first, ...rest] = spans;
  return chosen && first ? inverse([{ ...first, text: `>${first.text.slice(1)}` }, ...rest], columns) : spans;
};

interface DetailPart {
  title: string;
  right?: string;
  lines: Line[];
  editor?: Editor;
  /** `right` warns. */
  warns?: true;
  most?: number;
}

/** The question, the earlier words and actions, and the answer, in exactly `height` lines. */
function detailParts(row: Row, view: View, columns: number, height: number): DetailPart[] {
  const { model, ui } = view;
  const idea = row.need?.idea ?? (row.warning?.idea ? model.ideas.get(row.warning.idea) : undefined);
  const name = row.need ? needName(row.need) : (idea?.id ?? 'run');
  const word = row.need?.shown ?? row.warning?.kind ?? '';
  const cells = columns - 2;
  const text = withSignals(row.need ? questionOf(row.need) : (row.warning?.text ?? ''));
  const answers = idea && (row.need?.shown === 'asks' || row.need?.shown === 'approve' || ui.answering === idea.id);
  // Title and lines of the last part. The question gets what is left and keeps at least a few lines.
  const least = answers ? (height < 12 ? 2 : 4) : 2;
  const facts = idea && height >= 12 ? didLines(view, idea, columns) : undefined;
  const room1 = height - 1 - least - (facts ? facts.length + 1 : 0);
  const { lines: asked, most } = windowed(indented(wrapAll(text, cells)), room1, ui.scroll.question ?? 0, {
    keys: idea !== undefined && ui.answering === idea.id,
    whole: idea ? `${answers ? 'a answer, or ' : ''}ralphctl why ${idea.id}` : 'ralphctl status',
  });
  const about = idea ? aboutLine(view, idea) : '';
  const parts: DetailPart[] = [{ title: `${name} ${word}`, right: about, lines: asked, most }];
  const did: DetailPart | undefined = facts
    ? {
        title: 'what it did',
        right: `${view.theme.ascii ? 'Enter' : '↵'} its page`,
        lines: facts,
      }
    : undefined;
  // Earlier words fill the space between the question and the answer.
  const words = idea ? lastWords(view, idea) : '';
  const fixed = parts.length + asked.length + (did ? did.lines.length + 1 : 0) + least;
  const room = height - fixed - 1;
  if (words !== '' && room > 0) {
    const all = indented(wrapAll(words, cells));
    const shown = all.length > room ? [line(dim(' …')), ...all.slice(all.length - room + 1)] : all;
    parts.push({ title: 'what it said before', lines: shown });
  }
  if (did) parts.push(did);
  const used = parts.reduce((sum, part) => sum + part.lines.length + 1, 0);
  if (idea && answers) {
    const draft = ui.drafts[idea.id] ?? { text: '', cursor: 0 };
    const typed = editor(draft, columns, Math.max(1, height - used - 1));
    const empty = draft.text === '' && ui.answering !== idea.id;
    const approve = row.need?.shown === 'approve' && empty && !isOver(model) && refusedNow(model) === undefined;
    parts.push({
      title: approve ? 'your decision' : 'your answer',
      ...(approve ? {} : besideAnswer(draft, columns)),
      lines: approve ? [line(dim(decision(idea)))] : empty ? [line(dim(answerKey(model)))] : typed.lines,
      ...(ui.answering === idea.id ? { editor: typed } : {}),
    });
  } else if (idea) parts.push({ title: 'what you can do', lines: indented(packed(cardKeys(view, idea), cells)) });
  return parts;
}

/** Beside the title of the answer: that it is too long, or how many other texts there are, or where it goes. */
const besideAnswer = (draft: Unsent, columns: number): Partial<DetailPart> =>
  isTooLong(draft.text)
    ? {
        ...(columns < 46 ? { title: 'answer' } : {}),
        right: `${whole(draft.text.length)} of ${whole(MAX_COMMAND_TEXT)} characters`,
        warns: true,
      }
    : { right: moreTexts(draft) || 'goes into its next prompt, once' };

const answerKey = (model: RunModel): string =>
  refusedNow(model) === undefined ? ' a answer' : ' once the run has stopped: a answer';

/** `iteration 1, claude · 2 ideas wait for it` */
function aboutLine({ model }: View, idea: IdeaModel): string {
  const last = idea.iterations.at(-1);
  const parts: string[] = [];
  if (last) parts.push(`iteration ${last.number}${last.agent ? `, ${clean(last.agent)}` : ''}`);
  const others = waitingFor(model, idea.id).length;
  if (others > 0) parts.push(`${many(others, 'idea')} ${others === 1 ? 'waits' : 'wait'} for it`);
  return parts.join(' · ');
}

/** `0 commits · 12 files read · 2m · $0.05 · gate not run` */
function didLines(view: View, idea: IdeaModel, columns: number): Line[] {
  const { model, size } = view;
  const read = toldOf(view, idea)?.filesRead;
  const parts = [many(commitsOf(view, idea), 'commit')];
  if (idea.merged) parts.push(mergedText(idea.merged));
  if (read !== undefined) parts.push(`${many(read, 'file')} read`);
  if (idea.spent.ms > 0) parts.push(lasted(idea.spent.ms));
  const cost = costText(idea);
  // Nothing but the dollar sign says what the number is.
  parts.push(cost === UNKNOWN ? `cost ${cost}` : cost);
  const { gate } = idea;
  const tests = gate?.tests ? ` ${gate.tests.passed}/${gate.tests.total}` : '';
  parts.push(gate ? gateWords(gate, tests) : 'gate not run');
  const lines = indented(wrapAll(parts.join(' · '), columns - 2));
  const waits = waitingFor(model, idea.id);
  if (size.columns >= 120 && waits.length > 0)
    lines.push(...indented(upTo(2, labelled('who waits for it', someOf(20, waits), columns - 2, 19), columns - 2)));
  return lines;
}

function lastWords(view: View, idea: IdeaModel): string {
  const told = toldOf(view, idea)?.lastWords;
  return withoutSignal(told ?? idea.iterations.at(-1)?.words ?? '');
}

function startsAgain({ model }: View): string {
  if (isOver(model)) return 'the next run has your answer in its first prompt';
  if (refusedNow(model) !== undefined) return 'the run is stopping: it takes an answer once it has stopped';
  const free = model.slots !== undefined && listsOf(model).taken < model.slots;
  return `it starts again when a slot is free${free ? '; one is' : ''}`;
}

function answerFooter(columns: number, ascii: boolean): Line {
  const enter = ascii ? 'Enter' : '↵';
  const left = ` ${enter} send  Ctrl-J new line  Ctrl-E in $EDITOR`;
  const right =
    columns >= 120 ? `Esc back, the draft is kept    nothing is sent before ${enter}` : 'Esc back, the draft is kept';
  const room = columns - left.length - right.length;
  return room >= 2 ? line(dim(`${left}${' '.repeat(room)}${right}`)) : line(dim(` ${enter} send  Esc back`));
}
