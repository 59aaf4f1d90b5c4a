/** The page of one idea: its box or card, and its details in tabs (G1, G2, G4). */
import type { IdeaModel } from '../../model/model.js';
import { shownIn } from '../cut-off.js';
import { framed } from '../frame.js';
import { isPast } from '../past.js';
import { beside, box, type Part } from '../text/boxes.js';
import { bold, coloured, dim, edges, fill, type Line, line, rule } from '../text/line.js';
import { many, short } from '../text/numbers.js';
import { clean, labelled, upTo, width } from '../text/text.js';
import { LOOKS } from '../text/theme.js';
import { clock, duration } from '../text/time.js';
import { type Selection, TABS, type Tab } from '../ui.js';
import { type Picture, type View, WIDE } from '../view.js';
import { gateWord } from '../words/gate-words.js';
import { runName } from '../words/idea-words.js';
import { diffPlaces, diffSelected, diffTab, diffTitle } from './diff.js';
import { commandLines, failingLines, gateAbout, gateOf, gateTab, gateWhen } from './gate.js';
import { messageOf, standingParts } from './idea-about.js';
import { isAtWork, upper } from './idea-upper.js';
import { pageIdea } from './page-idea.js';
import { agentTab, saidTab, taskTab } from './tabs.js';
import { chosenRun, timeline, timelinePlaces, timelineSelected } from './timeline.js';
import { type TabBody, toldOf, toldOfRun } from './told.js';

const NAMES: Readonly<Record<Tab, string>> = {
  agent: 'Agent',
  timeline: 'Timeline',
  gate: 'Gate',
  diff: 'Diff',
  task: 'Task',
  said: 'Said',
};

export function ideaView(view: View): Picture {
  const { ui, size } = view;
  const idea = pageIdea(view);
  if (!idea) return framed(view, [line(` ${ui.idea ?? 'no idea'} is not in this run`)], { end: '? keys  Esc back' });
  const { lines, most } = size.columns >= WIDE ? wide(view, idea) : narrow(view, idea);
  const selected = pageSelected(view, idea);
  const picture = framed(view, lines, {
    idea,
    ...messageOf(view, idea),
    end: '? keys  Esc back',
    chooses: pagePlaces(view).length > 1,
    without: new Set(
      ['open', 'find', 'answer'].filter((one) => one !== 'answer' || idea.status !== 'needs-human') as never[],
    ),
  });
  return { ...picture, ...(selected ? { selected } : {}), ...(most === undefined ? {} : { most }) };
}

/** Entries that the keys select on the page: an agent run on its timeline, a file of its diff. */
export function pagePlaces(view: View): Selection[] {
  const idea = pageIdea(view);
  if (!idea) return [];
  if (view.ui.tab === 'timeline') return timelinePlaces(idea);
  return view.ui.tab === 'diff' ? diffPlaces(view) : [];
}

function pageSelected(view: View, idea: IdeaModel): Selection | undefined {
  if (view.ui.tab === 'timeline') return timelineSelected(view, idea);
  return view.ui.tab === 'diff' ? diffSelected(view) : undefined;
}

/** Path to the idea, and its title. */
function headLine({ model, size, ui }: View, idea: IdeaModel): Line {
  const run = isPast(ui) ? ` › run ${clean(model.runId)}` : '';
  const start = line(bold(`${clean(model.name)}${run} › ${idea.id}`), `  ${clean(idea.title)}`);
  if (size.columns < 120) return start;
  const shown = shownIn(model, idea);
  const look = LOOKS[shown];
  const last = idea.iterations.at(-1);
  const by = [last?.agent, last?.model]
    .filter((one) => one !== undefined)
    .map((one) => clean(one))
    .join(' ');
  const end = line(
    coloured(`${look.sign} ${shown}`, look.colour),
    [by, idea.agentName ?? '']
      .filter((one) => one !== '')
      .map((one) => `  ${one}`)
      .join(''),
  );
  return edges(start, end, size.columns, 1);
}

/** `right` is the longest text that fits into `room` beside the names. */
function tabsLine(view: View, idea: IdeaModel, tabs: readonly Tab[], room: number): { left: string; right: string } {
  const shown = shownTab(view, tabs);
  const left = tabs
    .map((tab) => {
      const name = `${NAMES[tab]}${tab === 'said' && idea.said.length > 0 ? ` ${idea.said.length}` : ''}`;
      return tab === shown && tabs.includes(view.ui.tab) ? `[${name}]` : name;
    })
    .join('  ');
  const right = tabRight(view, idea, shown).find((one) => width(left) + width(one) <= room);
  return { left, right: right ?? '' };
}

/** Beside the timeline the tab that was open before it. */
const shownTab = ({ ui }: View, tabs: readonly Tab[]): Tab => (tabs.includes(ui.tab) ? ui.tab : ui.beside);

/** The longest first. */
function tabRight(view: View, idea: IdeaModel, tab: Tab): string[] {
  const { ui } = view;
  const run = chosenRun(idea, ui.serial);
  if (tab === 'agent' && run) {
    const follows = ui.follow && run.endedAt === undefined && (ui.scroll['idea agent'] ?? 0) === 0;
    return [`${runName(run)}${follows ? ', follows ↓' : ''}`];
  }
  if (tab === 'gate') {
    const when = gateWhen(view, idea);
    return when === '' ? [] : [`${when}   ← → iteration`, `${when}  ← →`, when];
  }
  if (tab === 'task' && run && ui.serial !== undefined) return [`prompt of ${runName(run)}`];
  return tab === 'diff' ? [diffTitle(view, idea)] : [];
}

function tabLines(view: View, idea: IdeaModel, tab: Tab, columns: number, height: number): TabBody {
  switch (tab) {
    case 'agent':
      return agentTab(view, idea, columns, height);
    case 'timeline':
      return { lines: timeline(view, idea, columns, height) };
    case 'gate':
      return gateTab(view, idea, columns, height);
    case 'diff':
      return diffTab(view, idea, columns, height);
    case 'task':
      return taskTab(view, idea, columns, height);
    case 'said':
      return saidTab(view, idea, columns, height);
  }
}

function narrow(view: View, idea: IdeaModel): TabBody {
  const { size } = view;
  const height = size.rows - 3;
  const lines = [headLine(view, idea), ...upper(view, idea, size.columns)];
  const tabs = tabsLine(view, idea, TABS, size.columns - 3);
  lines.push(edges(line(` ${tabs.left}`), line(dim(tabs.right)), size.columns));
  const tab = shownTab(view, TABS);
  const foot = tab === 'agent' ? agentFoot(view, idea) : undefined;
  const room = Math.max(1, height - lines.length - (foot ? 1 : 0));
  const { lines: body, ...scrolls } = tabLines(view, idea, tab, size.columns, room);
  lines.push(...body.slice(0, room));
  if (!foot) return { lines, ...scrolls };
  while (lines.length < height - 1) lines.push([]);
  lines.push(rule(foot.left, foot.right, size.columns));
  return { lines, ...scrolls };
}

/** `38 tool calls · 412k tokens in, 9.1k out`, `last sign of life <10s ago` */
function agentFoot(view: View, idea: IdeaModel): { left: string; right: string } | undefined {
  const told = toldOfRun(view, idea);
  if (!told) return undefined;
  const { toolCalls, tokensIn, tokensOut, lastSign } = told;
  const parts: string[] = [];
  if (toolCalls !== undefined) parts.push(many(toolCalls, 'tool call'));
  if (tokensIn !== undefined || tokensOut !== undefined)
    parts.push(`${short(tokensIn ?? 0)} tokens in, ${short(tokensOut ?? 0)} out`);
  const works = isAtWork(idea) && chosenRun(idea, view.ui.serial)?.endedAt === undefined;
  const sign = lastSign === undefined || !works ? '' : `last sign of life ${duration(view.now - lastSign)} ago`;
  return parts.length === 0 && sign === '' ? undefined : { left: parts.join(' · '), right: sign };
}

function wide(view: View, idea: IdeaModel): TabBody {
  const { size } = view;
  const height = size.rows - 1 - 3;
  const left = Math.floor(size.columns * 0.4);
  const right = size.columns - left;
  const top = upper(view, idea, left);
  const shown = gateOf(view, idea);
  const { gate, runs } = shown;
  const parts: Line[][] = [top];
  const standing = standingParts(view, idea).flatMap(({ name, text }) =>
    upTo(2, labelled(name, text, left - 4, 11), left - 4).map((one) => line(` ${one}`)),
  );
  const gateLines =
    gate || runs
      ? [
          ...commandLines(idea, shown, view.now, left - 2, toldOf(view, idea)?.gateCommands),
          ...failingLines(gate, left - 2).slice(0, 3),
        ]
      : [];
  const about = gateAbout(view, idea);
  const state = runs ? 'runs' : gate ? `${gateWord(gate)}, ${clock(gate.at, view.now)}` : '';
  const below = (gateLines.length > 0 ? gateLines.length + 2 : 0) + (standing.length > 0 ? standing.length + 2 : 0);
  const room = Math.max(4, height - top.length - below - 2);
  const rows = timeline(view, idea, left - 2, room).slice(0, room);
  parts.push(
    box(
      [{ title: view.ui.tab === 'timeline' ? '[Timeline]' : 'Timeline', lines: rows }],
      left,
      Math.min(room, rows.length) + 2,
    ),
  );
  if (gateLines.length > 0)
    parts.push(
      box(
        [
          {
            title: `${runs ? 'Gate' : 'Last gate'}${about === '' ? '' : `, ${about}`}`,
            right: state,
            lines: gateLines,
          },
        ],
        left,
      ),
    );
  if (standing.length > 0) parts.push(box([{ title: 'Where it stands', lines: standing }], left));
  const column = parts.flat().slice(0, height);
  const tabs = TABS.filter((tab) => tab !== 'timeline');
  const { left: names, right: told } = tabsLine(view, idea, tabs, right - 10);
  const foot = shownTab(view, tabs) === 'agent' ? agentFoot(view, idea) : undefined;
  const inner = height - 2;
  const { lines: body, ...scrolls } = tabLines(view, idea, shownTab(view, tabs), right - 2, inner - (foot ? 1 : 0));
  if (foot) {
    while (body.length < inner - 1) body.push([]);
    body.push(line(dim(`─ ${[foot.left.replace(' tokens', ''), foot.right].filter((one) => one !== '').join(' · ')}`)));
  }
  const page: Part = { title: names, right: told, lines: body };
  const lines = beside(
    column.map((one) => fill(one, left)),
    box([page], right, height),
    left,
  );
  return { lines: [headLine(view, idea), ...lines], ...scrolls };
}
