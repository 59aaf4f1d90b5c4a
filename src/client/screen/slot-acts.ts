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
    const act = lastAct((await tailOfOwn(path, TAIL_BYTES).catch(() => undefined)) ?? '');
    if (act !== undefined) this.now.set(id, act);
  }

  #forget(id: string): void {
    this.#looks.delete(id);
    this.now.delete(id);
    this.quiet.delete(id);
  }
}

/** `Edit src/a.ts`, or a word that says the agent thinks. */
function lastAct(text: string): string | undefined {
  for (const line of text.split('\n').reverse()) {
    try {
      const event = JSON.parse(line) as { kind?: string; name?: string; subject?: string };
      if (event.kind === 'tool') return `${event.name ?? 'tool'}${event.subject ? ` ${event.subject}` : ''}`;
      if (event.kind === 'message') return 'thinking';
      if (event.kind === 'retrying') return 'tries again';
    } catch {
      // The tail may begin and end inside a line.
    }
  }
  return undefined;
}
