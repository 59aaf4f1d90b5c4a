/** Bug reports as JSON lines. Features: F3 E3. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BacklogError } from '../../../src/backlog/index.js';
import { readReports } from '../../../src/backlog/reports/jsonl.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'ralphctl-reports-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const read = async (...lines: readonly unknown[]) => {
  const file = join(dir, 'reports.jsonl');
  await writeFile(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return readReports(file);
};
const problemsOf = async (...lines: readonly unknown[]): Promise<string> => {
  const error = await read(...lines).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(BacklogError);
  return String((error as Error).message).replaceAll(`${dir}/`, '');
};

describe('F3 readReports', () => {
  it('reads one report a line, with defaults, ids that are numbers, and fields it does not know', async () => {
    const full = {
      ...{ id: 'gh-2', title: 'Save', body: 'Text', author: 'eva', labels: ['p1'], url: 'https://example.org/2' },
      ...{ created: '2026-06-01T10:00:00+02:00', state: 'closed', closed: '2026-06-02T10:00:00Z' },
    };
    expect(await read({ id: 1, title: 'a', body: null, milestone: 7 }, '', full, '  ')).toEqual([
      { id: '1', title: 'a', body: '', labels: [], state: 'open' },
      full,
    ]);
  });

  it('names every line to fix', async () => {
    const said = await problemsOf(
      '{',
      { id: 'a', title: 'x' },
      { title: 'x' },
      { id: 'a', title: 'y' },
      { id: 'b c', title: 1 },
    );
    expect(said.split('\n')).toEqual([
      'reports.jsonl:1: this line is no JSON; write one report a line, as JSON',
      'reports.jsonl:3: id is missing',
      'reports.jsonl:4: id a is also on line 2',
      expect.stringMatching(/^reports\.jsonl:5: id .*without blanks/),
      expect.stringMatching(/^reports\.jsonl:5: title must be text/),
    ]);
  });

  it('refuses a state or a time that it does not know', async () => {
    const said = await problemsOf({ id: 'a', title: 'x', state: 'opened', created: 'yesterday' });
    expect(said).toContain('state must be one of "open", "closed"');
    expect(said).toContain('created must be a time such as 2026-06-01T10:00:00Z');
    expect(await problemsOf([1])).toBe('reports.jsonl:1: this line must be a map of keys, not a list');
  });

  it('refuses too many reports, other encodings, and a file that is not there', async () => {
    const many = Array.from({ length: 10_001 }, (_, n) => ({ id: n, title: 'x' }));
    expect(await problemsOf(...many)).toContain('10001 reports, more than 10000');
    const file = join(dir, 'latin.jsonl');
    await writeFile(file, Uint8Array.of(0x7b, 0xff, 0x7d));
    await expect(readReports(file)).rejects.toThrow('this is not UTF-8 text');
    await expect(readReports(join(dir, 'none.jsonl'))).rejects.toThrow('ralphctl triage <file>');
  });

  it('reads a report of 1 MB', async () => {
    const [one] = await read({ id: 'big', title: 'x', body: 'x'.repeat(1_000_000) });
    expect(one?.body).toHaveLength(1_000_000);
  });
});
