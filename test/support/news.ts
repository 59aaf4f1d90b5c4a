/**
 * Whether the files of a repository's runs have changed since the program was last asked about them. A test that waits for
 * a run asks the program again when there is something new, because each start of it takes a quarter of a second of a core.
 */
import { realpathSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { projectDir } from '../../src/config/paths.js';
import { projectName } from '../../src/git/project-name.js';

const FIRST_GAP_MS = 250;
const MOST_BETWEEN_LOOKS_MS = 2000;
const LOOK_MS = 50;
/** What a test waits for mostly stands after a burst of changes: the question comes when they pause. */
const QUIET_MS = 150;
const LONGEST_BURST_MS = 1000;

/** The last question to the program. */
let last: { look: () => Promise<string>; seen: string } | undefined;

/** Called before each start of the program; what happens from here on is new. */
export async function aboutToAsk(stateRoot: string, repo: string): Promise<void> {
  const look = (): Promise<string> => stampOf(stateRoot, repo);
  last = { look, seen: await look() };
}

async function stampOf(stateRoot: string, repo: string): Promise<string> {
  const project = projectDir(stateRoot, projectOf(repo));
  const runs = join(project, 'runs');
  const newest = (await readdir(runs).catch(() => [])).sort().at(-1) ?? '';
  const files = [project, runs, join(runs, newest), join(runs, newest, 'events.jsonl')];
  const stamps = files.map((file) =>
    stat(file).then(
      ({ mtimeMs, size }) => `${mtimeMs} ${size}`,
      () => '',
    ),
  );
  return (await Promise.all(stamps)).join(', ');
}

const names = new Map<string, string>();

/** The project of a repository that has not moved. */
export function projectOf(repo: string): string {
  const known = names.get(repo);
  if (known !== undefined) return known;
  try {
    const name = projectName(realpathSync(join(repo, '.git')));
    names.set(repo, name);
    return name;
  } catch {
    return 'none';
  }
}

/** The pauses of one wait, after questions to the program. They grow while nothing changes. */
export class Pauses {
  #gap = FIRST_GAP_MS;
  #asked = last;

  /** Whether the program was asked since the last call. */
  hasAsked(): boolean {
    const before = this.#asked;
    this.#asked = last;
    return last !== before;
  }

  /** Until there is something new, for a limited time. */
  async news(): Promise<void> {
    const end = performance.now() + this.#gap;
    this.#gap = Math.min(this.#gap * 2, MOST_BETWEEN_LOOKS_MS);
    let seen = last?.seen;
    let burst: { began: number; latest: number } | undefined;
    while (burst ? !isOver(burst) : performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      const look = await last?.look();
      if (look === seen) continue;
      seen = look;
      const now = performance.now();
      burst = { began: burst?.began ?? now, latest: now };
    }
    if (burst) this.#gap = FIRST_GAP_MS;
  }
}

const isOver = ({ began, latest }: { began: number; latest: number }): boolean =>
  performance.now() - latest >= QUIET_MS || performance.now() - began >= LONGEST_BURST_MS;
