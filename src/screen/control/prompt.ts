/** Keys during one-line input: a filter, a command, a text for a command. Invariant: pure. */
import type { Prompt, Ui } from '../ui.js';
import type { Act } from './act.js';
import { completions, splitWords } from './complete.js';
import type { Pressed, Seen } from './seen.js';
import { draftOf, type Typed, typed } from './typing.js';
import { withText } from './verbs.js';
import { questionBefore, wayOf } from './way.js';

export function prompted(ui: Ui, prompt: Prompt, key: Typed, seen: Seen): Pressed {
  const { prompt: _, pending, ...rest } = ui;
  const withFilter = (text: string): Ui => (prompt.kind === 'find' ? filtered(ui, text) : ui);
  switch (key.name) {
    case 'esc':
    case 'ctrl-c':
      return { ui: prompt.kind === 'find' ? filtered(rest, '') : rest };
    case 'enter':
      if (prompt.kind === 'find') return { ui: rest };
      return prompt.kind === 'command' ? commanded(rest, prompt.text, seen) : texted(rest, prompt, pending);
    case 'tab': {
      const [best] = prompt.completions ?? [];
      if (best === undefined) return { ui };
      const text = `${best} `;
      return { ui: { ...ui, prompt: { ...prompt, ...draftOf(text), completions: completions(seen, text) } } };
    }
    default: {
      const next = typed(prompt, key, false);
      if (!next) return { ui };
      const more = prompt.kind === 'command' ? { completions: completions(seen, next.text) } : {};
      return { ui: { ...withFilter(next.text), prompt: { ...prompt, ...next, ...more } } };
    }
  }
}

function filtered(ui: Ui, text: string): Ui {
  if (ui.screen === 'idea') return { ...ui, search: text, scroll: { ...ui.scroll, 'idea gate': 0 } };
  return ui.screen === 'log' || ui.screen === 'history' ? { ...ui, find: text } : { ...ui, filter: text };
}

function commanded(ui: Ui, line: string, { commands = [], model }: Seen): Pressed {
  const typedArgs = splitWords(line);
  if (!typedArgs) return { ui: { ...ui, message: { text: 'a quote is open', refused: true } } };
  if (typedArgs.length === 0) return { ui };
  if (typedArgs[0] === 'q' || typedArgs[0] === 'quit') return { ui, act: { do: 'leave' } };
  const found = wayOf(typedArgs, commands);
  if ('refused' in found) return { ui: { ...ui, message: { text: found.refused, refused: true } } };
  const { way, args } = found;
  const act: Act = way === 'read' ? { do: 'lend', args, read: true } : { do: way, args };
  const ask = questionBefore(args, model);
  return ask === undefined ? { ui, act } : { ui: { ...ui, confirm: ask, pending: act } };
}

function texted(ui: Ui, { text }: Prompt, pending: Act | undefined): Pressed {
  if (pending?.do !== 'tell') return { ui };
  const args = withText(pending.args, text);
  return args ? { ui, act: { ...pending, args } } : { ui: { ...ui, message: { text: 'nothing typed, nothing sent' } } };
}
