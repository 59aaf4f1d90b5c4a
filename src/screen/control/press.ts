/**
 * What one key makes of the screen, and what the program has to do for it.
 * Invariant: pure. A key that does nothing now says why; nothing is told to the run without a key that says so.
 */
import type { RunModel } from '../../model/model.js';
import type { Details } from '../details.js';
import { type Action, actionOf } from '../keys.js';
import { listsOf } from '../lists.js';
import { ideaOf } from '../run.js';
import { clean } from '../text.js';
import {
  FROM_END,
  IDEA_SORTS,
  NUMBERED,
  type Prompt,
  type ScreenName,
  type Selection,
  SLOT_ORDERS,
  TABS,
  type Ui,
} from '../ui.js';
import { isSame } from '../view.js';
import type { Act } from './act.js';
import { completions, splitWords } from './complete.js';
import { draftOf, type Typed, typed } from './typing.js';
import { ideaWish, runWish, type Wish, withText } from './verbs.js';

/** What the last picture showed. */
export interface Seen {
  model: RunModel;
  details: Details;
  /** What can be selected, in its order. */
  places: readonly Selection[];
  selected?: Selection;
  rows: number;
}

export interface Pressed {
  ui: Ui;
  act?: Act;
}

export function press(before: Ui, key: Typed, seen: Seen): Pressed {
  const { message: _, ...ui } = before;
  if (ui.confirm !== undefined) return confirmed(ui, key);
  if (ui.prompt) return prompted(ui, ui.prompt, key, seen);
  if (ui.answering !== undefined) return answering(ui, ui.answering, key);
  const action = actionOf(ui.screen, key.name)?.action;
  return action ? acted(ui, action, key, seen) : { ui };
}

function confirmed({ confirm, pending, ...ui }: Ui, key: Typed): Pressed {
  if (key.name === 'y' && pending) return { ui, act: pending };
  return { ui: { ...ui, message: { text: `not done: ${confirm}` } } };
}

function answering(ui: Ui, idea: string, key: Typed): Pressed {
  const draft = ui.drafts[idea] ?? draftOf('');
  const { answering: _, ...rest } = ui;
  switch (key.name) {
    case 'esc':
    case 'ctrl-c':
      return { ui: rest };
    case 'ctrl-e':
      return { ui, act: { do: 'editor', idea } };
    case 'enter':
      if (draft.text.trim() === '') return { ui: { ...ui, message: { text: 'type an answer first', refused: true } } };
      return { ui: rest, act: { do: 'tell', args: ['answer', idea, '--', draft.text], draft: idea } };
    default: {
      const next = typed(draft, key, true);
      return next ? { ui: { ...ui, drafts: { ...ui.drafts, [idea]: next } } } : { ui };
    }
  }
}

function prompted(ui: Ui, prompt: Prompt, key: Typed, { model }: Seen): Pressed {
  const { prompt: _, pending, ...rest } = ui;
  const withFilter = (text: string): Ui => (prompt.kind === 'find' ? filtered(ui, text) : ui);
  switch (key.name) {
    case 'esc':
    case 'ctrl-c':
      return { ui: prompt.kind === 'find' ? filtered(rest, '') : rest };
    case 'enter':
      if (prompt.kind === 'find') return { ui: rest };
      return prompt.kind === 'command' ? commanded(rest, prompt.text) : texted(rest, prompt, pending);
    case 'tab': {
      const [best] = prompt.completions ?? [];
      if (best === undefined) return { ui };
      const text = `${best} `;
      return { ui: { ...ui, prompt: { ...prompt, ...draftOf(text), completions: completions(model, text) } } };
    }
    default: {
      const next = typed(prompt, key, false);
      if (!next) return { ui };
      const more = prompt.kind === 'command' ? { completions: completions(model, next.text) } : {};
      return { ui: { ...withFilter(next.text), prompt: { ...prompt, ...next, ...more } } };
    }
  }
}

const filtered = (ui: Ui, text: string): Ui =>
  ui.screen === 'log' || ui.screen === 'history' ? { ...ui, find: text } : { ...ui, filter: text };

function commanded(ui: Ui, line: string): Pressed {
  const args = splitWords(line);
  if (!args) return { ui: { ...ui, message: { text: 'a quote is open', refused: true } } };
  if (args.length === 0) return { ui };
  if (args[0] === 'q' || args[0] === 'quit') return { ui, act: { do: 'leave' } };
  return { ui, act: { do: args[0] === 'edit' ? 'lend' : 'tell', args } };
}

function texted(ui: Ui, { text }: Prompt, pending: Act | undefined): Pressed {
  const args = pending?.do === 'tell' ? withText(pending.args, text) : undefined;
  return args ? { ui, act: { do: 'tell', args } } : { ui };
}

function wished(ui: Ui, wish: Wish): Pressed {
  if ('refused' in wish) return { ui: { ...ui, message: { text: wish.refused, refused: true } } };
  if ('answer' in wish)
    return {
      ui: {
        ...goTo(ui, 'needs'),
        selected: { ...ui.selected, needs: { section: 'needs', id: wish.answer } },
        answering: wish.answer,
      },
    };
  if ('type' in wish) {
    const prompt: Prompt = { kind: 'text', label: wish.type, ...draftOf(wish.start ?? '') };
    return { ui: { ...ui, prompt, pending: { do: 'tell', args: wish.args } } };
  }
  if ('ask' in wish) return { ui: { ...ui, confirm: wish.ask, pending: wish.act } };
  return { ui, act: wish.act };
}

function acted(ui: Ui, action: Action, key: Typed, seen: Seen): Pressed {
  const moved = move(ui, action, seen);
  if (moved) return { ui: moved };
  const looked = look(ui, action, seen);
  if (looked) return looked;
  const wish = runWish(action, seen.model) ?? ofIdea(ui, action, seen);
  if (wish) return wished(ui, wish);
  switch (action) {
    case 'screen':
      return { ui: goTo(ui, NUMBERED[Number(key.name) - 1] ?? 'run') };
    case 'command':
      return {
        ui: {
          ...ui,
          prompt: { kind: 'command', label: ':', ...draftOf(''), completions: completions(seen.model, '') },
        },
      };
    case 'mode':
      return {
        ui: {
          ...ui,
          prompt: { kind: 'command', label: ':', ...draftOf('mode '), completions: completions(seen.model, 'mode ') },
        },
      };
    case 'find': {
      const on = ui.screen === 'run' || ui.screen === 'needs' || ui.screen === 'idea' ? goTo(ui, 'ideas') : ui;
      const text = on.screen === 'ideas' ? on.filter : on.find;
      return { ui: { ...on, prompt: { kind: 'find', label: '/', ...draftOf(text) } } };
    }
    case 'refresh':
    case 'repaint':
    case 'shell':
    case 'leave':
    case 'web':
      return { ui, act: { do: action } };
    case 'copy':
      return { ui, act: { do: 'copy', text: copied(ui, seen) } };
    default:
      return { ui };
  }
}

/** The idea that keys of ideas are about. */
function ideaAt(ui: Ui, { model, selected }: Seen): string | undefined {
  if (ui.screen === 'idea') return ui.idea;
  const id = selected && ideaOf(selected, model);
  return id !== undefined && model.ideas.has(id) ? id : undefined;
}

function ofIdea(ui: Ui, action: Action, seen: Seen): Wish | undefined {
  const account = /^account (.+)$/.exec(seen.selected?.id ?? '')?.[1];
  if (account !== undefined && action === 'answer') return { act: { do: 'tell', args: ['limits', 'retry', account] } };
  const idea = seen.model.ideas.get(ideaAt(ui, seen) ?? '');
  return idea && ideaWish(action, seen.model, idea);
}

function copied(ui: Ui, seen: Seen): string {
  const id = ideaAt(ui, seen);
  const idea = id === undefined ? undefined : seen.model.ideas.get(id);
  return clean(idea?.commit ?? idea?.question ?? id ?? seen.model.runId);
}

export const goTo = (ui: Ui, screen: ScreenName): Ui =>
  screen === ui.screen ? ui : { ...ui, screen, back: [ui.screen, ...ui.back].slice(0, 20) };

function move(ui: Ui, action: Action, seen: Seen): Ui | undefined {
  switch (action) {
    case 'up':
      return step(ui, seen, -1);
    case 'down':
      return step(ui, seen, 1);
    case 'page-up':
      return step(ui, seen, 6 - seen.rows);
    case 'page-down':
      return step(ui, seen, seen.rows - 6);
    case 'first':
      return step(ui, seen, Number.NEGATIVE_INFINITY);
    case 'last':
      return step(ui, seen, Number.POSITIVE_INFINITY);
    case 'section':
      return section(ui, seen);
    case 'next-need':
      return need(ui, seen, 1);
    case 'previous-need':
      return need(ui, seen, -1);
    default:
      return undefined;
  }
}

/** Lists move their selection; texts move their window. */
function step(ui: Ui, { places, selected }: Seen, by: number): Ui {
  if (places.length === 0 || (ui.screen === 'idea' && ui.tab !== 'timeline' && ui.tab !== 'diff')) {
    const name = ui.screen === 'idea' ? `idea ${ui.tab}` : ui.screen;
    const from = ui.scroll[name] ?? 0;
    // A text that follows counts from its end.
    const back = ui.screen === 'idea' && FROM_END.includes(ui.tab) ? -by : by;
    const to = back === Number.POSITIVE_INFINITY ? 1e9 : Math.max(0, from + back);
    return { ...ui, follow: to === 0 ? ui.follow : false, scroll: { ...ui.scroll, [name]: to } };
  }
  const at = selected ? places.findIndex((one) => isSame(one, selected)) : -1;
  const to = Math.max(0, Math.min(places.length - 1, Math.max(0, at) + by));
  return select(ui, places[to]);
}

const select = (ui: Ui, place: Selection | undefined): Ui =>
  place
    ? { ...ui, ...(ui.screen === 'log' ? { follow: false } : {}), selected: { ...ui.selected, [ui.screen]: place } }
    : ui;

function section(ui: Ui, { places, selected }: Seen): Ui {
  if (ui.screen === 'idea') return { ...ui, side: ui.side === 'left' ? 'right' : 'left' };
  const names = [...new Set(places.map((one) => one.section))];
  const next = names[(names.indexOf(selected?.section) + 1) % Math.max(1, names.length)];
  return select(
    ui,
    places.find((one) => one.section === next),
  );
}

function need(ui: Ui, { model, selected }: Seen, by: 1 | -1): Ui {
  const { needs } = listsOf(model);
  if (needs.length === 0) return { ...ui, message: { text: 'nothing waits for you' } };
  const at = ui.screen === 'needs' ? needs.findIndex(({ id }) => id === selected?.id) : by > 0 ? -1 : 0;
  const next = needs[(at + by + needs.length) % needs.length];
  return next ? { ...goTo(ui, 'needs'), selected: { ...ui.selected, needs: { section: 'needs', id: next.id } } } : ui;
}

function look(ui: Ui, action: Action, seen: Seen): Pressed | undefined {
  switch (action) {
    case 'back':
      return { ui: goBack(ui) };
    case 'help':
      return { ui: ui.screen === 'help' ? goBack(ui) : goTo(ui, 'help') };
    case 'open':
      return open(ui, seen);
    case 'diff': {
      const idea = ideaAt(ui, seen);
      return idea && seen.model.ideas.has(idea) ? { ui: { ...page(ui, idea), tab: 'diff' } } : { ui };
    }
    case 'tab-left':
    case 'tab-right': {
      const by = action === 'tab-left' ? -1 : 1;
      const tab = TABS[(TABS.indexOf(ui.tab) + by + TABS.length) % TABS.length] ?? 'agent';
      return { ui: { ...ui, tab } };
    }
    case 'iteration-left':
    case 'iteration-right':
      return { ui: otherRun(ui, seen, action === 'iteration-left' ? -1 : 1) };
    case 'follow':
      return { ui: { ...ui, follow: !ui.follow, scroll: {} } };
    case 'wrap':
      return { ui: { ...ui, wrap: !ui.wrap } };
    case 'hide-landed':
      return { ui: { ...ui, hideLanded: !ui.hideLanded } };
    case 'order':
      return { ui: { ...ui, order: after(SLOT_ORDERS, ui.order) } };
    case 'sort':
      return { ui: { ...ui, sort: after(IDEA_SORTS, ui.sort) } };
    case 'tree':
      return { ui: { ...ui, tree: !ui.tree } };
    case 'close-group':
    case 'open-group':
      return { ui: group(ui, seen, action === 'close-group') };
    case 'log-of-run':
      return { ui: goTo(ui, 'log') };
    default:
      return undefined;
  }
}

const after = <T>(list: readonly T[], one: T): T => list[(list.indexOf(one) + 1) % list.length] ?? one;

function goBack(ui: Ui): Ui {
  if (ui.serial !== undefined || ui.file !== undefined) {
    const { serial: _, file: __, ...rest } = ui;
    return rest;
  }
  if (ui.screen === 'ideas' && ui.filter !== '') return { ...ui, filter: '' };
  if (ui.screen === 'log' && ui.find !== '') return { ...ui, find: '' };
  const [screen = 'run', ...back] = ui.back;
  return { ...ui, screen, back };
}

const page = (ui: Ui, idea: string): Ui => {
  const { serial: _, file: __, ...rest } = goTo(ui, 'idea');
  return { ...rest, idea, follow: true, scroll: {}, tab: ui.screen === 'idea' ? ui.tab : 'agent' };
};

function open(ui: Ui, seen: Seen): Pressed {
  const { selected, model } = seen;
  if (ui.screen === 'idea') {
    if (ui.tab === 'timeline' && selected) return { ui: { ...ui, serial: Number(selected.id), tab: 'agent' } };
    if (ui.tab === 'diff' && selected) return { ui: { ...ui, file: selected.id } };
    return { ui };
  }
  if (ui.screen === 'help') return { ui: goBack(ui) };
  if (ui.screen === 'history') return { ui: goTo(ui, 'report') };
  const idea = ideaAt(ui, seen);
  if (idea === undefined || !model.ideas.has(idea)) return { ui };
  if (ui.screen === 'ideas' && model.ideas.get(idea)?.group) return { ui: group(ui, seen, !ui.closed.has(idea)) };
  return { ui: page(ui, idea) };
}

function otherRun(ui: Ui, { model }: Seen, by: 1 | -1): Ui {
  const runs = model.ideas.get(ui.idea ?? '')?.iterations ?? [];
  const last = runs.at(-1)?.serial;
  const at = runs.findIndex(({ serial }) => serial === (ui.serial ?? last));
  const next = runs[at + by];
  return next ? { ...ui, serial: next.serial } : ui;
}

function group(ui: Ui, { model, selected }: Seen, close: boolean): Ui {
  const idea = model.ideas.get(selected?.id ?? '');
  const id = idea?.group ? idea.id : idea?.parent;
  if (id === undefined) return ui;
  const closed = new Set(ui.closed);
  if (close) closed.add(id);
  else closed.delete(id);
  return { ...select(ui, { id }), closed };
}
