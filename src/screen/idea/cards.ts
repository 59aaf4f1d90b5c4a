/** State cards of an idea that no agent works on, each with the possible actions (G4). */

import { withoutSignal } from '../../decide/text.js';
import type { GateRun, IdeaModel } from '../../model/model.js';
import { isReverted } from '../../model/reverted.js';
import { startCommand } from '../../model/start-again.js';
import { iterationCount, workingMs } from '../../model/tally.js';
import { cutOff, shownIn } from '../cut-off.js';
import { forNextText } from '../for-next.js';
import { listsOf } from '../lists.js';
import { firstLines, lastError } from '../pages/need-lines.js';
import { box } from '../text/boxes.js';
import { coloured, dim, edges, type Line, line, lineWidth } from '../text/line.js';
import { many, moneyText, retriesText } from '../text/numbers.js';
import { packed } from '../text/packed.js';
import { clean, cut, upTo, width, wrapAll } from '../text/text.js';
import { LOOKS } from '../text/theme.js';
import { age, clock, duration, lasted } from '../text/time.js';
import type { View } from '../view.js';
import { gateWord, gateWords, passed } from '../words/gate-words.js';
import { claim } from '../words/signal-words.js';
import { cardKeys } from './card-keys.js';
import { epicRows, epicTitle } from './epic-card.js';
import { isOver } from './possible.js';
import { isLoading, notYet } from './timeline.js';
import { landedWhen, toldOf } from './told.js';

/** Above the longest question. */
const MOST_LINES = 20_000;

/** Their texts are wrapped around commands. */
const WITH_COMMANDS = new Set(['asks', 'approve', 'blocked']);

const TITLES: Partial<Record<string, string>> = {
  queued: 'done, waits to land',
  approve: 'wants approval',
  ready: 'ready to start',
  stopped: 'stopped with its run',
  after: 'waits for others',
  limit: 'waits for a limit',
  login: 'waits for a login',
  slot: 'waits for a slot',
  held: 'held back',
  'taken off': 'taken off the target',
};

/** The card, which replaces the box of an iteration. */
export function card(view: View, idea: IdeaModel, columns: number): Line[] {
  const { model } = view;
  const shown = shownIn(model, idea);
  const look = LOOKS[shown];
  const cells = columns - 4;
  if (idea.group) {
    const lines = [...epicRows(view, idea, cells), ...keyLines(view, idea, shown, cells)];
    return box([{ ...epicTitle(view, idea), lines }], columns);
  }
  const next = forNextText(idea);
  const over = view.whole === true && WITH_COMMANDS.has(shown);
  const rows = [
    ...(next === undefined ? [] : [line(' ', coloured(cut(next, cells), 'cyan'))]),
    ...body(view, idea, shown, cells).map((one) => line(` ${over ? one : cut(one, cells)}`)),
  ];
  const lines = [...rows, ...keyLines(view, idea, shown, cells)];
  // In an open run it stays landed.
  const before = shown === 'taken off' && idea.status === 'landed' ? 'landed, and ' : '';
  return box(
    [{ title: `${look.sign} ${before}${TITLES[shown] ?? shown}`, right: right(view, idea, shown, cells), lines, over }],
    columns,
  );
}

/** The keys; an idea that asks has released its slot, which no other line says. */
function keyLines(view: View, idea: IdeaModel, shown: string, cells: number): Line[] {
  const lines = packed(cardKeys(view, idea), cells).map((one) => line(coloured(one, 'gray')));
  const free = shown === 'asks' && idea.slot === undefined && !isOver(view.model);
  if (free) {
    const note = line(dim('its slot is free meanwhile'));
    const last = lines.at(-1);
    if (last && lineWidth(last) + lineWidth(note) + 2 <= cells) lines[lines.length - 1] = edges(last, note, cells);
    else lines.push(edges(line(), note, cells));
  }
  return lines.map((one) => line(' ', one));
}

function right({ model, now }: View, idea: IdeaModel, shown: string, cells: number): string {
  const at = idea.since === undefined ? '' : clock(idea.since, now);
  const last = idea.iterations.at(-1);
  switch (shown) {
    case 'landed':
      return at === '' ? `on ${clean(model.target)}` : `${at} on ${clean(model.target)}`;
    case 'taken off':
      return landedWhen(idea, now);
    case 'in review':
      return [`pull request ${idea.review?.number ?? ''}`, at].filter((one) => one !== '').join(' · ');
    case 'queued': {
      const place = model.queue.filter((id) => id !== model.landing).indexOf(idea.id) + 1;
      const before = model.landing === undefined ? place : place + 1;
      if (before > 0) return cells < 60 ? `number ${before}` : `number ${before} in the landing queue`;
      return 'in the landing queue';
    }
    case 'timed out': {
      const most = idea.max ?? last?.max;
      return [last && most !== undefined ? `${last.number} of ${most} iterations` : '', at]
        .filter((one) => one !== '')
        .join(' · ');
    }
    case 'blocked':
      // `now` of a run that is over is its end.
      return [
        last ? `iteration ${last.number}` : '',
        at === '' || isOver(model) ? at : `${age(now - (idea.since ?? now))} ago`,
      ]
        .filter((one) => one !== '')
        .join(' · ');
    case 'failed':
      return [idea.retries > 0 ? retriesText(idea.retries) : '', at].filter((one) => one !== '').join(' · ');
    default:
      return [
        last && (shown === 'asks' || shown === 'approve') ? `iteration ${last.number}` : '',
        at === '' ? '' : `since ${at}`,
      ]
        .filter((one) => one !== '')
        .join(' · ');
  }
}

function body(view: View, idea: IdeaModel, shown: string, cells: number): string[] {
  const { model, now } = view;
  const reason = clean(idea.reason ?? '');
  const wrapping = { over: view.whole === true };
  switch (shown) {
    case 'taken off':
      return [...upTo(3, wrapAll(reason, cells), cells), ...(isReverted(idea) ? landed(view, idea, cells) : [])].filter(
        Boolean,
      );
    case 'landed':
      return [...(isReverted(idea) ? upTo(3, wrapAll(reason, cells), cells) : []), ...landed(view, idea, cells)];
    case 'in review':
      return [reason === '' ? (idea.review?.url ?? '') : reason];
    case 'lands':
    case 'queued': {
      const before =
        model.landing !== undefined && model.landing !== idea.id ? model.ideas.get(model.landing) : undefined;
      const gate = idea.gateNow ?? before?.gateNow;
      const after = before ? `after ${before.id}${gate ? ` (at the gate, ${duration(now - gate.at)})` : ''}` : '';
      const meanwhile = after || (gate ? `gate on the merged tree, ${duration(now - gate.at)}` : '');
      const parts = [gateText(idea.gate), meanwhile].filter((one) => one !== '');
      const one = parts.join('    ');
      return width(one) <= cells ? [one] : parts;
    }
    case 'timed out':
      return [
        timedOut(view, idea),
        ...(gateRed(idea) ?? []),
        ...upTo(1, wrapAll(reason, cells), cells),
        ...upTo(2, wrapAll(lastError(idea), cells), cells),
      ].filter((one) => one !== '');
    case 'asks':
    case 'approve':
      return firstLines(
        wrapAll(idea.question ?? idea.reason ?? '', cells, 0, wrapping),
        view.whole ? MOST_LINES : 6,
        idea.id,
      );
    case 'failed':
      return failed(view, idea, cells);
    case 'blocked':
      return firstLines(wrapAll(idea.reason ?? '', cells, 0, wrapping), view.whole ? MOST_LINES : 4, idea.id);
    case 'after': {
      const first = listsOf(model).after.get(idea.id) ?? '';
      const open = idea.dependsOn.filter((id) => model.ideas.get(id)?.status !== 'landed');
      return [`it starts when ${open.length > 0 ? open.join(', ') : first} ${open.length > 1 ? 'have' : 'has'} landed`];
    }
    case 'stopped':
      return upTo(4, wrapAll(cutOff(model, idea) ?? '', cells), cells);
    case 'ready': {
      if (isOver(model)) return [`the next start runs it: ${startCommand(model.startAgain)}`];
      const score = model.live?.scores?.[idea.id];
      return [`it starts when a slot is free${score === undefined ? '' : `; score ${score}`}`];
    }
    default:
      return upTo(3, wrapAll(idea.waits?.text ?? reason, cells), cells);
  }
}

/** Says where the idea landed before this run began. */
function beforeText(view: View, idea: IdeaModel): string {
  const before = toldOf(view, idea)?.before;
  return before ? `it landed in an earlier run: ${before.runId}` : isLoading(view, idea) ? '' : notYet(idea);
}

function landed(view: View, idea: IdeaModel, cells: number): string[] {
  const { spent, iterations } = idea;
  const last = iterations.at(-1);
  const used = iterationCount(idea);
  const by = [last?.agent, last?.model].filter((one) => one !== undefined).map((one) => clean(one));
  const parts = [
    used > 0 ? `${many(used, 'iteration')}, ${lasted(spent.ms)}` : '',
    [by.join(' '), idea.agentName].filter((one) => one !== undefined && one !== '').join(', '),
    spent.dollars > 0 ? moneyText(spent) : '',
  ].filter((one) => one !== '');
  const told = toldOf(view, idea)?.commit;
  const commit =
    idea.commit === undefined ? '' : `commit       ${idea.commit.slice(0, 8)} ${clean(told?.subject ?? '')}`;
  const merged = idea.mergedGate ?? idea.gate;
  return [
    idea.landedBefore ? beforeText(view, idea) : '',
    ...wrapAll(parts.join(' · '), cells),
    merged ? gateRow(merged, idea.mergedGate !== undefined) : '',
    commit.trimEnd() + (told ? `   ${many(told.files, 'file')}` : ''),
  ].filter((one) => one !== '');
}

function gateRow(gate: GateRun, merged: boolean): string {
  if (gate.none) return 'landed without a gate';
  return `${merged ? 'merged tree' : 'gate       '}  ${gateText(gate)}`;
}

/** `✓ npm test 8/8   ✗ npm run lint` */
export function gateText(gate: GateRun | undefined): string {
  if (!gate) return 'gate not run';
  if (gate.none) return gateWord(gate);
  if (gate.commands.length === 0) {
    const tests = gate.tests ? ` ${gate.tests.passed}/${gate.tests.total}` : '';
    return gate.pass ? `✓ ${gateWords(gate, tests)}` : `✗ ${clean(gate.command ?? 'gate red')}${tests}`;
  }
  return gate.commands
    .map(({ command, exitCode, tests }) => {
      const ok = passed({ command, exitCode }, gate);
      return `${ok ? '✓' : '✗'} ${clean(command)}${tests ? ` ${tests.passed}/${tests.total}` : ''}`;
    })
    .join('   ');
}

/** `branch and worktree are kept`; empty before git has been asked. */
function leftText(view: View, idea: IdeaModel): string {
  const left = toldOf(view, idea)?.left;
  if (!left) return '';
  const { branch, worktree, uncommitted = 0 } = left;
  const files = uncommitted > 0 ? `, ${many(uncommitted, 'file')} uncommitted` : '';
  if (branch && worktree) return `branch and worktree are kept${files}`;
  if (worktree) return `worktree is kept${files}`;
  return branch ? 'branch is kept, its worktree is gone' : 'its branch and worktree are gone';
}

function timedOut(view: View, idea: IdeaModel): string {
  const { now } = view;
  const tests = idea.gate?.tests;
  const limit = toldOf(view, idea)?.ideaLimitMs;
  const used = idea.iterations.length === 0 ? undefined : workingMs(idea, idea.since ?? now);
  return [
    idea.percent === undefined ? '' : `last progress ${idea.percent} %`,
    tests ? `tests ${tests.passed}/${tests.total}` : '',
    used === undefined || limit === undefined ? '' : `${duration(used)} of ${duration(limit)}`,
    leftText(view, idea),
  ]
    .filter((one) => one !== '')
    .join(' · ');
}

/** How often the gate was red, and the command that failed. */
function gateRed(idea: IdeaModel): string[] | undefined {
  const red = idea.iterations.filter(({ gate }) => gate && !gate.pass).length;
  const test = idea.gate && !idea.gate.pass ? (idea.gate.newTests[0] ?? idea.gate.command) : undefined;
  if (red === 0 || test === undefined) return undefined;
  return [`red ${red === 1 ? 'once' : `${red} times`}; the last time at: ${clean(test)}`];
}

function failed(view: View, idea: IdeaModel, cells: number): string[] {
  const told = toldOf(view, idea);
  const last = idea.iterations.at(-1);
  const words = withoutSignal(told?.lastWords ?? last?.words ?? '');
  const reason = idea.reason ?? last?.message ?? (last?.signal ? claim({ signal: last.signal }) : '');
  const said = words === '' ? '' : ` Last words: "${words.trim().split('\n').at(-1) ?? ''}"`;
  const error = idea.reason === undefined ? '' : lastError(idea);
  const kept = leftText(view, idea);
  const most = view.whole ? MOST_LINES : view.size.rows >= 34 ? 9 : 4;
  const one = wrapAll(`${reason}.${said}`.replace('..', '.'), cells);
  const both = one.length <= 3 || view.whole;
  const why = wrapAll(reason, cells).filter((row) => row.trim() !== '');
  return [
    ...(both ? one : firstLines(why, most, idea.id)),
    ...(both ? [] : upTo(2, wrapAll(said.trim(), cells), cells)),
    ...(error === '' ? [] : upTo(2, wrapAll(error, cells), cells)),
    ...(kept === '' ? [] : [kept]),
  ];
}
