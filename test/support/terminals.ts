/** The terminals in which the full screen is tested: each size, locale and colour, and how a person moves in it. */
import { cliPath, type Sandbox } from './program.js';
import { PtyScreen } from './pty.js';

export interface TerminalKind {
  name: string;
  /** From 1 on: the ideas whose states a test in this terminal changes. */
  n: number;
  size: { columns: number; rows: number };
  /** The locale C. */
  ascii: boolean;
  colour: boolean;
}

const SMALL = { columns: 80, rows: 24 };
const LARGE = { columns: 120, rows: 40 };

export const TERMINALS: readonly TerminalKind[] = [SMALL, LARGE]
  .flatMap((size) => [false, true].map((ascii) => ({ size, ascii })))
  .flatMap((one) => [true, false].map((colour) => ({ ...one, colour })))
  .map((one, at) => ({
    ...one,
    n: at + 1,
    name: `${one.size.columns}x${one.size.rows}, ${one.ascii ? 'C' : 'UTF-8'}, ${one.colour ? 'colour' : 'NO_COLOR'}`,
  }));

/** The full screen of the run in `box`. */
export class Terminal {
  readonly screen: PtyScreen;
  readonly kind: TerminalKind;

  constructor(box: Sandbox, kind: TerminalKind, more: Record<string, string> = {}) {
    const locale = kind.ascii ? 'C' : 'C.UTF-8';
    const env = {
      ...{ ...box.env, TERM: 'xterm-256color', LANG: locale, LC_ALL: locale },
      ...(kind.colour ? {} : { NO_COLOR: '1' }),
      ...more,
    };
    this.kind = kind;
    this.screen = new PtyScreen(process.execPath, [cliPath], { ...kind.size, cwd: box.repo, env });
  }

  get isWide(): boolean {
    return this.kind.size.columns >= 120;
  }

  /** What the screen shows of a sign that the locale C does not have. */
  sign(text: string): string {
    return this.kind.ascii ? text.replace('←', '<').replace('·', '-') : text;
  }

  /** Selects one idea in the list. */
  async list(id: string): Promise<void> {
    this.screen.press('3');
    await this.screen.shows('3 of 5');
    this.screen.press('/', 'ctrl-u', id, 'enter');
    await this.screen.shows(new RegExp(`/${id} .*\\n>.*${id} `, 's'));
  }

  /** Opens the page of an idea. */
  async page(id: string): Promise<void> {
    await this.list(id);
    this.screen.press('enter');
    await this.screen.shows(new RegExp(`^repo . ${id} `, 'm'));
  }

  /** Turns to a tab of the idea's page. */
  async tab(name: string): Promise<string> {
    for (let turn = 0; turn < 7; turn += 1) {
      const text = await this.screen.text();
      if (text.includes(`[${name}]`) || text.includes(`[${name} `)) return text;
      const [, shown] = /\[([A-Z][a-z]+)(?: \d+)?\]/.exec(text) ?? [];
      this.screen.press(']');
      // The next key comes when this one has had its effect, however long that takes.
      await this.screen.shows(new RegExp(`\\[(?!${shown}\\b)[A-Z][a-z]+(?: \\d+)?\\]`));
    }
    throw new Error(`no tab ${name}:\n${await this.screen.text()}`);
  }

  dispose(): Promise<void> {
    return this.screen.dispose();
  }
}
