/**
 * Computes the effect of one key on the screen, and the acts that the program has to carry out.
 * Invariant: pure. A key that does nothing now says why. The run receives a command only from a key that says so.
 */

import { saysAnything } from '../../protocol/escapes.js';
import { isOver } from '../idea/possible.js';
import { type Action, actionOf } from '../keys.js';
import { reportRun } from '../pages/report-page.js';
import { isPast } from '../past.js';
import { clean } from '../text/text.js';
import { NUMBERED, type Prompt, type Ui } from '../ui.js';
import type { Act } from './act.js';
import { aboutOf, closedOver, overWhy } from './closed.js';
import { completions } from './complete.js';
import { moreTexts, opened, turned } from './drafts.js';
import { look } from './look.js';
import { move, select } from './move.js';
import { elsewhere, withoutEffect } from './no-effect.js';
import { prompted } from './prompt.js';
import { goTo, ideaAt, type Pressed, type Seen, runAt as shownBy } from './seen.js';
import { draftOf, inOneLine, isTooLong, TOO_LONG, type Typed, typed } from './typing.js';
import { ideaWish, runWish, type Wish } from './verbs.js';

export function press(before: Ui, key: Typed, seen: Seen): Pressed {
  const { message: _, ...ui } = before;
  if (overWhy(ui, seen.model) !== undefined) {
    const now = withTyped(ui, key, seen);
    return { ui: closedOver(now, seen.model, () => seen.places) ?? now };
  }
  if (ui.confirm !== undefined) return confirmed(ui, key);
  if (ui.prompt) return prompted(ui, ui.prompt, key, seen);
  if (ui.answering !== undefined) return answering(ui, ui.answering, key, seen);
  const action = actionOf(ui.screen, key.name)?.action;
  if (!action) return elsewhere(ui, key.name, seen);
  const pressed = acted(ui, action, key, seen);
  return pressed.ui === ui && !pressed.act ? withoutEffect(ui, action, seen) : pressed;
}

/** Of an editor whose subject is over: what the person typed before the picture of that still goes into the text. */
function withTyped(ui: Ui, key: Typed, seen: Seen): Ui {
  if (ui.confirm !== undefined || key.text === undefined || key.name === 'enter') return ui;
  if (ui.prompt) return prompted(ui, ui.prompt, key, seen).ui;
  return ui.answering === undefined ? ui : answering(ui, ui.answering, key, seen).ui;
}

function confirmed({ confirm, pending, about: _, ...ui }: Ui, key: Typed): Pressed {
  if (key.name === 'y' && pending) return { ui, act: pending };
  return { ui: { ...ui, message: { text: `not done: ${confirm}` } } };
}

function answering(ui: Ui, idea: string, key: Typed, { rows, most = 0 }: Seen): Pressed {
  const draft = ui.drafts[idea] ?? draftOf('');
  const { answering: _, answers: question, asked: __, nearby: ___, ...rest } = ui;
  const about = question === undefined ? [] : ['--question', question];
  switch (key.name) {
    case 'esc':
    case 'ctrl-c':
      return { ui: rest };
    case 'pageup':
    case 'pagedown': {
      const page = Math.max(1, Math.floor(rows / 4));
      const to = Math.min(ui.scroll.question ?? 0, most) + (key.name === 'pageup' ? -page : page);
      return { ui: { ...ui, scroll: { ...ui.scroll, question: Math.max(0, Math.min(to, most)) } } };
    }
    case 'ctrl-e':
      return { ui, act: { do: 'editor', idea } };
    case 'ctrl-n':
      return { ui: { ...ui, drafts: { ...ui.drafts, [idea]: turned(draft) } } };
    case 'enter':
      if (!saysAnything(draft.text)) return { ui: { ...ui, message: { text: 'type an answer first', refused: true } } };
      if (isTooLong(draft.text)) return { ui: { ...ui, message: { text: TOO_LONG, refused: true } } };
      return { ui: rest, act: { do: 'tell', args: ['answer', idea, ...about, '--', draft.text], draft: idea } };
    default: {
      const next = typed(draft, key, true);
      return next ? { ui: { ...ui, drafts: { ...ui.drafts, [idea]: { ...draft, ...next } } } } : { ui };
    }
  }
}

/** A run that has answered and still moves says itself why it refuses. */
const answers = ({ model, details }: Seen): boolean =>
  model.live !== undefined && details.standstill === undefined && !isOver(model);

function wished(ui: Ui, wish: Wish, seen: Seen): Pressed {
  if ('refused' in wish) {
    if (wish.asks && answers(seen)) return { ui, act: { do: 'tell', args: wish.asks } };
    const text = (answers(seen) && wish.own) || wish.refused;
    return { ui: { ...ui, message: { text, refused: true } } };
  }
  if ('answer' in wish)
    return {
      ui: {
        ...goTo(ui, 'needs'),
        selected: { ...ui.selected, needs: { section: 'needs', id: wish.answer } },
        answering: wish.answer,
        ...(ui.drafts[wish.answer]?.others
          ? { drafts: { ...ui.drafts, [wish.answer]: opened(ui.drafts[wish.answer]) } }
          : {}),
        ...(wish.question === undefined ? {} : { answers: wish.question }),
        ...(wish.since === undefined ? {} : { asked: wish.since }),
        nearby: nearbyOf(wish.answer, seen),
        scroll: { ...ui.scroll, question: 0 },
      },
    };
  if ('type' in wish) {
    const { type, args, draft, next } = wish;
    const kept = ui.drafts[draft ?? ''];
    const start = wish.start ?? kept?.text ?? '';
    const note = kept?.others ? `${wish.note ?? 'Enter sends, Esc cancels'}; ${moreTexts(kept)}` : wish.note;
    const offered = draft === undefined && start !== '' ? { offered: true as const } : {};
    const about = { ...(note === undefined ? {} : { note }), ...offered };
    const prompt: Prompt = { kind: 'text', label: type, ...draftOf(start), ...about };
    const pending: Act = { do: 'tell', args, ...(draft === undefined ? {} : { draft }), ...(next ? { next } : {}) };
    return { ui: { ...ui, prompt, pending, ...aboutOf(args, seen.model) } };
  }
  if ('ask' in wish) {
    const held = wish.act.do === 'tell' ? aboutOf(wish.act.args, seen.model, true) : {};
    return { ui: { ...ui, confirm: wish.ask, pending: wish.act, ...held } };
  }
  return { ui, act: wish.act };
}

/** Other entries that wait for a person: those below first, then those above. */
function nearbyOf(id: string, { places }: Seen): string[] {
  const needs = places.filter(({ section }) => section === 'needs').map((one) => one.id);
  const at = needs.indexOf(id);
  return [...needs.slice(at + 1), ...needs.slice(0, Math.max(0, at)).reverse()];
}

const findOf = (text: string): Prompt => ({
  ...{ kind: 'find', label: '/', ...draftOf(text) },
  ...(text === '' ? {} : { offered: true }),
});

/** Lists whose first line is selected until the person moves. A command holds its line: another may become the first. */
const LISTS: ReadonlySet<Ui['screen']> = new Set(['run', 'needs', 'ideas']);

function acted(ui: Ui, action: Action, key: Typed, seen: Seen): Pressed {
  const moved = move(ui, action, seen);
  if (moved) return { ui: moved };
  const looked = look(ui, action, seen);
  if (looked) return looked;
  const past = ofPast(ui, key);
  if (past !== undefined) return { ui: { ...ui, message: { text: past, refused: true } } };
  const idea = seen.model.ideas.get(ideaAt(ui, seen) ?? '');
  const wish = runWish(action, seen.model) ?? ofIdea(ui, action, seen);
  if (wish) return wished(idea && LISTS.has(ui.screen) ? select(ui, seen.selected) : ui, wish, seen);
  switch (action) {
    case 'screen': {
      return { ui: goTo(ui, NUMBERED[Number(key.name) - 1] ?? 'run') };
    }
    case 'command':
      return {
        ui: {
          ...ui,
          prompt: { kind: 'command', label: ':', ...draftOf(''), completions: completions(seen, '') },
        },
      };
    case 'mode':
      return {
        ui: {
          ...ui,
          prompt: { kind: 'command', label: ':', ...draftOf('mode '), completions: completions(seen, 'mode ') },
        },
      };
    case 'find': {
      if (ui.screen === 'idea' && ui.tab === 'gate') return { ui: { ...ui, prompt: findOf(ui.search) } };
      const on = ui.screen === 'run' || ui.screen === 'needs' || ui.screen === 'idea' ? goTo(ui, 'ideas') : ui;
      const text = on.screen === 'ideas' ? on.filter : on.find;
      return { ui: { ...on, prompt: findOf(text) } };
    }
    case 'refresh':
    case 'repaint':
    case 'shell':
    case 'leave':
      return { ui, act: { do: action } };
    case 'web':
      return { ui, act: { do: action, ...ideaWithPage(ui, seen) } };
    case 'page':
      return { ui, act: { do: 'page', run: runAt(ui, seen) } };
    case 'copy':
      return { ui, act: { do: 'copy', text: copied(ui, seen) } };
    default:
      return { ui };
  }
}

/** An older run takes no command, and the person does not see how its ideas stand now. */
function ofPast(ui: Ui, { name }: Typed): string | undefined {
  const key = isPast(ui) && ui.screen !== 'report' ? actionOf(ui.screen, name) : undefined;
  if (key?.action === 'command' || (key?.group !== 'idea' && key?.group !== 'run')) return undefined;
  return `this page shows run ${ui.ofRun}, which is over, and takes no command; 1 goes to the newest run`;
}

function ofIdea(ui: Ui, action: Action, seen: Seen): Wish | undefined {
  const account = /^account (.+)$/.exec(seen.selected?.id ?? '')?.[1];
  if (account !== undefined && action === 'answer') return { act: { do: 'tell', args: ['limits', 'retry', account] } };
  const idea = seen.model.ideas.get(ideaAt(ui, seen) ?? '');
  const draft = idea && idea.status !== 'needs-human' ? ui.drafts[idea.id] : undefined;
  return idea && ideaWish(action, seen.model, idea, draft && inOneLine(draft.text));
}

/** The run that History or a report shows. */
function runAt(ui: Ui, seen: Seen): string {
  const chosen = ui.screen === 'history' ? seen.selected?.id : reportRun(ui);
  return chosen ?? seen.model.runId;
}

/** Before its first start an idea has no workflow, so no page. */
function ideaWithPage(ui: Ui, seen: Seen): { idea?: string } {
  const id = ui.screen === 'idea' ? ideaAt(ui, seen) : undefined;
  const begun = id !== undefined && shownBy(ui, seen).ideas.get(id)?.startedAt !== undefined;
  return begun ? { idea: id } : {};
}

function copied(ui: Ui, seen: Seen): string {
  const id = ideaAt(ui, seen);
  const idea = id === undefined ? undefined : shownBy(ui, seen).ideas.get(id);
  return clean(idea?.commit ?? idea?.question ?? id ?? runAt(ui, seen));
}
