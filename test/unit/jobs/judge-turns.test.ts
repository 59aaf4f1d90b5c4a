/** Triage of a large source shares its process: heartbeats of other work go out between two reports. Features: E3. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { triage } from '../../../src/decide/triage/triage.js';
import { judge } from '../../../src/jobs/waves/judge.js';
import type { Idea } from '../../../src/protocol/idea.js';
import type { BugReport } from '../../../src/protocol/triage.js';

let root: string;
let turn = 0;
let spinning: NodeJS.Immediate;
const spin = (): void => {
  turn += 1;
  spinning = setImmediate(spin);
};
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-judge-'));
  execFileSync('git', ['init', '--quiet', root]);
  spin();
});
afterEach(async () => {
  clearImmediate(spinning);
  await rm(root, { recursive: true, force: true });
});

const MOST = 60;
const numbers = Array.from({ length: MOST }, (_, n) => n);
const text = (n: number): string =>
  n % 3 === 0 ? 'asdf' : `Saving page ${n % 7} shows "TypeError: total${n} is undefined". Steps: open it, click Save.`;

/** Notes the turns of the event loop in which a text is read. */
function watched<T extends object, Key extends keyof T>(one: T, key: Key, turns: Set<number>): T {
  const value = one[key];
  return Object.defineProperty({ ...one }, key, {
    enumerable: true,
    get: () => {
      turns.add(turn);
      return value;
    },
  });
}

const reportOf = (n: number): BugReport => ({
  ...{ id: `r-${n}`, title: `Report ${n}`, body: text(n), author: 'eva', labels: [], state: 'open' },
  created: new Date(n * 1000).toISOString(),
});
const ideaOf = (n: number): Idea =>
  ({
    ...{ id: `i-${n}`, title: `Report ${n}`, text: text(n), success: [], dependsOn: [], tags: [] },
    ...({ origin: { ref: `r-${n}`, author: 'eva' }, source: { file: 'reports.jsonl', line: n + 1 } } as Partial<Idea>),
  }) as Idea;

it('E3: other work of the process goes on between two reports, and the verdicts are the same', async () => {
  const turns = new Set<number>();
  const reports = numbers.map((n) => watched(reportOf(n), 'body', turns));
  const { candidates, rejected } = await judge(
    { root, project: 'p', repo: root },
    { ideas: numbers.map(ideaOf), reports },
  );
  expect(turns.size).toBeGreaterThanOrEqual(MOST);
  const plain = { overrules: new Map(), known: [], past: [], files: [], now: new Date().toISOString() };
  const whole = triage({ ...plain, reports: numbers.map(reportOf) });
  expect(candidates.map(({ id }) => id)).toEqual(whole.survivors.map(({ id }) => id.replace('r-', 'i-')));
  expect(rejected.map(({ report, gate, quote }) => ({ report, gate, quote }))).toEqual(
    whole.rejected.map(({ id: report, gate, quote }) => ({ report, gate, quote })),
  );
});

it('E4: so it does between two entries of a backlog', async () => {
  const turns = new Set<number>();
  const ideas = numbers.map((n) => watched(ideaOf(n), 'text', turns));
  const { candidates } = await judge({ root, project: 'p', repo: root }, { ideas });
  expect(candidates).toHaveLength(MOST);
  expect(turns.size).toBeGreaterThanOrEqual(MOST);
});
