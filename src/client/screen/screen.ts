/**
 * Runs the full screen of a run: reads keys and paints frames.
 * Invariant: leaving the screen in any way changes nothing about the run. Every change of the run goes through the
 * program's command line, and the screen shows the run's reply.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { asSystemError } from '../../config/system-errors.js';
import type { RunModel } from '../../model/model.js';
import { callsOf, rings, titleOf } from '../../screen/attention.js';
import { compose, placesOf } from '../../screen/compose.js';
import type { Act } from '../../screen/control/act.js';
import { closedOver, overWhy } from '../../screen/control/closed.js';
import { together, typingFor, withLook } from '../../screen/control/drafts.js';
import { press } from '../../screen/control/press.js';
import { atEnd, withNewRun } from '../../screen/control/seen.js';
import { answered, messageUntil, sending, withoutMessage } from '../../screen/control/sent.js';
import { TypedOn } from '../../screen/control/typed-on.js';
import { type Details, noDetails } from '../../screen/details.js';
import type { KeyPress } from '../../screen/terminal/keys.js';
import { focus, newPace, painted, wants } from '../../screen/terminal/pace.js';
import { render } from '../../screen/terminal/render.js';
import { Terminal } from '../../screen/terminal/terminal.js';
import type { Theme } from '../../screen/text/theme.js';
import { initialUi, type Selection, type Ui } from '../../screen/ui.js';
import type { Picture } from '../../screen/view.js';
import type { Context } from '../context.js';
import { usesColour, wantsAscii, wantsBell } from '../views/terminal.js';
import { type ActHost, carryOut } from './acts.js';
import { commandRows } from './commands.js';
import { cpu } from './cpu.js';
import { CurrentRun } from './current-run.js';
import { asksOther, DetailReader, readsEvery } from './details.js';
import type { ScreenEnd, ScreenOptions } from './opened.js';

/** Shortest interval between repaints that only update times. */
const CLOCK_MS = 10_000;

export class Screen {
  readonly #context: Context;
  readonly #theme: Theme;
  readonly #terminal: Terminal;
  readonly #run: CurrentRun;
  readonly #reader: DetailReader;
  readonly #commands = commandRows();
  readonly #typedOn = new TypedOn();
  #reported = false;
  readonly #pace = newPace(performance.now(), cpu());
  readonly #stop = new AbortController();
  #ui: Ui = initialUi();
  #details: Details = noDetails();
  #picture: Picture = { lines: [] };
  /** The state in the current frame: keys can arrive faster than frames. */
  #composedUi: Ui | undefined;
  #timer: NodeJS.Timeout | undefined;
  #messageUntil = messageUntil({}, Date.now());
  #calls: ReadonlySet<string> | undefined;
  #focused = true;
  #reading = false;
  #unreadable = '';
  #told: Promise<void> = Promise.resolve();
  #end: (end: ScreenEnd['why']) => void = () => {};

  constructor(context: Context, options: ScreenOptions) {
    this.#context = context;
    this.#theme = { colour: usesColour(process.stdout, context.env), ascii: wantsAscii(context.env) };
    if (options.notice !== undefined) this.#ui.message = { text: options.notice, refused: true };
    this.#terminal = new Terminal({
      key: (key) => this.#key(key),
      resized: () => this.#paintNow(),
      resumed: () => this.#paintNow(),
      signal: (name) => this.#end(name),
    });
    this.#run = new CurrentRun(context, options.ref, () => this.#want('change'));
    this.#reader = new DetailReader(context.root, options.repo, () => this.#run.source.api);
  }

  /** Resolves when the person leaves. */
  async show(): Promise<ScreenEnd> {
    await this.#run.open();
    this.#ui = { ...this.#ui, drafts: await this.#run.drafts.read() };
    const ended = new Promise<ScreenEnd['why']>((end) => {
      this.#end = end;
    });
    this.#terminal.open();
    const clock = setInterval(() => this.#want('change'), CLOCK_MS);
    try {
      this.#paintNow();
      const reads = this.#readDetails();
      const why = await ended;
      this.#stop.abort();
      await reads;
      return { why, model: this.#model };
    } finally {
      this.#stop.abort();
      clearInterval(clock);
      clearTimeout(this.#timer);
      this.#terminal.close();
      await this.#run.close();
    }
  }

  async #readDetails(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#details1();
      await this.#followNewest();
      await this.#run.drafts.look((looked) => this.#redraft((mine) => withLook(mine, looked, typingFor(this.#ui))));
      await delay(readsEvery(this.#ui), undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** Switches to a run that started after the shown one ended. */
  async #followNewest(): Promise<void> {
    const runId = await this.#run.followNewest((theirs) => this.#redraft((mine) => together(mine, theirs)));
    if (runId === undefined) return;
    this.#reported = false;
    this.#calls = undefined;
    const { report: _, history: __, idea: ___, ...kept } = this.#details;
    this.#details = kept;
    this.#ui = withNewRun(this.#ui);
    this.say(`run ${runId} has begun; this screen follows it`);
  }

  async #details1(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const before = this.#ui;
    let moved = false;
    try {
      const pages = await this.#run.pages.read(this.#ui, this.#terminal.size.columns);
      const read = await this.#reader.read(this.#model, this.#ui, this.#picture.selected?.id, pages.past);
      const { standstill } = this.#run.source;
      const now = this.#ui;
      if (asksOther(before, now)) {
        moved = true;
        return;
      }
      const { idea: _, standstill: __, ...kept } = this.#details;
      this.#details = { ...kept, ...read, ...pages, ...(standstill ? { standstill } : {}) };
      this.#want(before.screen === 'idea' ? 'stream' : 'change');
    } catch (error) {
      this.#unread(error);
    } finally {
      this.#reading = false;
      if (moved) void this.#details1();
    }
  }

  /** A file that cannot be read costs its part of the picture, never the screen. Told once. */
  #unread(error: unknown): void {
    const { message } = asSystemError(error) ?? (error as Error);
    if (message === this.#unreadable) return;
    this.#unreadable = message;
    this.say(message, false);
  }

  #want(cause: 'change' | 'key' | 'stream'): void {
    if (this.#stop.signal.aborted || !this.#run.isOpen) return;
    const now = performance.now();
    wants(this.#pace, cause, now);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#paint(), Math.max(0, (this.#pace.due ?? now) - now));
  }

  #paintNow(): void {
    this.#want('key');
  }

  #paint(): void {
    if (this.#stop.signal.aborted) return;
    if (this.#ui.message && Date.now() > this.#messageUntil) this.#ui = withoutMessage(this.#ui);
    this.#reportAtEnd();
    this.#close();
    this.#compose();
    const { lines, cursor } = this.#picture;
    const { written } = this.#terminal.painter;
    const before = written.characters;
    this.#terminal.painter.paint({
      lines: lines.map((line) => render(line, this.#theme.colour)),
      ...(cursor ? { cursor: { row: cursor.line, column: cursor.column } } : {}),
    });
    this.#terminal.title(titleOf(this.#model));
    this.#ring();
    painted(this.#pace, performance.now(), cpu(), written.characters - before);
  }

  /** Replaces *Run* with the report once the run ends. */
  #reportAtEnd(): void {
    if (this.#reported || this.#model.endedAt === undefined) return;
    this.#reported = true;
    // What they say of the run is that it goes on.
    this.#run.pages.forget();
    this.#ui = atEnd(this.#ui);
    if (this.#ui.screen === 'report') void this.#details1();
  }

  /** What is typed about a question, an idea or a run that is over. */
  #close(): void {
    const ui = closedOver(this.#ui, this.#model, (now) => this.#places(now));
    if (!ui) return;
    this.#typedOn.closed(performance.now());
    this.#run.drafts.keep(ui.drafts);
    this.#ui = ui;
    this.#messageUntil = messageUntil(ui, Date.now());
  }

  #places(ui: Ui): Selection[] {
    return placesOf(this.#model, ui, this.#details, this.#terminal.size, this.#theme, Date.now());
  }

  #compose(): void {
    this.#picture = compose(this.#model, this.#ui, this.#details, this.#terminal.size, this.#theme, Date.now());
    this.#composedUi = this.#ui;
  }

  #ring(): void {
    const now = callsOf(this.#model);
    const heard = { focused: this.#focused, bell: wantsBell(this.#context.env) };
    if (rings({ before: this.#calls, now, ...heard })) this.#terminal.bell();
    this.#calls = now;
  }

  #key(key: KeyPress): void {
    if (key.name === 'focus-in' || key.name === 'focus-out') {
      this.#focused = key.name === 'focus-in';
      this.#run.source.focus(this.#focused);
      focus(this.#pace, this.#focused, performance.now());
      this.#want(this.#focused ? 'key' : 'change');
      return;
    }
    if (this.#typedOn.takes(key, performance.now())) return;
    if (overWhy(this.#ui, this.#model) !== undefined) this.#typedOn.closed(performance.now());
    if (this.#composedUi !== this.#ui) this.#compose();
    const { selected, most } = this.#picture;
    const before = this.#ui;
    const seen = {
      ...{ model: this.#model, details: this.#details, places: this.#places(before), ...this.#terminal.size },
      ...{ selected, most, commands: this.#commands },
    };
    const { ui, act } = press(before, key, seen);
    this.#ui = ui;
    if (ui.drafts !== before.drafts) this.#run.drafts.keep(ui.drafts);
    if (ui.message && ui.message !== before.message) this.#messageUntil = messageUntil(ui, Date.now());
    if (act) this.#carry(act);
    if (asksOther(before, ui)) {
      // The reader asks for what the new picture selects.
      this.#compose();
      void this.#details1();
    }
    this.#paintNow();
  }

  /** Ends the screen like `q`. */
  leave(): void {
    this.#end('left');
  }

  say(text: string, ok = true): void {
    this.#ui = { ...this.#ui, message: { text, ...(ok ? {} : { refused: true as const }) } };
    this.#messageUntil = messageUntil(this.#ui, Date.now());
    this.#paintNow();
  }

  /** Runs commands one after another, so that hints arrive in the order of typing. */
  #carry(act: Act): void {
    if (act.do !== 'tell') return void carryOut(act, this.#host());
    // Before its turn: a person who sees nothing presses the key again.
    this.#ui = sending(this.#ui, act.args);
    const { drafts } = this.#ui;
    this.#told = this.#told
      .then(() => carryOut(act, { ...this.#host(), drafts }))
      .then(() => {
        this.#ui = answered(this.#ui);
        this.#paintNow();
      });
  }

  #redraft(change: (drafts: Ui['drafts']) => Ui['drafts']): void {
    this.#ui = { ...this.#ui, drafts: change(this.#ui.drafts) };
    this.#run.drafts.keep(this.#ui.drafts);
  }

  #host(): ActHost {
    return {
      context: this.#context,
      terminal: this.#terminal,
      source: this.#run.source,
      project: this.#model.project,
      drafts: this.#ui.drafts,
      redraft: (change) => this.#redraft(change),
      say: (text, ok) => this.say(text, ok),
      leave: () => this.leave(),
      repaint: () => this.#paintNow(),
      forget: () => this.#run.pages.forget(),
    };
  }

  get #model(): RunModel {
    return this.#run.model;
  }
}
