/** Keys during one-line input: a filter, a command, a text for a command. Invariant: pure. */
import type { Prompt, Ui } from '../ui.js';
import type { Act } from './act.js';
import { aboutOf } from './closed.js';
import { completions, splitWords } from './complete.js';
import { turned } from './drafts.js';
import type { Pressed, Seen } from './seen.js';
import { draftOf, inOneLine, isTooLong, TOO_LONG, type Typed, typed } from './typing.js';
import { withText } from './verbs.js';
import { questionBefore, wayOf } from './way.js';

export function prompted(ui: Ui, prompt: Prompt, key: Typed, seen: Seen): Pressed {
  const { prompt: _, pending, about: __, ...rest } = ui;
  const withFilter = (text: string): Ui => (prompt.kind === 'find' ? filtered(ui, text) : ui);
  switch (key.name) {
    case 'esc':
    case 'ctrl-c':
      return { ui: prompt.kind === 'find' ? filtered(rest, '') : rest };
    case 'enter':
      if (prompt.kind === 'find') return { ui: rest };
      return prompt.kind === 'command'
        ? commanded({ ...rest, lastLine: prompt.text }, prompt.text, seen)
        : texted(rest, prompt, pending);
    case 'tab': {
      const { completions: all = [], tabbed = -1 } = prompt;
      const at = (tabbed + 1) % Math.max(1, all.length);
      const best = all[at];
      if (best === undefined) return { ui };
      // Ids are tried one after another; after the name of a command, Tab goes on with what it takes.
      return all.length > 1 && best.includes(' ')
        ? { ui: { ...ui, prompt: { ...prompt, ...draftOf(`${best} `), tabbed: at } } }
        : { ui: withLine(ui, prompt, `${best} `, seen) };
    }
    case 'ctrl-n': {
      const name = pending?.do === 'tell' ? pending.draft : undefined;
      if (prompt.kind !== 'text' || name === undefined) return { ui };
      const stored = ui.drafts[name];
      // One line of a text that has several, not edited: its line breaks stay.
      const here = stored && inOneLine(stored.text) === prompt.text ? stored : { ...stored, ...draftOf(prompt.text) };
      const next = turned(here);
      if (next === here) return { ui };
      const { offered: _offered, ...own } = prompt;
      return {
        ui: { ...ui, drafts: { ...ui.drafts, [name]: next }, prompt: { ...own, ...draftOf(inOneLine(next.text)) } },
      };
    }
    case 'up': {
      // A line that was refused would have to be typed again.
      const again = prompt.kind === 'command' && prompt.text === '' ? ui.lastLine : undefined;
      return again === undefined ? { ui } : { ui: withLine(ui, prompt, again, seen) };
    }
    default: {
      const { offered, tabbed: _tabbed, ...own } = prompt;
      const next = typed(offered && key.text !== undefined ? { ...own, ...draftOf('') } : own, key, false);
      if (!next) return { ui };
      const more = prompt.kind === 'command' ? { completions: completions(seen, next.text) } : {};
      return { ui: { ...withFilter(next.text), prompt: { ...own, ...next, ...more } } };
    }
  }
}

const withLine = (ui: Ui, prompt: Prompt, text: string, seen: Seen): Ui => ({
  ...ui,
  prompt: { ...prompt, ...draftOf(text), completions: completions(seen, text) },
});

function filtered(ui: Ui, text: string): Ui {
  if (ui.screen === 'idea') return { ...ui, search: text, scroll: { ...ui.scroll, 'idea gate': 0 } };
  return ui.screen === 'log' || ui.screen === 'history' ? { ...ui, find: text } : { ...ui, filter: text };
}

function commanded(ui: Ui, line: string, { commands = [], model }: Seen): Pressed {
  const typedArgs = splitWords(line);
  if (!typedArgs)
    return { ui: { ...ui, message: { text: 'a quote is open; : and Up bring the line back', refused: true } } };
  if (typedArgs.length === 0) return { ui };
  if (typedArgs[0] === 'q' || typedArgs[0] === 'quit') return { ui, act: { do: 'leave' } };
  const found = wayOf(typedArgs, commands);
  if ('refused' in found) return { ui: { ...ui, message: { text: found.refused, refused: true } } };
  const { way, args } = found;
  const act: Act = way === 'read' ? { do: 'lend', args, read: true } : { do: way, args };
  const ask = questionBefore(args, model);
  return ask === undefined ? { ui, act } : { ui: { ...ui, confirm: ask, pending: act, ...aboutOf(args, model, true) } };
}

function texted(ui: Ui, { text }: Prompt, pending: Act | undefined): Pressed {
  if (pending?.do !== 'tell') return { ui };
  const args = withText(pending.args, text);
  const { draft } = pending;
  const kept =
    draft === undefined ? ui : { ...ui, drafts: { ...ui.drafts, [draft]: { ...ui.drafts[draft], ...draftOf(text) } } };
  if (args?.[0] === 'hint' && isTooLong(text)) return { ui: { ...kept, message: { text: TOO_LONG, refused: true } } };
  return args
    ? { ui: kept, act: { ...pending, args } }
    : { ui: { ...kept, message: { text: 'nothing typed, nothing sent' } } };
}
