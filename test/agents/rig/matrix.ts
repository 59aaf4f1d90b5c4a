/** The whole matrix of one CLI as tests. Each row is written down for the table before it is judged. */
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Mock, startMock } from '../mock/server.js';
import { expectationsOf } from './expected.js';
import type { CliName } from './install.js';
import { finishRecording } from './recording.js';
import { type Row, runCase } from './run-case.js';
import { CASES, type Case } from './scenarios.js';

const FIXTURES = fileURLToPath(new URL('../../fixtures/agents/', import.meta.url));

/** Scripts find the rows here. */
const write = async (row: object): Promise<void> => {
  const file = process.env.RIG_ROWS;
  if (file) await appendFile(file, `${JSON.stringify(row)}\n`);
};

export function matrix(cli: CliName): void {
  describe(cli, () => {
    let mock: Mock;
    beforeAll(async () => {
      mock = await startMock();
    });
    afterAll(() => mock.close());
    const expected = expectationsOf(cli);
    for (const one of CASES) {
      const { kind, skip } = expected(one);
      const limit = (one.timeoutMs ?? 60_000) + 90_000;
      it.skipIf(skip !== undefined)(
        one.name,
        async () => {
          const record = process.env.RIG_RECORD ? join(FIXTURES, cli, `${one.name}.jsonl`) : undefined;
          if (record) await mkdir(dirname(record), { recursive: true });
          const row = await runCase(mock, cli, one, record && `${record}.new`);
          await write({ ...row, expected: kind });
          if (record) await finishRecording(record, row, kind);
          judge(row, one, kind);
        },
        limit,
      );
    }
  });
}

function judge(row: Row, one: Case, kind: Row['kind']): void {
  expect({ kind: row.kind, left: row.left, ...(row.kind === kind ? {} : { row }) }).toEqual({ kind, left: [] });
  if (one.writes) expect(row.written).not.toBe('');
  if (row.kind === 'ok') expect(row.signal).toBe(one.mock.answer === '' ? 'none' : 'complete');
  else expect(row.signal).toBe('none');
}
