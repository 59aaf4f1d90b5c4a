/** A program in a pseudo terminal, and what its screen shows: real keys in, the terminal's own picture out. */
import { type IPty, spawn } from '@lydell/node-pty';
import xterm from '@xterm/headless';

export interface PtyOptions {
  columns?: number;
  rows?: number;
  cwd?: string;
  env?: Readonly<Record<string, string | undefined>>;
}

export class PtyScreen {
  readonly process: IPty;
  readonly exited: Promise<number>;
  /** Everything that was written, escapes included. */
  raw = '';
  #terminal: xterm.Terminal;
  #seen: Promise<void> = Promise.resolve();

  constructor(program: string, args: string[], { columns = 80, rows = 24, cwd, env }: PtyOptions = {}) {
    const given = Object.entries(env ?? process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    this.#terminal = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 1000 });
    this.process = spawn(program, args, {
      name: 'xterm-256color',
      cols: columns,
      rows,
      ...(cwd ? { cwd } : {}),
      env: Object.fromEntries(given),
    });
    this.process.onData((data) => {
      this.raw += data;
      const before = this.#seen;
      this.#seen = new Promise((done) => void before.then(() => this.#terminal.write(data, done)));
    });
    this.exited = new Promise((done) => this.process.onExit(({ exitCode }) => done(exitCode)));
  }

  /** Lines of the visible screen, trailing blanks cut. */
  async lines(): Promise<string[]> {
    await this.#seen;
    const buffer = this.#terminal.buffer.active;
    return Array.from({ length: this.#terminal.rows }, (_, row) =>
      (buffer.getLine(buffer.baseY + row)?.translateToString(true) ?? '').trimEnd(),
    );
  }

  async text(): Promise<string> {
    return (await this.lines()).join('\n').trimEnd();
  }

  /** The number of the text's colour where it first stands, as in `ESC[3Nm`; undefined: the terminal's own. @throws where it does not stand */
  async colourOf(what: string): Promise<number | undefined> {
    const lines = await this.lines();
    const row = lines.findIndex((one) => one.includes(what));
    if (row < 0) throw new Error(`the screen does not show ${what}:\n${lines.join('\n')}`);
    const buffer = this.#terminal.buffer.active;
    const line = buffer.getLine(buffer.baseY + row);
    const at = [...(lines[row] ?? '').slice(0, lines[row]?.indexOf(what))].length;
    const cell = line?.getCell(at);
    return cell?.isFgDefault() ? undefined : cell?.getFgColor();
  }

  /** Whether the alternate screen is shown. */
  async full(): Promise<boolean> {
    await this.#seen;
    return this.#terminal.buffer.active.type === 'alternate';
  }

  /** How often it rang: the end of a title or of a copied text is no bell. */
  get bells(): number {
    return this.raw.replace(OSC, '').split(BEL).length - 1;
  }

  /** The title of the terminal, as it was set last. */
  get title(): string | undefined {
    return this.raw.match(TITLE)?.at(-1)?.slice(4, -1);
  }

  press(...keys: string[]): void {
    for (const key of keys) this.process.write(KEYS[key] ?? key);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.process.resize(columns, rows);
  }

  /** Until the screen holds it. @throws with the whole screen after `ms`. */
  async shows(what: string | RegExp, ms = 120_000): Promise<string> {
    const until = Date.now() + ms;
    for (;;) {
      const text = await this.text();
      if (typeof what === 'string' ? text.includes(what) : what.test(text)) return text;
      if (Date.now() > until) throw new Error(`the screen never showed ${what}:\n${text}`);
      await new Promise((again) => setTimeout(again, 50));
    }
  }

  async dispose(): Promise<void> {
    const gone = await Promise.race([this.exited.then(() => true), Promise.resolve(false)]);
    if (!gone) this.process.kill('SIGKILL');
    await this.exited;
    this.#terminal.dispose();
  }
}

const BEL = '\u0007';
const OSC = new RegExp(`\u001b\\][^${BEL}]*${BEL}`, 'g');
const TITLE = new RegExp(`\u001b\\]2;[^${BEL}]*${BEL}`, 'g');

const KEYS: Readonly<Record<string, string>> = {
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
  enter: '\r',
  esc: '\u001b',
  tab: '\t',
  'shift-tab': '\u001b[Z',
  pgup: '\u001b[5~',
  pgdn: '\u001b[6~',
  home: '\u001b[H',
  end: '\u001b[F',
  backspace: '\u007f',
  'ctrl-c': '\u0003',
  'ctrl-u': '\u0015',
  'ctrl-j': '\n',
  'ctrl-r': '\u0012',
  'ctrl-l': '\u000c',
  'ctrl-z': '\u001a',
  'focus-in': '\u001b[I',
  'focus-out': '\u001b[O',
  f1: '\u001bOP',
  f10: '\u001b[21~',
};
