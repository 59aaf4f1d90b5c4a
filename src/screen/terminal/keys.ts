/**
 * Decodes the bytes of a terminal into the screen's key names.
 * Invariant: a paste is one key, and its line breaks are text. Drops unknown sequences.
 * Must not import the model or the screens.
 */
import { emitKeypressEvents, type Key } from 'node:readline';
import { PassThrough } from 'node:stream';

/** `name`: a character, or a name such as `up`, `enter`, `ctrl-c`, `focus-in`, `paste`. */
export interface KeyPress {
  name: string;
  /** The typed or pasted text. */
  text?: string;
}

const NAMES: Readonly<Record<string, string>> = {
  return: 'enter',
  enter: 'newline',
  escape: 'esc',
};

/** Terminals send these after the screen asks for focus events. */
const FOCUS: Readonly<Record<string, string>> = { '\u001b[I': 'focus-in', '\u001b[O': 'focus-out' };

/**
 * Decodes until the caller calls the returned function. Node's own decoder knows the escapes of terminals; timing
 * separates a lone Esc from the start of an escape.
 */
export function readKeys(input: NodeJS.ReadableStream, take: (key: KeyPress) => void): () => void {
  const bytes = new PassThrough();
  // Node reads the timeout for a lone Esc from the interface argument.
  emitKeypressEvents(bytes, { escapeCodeTimeout: 50 } as never);
  let pasted: string | undefined;
  const typed = (text: string | undefined, key: Key): void => {
    const { sequence = '' } = key;
    if (key.name === 'paste-start') pasted = '';
    else if (key.name === 'paste-end') {
      if (pasted !== undefined) take({ name: 'paste', text: pasted.replace(/\r\n?/g, '\n') });
      pasted = undefined;
    } else if (pasted !== undefined) pasted += text ?? sequence;
    else {
      const press = pressOf(text, key);
      if (press) take(press);
    }
  };
  bytes.on('keypress', typed);
  const feed = (chunk: Buffer | string): void => void bytes.write(chunk);
  input.on('data', feed);
  return () => {
    input.off('data', feed);
    bytes.off('keypress', typed);
    bytes.end();
  };
}

function pressOf(text: string | undefined, { name, ctrl, meta, shift, sequence = '' }: Key): KeyPress | undefined {
  const focus = FOCUS[sequence];
  if (focus) return { name: focus };
  if (ctrl && name) return { name: `ctrl-${name}` };
  if (name && (name.length > 1 || text === undefined)) {
    if (name === 'space') return { name: ' ', text: ' ' };
    const known = NAMES[name] ?? name;
    return { name: shift && known === 'tab' ? 'shift-tab' : meta && known !== 'esc' ? `alt-${known}` : known };
  }
  // Node names letters in lower case; the typed character counts.
  if (text !== undefined && !meta && isPrintable(text)) return { name: text, text };
  return meta && name ? { name: `alt-${name}` } : undefined;
}

const isPrintable = (text: string): boolean => !/\p{Cc}/u.test(text);
