import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openPipes } from '../../../src/process/pipes.js';
import { run } from '../../../src/process/run.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralph-pipes-test-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

describe('B1 programs that start at the same moment', () => {
  test('get pipes of their own, a waiting pair included', async () => {
    const first = await openPipes();
    const more = await Promise.all([openPipes(), openPipes(), openPipes()]);
    const ends = [first, ...more].flatMap((pipes) => pipes?.writeEnds ?? []);
    expect(ends).toHaveLength(8);
    expect(new Set(ends).size).toBe(8);
    for (const pipes of [first, ...more]) await pipes?.destroy();
  });

  test('each get all of their own output and nothing of the others', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (let round = 0; round < 3; round++) {
      const seen = await Promise.all(
        names.map(async (name) => {
          const lines: string[] = [];
          const { exitCode } = await run({
            argv: ['/bin/sh', '-c', `echo ${name} 1; echo ${name} 2; echo ${name} done`],
            cwd: dir,
            places: [],
            env: { PATH: process.env.PATH ?? '' },
            outputFile: join(dir, `${name}.log`),
            token: `pipes-test/${name}/${round}`,
            timeoutMs: 60_000,
            onLine: (line) => lines.push(line),
          });
          return { exitCode, lines };
        }),
      );
      expect(seen).toEqual(names.map((name) => ({ exitCode: 0, lines: [`${name} 1`, `${name} 2`, `${name} done`] })));
    }
  });
});
