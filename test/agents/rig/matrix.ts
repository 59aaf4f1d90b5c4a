/** The whole matrix of one CLI as tests. Each row is written down for the table before it is judged. */
import { existsSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Scenario } from '../mock/scenario.js';
import { type Mock, startMock } from '../mock/server.js';
import { expectationsOf } from './expected.js';
import { type CliName, homeOf, versionOf } from './install.js';
import { wrongWith } from './judge.js';
import { landCase } from './land-case.js';
import { finishRecording } from './recording.js';
import { runCase } from './run-case.js';
import { CASES } from './scenarios.js';
import { workerCase } from './worker-case.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/agents/', import.meta.url));

/** For a CLI without tools: a model that says nothing. */
const SILENT: Scenario = { cut: { how: 'hang', at: 'start', times: 1 } };

/** A test that has not ended by then, in milliseconds, hangs; everything in it has a clock of its own. */
const LONGEST = 600_000;

interface Judged {
  kind: string;
  wrong: string[];
}

/** Runs a case, writes its row down (scripts/test-agents.mjs makes the table of these), and fails on what is wrong with it. */
async function row(cli: CliName, name: string, run: () => Promise<Judged>): Promise<void> {
  const judged = await run().catch(
    (error: unknown): Judged => ({
      kind: 'no result',
      wrong: [error instanceof Error ? error.message : String(error)],
    }),
  );
  const folder = process.env.RIG_ROWS;
  const line = { cli, version: versionOf(cli), commit: process.env.RIG_COMMIT, name, ...judged };
  // A whole CLI takes a quarter of an hour; the runner tells of a file when it is over.
  const verdict = judged.wrong.length === 0 ? 'ok' : `NOT AS EXPECTED (${judged.wrong.join('; ')})`;
  process.stdout.write(`${cli} ${name}: ${judged.kind}, ${verdict}\n`);
  if (folder) await appendFile(join(folder, `${cli}.jsonl`), `${JSON.stringify(line)}\n`);
  expect(judged.wrong, JSON.stringify(line)).toEqual([]);
}

export function matrix(cli: CliName): void {
  describe.skipIf(!existsSync(homeOf(cli)))(cli, () => {
    let mock: Mock;
    beforeAll(async () => {
      mock = await startMock();
    });
    afterAll(() => mock.close());
    const expected = expectationsOf(cli);
    let measured: number | undefined;
    /** Must be called in a test: a run cleans up after itself when its test ends. */
    const pace = async (): Promise<number> => {
      measured ??= (await runCase(mock, cli, { name: 'pace', expected: 'ok', mock: {} }, { pace: 20_000 })).wallMs;
      return measured;
    };
    for (const one of CASES) {
      const { kind, skip, waiting } = expected(one.name, one.expected);
      const tried = waiting ? { ...one, mock: SILENT } : one;
      const run = async (): Promise<Judged> => {
        const record = process.env.RIG_RECORD ? join(FIXTURES, cli, `${one.name}.jsonl`) : undefined;
        if (record) await mkdir(dirname(record), { recursive: true });
        const seen = await runCase(mock, cli, tried, { record: record && `${record}.new`, pace: await pace() });
        const wrong = wrongWith(seen, one, kind, Date.now());
        if (record) await finishRecording(record, seen, kind, wrong.length === 0);
        return { ...seen, wrong };
      };
      it.skipIf(skip !== undefined)(one.name, () => row(cli, one.name, run), LONGEST);
    }
    const landed = async (): Promise<Judged> => {
      const seen = await landCase(mock, inject('stateRoot'), cli);
      const good = { landed: `made by ${cli}`, left: [], outcome: 'completed' };
      const wrong = differences(seen, good);
      return { ...seen, kind: wrong.length === 0 ? 'ok' : 'not landed', wrong };
    };
    it('landed', () => row(cli, 'landed', landed), LONGEST);
    for (const [name, how] of [
      ['worker-sigkill', 'SIGKILL'],
      ['worker-stopped', 'stop'],
    ] as const) {
      const { skip, waiting } = expected(name, 'ok');
      const run = async (): Promise<Judged> => {
        const seen = await workerCase(mock, inject('stateRoot'), cli, how, waiting);
        const good = {
          ...{ landed: 'hello after the worker', left: [], starts: 2, overlaps: false, outcome: 'completed' },
          // Before its first answer there is no conversation to go on with.
          resumed: !waiting,
        };
        const wrong = differences(seen, good);
        return { ...seen, kind: wrong.length === 0 ? 'ok' : 'not landed once', wrong };
      };
      it.skipIf(skip !== undefined)(name, () => row(cli, name, run), LONGEST);
    }
  });
}

const differences = (seen: object, good: object): string[] =>
  Object.entries(good).flatMap(([key, value]) => {
    const [is, ought] = [Reflect.get(seen, key), value].map((one) => JSON.stringify(one));
    return is === ought ? [] : [`${key}: ${is}, not ${ought}`];
  });
