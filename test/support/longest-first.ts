/**
 * The order of test files: the longest first, whatever their project, so that none of them is alone at the end and short
 * ones fill what is left. Durations are those of the last run; a file without one is guessed by its suite and size.
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
    return Promise.resolve([...files].sort((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0)));
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
