/**
 * Waits for what a run tells. Each question to the program starts it, a quarter of a second of a core: a wait asks as soon
 * as the files of the newest run tell what is likely to fit, and now and then all the same, because files can be late.
 */
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { projectDir } from '../../src/config/paths.js';
import type { StampedEvent } from '../../src/protocol/events.js';
import type { RunSummary } from '../../src/protocol/run.js';
import { projectOf } from './news.js';
import { events, type Sandbox, until } from './program.js';

/** From the files of the newest run. */
export interface Told {
  run: string;
  events: readonly StampedEvent[];
  over: boolean;
}

const FIRST_GAP_MS = 100;
const MOST_BETWEEN_LOOKS_MS = 1600;

/** What the newest run of the repository has told so far. */
class Reader {
  #read = '';
  #events: readonly StampedEvent[] = [];

  constructor(private readonly runs: string) {}

  async look(): Promise<Told> {
    const run = (await readdir(this.runs).catch(() => [])).sort().at(-1) ?? '';
    const file = join(this.runs, run, 'events.jsonl');
    const stamp = await stat(file).then(
      ({ size }) => `${run} ${size}`,
      () => run,
    );
    if (stamp !== this.#read) {
      const text = await readFile(file, 'utf8').catch(() => '');
      const lines = text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter(Boolean);
      this.#events = lines.map((line) => JSON.parse(line) as StampedEvent);
      this.#read = stamp;
    }
    return { run, events: this.#events, over: existsSync(join(this.runs, run, 'summary.json')) };
  }
}

/** Waits until `check` gives something; it is asked when the files change to what is likely. */
export function whenTold<T>(
  what: string,
  box: Sandbox,
  check: () => Promise<T | undefined | false>,
  isLikely: (told: Told) => boolean,
  ms = 120_000,
): Promise<T> {
  const reader = new Reader(join(projectDir(box.env.RALPHCTL_HOME ?? '', projectOf(box.repo)), 'runs'));
  let seen = '';
  let gap = MOST_BETWEEN_LOOKS_MS;
  let next = performance.now() + gap;
  const look = async (): Promise<T | undefined | false> => {
    const told = await reader.look();
    const news = told.events.length + String(told.over) + told.run;
    if (news !== seen) {
      seen = news;
      if (isLikely(told)) {
        gap = FIRST_GAP_MS;
        next = 0;
      }
    }
    if (performance.now() < next) return undefined;
    gap = Math.min(gap * 2, MOST_BETWEEN_LOOKS_MS);
    try {
      return await check();
    } finally {
      next = performance.now() + gap;
    }
  };
  return until(what, look, ms);
}

/** Waits for the end of the newest run; gives what `status --json` says of it. */
export function whenOver(box: Sandbox, ms = 120_000, what = 'the end of the run'): Promise<{ last: RunSummary }> {
  return whenTold(
    what,
    box,
    async () => {
      const { code, json } = await box.run('status', '--json');
      return code === 6 && (json[0] as { last: RunSummary } | undefined);
    },
    ({ over }) => over,
    ms,
  );
}

/** The events of a run, once it is over; everything must have landed. `ms`: the longest it may take. */
export async function whenAllLanded(box: Sandbox, runId: string, ms: number): Promise<StampedEvent[]> {
  expect(await whenOver(box, ms)).toMatchObject({ last: { notLanded: [] } });
  return events(await box.run('logs', '--json', '--run', runId));
}
