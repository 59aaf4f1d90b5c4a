/** The whole matrix of one CLI as tests. Each row is written down for the table before it is judged. */
import { existsSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Mock, startMock } from '../mock/server.js';
import { expectationsOf } from './expected.js';
import { type CliName, homeOf, versionOf } from './install.js';
import { landCase } from './land-case.js';
import { finishRecording } from './recording.js';
import { type Row, runCase } from './run-case.js';
import { CASES, type Case } from './scenarios.js';
import { workerCase } from './worker-case.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/agents/', import.meta.url));

/** A test that has not ended by then, in milliseconds, hangs; everything in it has a clock of its own. */
const LONGEST = 600_000;

/** scripts/test-agents.mjs makes the table of these. */
async function note(cli: CliName, row: object): Promise<void> {
  const folder = process.env.RIG_ROWS;
  if (folder) await appendFile(join(folder, `${cli}.jsonl`), `${JSON.stringify(row)}\n`);
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
      const { kind, skip } = expected(one.name, one.expected);
      const run = async (): Promise<void> => {
        const record = process.env.RIG_RECORD ? join(FIXTURES, cli, `${one.name}.jsonl`) : undefined;
        if (record) await mkdir(dirname(record), { recursive: true });
        const row = await runCase(mock, cli, one, { record: record && `${record}.new`, pace: await pace() });
        await note(cli, { ...row, expected: kind });
        if (record) await finishRecording(record, row, kind);
        judge(row, one, kind);
      };
      it.skipIf(skip !== undefined)(one.name, run, LONGEST);
    }
    it(
      'landed',
      async () => {
        const { landed, ...row } = await landCase(mock, inject('stateRoot'), cli);
        const good = landed === `made by ${cli}`;
        await note(cli, {
          cli,
          version: versionOf(cli),
          name: 'landed',
          kind: good ? 'ok' : 'not landed',
          expected: 'ok',
          ...row,
        });
        expect({ landed, left: row.left, outcome: row.outcome }).toEqual({
          ...{ landed: `made by ${cli}`, left: [], outcome: 'completed' },
        });
      },
      LONGEST,
    );
    for (const [name, how] of [
      ['worker-sigkill', 'SIGKILL'],
      ['worker-stopped', 'stop'],
    ] as const) {
      const { skip } = expected(name, 'ok');
      const run = async (): Promise<void> => {
        const row = await workerCase(mock, inject('stateRoot'), cli, how);
        const { wallMs, requests, left, landed, ...rest } = row;
        const good = landed !== '' && !row.overlaps && row.starts === 2;
        const version = versionOf(cli);
        const base = { cli, version, name, kind: good ? 'ok' : 'not landed once', expected: 'ok' };
        await note(cli, { ...base, wallMs, requests, left, ...rest });
        expect(rest).toEqual({ starts: 2, overlaps: false, outcome: 'completed' });
        expect({ landed, left }).toEqual({ landed: 'hello after the worker', left: [] });
      };
      it.skipIf(skip !== undefined)(name, run, LONGEST);
    }
  });
}

function judge(row: Row, one: Case, kind: Row['kind']): void {
  expect({ kind: row.kind, left: row.left, ...(row.kind === kind ? {} : { row }) }).toEqual({ kind, left: [] });
  if (one.writes) expect(row.written).not.toBe('');
  if (row.kind === 'ok') expect(row.signal).toBe(one.mock.answer === '' ? 'none' : 'complete');
  else expect(row.signal).toBe('none');
}
