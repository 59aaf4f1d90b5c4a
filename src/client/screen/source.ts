/**
 * Keeps the model of a run current from its growing files, and at intervals from the worker.
 * Invariant: reads and asks only. Without a server or worker the model shows the state in the files.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { projectDir } from '../../config/paths.js';
import { checkoutBehind } from '../../git/landing/checkout.js';
import { fold } from '../../model/fold.js';
import type { RunModel } from '../../model/model.js';
import type { RunRef } from '../../protocol/run-ref.js';
import type { RunStatus } from '../../protocol/views.js';
import type { WarningLine } from '../../protocol/warnings.js';
import { eventsPath, followEvents } from '../../run-files/events.js';
import { emptyModel, takeAdded } from '../../run-files/read-model.js';
import type { Standstill } from '../../screen/details.js';
import { resolveConnection } from '../../server/connection.js';
import { runningServer } from '../../server/embedded.js';
import { workerState } from '../../worker/record.js';
import type { Connected } from '../api/connection.js';
import type { RunApi } from '../api/run.js';
import type { Context } from '../context.js';
import { takeForNext } from '../model/for-next.js';
import { ringBell } from '../views/terminal.js';

const EVENTS_POLL_MS = 500;
/** The first picture waits this long for the events that are there. */
const FIRST_READ_MS = 400;
const LOOK_MS = 2000;
const AFTER_BURST_MS = 1000;
const ASK_EVERY_MS = 15_000;
const ASK_UNFOCUSED_MS = 60_000;
const CHECK_EVERY_MS = 10_000;
const CHECK_STILL_MS = 3000;
/** The screen reports a busy worker after this time. */
const PATIENCE_MS = 10_000;
/** Interval between looks at the checkout with git. */
const CHECKOUT_MS = 30_000;
/** Number of events in one slice of the first fold. */
const SLICE = 2000;

export class RunSource {
  readonly #context: Context;
  readonly #ref: RunRef;
  readonly #changed: () => void;
  readonly #stop = new AbortController();
  readonly #tasks: Promise<void>[] = [];
  #read: () => void = () => {};
  #connected: Connected | undefined;
  #api: RunApi | undefined;
  #asked = 0;
  #answered = Date.now();
  #lastEvent = 0;
  #focused = true;
  #standstill: Standstill | undefined;
  #uiUrl: string | undefined;
  #behind: string | undefined;

  constructor(context: Context, ref: RunRef, changed: () => void) {
    this.#context = context;
    this.#ref = ref;
    this.#changed = changed;
  }

  /** @throws where this host has no files of the run */
  async open(): Promise<RunModel> {
    const found = await emptyModel(this.#context.root, this.#ref);
    if (!found) throw new Error(`run ${this.#ref.runId} left no files here`);
    const { repo, target } = found.run.file;
    found.model.reading = true;
    const read = new Promise<void>((resolve) => {
      this.#read = resolve;
    });
    this.#tasks.push(
      this.#follow(found.model),
      this.#watch(found.model),
      this.#watchCheckout(found.model, repo, target),
    );
    // A short history is whole in the first picture.
    await Promise.race([read, delay(FIRST_READ_MS)]);
    return found.model;
  }

  get standstill(): Standstill | undefined {
    return this.#standstill;
  }

  get api(): RunApi | undefined {
    return this.#api;
  }

  /** Address of the run's page in the Web UI. */
  get webPage(): string | undefined {
    return this.#uiUrl;
  }

  focus(focused: boolean): void {
    this.#focused = focused;
  }

  /** Makes the next look ask everything again. */
  refresh(): void {
    this.#asked = 0;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#tasks);
    await this.#connected?.close();
  }

  async #follow(model: RunModel): Promise<void> {
    const { root } = this.#context;
    let count = 0;
    const opened = Date.now();
    const read = (): void => this.#isRead(model);
    for await (const event of followEvents(eventsPath(root, this.#ref), this.#stop.signal, EVENTS_POLL_MS, read)) {
      const known = model.order.length;
      fold(model, event);
      if (event.kind === 'alert' && event.state === 'bell' && Date.parse(event.at) >= opened) ringBell();
      this.#lastEvent = Date.now();
      if (model.order.length > known) await takeAdded(root, this.#ref, model);
      if (++count % SLICE === 0) await delay(0);
      this.#changed();
    }
  }

  #isRead(model: RunModel): void {
    if (!model.reading) return;
    delete model.reading;
    this.#read();
    this.#changed();
  }

  async #watch(model: RunModel): Promise<void> {
    let checked = 0;
    while (!this.#stop.signal.aborted) {
      const now = Date.now();
      const over = model.endedAt !== undefined;
      if (!over && now - checked >= (this.#standstill ? CHECK_STILL_MS : CHECK_EVERY_MS)) {
        checked = now;
        await this.#check();
      }
      if (!over && this.#wantsAnswer(now)) await this.#ask(model);
      // After the end, commands go to the next run. Raising the count makes the views rebuild their lists.
      if (over && (await takeForNext(this.#context.root, model).catch(() => false))) {
        model.events += 1;
        this.#changed();
      }
      await delay(LOOK_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  /** Detects landed work that is missing from the checkout: a commit there would revert it. */
  async #watchCheckout(model: RunModel, repo: string, target: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const behind = await checkoutBehind(repo, target).catch(() => undefined);
      if (behind !== this.#behind) {
        this.#behind = behind;
        model.warnings = withBehind(model.warnings, behind);
        this.#changed();
      }
      await delay(CHECKOUT_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
    }
  }

  #wantsAnswer(now: number): boolean {
    if (this.#standstill && this.#standstill.kind !== 'busy') return false;
    const every = this.#focused ? ASK_EVERY_MS : ASK_UNFOCUSED_MS;
    return now - this.#asked >= every || (this.#lastEvent > this.#asked && now - this.#lastEvent >= AFTER_BURST_MS);
  }

  async #ask(model: RunModel): Promise<void> {
    this.#asked = Date.now();
    const api = await this.#connection();
    const status = await api?.status().catch(() => undefined);
    if (!status || status.runId !== model.runId) return;
    this.#answered = Date.now();
    takeStatus(model, status, this.#answered);
    this.#isRead(model);
    model.warnings = withBehind(model.warnings, this.#behind);
    if (this.#standstill?.kind === 'busy') this.#standstill = undefined;
    this.#changed();
  }

  async #connection(): Promise<RunApi | undefined> {
    if (this.#api) return this.#api;
    const [{ connect }, { RunApi }] = await Promise.all([import('../api/connection.js'), import('../api/run.js')]);
    const connected = await connect(this.#context, { start: false }).catch(() => undefined);
    if (!connected) return undefined;
    this.#connected = connected;
    const { uiUrl, namespace } = connected.target;
    if (uiUrl) this.#uiUrl = `${uiUrl}/namespaces/${namespace}/workflows`;
    this.#api = new RunApi(connected.client, this.#ref.project);
    return this.#api;
  }

  /** Finds out why nothing moves. */
  async #check(): Promise<void> {
    const before = this.#standstill?.kind;
    const still = await this.#look().catch(() => undefined);
    if (still && before === still.kind && this.#standstill) still.since = this.#standstill.since;
    this.#standstill = still;
    if (still?.kind === 'no-server') {
      await this.#connected?.close().catch(() => {});
      this.#api = undefined;
      this.#connected = undefined;
    }
    if (still?.kind !== before) this.#changed();
  }

  async #look(): Promise<Standstill | undefined> {
    const { root } = this.#context;
    const since = this.#lastEvent || Date.now();
    const embedded = (await resolveConnection(this.#context)).kind === 'embedded';
    if (embedded && !(await runningServer(root))) return { kind: 'no-server', since };
    const worker = await workerState(root, this.#ref.project);
    if (embedded && worker !== 'alive') return { kind: 'no-worker', since };
    if (Date.now() - this.#answered < PATIENCE_MS || this.#asked < this.#answered) return undefined;
    const facts = await (await this.#connection())?.facts();
    if (facts?.failing)
      return {
        kind: 'failing',
        since: this.#answered,
        tries: facts.tries ?? 0,
        error: facts.failing,
        log: join(projectDir(root, this.#ref.project), 'logs'),
      };
    return { kind: 'busy', since: this.#answered };
  }
}

/** The run's warnings, plus the one about the checkout. */
const withBehind = (warnings: readonly WarningLine[], behind: string | undefined): WarningLine[] => [
  ...warnings.filter(({ kind }) => kind !== 'outside'),
  ...(behind === undefined ? [] : [{ kind: 'outside' as const, text: behind, since: Date.now() }]),
];

function takeStatus(model: RunModel, status: RunStatus, at: number): void {
  const { next, scores, possible, resumesAt, mode, more, accounts, budget, warnings, slots, review } = status;
  model.live = {
    at,
    next,
    ...(scores ? { scores } : {}),
    ...(possible ? { possible } : {}),
    ...(resumesAt === undefined ? {} : { resumesAt }),
    ...(mode ? { mode } : {}),
    ...(more ? { more } : {}),
  };
  model.slots = slots;
  model.review = review === true;
  if (mode) model.mode = mode;
  if (budget) model.budget = budget;
  if (warnings) model.warnings = warnings.filter((line) => line.idea === undefined);
  if (accounts) for (const account of accounts) model.accounts.set(account.key, account);
}
