/**
 * Reads the pages about whole runs: history and report. Loads each when it opens, and caches it for a while.
 * Invariant: reads only; a run with unreadable files gives no page, and no error.
 */
import type { RunRef } from '../../protocol/run-ref.js';
import { reportLines } from '../../report/text.js';
import type { Details } from '../../screen/details.js';
import { reportRun } from '../../screen/pages/report-page.js';
import { isPast } from '../../screen/past.js';
import type { Ui } from '../../screen/ui.js';
import type { Context } from '../context.js';
import { gather } from '../report/gather.js';
import type { KeptGone } from '../report/gone.js';
import { historyRuns } from '../report/history.js';

const KEPT_MS = 30_000;
/** The screen owns the terminal: a warning about a damaged summary must not be written into it. */
const quiet = (): void => {};
/** As `readable.ts` says it. */
const LEFT_OUT = /^run (\S+) is left out: /;

export class Pages {
  readonly #context: Context;
  readonly #ref: RunRef;
  #history: { at: number; value: Details['history'] } | undefined;
  #past: Details['past'];
  readonly #gone: KeptGone;
  #report: { key: string; at: number; lines: string[] } | undefined;

  constructor(context: Context, ref: RunRef, gone: KeptGone) {
    this.#context = context;
    this.#ref = ref;
    this.#gone = gone;
  }

  /** Makes the next look read everything again. */
  forget(): void {
    this.#history = undefined;
    this.#report = undefined;
    this.#gone.forget();
  }

  async read(ui: Ui, columns: number): Promise<Pick<Details, 'history' | 'past' | 'lost' | 'report'>> {
    if (ui.screen === 'history') {
      const value = await this.#runs();
      return value ? { history: value } : {};
    }
    if (isPast(ui) && ui.screen !== 'report' && ui.ofRun !== undefined) {
      const past = await this.#pastRun(ui.ofRun);
      return past ? { past } : { lost: ui.ofRun };
    }
    if (ui.screen !== 'report') return {};
    const runId = reportRun(ui) ?? this.#ref.runId;
    const lines = await this.#lines(runId, columns);
    return lines ? { report: { runId, lines } } : {};
  }

  async #pastRun(runId: string): Promise<Details['past']> {
    if (this.#past?.runId !== runId) {
      const found = await gather(
        this.#context,
        { project: this.#ref.project, runId },
        { warn: quiet, gone: false },
      ).catch(() => undefined);
      this.#past = found?.model;
    }
    return this.#past;
  }

  async #runs(): Promise<Details['history']> {
    const now = Date.now();
    if (!this.#history || now - this.#history.at > KEPT_MS) {
      const left = new Set<string>();
      const warn = (problem: string): void => {
        const [, run] = LEFT_OUT.exec(problem) ?? [];
        if (run) left.add(run);
      };
      const value = await historyRuns(this.#context, this.#ref.project, Date.now(), warn).catch(() => undefined);
      this.#history = {
        at: Date.now(),
        value: value && { ...value, at: now, ...(left.size > 0 ? { leftOut: left.size } : {}) },
      };
    }
    return this.#history.value;
  }

  async #lines(runId: string, columns: number): Promise<string[] | undefined> {
    const key = `${runId} ${columns}`;
    if (this.#report?.key === key && Date.now() - this.#report.at < KEPT_MS) return this.#report.lines;
    const found = await gather(
      this.#context,
      { project: this.#ref.project, runId },
      { warn: quiet, ask: this.#gone.now },
    ).catch(() => undefined);
    if (!found) return undefined;
    const lines = reportLines(found.model, found.extra, Math.max(38, columns - 2));
    this.#report = { key, at: Date.now(), lines };
    return lines;
  }
}
