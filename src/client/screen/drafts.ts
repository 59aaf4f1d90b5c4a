/**
 * Keeps unsent answers in the run's folder, so that the next screen has them.
 * Invariant: for its owner only. Writes what this screen changed and keeps what another one wrote; no failure ends a screen.
 */
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readOwn } from '../../config/own-files.js';
import { runDir } from '../../config/paths.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { writeAtomically } from '../../run-files/run.js';
import { draftOf } from '../../screen/control/typing.js';
import type { Ui } from '../../screen/ui.js';

const AFTER_MS = 1000;

export class Drafts {
  readonly #path: string;
  /** As last read or written. */
  #kept: Ui['drafts'] = {};
  #wanted: Ui['drafts'] = {};
  #saving: Promise<void> | undefined;
  readonly #stop = new AbortController();

  constructor(root: string, { project, runId }: RunRef) {
    this.#path = join(runDir(root, project, runId), 'drafts.json');
  }

  async read(): Promise<Ui['drafts']> {
    const texts = await this.#texts();
    this.#kept = Object.fromEntries(Object.entries(texts).map(([idea, text]) => [idea, draftOf(text)]));
    this.#wanted = this.#kept;
    return this.#kept;
  }

  /** Writes soon: a killed screen loses a second of typing. */
  keep(drafts: Ui['drafts']): void {
    this.#wanted = drafts;
    this.#saving ??= this.#soon();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#saving;
    await this.#save();
  }

  /** Until all that was typed is written: a write fails while the disk is full. */
  async #soon(): Promise<void> {
    let wanted: Ui['drafts'];
    let written: boolean;
    do {
      await delay(AFTER_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
      wanted = this.#wanted;
      written = await this.#save();
    } while (!(written && wanted === this.#wanted) && !this.#stop.signal.aborted);
    this.#saving = undefined;
  }

  /** @returns false where the write failed */
  async #save(): Promise<boolean> {
    const wanted = this.#wanted;
    const ids = new Set([...Object.keys(wanted), ...Object.keys(this.#kept)]);
    const changed = [...ids].filter((id) => wanted[id]?.text !== this.#kept[id]?.text);
    if (changed.length === 0) return true;
    const texts = await this.#texts();
    for (const id of changed) {
      const text = wanted[id]?.text ?? '';
      if (text === '') delete texts[id];
      else texts[id] = text;
    }
    try {
      await writeAtomically(this.#path, `${JSON.stringify(texts)}\n`);
    } catch {
      return false;
    }
    this.#kept = wanted;
    return true;
  }

  async #texts(): Promise<Record<string, string>> {
    try {
      const found: unknown = JSON.parse((await readOwn(this.#path)) ?? '{}');
      const entries = Object.entries(found && typeof found === 'object' ? found : {});
      return Object.fromEntries(entries.filter((one): one is [string, string] => typeof one[1] === 'string'));
    } catch {
      return {};
    }
  }
}
