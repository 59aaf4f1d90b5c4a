/**
 * The full screen of a run: keys in, pictures out.
 * Invariant: leaving it, however that happens, changes nothing about the run; whatever changes the run is told through the
 * command line of the program, and what the run answers is shown.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import type { RunModel } from '../../model/model.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { listRuns } from '../../run-files/run.js';
import { compose, placesOf } from '../../screen/compose.js';
import type { Act } from '../../screen/control/act.js';
import { goTo, press } from '../../screen/control/press.js';
import { type Details, noDetails } from '../../screen/details.js';
import { listsOf } from '../../screen/lists.js';
import type { KeyPress } from '../../screen/terminal/keys.js';
import { focus, newPace, painted, wants } from '../../screen/terminal/pace.js';
import { render } from '../../screen/terminal/render.js';
import { Terminal } from '../../screen/terminal/terminal.js';
import type { Theme } from '../../screen/theme.js';
import { initialUi, type ScreenName, type Selection, type Ui } from '../../screen/ui.js';
import type { Picture } from '../../screen/view.js';
import type { Context } from '../context.js';
import { onlyAscii, usesColour } from '../views/terminal.js';
import { ensureWorker, program } from '../worker-process.js';
import { DetailReader } from './details.js';
import { Pages } from './pages.js';
import { RunSource } from './source.js';
import { tell } from './tell.js';

const MESSAGE_MS = 8000;
/** What shows time changes at most so often by itself. */
const CLOCK_MS = 10_000;
const DETAILS_MS = 2000;
const STREAM_MS = 1000;

export interface ScreenOptions {
  ref: RunRef;
  repo: string;
  start?: ScreenName;
}

export interface ScreenEnd {
  why: 'left' | NodeJS.Signals;
  model: RunModel;
}

/** Until the person leaves. */
export async function runScreen(context: Context, options: ScreenOptions): Promise<ScreenEnd> {
  const screen = new Screen(context, options);
  return screen.show();
}

export class Screen {
  readonly #context: Context;
  readonly #theme: Theme;
  readonly #terminal: Terminal;
  #source: RunSource;
  readonly #reader: DetailReader;
  #pages: Pages;
  #runId: string;
  #reported = false;
  readonly #pace = newPace(performance.now(), cpu());
  readonly #stop = new AbortController();
  #ui: Ui = initialUi();
  #details: Details = noDetails();
  #model!: RunModel;
  #picture: Picture = { lines: [] };
  /** The state that the picture shows: keys can be faster than frames. */
  #composedUi: Ui | undefined;
  #timer: NodeJS.Timeout | undefined;
  #messageUntil = 0;
  #needs = -1;
  #focused = true;
  #reading = false;
  #end: (end: ScreenEnd['why']) => void = () => {};

  constructor(context: Context, options: ScreenOptions) {
    this.#context = context;
    this.#theme = { colour: usesColour(process.stdout, context.env), ascii: isAscii(context.env) };
    this.#ui = { ...this.#ui, screen: options.start ?? 'run' };
    this.#terminal = new Terminal({
      key: (key) => this.#key(key),
      resized: () => this.#paintNow(),
      resumed: () => this.#paintNow(),
      signal: (name) => this.#end(name),
    });
    this.#source = new RunSource(context, options.ref, () => this.#changed());
    this.#runId = options.ref.runId;
    this.#pages = new Pages(context, options.ref);
    this.#reader = new DetailReader(context.root, options.repo, () => this.#source.api);
  }

  async show(): Promise<ScreenEnd> {
    this.#model = await this.#source.open();
    const ended = new Promise<ScreenEnd['why']>((end) => {
      this.#end = end;
    });
    this.#terminal.open();
    try {
      this.#paintNow();
      const tasks = Promise.all([this.#every(CLOCK_MS, () => this.#clock()), this.#readDetails()]);
      const why = await ended;
      this.#stop.abort();
      clearTimeout(this.#timer);
      await tasks;
      return { why, model: this.#model };
    } finally {
      this.#stop.abort();
      clearTimeout(this.#timer);
      this.#terminal.close();
      await this.#source.close();
    }
  }

  async #every(ms: number, work: () => void): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
      if (!this.#stop.signal.aborted) work();
    }
  }

  #clock(): void {
    this.#changed();
  }

  async #readDetails(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#details1();
      if (this.#model.endedAt !== undefined) await this.#followNewest();
      const ms = this.#ui.screen === 'idea' && this.#ui.tab === 'agent' ? STREAM_MS : DETAILS_MS;
      await delay(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** A run that was started meanwhile takes the place of the one that is over. */
  async #followNewest(): Promise<void> {
    const { project } = this.#model;
    const [runId] = await listRuns(this.#context.root, project);
    if (runId === undefined || runId === this.#runId) return;
    const ref = { project, runId };
    const next = new RunSource(this.#context, ref, () => this.#changed());
    const model = await next.open().catch(() => undefined);
    if (!model) {
      await next.close();
      return;
    }
    const before = this.#source;
    this.#source = next;
    this.#model = model;
    this.#runId = runId;
    this.#pages = new Pages(this.#context, ref);
    this.#reported = false;
    this.#needs = -1;
    const { report: _, history: __, idea: ___, ...kept } = this.#details;
    this.#details = kept;
    if (this.#ui.screen === 'report') this.#ui = { ...this.#ui, screen: 'run', back: [] };
    this.say(`run ${runId} has begun; this screen follows it`);
    await before.close();
  }

  async #details1(): Promise<void> {
    if (this.#reading) return;
    this.#reading = true;
    const { screen, idea, tab } = this.#ui;
    let moved = false;
    try {
      const read = await this.#reader.read(this.#model, this.#ui, this.#picture.selected?.id);
      const pages = await this.#pages.read(this.#ui, this.#terminal.size.columns);
      const { standstill } = this.#source;
      const now = this.#ui;
      if (now.screen !== screen || now.idea !== idea || now.tab !== tab) {
        moved = true;
        return;
      }
      const { idea: _, standstill: __, ...kept } = this.#details;
      this.#details = { ...kept, ...read, ...pages, ...(standstill ? { standstill } : {}) };
      this.#want(screen === 'idea' ? 'stream' : 'change');
    } finally {
      this.#reading = false;
      if (moved) void this.#details1();
    }
  }

  #changed(): void {
    this.#want('change');
  }

  #want(cause: 'change' | 'key' | 'stream'): void {
    if (this.#stop.signal.aborted) return;
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
    if (this.#ui.message && Date.now() > this.#messageUntil) {
      const { message: _, ...rest } = this.#ui;
      this.#ui = rest;
    }
    this.#reportAtEnd();
    this.#compose();
    const { lines, cursor } = this.#picture;
    const { written } = this.#terminal.painter;
    const before = written.characters;
    this.#terminal.painter.paint({
      lines: lines.map((line) => render(line, this.#theme.colour)),
      ...(cursor ? { cursor: { row: cursor.line, column: cursor.column } } : {}),
    });
    this.#terminal.title(this.#title());
    this.#ring();
    painted(this.#pace, performance.now(), cpu(), written.characters - before);
  }

  /** The report takes the place of *Run* once the run is over. */
  #reportAtEnd(): void {
    if (this.#reported || this.#model.endedAt === undefined) return;
    this.#reported = true;
    if (this.#ui.screen !== 'run') return;
    this.#ui = goTo(this.#ui, 'report');
    void this.#details1();
  }

  #compose(): void {
    const { size } = this.#terminal;
    this.#picture = compose(this.#model, this.#ui, this.#details, size, this.#theme, Date.now());
    this.#composedUi = this.#ui;
  }

  #title(): string {
    const { name, counts } = this.#model;
    return `ralph ${name} ${counts.landed}/${counts.total}${counts.needYou > 0 ? ` ?${counts.needYou}` : ''}`;
  }

  /** One bell when something new waits for a person who looks elsewhere. */
  #ring(): void {
    const { length } = listsOf(this.#model).needs;
    if (this.#needs >= 0 && length > this.#needs && !this.#focused) this.#terminal.bell();
    this.#needs = length;
  }

  #key(key: KeyPress): void {
    if (key.name === 'focus-in' || key.name === 'focus-out') {
      this.#focused = key.name === 'focus-in';
      this.#source.focus(this.#focused);
      focus(this.#pace, this.#focused, performance.now());
      this.#want(this.#focused ? 'key' : 'change');
      return;
    }
    if (this.#composedUi !== this.#ui) this.#compose();
    const { selected } = this.#picture;
    const places = this.#places();
    const seen = {
      ...{ model: this.#model, details: this.#details, places, rows: this.#terminal.size.rows },
      ...(selected ? { selected } : {}),
    };
    const before = this.#ui;
    const { ui, act } = press(before, key, seen);
    this.#ui = ui;
    if (ui.message && ui.message !== before.message) this.#messageUntil = Date.now() + MESSAGE_MS;
    if (act) void this.#act(act);
    if (ui.screen !== before.screen || ui.idea !== before.idea || ui.tab !== before.tab || ui.serial !== before.serial)
      void this.#details1();
    this.#paintNow();
  }

  #places(): Selection[] {
    const { size } = this.#terminal;
    return placesOf(this.#model, this.#ui, this.#details, size, this.#theme, Date.now());
  }

  /** Ends the screen, as `q` does. */
  leave(): void {
    this.#end('left');
  }

  say(text: string, ok = true): void {
    this.#ui = { ...this.#ui, message: { text, ...(ok ? {} : { refused: true as const }) } };
    this.#messageUntil = Date.now() + MESSAGE_MS;
    this.#paintNow();
  }

  async #act(act: Act): Promise<void> {
    try {
      await this.#carryOut(act);
    } catch (error) {
      this.say((error as Error).message.split('\n')[0] ?? 'that failed', false);
    }
  }

  async #carryOut(act: Act): Promise<void> {
    switch (act.do) {
      case 'leave':
        this.#end('left');
        return;
      case 'shell':
        this.#terminal.suspend();
        return;
      case 'repaint':
        this.#terminal.painter.forget();
        this.#paintNow();
        return;
      case 'refresh':
        this.#source.refresh();
        this.#terminal.painter.forget();
        this.say('asked again');
        return;
      case 'copy':
        this.#terminal.copy(act.text);
        this.say(`copied: ${act.text.slice(0, 60)}`);
        return;
      case 'web':
        this.say(this.#source.webPage ?? 'no Web UI is known for this server', this.#source.webPage !== undefined);
        return;
      case 'worker':
        this.say('starting a worker …');
        await ensureWorker(this.#context, this.#model.project);
        this.#source.refresh();
        this.say('a worker runs');
        return;
      case 'editor':
        await this.#edit(act.idea);
        return;
      case 'lend':
        await this.#terminal.lend(() =>
          execa(process.execPath, [program(), '-C', this.#context.cwd, ...act.args], {
            stdio: 'inherit',
            reject: false,
          }),
        );
        return;
      case 'tell': {
        this.say(`${act.args[0]} …`);
        const { ok, text } = await tell(this.#context, act.args);
        if (ok && act.draft !== undefined) {
          const { [act.draft]: _, ...drafts } = this.#ui.drafts;
          this.#ui = { ...this.#ui, drafts };
        }
        this.#source.refresh();
        this.say(text, ok);
      }
    }
  }

  /** The begun answer in $VISUAL or $EDITOR. */
  async #edit(idea: string): Promise<void> {
    const editor = this.#context.env.VISUAL || this.#context.env.EDITOR;
    if (!editor) {
      this.say('set EDITOR to write answers there', false);
      return;
    }
    const dir = await mkdtemp(join(tmpdir(), 'ralphctl-answer-'));
    const file = join(dir, 'answer.md');
    try {
      await writeFile(file, this.#ui.drafts[idea]?.text ?? '', { mode: 0o600 });
      await this.#terminal.lend(() =>
        execa(`${editor} "$1"`, ['answer', file], { shell: true, stdio: 'inherit', reject: false }),
      );
      const text = (await readFile(file, 'utf8')).trimEnd();
      this.#ui = { ...this.#ui, drafts: { ...this.#ui.drafts, [idea]: { text, cursor: text.length } } };
      this.#paintNow();
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
}

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const isAscii = (env: NodeJS.ProcessEnv): boolean =>
  env.RALPHCTL_GLYPHS === 'ascii' || env.TERM === 'linux' || onlyAscii(env);
