/**
 * Keeps the model of a run current from its growing files, and at intervals from the worker.
 * Invariant: reads and asks only. Without a server or worker the model shows the state in the files.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { checkoutsBehind } from '../../git/landing/behind.js';
import { endWithoutEvent } from '../../model/ended.js';
import type { RunModel } from '../../model/model.js';
import type { Notice } from '../../model/notice.js';
import { Folding } from '../../model/with-summary.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { eventsPath, followEvents } from '../../run-files/events.js';
import { emptyModel, takeAdded, takeLost } from '../../run-files/read-model.js';
import { readSummary } from '../../run-files/summary.js';
import type { Standstill } from '../../screen/details.js';
import type { Connected } from '../api/connection.js';
import type { RunApi } from '../api/run.js';
import { webPage } from '../api/web-page.js';
import type { Context } from '../context.js';
import { firstOrder } from '../model/first-order.js';
import { passedOver } from '../model/passed-over.js';
import { takeLeftOut } from '../model/take-left-out.js';
import type { KeptGone } from '../report/gone.js';
import { ringBell } from '../views/terminal.js';
import { Beside } from './beside.js';
import { BEHIND_SHORT, renamedShort, renamedText } from './notices.js';
import { takeStatus } from './take-status.js';
import { type Sight, whyStill } from './why-still.js';

const EVENTS_POLL_MS = 500;
/** The first picture waits this long for the events that are there. */
const FIRST_READ_MS = 400;
/** The first check waits this long for them. */
const MOST_READ_MS = 3000;
const LOOK_MS = 2000;
const AFTER_BURST_MS = 1000;
const ASK_EVERY_MS = 15_000;
const ASK_UNFOCUSED_MS = 60_000;
const CHECK_EVERY_MS = 10_000;
const CHECK_STILL_MS = 3000;
/** Longest wait for the server's word on a run that has told nothing. */
const FACTS_MS = 5000;
const CHECKOUT_MS = 30_000;
const SLICE = 2000;

export class RunSource {
  readonly #context: Context;
  readonly #ref: RunRef;
  readonly #changed: () => void;
  readonly #gone: KeptGone;
  readonly #stop = new AbortController();
  readonly #tasks: Promise<void>[] = [];
  #read: () => void = () => {};
  #connected: Connected | undefined;
  #api: RunApi | undefined;
  #connecting: Promise<RunApi | undefined> | undefined;
  #asked = 0;
  #checked = 0;
  /** Time of the last answer. */
  #answered = 0;
  /** Time of the first question since then that nobody answered. */
  #unanswered: number | undefined;
  /** For the pace of questions only. */
  #lastRead = 0;
  /** Every event so far is in the model. */
  #whole = false;
  #focused = true;
  #standstill: Standstill | undefined;
  /** Why the events cannot be read. */
  #unreadable: Error | undefined;
  readonly #troubles = new Map<string, Notice>();
  #beside: Beside | undefined;

  constructor(context: Context, ref: RunRef, changed: () => void, gone: KeptGone) {
    this.#context = context;
    this.#ref = ref;
    this.#changed = changed;
    this.#gone = gone;
  }

  /** @throws where this host has no files of the run */
  async open(): Promise<RunModel> {
    const found = await emptyModel(this.#context.root, this.#ref);
    if (!found) throw new Error(`run ${this.#ref.runId} left no files here`);
    const { model } = found;
    const { repo, target } = found.run.file;
    const { root } = this.#context;
    await takeLeftOut(root, model, found.run.file);
    this.#beside = new Beside(root, found.run.file, this.#gone);
    model.reading = true;
    const read = new Promise<void>((resolve) => {
      this.#read = resolve;
    });
    this.#tasks.push(this.#follow(model), this.#watch(model, read), this.#watchCheckout(model, repo, target));
    void passedOver(root, this.#ref).then(({ text, short }) => this.#trouble(model, 'runs', text, [short]));
    // A short history is whole in the first picture.
    const ordered = read.then(() => firstOrder(root, model)).then(() => this.#changed());
    await Promise.race([ordered, delay(FIRST_READ_MS)]);
    return model;
  }

  get standstill(): Standstill | undefined {
    return this.#standstill;
  }

  get api(): RunApi | undefined {
    return this.#api;
  }

  /** The id of the project's last run, where a server answers. */
  async lastRun(): Promise<string | undefined> {
    const api = await this.#connection();
    const facts = await api?.facts(FACTS_MS).catch(() => undefined);
    return facts?.runId;
  }

  /** Address of the run's page in the Web UI, or of an idea's. */
  webPage(idea?: string): string | undefined {
    return this.#connected && webPage(this.#connected.target, this.#ref.project, idea);
  }

  focus(focused: boolean): void {
    this.#focused = focused;
  }

  /** Makes the next look ask everything again. */
  refresh(): void {
    this.#asked = 0;
    this.#checked = 0;
    this.#gone.forget();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#tasks);
    await this.#connected?.close();
  }

  async #follow(model: RunModel): Promise<void> {
    const opened = Date.now();
    const folding = new Folding(model, await readSummary(this.#context.root, this.#ref, () => {}));
    const read = (): void => {
      // Nothing is known of events that cannot be read.
      if (!this.#unreadable && folding.end())
        void takeLost(this.#context.root, this.#ref, model).then((text) => this.#trouble(model, 'events', text));
      this.#whole = true;
      this.#isRead(model);
    };
    const unreadable = (problem: Error | undefined): void => {
      if (problem?.message === this.#unreadable?.message) return;
      this.#unreadable = problem;
      void this.#check(model);
    };
    const options = { pollMs: EVENTS_POLL_MS, read, unreadable };
    for await (const event of followEvents(eventsPath(this.#context.root, this.#ref), this.#stop.signal, options)) {
      const known = model.order.length;
      folding.take(event);
      if (event.kind === 'alert' && event.state === 'bell' && Date.parse(event.at) >= opened) ringBell();
      this.#lastRead = Date.now();
      if (model.order.length > known) await this.#takeAdded(model);
      if (model.events % SLICE === 0) await delay(0);
      this.#changed();
    }
  }

  async #takeAdded(model: RunModel): Promise<void> {
    const failed = await takeAdded(this.#context.root, this.#ref, model).then(
      (problems) => problems[0],
      (error: Error) => error.message,
    );
    // The views rebuild their lists: a picture between the event and this one has the ideas without their texts.
    model.events += 1;
    this.#trouble(model, 'added', failed);
    this.#changed();
  }

  #isRead(model: RunModel): void {
    if (!model.reading) return;
    delete model.reading;
    this.#read();
    this.#changed();
  }

  async #watch(model: RunModel, whole: Promise<void>): Promise<void> {
    // A check of a half read run would judge by its old events.
    await Promise.race([whole, delay(MOST_READ_MS, undefined, { signal: this.#stop.signal }).catch(() => {})]);
    while (!this.#stop.signal.aborted) {
      const now = Date.now();
      const over = model.endedAt !== undefined;
      if (!over && now - this.#checked >= (this.#standstill ? CHECK_STILL_MS : CHECK_EVERY_MS)) {
        this.#checked = now;
        await this.#check(model);
      }
      if (model.endedAt === undefined && this.#wantsAnswer(now)) await this.#ask(model);
      if (this.#troubles.has('added')) await this.#takeAdded(model);
      // Half of the history would be judged by the target of now. Raising the count makes the views rebuild their lists.
      if (this.#whole && (await this.#beside?.take(model))) {
        model.events += 1;
        const { renamed } = model;
        this.#trouble(model, 'target', renamed && renamedText(renamed), renamed && renamedShort(renamed));
        this.#changed();
      }
      await delay(LOOK_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** Detects landed work that is missing from the checkout: a commit there would revert it. */
  async #watchCheckout(model: RunModel, repo: string, target: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const behind = await checkoutsBehind(repo, target).catch(() => []);
      this.#trouble(model, 'checkout', behind.join('. ') || undefined, BEHIND_SHORT);
      await delay(CHECKOUT_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** A problem outside the run, until it is over; `undefined` ends it. */
  #trouble(
    model: RunModel,
    about: 'checkout' | 'added' | 'target' | 'events' | 'runs',
    text: string | undefined,
    short: readonly string[] = [],
  ): void {
    if (this.#troubles.get(about)?.text === text) return;
    if (text === undefined) this.#troubles.delete(about);
    else this.#troubles.set(about, { text, short, since: Date.now() });
    model.notices = [...this.#troubles.values()];
    this.#changed();
  }

  #wantsAnswer(now: number): boolean {
    if (this.#standstill && this.#standstill.kind !== 'busy') return false;
    const every = this.#focused ? ASK_EVERY_MS : ASK_UNFOCUSED_MS;
    return now - this.#asked >= every || (this.#lastRead > this.#asked && now - this.#lastRead >= AFTER_BURST_MS);
  }

  async #ask(model: RunModel): Promise<void> {
    const asked = Date.now();
    this.#asked = asked;
    const api = await this.#connection();
    const status = await api?.status().catch(() => undefined);
    if (!status || status.runId !== model.runId) {
      this.#unanswered ??= asked;
      return;
    }
    this.#answered = Date.now();
    this.#unanswered = undefined;
    takeStatus(model, status, { asked, at: this.#answered });
    this.#isRead(model);
    if (this.#standstill?.kind === 'busy') this.#standstill = undefined;
    this.#changed();
  }

  async #connection(): Promise<RunApi | undefined> {
    if (this.#api) return this.#api;
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connect(): Promise<RunApi | undefined> {
    const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
    const connected = await connect(this.#context, { start: false, project: this.#ref.project }).catch(() => undefined);
    if (!connected) return undefined;
    this.#connected = connected;
    this.#api = new RunApi(connected.client, this.#ref.project);
    return this.#api;
  }

  /** Finds out why nothing moves. */
  async #check(model: RunModel): Promise<void> {
    const before = this.#standstill;
    const seen = {
      lastSign: Math.max(model.lastAt ?? model.startedAt ?? 0, this.#answered),
      whole: this.#whole,
      ...(this.#unanswered === undefined ? {} : { unanswered: this.#unanswered }),
      ...(this.#unreadable ? { unreadable: this.#unreadable } : {}),
    };
    const api = (): Promise<RunApi | undefined> => this.#connection();
    const { still, ended } = await whyStill({ context: this.#context, model, seen, api }).catch(() => ({}) as Sight);
    this.#standstill = still;
    if (ended && model.endedAt === undefined) endWithoutEvent(model, ended.state, ended.at);
    if (still?.kind === 'no-server') await this.#disconnect();
    if (before && !still) {
      // What could not answer then may answer now.
      this.#unanswered = undefined;
      this.#asked = 0;
    }
    if (ended || !isDeepStrictEqual(still, before)) this.#changed();
  }

  async #disconnect(): Promise<void> {
    const connected = this.#connected;
    this.#api = undefined;
    this.#connected = undefined;
    await connected?.close().catch(() => {});
  }
}
