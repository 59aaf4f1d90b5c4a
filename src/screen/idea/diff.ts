/** The Diff tab: the files that an idea changed, then the lines of one file. */
import type { IdeaModel } from '../../model/model.js';
import type { DiffView } from '../details.js';
import { type Colour, coloured, dim, inverse, line, rule } from '../text/line.js';
import { many } from '../text/numbers.js';
import { clean, pad, tail, width } from '../text/text.js';
import type { Selection } from '../ui.js';
import { type View, windowAt } from '../view.js';
import { loading, type TabBody, toldOf } from './told.js';

export function diffTitle(view: View, idea: IdeaModel): string {
  const told = toldOf(view, idea);
  const files = told?.diff?.files;
  if (!files) return '';
  const added = files.reduce((sum, one) => sum + one.added, 0);
  const deleted = files.reduce((sum, one) => sum + one.deleted, 0);
  return `${many(files.length, 'file')}  +${added} -${deleted}  since ${clean(told.diff?.base ?? '').slice(0, 8)}`;
}

const diffOf = ({ details, ui }: View): DiffView | undefined =>
  details.idea?.id === ui.idea ? details.idea?.diff : undefined;

/** Selectable files. While one shows whole, the keys scroll its lines. */
export const diffPlaces = (view: View): Selection[] =>
  view.ui.file === undefined ? (diffOf(view)?.files ?? []).map(({ path }) => ({ id: path })) : [];

export function diffSelected(view: View): Selection | undefined {
  const diff = diffOf(view);
  const chosen = view.ui.file ?? view.ui.selected.idea?.id;
  const path = diff?.files.find((one) => one.path === chosen)?.path ?? diff?.file ?? diff?.files[0]?.path;
  return path === undefined ? undefined : { id: path };
}

export function diffTab(view: View, idea: IdeaModel, columns: number, height: number): TabBody {
  const { ui, theme } = view;
  const told = toldOf(view, idea);
  if (!told) return { lines: [loading(`the diff of ${idea.id}`)] };
  const { diff } = told;
  if (!diff) {
    if (told.unread) return { lines: [line(dim(' git did not tell the diff; F5 asks again'))] };
    const none = idea.base === undefined && idea.commits === 0 && idea.status !== 'landed';
    const why = told.ofRun === undefined ? 'its branch is not in this repository' : 'it did not land in that run';
    return { lines: [line(dim(none ? ' nothing is changed yet' : ` no diff: ${why}`))] };
  }
  if (diff.files.length === 0) return { lines: [line(dim(' nothing is changed'))] };
  const name = diffSelected(view)?.id;
  const at = Math.max(
    0,
    diff.files.findIndex(({ path }) => path === name),
  );
  const whole = ui.file !== undefined;
  const room = whole ? 0 : Math.min(diff.files.length, Math.max(3, Math.floor(height / 3)));
  const first = windowAt(at, diff.files.length, room, ui.scroll['idea files']);
  const size = Math.max(12, Math.min(50, columns - 34, Math.max(27, ...diff.files.map(({ path }) => width(path)))));
  const lines = diff.files.slice(first, first + room).map((file, index) => {
    const chosen = first + index === at;
    const spans = line(
      ` ${chosen ? '>' : ' '} ${pad(endOf(clean(file.path), size), size)}`,
      coloured(pad(`+${file.added}`, 6, 'right'), 'green'),
      coloured(pad(`-${file.deleted}`, 6, 'right'), 'red'),
      ...(file.look ? [coloured(`   ! ${clean(file.look)}`, 'yellow')] : []),
    );
    return chosen ? inverse(spans, columns) : spans;
  });
  const isRead = diff.file === name && diff.lines !== undefined;
  const body = isRead ? (diff.lines ?? []) : [];
  const enter = theme.ascii ? 'Enter' : '↵';
  lines.push(rule(endOf(clean(name ?? ''), columns - 24), whole ? 'Esc the files' : `${enter} whole file`, columns));
  const left = Math.max(0, height - lines.length);
  if (!isRead && left > 0) lines.push(loading(clean(name ?? 'the diff')));
  const most = whole ? Math.max(0, body.length - left) : 0;
  const start = Math.min(whole ? (ui.scroll['idea diff'] ?? 0) : 0, most);
  for (const text of body.slice(start, start + left))
    lines.push(line(' ', coloured(clean(text.replace(/\t/g, '  ')), hue(text))));
  return { lines, most };
}

const hue = (text: string): Colour | undefined =>
  text.startsWith('@@') ? 'cyan' : text.startsWith('+') ? 'green' : text.startsWith('-') ? 'red' : undefined;

/** The end of a path identifies a file better than its beginning. */
const endOf = (path: string, cells: number): string => (width(path) <= cells ? path : `…${tail(path, cells - 1)}`);
