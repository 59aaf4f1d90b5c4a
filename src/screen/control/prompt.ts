/** Keys during one-line input: a filter, a command, a text for a command. Invariant: pure. */
import type { Prompt, Ui } from '../ui.js';
import type { Act } from './act.js';
import { completions, splitWords, wayOf } from './complete.js';
import type { Pressed, Seen } from './seen.js';
import { draftOf, type Typed, typed } from './typing.js';
import { withText } from './verbs.js';

export function prompted(ui: Ui, prompt: Prompt, key: Typed, { model }: Seen): Pressed {
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
  const way = wayOf(args);
  if (typeof way === 'object') return { ui: { ...ui, message: { text: way.refused, refused: true } } };
  if (way === 'read') return { ui, act: { do: 'lend', args, read: true } };
  if (way === 'edit') return { ui, act: { do: 'lend', args } };
  // Without `--detach`, `start` would print the run's lines over the screen.
  const detached = args[0] === 'start' && !args.includes('--detach') ? [...args, '--detach'] : args;
  return { ui, act: { do: 'tell', args: detached } };
}

function texted(ui: Ui, { text }: Prompt, pending: Act | undefined): Pressed {
  const args = pending?.do === 'tell' ? withText(pending.args, text) : undefined;
  return args ? { ui, act: { do: 'tell', args } } : { ui };
}
