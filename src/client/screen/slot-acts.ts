/**
 * What the agents in the slots do now, from the ends of their streams.
 * Invariant: reads only. What the agent run before did is never told as present.
 */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { tailOfOwn } from '../../config/own-files.js';
import { iterationDir } from '../../config/paths.js';
import type { RunModel } from '../../model/model.js';
import { listsOf } from '../../screen/lists.js';

/** Maximum number of slots whose streams it reads. */
const MOST_SLOTS = 100;
const TAIL_BYTES = 4096;
/** Of a stream that is new to it: the last usage may be long ago. */
const FIRST_BYTES = 64 << 10;
/** Each slot adds this much to the time between two looks at one stream, up to the most: looks cost the same at any number. */
const LOOK_MS_A_SLOT = 100;
const MOST_LOOK_MS = 10_000;

interface Look {
  path: string;
  /** epoch ms */
  at: number;
  size?: number;
}

export class SlotActs {
  readonly #root: string;
  readonly #looks = new Map<string, Look>();
  /** The newest act of each idea's agent, and how long its stream has been quiet. */
  readonly now = new Map<string, string>();
  readonly quiet = new Map<string, number>();
  /** What that agent run has cost so far. */
  readonly dollars = new Map<string, number>();

  constructor(root: string) {
    this.#root = root;
  }

  async read(model: RunModel): Promise<void> {
    const { slots } = listsOf(model);
    const every = Math.min(MOST_LOOK_MS, slots.length * LOOK_MS_A_SLOT);
    await Promise.all(
      slots.slice(0, MOST_SLOTS).map(async ({ id, iterations }) => {
        const run = iterations.at(-1);
        if (!run || run.endedAt !== undefined) return this.#forget(id);
        const path = join(iterationDir(this.#root, model.project, model.runId, id, run.serial), 'stream.jsonl');
        await this.#look(id, path, every);
      }),
    );
  }

  async #look(id: string, path: string, every: number): Promise<void> {
    const at = Date.now();
    const last = this.#looks.get(id);
    if (last?.path !== path) this.#forget(id);
    else if (at - last.at < every) return;
    const before = last?.path === path ? last.size : undefined;
    this.#looks.set(id, { path, at, ...(before === undefined ? {} : { size: before }) });
    const found = await stat(path).catch(() => undefined);
    if (!found) return;
    this.quiet.set(id, at - found.mtimeMs);
    if (before === found.size) return;
    this.#looks.set(id, { path, at, size: found.size });
    const bytes =
      before === undefined ? FIRST_BYTES : Math.min(FIRST_BYTES, TAIL_BYTES + Math.max(0, found.size - before));
    const { act, dollars } = lastOf((await tailOfOwn(path, bytes).catch(() => undefined)) ?? '');
    if (act !== undefined) this.now.set(id, act);
    if (dollars !== undefined) this.dollars.set(id, dollars);
  }

  #forget(id: string): void {
    this.#looks.delete(id);
    this.now.delete(id);
    this.quiet.delete(id);
    this.dollars.delete(id);
  }
}

interface Last {
  /** `Edit src/a.ts`, or a word that says the agent thinks. */
  act?: string;
  /** A usage tells the sum so far. */
  dollars?: number;
}

function lastOf(text: string): Last {
  const found: Last = {};
  for (const line of text.split('\n').reverse()) {
    if (found.act !== undefined && found.dollars !== undefined) break;
    try {
      const event = JSON.parse(line) as { kind?: string; name?: string; subject?: string; costUsd?: number };
      if (event.kind === 'usage' && typeof event.costUsd === 'number') found.dollars ??= event.costUsd;
      const act = actOf(event);
      if (act !== undefined) found.act ??= act;
    } catch {
      // The tail may begin and end inside a line.
    }
  }
  return found;
}

function actOf({ kind, name, subject }: { kind?: string; name?: string; subject?: string }): string | undefined {
  if (kind === 'tool') return `${name ?? 'tool'}${subject ? ` ${subject}` : ''}`;
  if (kind === 'message') return 'thinking';
  return kind === 'retrying' ? 'tries again' : undefined;
}
