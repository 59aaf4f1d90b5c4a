/**
 * The order of test files: the project with the longest file first, and in it the longest first, so that none of them is
 * alone at the end and short ones fill what is left. A project's files follow each other, because only then does a process
 * with loaded modules take the next file. Durations are those of the last run; a file without one is guessed by its suite
 * and size.
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Milliseconds for a byte of a file, roughly. */
const RATES: [string, number][] = [
  ['test/integration/', 10],
  ['test/chaos/', 10],
  ['test/agents/', 10],
  ['test/activities/', 1],
  ['test/', 0.2],
];

export class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const times = new Map(files.map((file) => [file, this.#expected(file)]));
    const longest = new Map<string, number>();
    for (const [{ project }, time] of times) longest.set(project.name, Math.max(longest.get(project.name) ?? 0, time));
    const [own, whole] = [
      (file: TestSpecification): number => times.get(file) ?? 0,
      (file: TestSpecification): number => longest.get(file.project.name) ?? 0,
    ];
    return Promise.resolve([...files].sort((a, b) => whole(b) - whole(a) || own(b) - own(a)));
  }

  #expected({ moduleId, project }: TestSpecification): number {
    const path = relative(this.ctx.config.root, moduleId);
    const key = `${project.name}:${path}`;
    const known = this.ctx.cache.getFileTestResults(key)?.duration;
    if (known) return known;
    const rate = RATES.find(([folder]) => path.startsWith(folder))?.[1] ?? 1;
    return rate * (this.ctx.cache.getFileStats(key)?.size ?? 0);
  }
}
