/**
 * Takes over a terminal and restores it: alternate screen, raw keys, title, resize, suspension.
 * Invariant: however the process ends (exit, signal, thrown error), the terminal returns to its earlier state, once.
 */

import { clean } from '../text/text.js';
import { type KeyPress, readKeys } from './keys.js';
import { Painter } from './painter.js';

/** Pushes the title onto the terminal's stack, so that the end can restore it. */
const ENTER = '\u001b[22;0t\u001b[?1049h\u001b[?25l\u001b[?2004h\u001b[?1004h\u001b[2J';
const LEAVE = '\u001b[?1004l\u001b[?2004l\u001b[0m\u001b[?25h\u001b[?1049l\u001b[23;0t';

const RESIZE_MS = 50;
/** Signals that end the screen and never the run. */
const SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const;
const STOPPED = '\r\n-- Enter goes back to the screen --';

export interface TerminalHandlers {
  key(press: KeyPress): void;
  resized(): void;
  /** Called after `Ctrl-Z` and `fg`. */
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
  #lent = false;
  #title = '';

  constructor(handlers: TerminalHandlers, input = process.stdin, output = process.stdout) {
    this.#handlers = handlers;
    this.#input = input;
    this.#output = output;
    this.painter = new Painter((text) => this.#write(text));
  }

  get size(): { columns: number; rows: number } {
    return { columns: this.#output.columns || 80, rows: this.#output.rows || 24 };
  }

  open(): void {
    process.once('exit', this.#giveBack);
    for (const name of SIGNALS) process.on(name, this.#signalled);
    process.on('SIGTSTP', this.#suspended);
    process.on('SIGCONT', this.#continued);
    this.#output.on('resize', this.#resized);
    this.#take();
  }

  close(): void {
    this.#giveBack();
    process.off('exit', this.#giveBack);
    for (const name of SIGNALS) process.off(name, this.#signalled);
    process.off('SIGTSTP', this.#suspended);
    process.off('SIGCONT', this.#continued);
    this.#output.off('resize', this.#resized);
    clearTimeout(this.#resize);
  }

  /**
   * Gives the terminal to another program, such as an editor, while `work` runs. `unread`: what the person has to read
   * before the screen comes back, beside the output of the program; undefined: nothing.
   */
  async lend<T>(work: () => Promise<T>, unread: (result: T) => string | undefined): Promise<T> {
    this.#giveBack();
    this.#lent = true;
    try {
      const result = await work();
      const text = unread(result);
      if (text !== undefined) await this.#enter(text);
      return result;
    } finally {
      this.#lent = false;
      this.#take();
      this.#handlers.resumed();
    }
  }

  #enter(text: string): Promise<void> {
    this.#output.write(`${text === '' ? '' : `${clean(text)}\r\n`}${STOPPED}`);
    return new Promise((done) => {
      const stop = readKeys(this.#input, ({ name }) => {
        if (!['enter', 'newline', 'esc', 'q', 'ctrl-c'].includes(name)) return;
        stop();
        this.#input.pause();
        done();
      });
      this.#input.setRawMode?.(true);
      this.#input.resume();
    });
  }

  /** Stops this process like Ctrl-Z; SIGCONT continues it. */
  suspend(): void {
    this.#giveBack();
    // Stops the whole group like the terminal itself, because a wrapping program has to stop too.
    process.kill(0, 'SIGSTOP');
  }

  bell(): void {
    this.#write('\u0007');
  }

  /** The text may hold a folder's name, which may hold anything. */
  title(text: string): void {
    const title = clean(text);
    if (title === this.#title) return;
    this.#title = title;
    this.#write(`\u001b]2;${title}\u0007`);
  }

  /** Copies to the clipboard, where the terminal allows it (OSC 52). */
  copy(text: string): void {
    this.#write(`\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`);
  }

  /** Drops output while another program has the terminal. */
  #write(text: string): void {
    if (this.#taken) this.#output.write(text);
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

  /** Ctrl-C belongs to the program that has the terminal. */
  readonly #signalled = (name: NodeJS.Signals): void => {
    if (name !== 'SIGINT' || !this.#lent) this.#handlers.signal(name);
  };

  readonly #suspended = (): void => this.suspend();

  readonly #continued = (): void => {
    if (this.#lent) return;
    // A shell may have changed the terminal meanwhile, even where this screen did not restore it before the stop.
    this.#stopKeys?.();
    this.#taken = false;
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
