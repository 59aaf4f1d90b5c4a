/**
 * Takes a terminal over and gives it back: alternate screen, raw keys, title, resize, suspension.
 * Invariant: whatever ends the process (exit, signal, thrown error), the terminal is given back as it was, once.
 */

import { type KeyPress, readKeys } from './keys.js';
import { Painter } from './painter.js';

/** The terminal keeps the title it had on a stack of its own. */
const ENTER = '\u001b[22;0t\u001b[?1049h\u001b[?25l\u001b[?2004h\u001b[?1004h\u001b[2J';
const LEAVE = '\u001b[?1004l\u001b[?2004l\u001b[0m\u001b[?25h\u001b[?1049l\u001b[23;0t';

const RESIZE_MS = 50;
/** Ends the screen, never the run. */
const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;

export interface TerminalHandlers {
  key(press: KeyPress): void;
  resized(): void;
  /** After `Ctrl-Z` and `fg`. */
  resumed(): void;
  signal(name: NodeJS.Signals): void;
}

export class Terminal {
  readonly painter: Painter;
  readonly #input: NodeJS.ReadStream;
  readonly #output: NodeJS.WriteStream;
  readonly #handlers: TerminalHandlers;
  #stopKeys: (() => void) | undefined;
  #resize: NodeJS.Timeout | undefined;
  #taken = false;
  #title = '';

  constructor(handlers: TerminalHandlers, input = process.stdin, output = process.stdout) {
    this.#handlers = handlers;
    this.#input = input;
    this.#output = output;
    this.painter = new Painter((text) => void output.write(text));
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  open(): void {
    process.once('exit', this.#giveBack);
    for (const name of SIGNALS) process.on(name, this.#handlers.signal);
    process.on('SIGCONT', this.#continued);
    this.#output.on('resize', this.#resized);
    this.#take();
  }

  close(): void {
    this.#giveBack();
    process.off('exit', this.#giveBack);
    for (const name of SIGNALS) process.off(name, this.#handlers.signal);
    process.off('SIGCONT', this.#continued);
    this.#output.off('resize', this.#resized);
    clearTimeout(this.#resize);
  }

  /** Gives the terminal to another program (an editor) for as long as `work` takes. */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#giveBack();
    try {
      return await work();
    } finally {
      this.#take();
      this.#handlers.resumed();
    }
  }

  /** Stops this process as Ctrl-Z does; it goes on with SIGCONT. */
  suspend(): void {
    this.#giveBack();
    process.kill(process.pid, 'SIGSTOP');
  }

  bell(): void {
    this.#output.write('\u0007');
  }

  title(text: string): void {
    if (text === this.#title) return;
    this.#title = text;
    this.#output.write(`\u001b]2;${text}\u0007`);
  }

  /** To the clipboard, where the terminal allows it (OSC 52). */
  copy(text: string): void {
    this.#output.write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  }

  #take(): void {
    if (this.#taken) return;
    this.#taken = true;
    this.#output.write(ENTER);
    this.#input.setRawMode?.(true);
    this.#stopKeys = readKeys(this.#input, this.#handlers.key);
    this.#input.resume();
    this.painter.forget();
    this.#title = '';
  }

  readonly #giveBack = (): void => {
    if (!this.#taken) return;
    this.#taken = false;
    this.#stopKeys?.();
    this.#input.setRawMode?.(false);
    this.#input.pause();
    this.#output.write(LEAVE);
  };

  readonly #continued = (): void => {
    this.#take();
    this.#handlers.resumed();
  };

  readonly #resized = (): void => {
    clearTimeout(this.#resize);
    this.#resize = setTimeout(() => {
      this.painter.forget();
      this.#handlers.resized();
    }, RESIZE_MS);
  };
}
