/** What an episode's runs said of themselves: their event files, read as they grow, over several runs. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Phase } from './plan.js';

export interface Seen {
  phase: Phase;
  nth: number;
  idea: string | undefined;
}

interface Line {
  kind?: string;
  status?: string;
  idea?: string;
  serial?: number;
  outcome?: string;
  message?: string;
  durationMs?: number;
}

export class EventRecord {
  #lines = 0;
  readonly #counts = new Map<Phase, number>();
  /** Ideas that something happened to, the latest last. */
  readonly ideas: string[] = [];
  readonly landed: string[] = [];
  /** Ideas whose agent is at work, the latest last. */
  readonly working = new Set<string>();
  /** Agent runs that counted as failed; a line that a crash wrote twice counts once. */
  readonly failed = new Set<string>();
  readonly wrong: string[] = [];
  /** When something last happened, by the monotonic clock. */
  movedAt = performance.now();

  /** What has happened since it was last asked. */
  async read(root: string, project: string, runId: string): Promise<Seen[]> {
    const file = join(root, 'projects', project, 'runs', runId, 'events.jsonl');
    const lines = (await readFile(file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
    const fresh = lines.slice(this.#lines);
    if (fresh.length > 0) this.movedAt = performance.now();
    this.#lines = lines.length;
    return fresh.flatMap((line) => this.#take(line, runId) ?? []);
  }

  /** The next read is of another run. */
  anotherRun(): void {
    this.#lines = 0;
    this.movedAt = performance.now();
  }

  #take(text: string, runId: string): Seen | undefined {
    let line: Line;
    try {
      line = JSON.parse(text) as Line;
    } catch {
      return undefined;
    }
    const { kind, idea, durationMs } = line;
    if (idea !== undefined) this.ideas.push(idea);
    if (kind === 'idea' && line.status === 'landed' && idea !== undefined) this.landed.push(idea);
    if (idea !== undefined && kind === 'iteration') this.working.add(idea);
    else if (idea !== undefined && (kind !== 'idea' || line.status !== 'running')) this.working.delete(idea);
    if (kind === 'iteration-end' && line.outcome !== 'ok')
      this.failed.add(`${runId} ${idea} #${line.serial}: ${line.outcome} ${line.message ?? ''}`);
    // No episode lasts that long: a duration beyond it was read off a clock that jumped.
    if (durationMs !== undefined && !(durationMs >= 0 && durationMs < 900_000))
      this.wrong.push(`a duration of ${durationMs} ms: ${text}`);
    const phase = (kind === 'idea' ? line.status : kind) as Phase;
    const nth = (this.#counts.get(phase) ?? 0) + 1;
    this.#counts.set(phase, nth);
    return { phase, nth, idea };
  }
}
