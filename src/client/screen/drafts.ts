/**
 * Keeps unsent answers in the run's folder, so that the next screen has them.
 * Invariant: for its owner only; no failure ends a screen. Each file holds one text and never changes: a new text is a new
 * file, and the file that it replaces goes afterwards. So screens that write at the same time, also to one question, do not
 * erase each other's texts. A screen that sends a text removes its file, never the folder: without the folder every text
 * stays, and is written again.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readOwn } from '../../config/own-files.js';
import { runDir } from '../../config/paths.js';
import type { RunRef } from '../../protocol/run-ref.js';
import { writeAtomically } from '../../run-files/run.js';
import { type NamedText, textsOf, withLook } from '../../screen/control/drafts.js';
import type { Ui } from '../../screen/ui.js';

const AFTER_MS = 1000;

interface Kept extends NamedText {
  /** epoch ms */
  at: number;
}

/** What other screens did to the files. */
export interface Looked {
  came: NamedText[];
  gone: NamedText[];
}

export class Drafts {
  readonly #dir: string;
  /** By file: what this screen has written or seen. */
  readonly #known = new Map<string, Kept>();
  #wanted: Ui['drafts'] = {};
  #saving: Promise<void> | undefined;
  /** One use of the folder at a time. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #stop = new AbortController();

  constructor(root: string, { project, runId }: RunRef) {
    this.#dir = join(runDir(root, project, runId), 'drafts');
  }

  async read(): Promise<Ui['drafts']> {
    await this.#inTurn(() => this.#takeOld()).catch(() => undefined);
    await this.look((looked) => {
      this.#wanted = withLook({}, looked);
    });
    return this.#wanted;
  }

  /** `take` gets what came and went since the last look, and keeps its drafts with it: a save goes by both. */
  look(take: (looked: Looked) => void): Promise<void> {
    return this.#inTurn(() => this.#look(take));
  }

  /** Writes soon: a killed screen loses a second of typing. */
  keep(drafts: Ui['drafts']): void {
    this.#wanted = drafts;
    this.#saving ??= this.#soon();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#saving;
    await this.#inTurn(() => this.#save());
  }

  /** Until all that was typed is written: a write fails while the disk is full. */
  async #soon(): Promise<void> {
    let wanted: Ui['drafts'];
    let written: boolean;
    do {
      await delay(AFTER_MS, undefined, { signal: this.#stop.signal }).catch(() => {});
      wanted = this.#wanted;
      written = await this.#inTurn(() => this.#save());
    } while (!(written && wanted === this.#wanted) && !this.#stop.signal.aborted);
    this.#saving = undefined;
  }

  #inTurn<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(act);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #look(take: (looked: Looked) => void): Promise<void> {
    const names = await readdir(this.#dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && this.#known.size > 0) this.#again();
      return undefined;
    });
    if (!names) return;
    const there = new Set(names);
    const gone = [...this.#known].filter(([file]) => !there.has(file));
    const came: [string, Kept][] = [];
    for (const file of names.filter((name) => name.endsWith('.json') && !this.#known.has(name))) {
      const one = await this.#one(file);
      if (one) came.push([file, one]);
    }
    if (gone.length + came.length === 0) return;
    for (const [file] of gone) this.#known.delete(file);
    for (const [file, one] of came) this.#known.set(file, one);
    came.sort(([, a], [, b]) => a.at - b.at);
    take({ came: came.map(([, one]) => one), gone: gone.map(([, one]) => one) });
  }

  #again(): void {
    this.#known.clear();
    this.#saving ??= this.#soon();
  }

  async #one(file: string): Promise<Kept | undefined> {
    try {
      const found: unknown = JSON.parse((await readOwn(join(this.#dir, file))) ?? '');
      const { name, text, at } = found as Partial<Kept>;
      if (typeof name === 'string' && typeof text === 'string' && text !== '')
        return { name, text, at: Number(at) || 0 };
    } catch {
      // A broken file costs nothing but itself.
    }
    return undefined;
  }

  /** The texts of a version that kept them in one file, `{"idea": "text"}`. The file goes once each has its own. */
  async #takeOld(): Promise<void> {
    const path = join(this.#dir, '..', 'drafts.json');
    const found: unknown = JSON.parse((await readOwn(path)) ?? 'null');
    if (typeof found !== 'object' || found === null) return;
    await this.#make();
    for (const [name, text] of Object.entries(found))
      if (typeof text === 'string' && text !== '') await this.#write({ name, text, at: Date.now() });
    await rm(path, { force: true });
  }

  async #write(kept: Kept): Promise<string> {
    const file = `${randomUUID()}.json`;
    await writeAtomically(join(this.#dir, file), `${JSON.stringify(kept)}\n`);
    return file;
  }

  /** Only in the folder of the run: one that a person has moved away does not come back as a damaged run. */
  async #make(): Promise<void> {
    await mkdir(this.#dir, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }

  /** @returns false where a write failed */
  async #save(): Promise<boolean> {
    const wanted = Object.entries(this.#wanted).flatMap(([name, draft]) =>
      textsOf(draft).map((text) => ({ name, text })),
    );
    const isKept = ({ name, text }: NamedText): boolean =>
      [...this.#known.values()].some((one) => one.name === name && one.text === text);
    const added = wanted.filter((one) => !isKept(one));
    const over = [...this.#known].filter(
      ([, { name, text }]) => !wanted.some((one) => one.name === name && one.text === text),
    );
    try {
      if (added.length > 0) await this.#make();
      for (const one of added) {
        const kept: Kept = { ...one, at: Date.now() };
        this.#known.set(await this.#write(kept), kept);
      }
      for (const [file] of over) {
        await rm(join(this.#dir, file), { force: true });
        this.#known.delete(file);
      }
    } catch {
      return false;
    }
    return true;
  }
}
