/** The plan of a wave, step by step. Features: E1 A4 E5. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ledgerPath, runDir } from '../../src/config/paths.js';
import type { LedgerRow } from '../../src/protocol/ledger.js';
import { eventsPath } from '../../src/run-files/events.js';
import { ChainReader } from '../../src/run-files/ledger.js';
import { readModel } from '../../src/run-files/read-model.js';
import { wavesInLedger } from '../../src/run-files/rejections.js';
import { writeRun } from '../../src/run-files/run.js';
import { overrule } from '../../src/run-files/triage.js';
import { bench, idea } from './bench.js';

const BACKLOG = `# R

- [ ] **E-1**: A group
  - depends: a-1
- [ ] **a-1**: First
  - ralph: true
- [ ] **b-1**: In the group
  - ralph: true
  - parent: E-1
- [ ] **c-1**: After the group
  - ralph: true
  - depends: E-1
`;

it('E1: ideas wait for the ideas of an epic, and for what their own epic waits for', async () => {
  const b = await bench({ ideas: [idea('a-1')], files: { 'roadmap.md': BACKLOG } });
  await writeRun(b.root, { ...b.file, waves: { maxWaves: 3, batchSize: 5 } }, b.ideas);
  const plan = (most: number, known: string[] = []) =>
    b.call(b.activities.planWave, { ...b.ref, wave: 1, most, known }).done;
  expect(await plan(5)).toMatchObject({
    cards: [{ id: 'a-1' }, { id: 'b-1', dependsOn: ['a-1'] }, { id: 'c-1', dependsOn: ['b-1'] }],
    open: 3,
    left: 0,
  });
  // Without it, the next one is for later.
  expect(await plan(5, ['a-1'])).toMatchObject({ cards: [], left: 2 });
});

const line = (id: string, body: string) => `${JSON.stringify({ id, title: `Report ${id}`, body })}\n`;
const GOOD = 'Saving the invoice page shows "TypeError: total is undefined". Steps: open an invoice, click Save.';

async function waves(reports: string) {
  const b = await bench({
    ideas: [idea('t-1')],
    files: { 'reports.jsonl': reports },
    config: { backlog: { tracker: 'jsonl', file: 'reports.jsonl' } },
  });
  const backlog = { ...b.file.backlog, from: 'reports of reports.jsonl' };
  await writeRun(b.root, { ...b.file, backlog, waves: { maxWaves: 9, batchSize: 5 } }, b.ideas);
  const plan = async (wave: number, more: object = {}) => {
    const result = await b.call(b.activities.planWave, { ...b.ref, wave, most: 5, known: ['report-good'], ...more })
      .done;
    if (result.kind !== 'planned') throw new Error(result.why);
    return result;
  };
  const inLedger = async () => (await wavesInLedger(b.root, b.ref)).rejected;
  const folder = join(runDir(b.root, b.ref.project, b.ref.runId), 'waves');
  return { b, plan, inLedger, folder };
}

it('E3: a plan tells of earlier runs that triage cannot read', async () => {
  const { b, plan } = await waves(line('good', GOOD));
  expect((await plan(1)).unknownRuns).toBeUndefined();
  for (const runId of ['20200101-000000-aaaa', '20200102-000000-aaaa']) {
    await mkdir(runDir(b.root, b.ref.project, runId), { recursive: true });
    await writeFile(join(runDir(b.root, b.ref.project, runId), 'run.json'), '{');
  }
  expect((await plan(2)).unknownRuns).toEqual({
    why: expect.stringMatching(/^triage does not know the work of run 20200102-000000-aaaa: .*run\.json/) as string,
    more: 1,
  });
});

describe('E5: rejections of a wave', () => {
  it('all reach the ledger, and history has some of them', async () => {
    const many = Array.from({ length: 120 }, (_, n) => line(`r-${n}`, 'asdf'));
    const { b, plan, inLedger } = await waves(many.join('') + line('good', GOOD));
    const first = await plan(1);
    expect([first.rejected, first.fresh.length]).toEqual([120, 50]);
    expect(new Set((await inLedger()).map(({ report }) => report)).size).toBe(120);
    // The same job again adds nothing, and the next wave tells none again.
    expect((await plan(1)).fresh).toEqual(first.fresh);
    expect((await plan(2)).fresh).toEqual([]);
    expect((await inLedger()).length).toBe(120);
    // The report has those that no event has told.
    await mkdir(b.root, { recursive: true });
    const events = first.fresh.map((one) => ({ kind: 'rejected', wave: 1, ...one }));
    const began = { kind: 'wave', wave: 1, of: 9, state: 'began', taken: [], open: 121, left: 0, rejected: 120 };
    const at = new Date().toISOString();
    const lines = [...events, began].map((event, n) => JSON.stringify({ v: 1, seq: n + 1, at, ...b.ref, ...event }));
    await writeFile(eventsPath(b.root, b.ref), `${lines.join('\n')}\n`);
    expect((await readModel(b.root, b.ref))?.model.rejected.size).toBe(120);
  });

  it('are told once when somebody deletes the files of the waves in between, which come back from the ledger', async () => {
    const { b, plan, inLedger, folder } = await waves(line('r-1', 'asdf') + line('r-2', 'asdf') + line('good', GOOD));
    expect((await plan(1, { known: [] })).fresh.map(({ report }) => report)).toEqual(['r-1', 'r-2']);
    await rm(folder, { recursive: true });
    await b.write({ 'reports.jsonl': ['r-1', 'r-2', 'r-3'].map((id) => line(id, 'asdf')).join('') });
    expect((await plan(2)).fresh.map(({ report }) => report)).toEqual(['r-3']);
    const again = JSON.parse(await readFile(join(folder, '001.json'), 'utf8'));
    expect(again).toMatchObject({
      rebuilt: true,
      taken: ['report-good'],
      rejected: [{ report: 'r-1' }, { report: 'r-2' }],
    });
    await rm(folder, { recursive: true });
    expect((await plan(3)).fresh).toEqual([]);
    expect((await inLedger()).map(({ report, wave }) => [report, wave])).toEqual([
      ['r-1', 1],
      ['r-2', 1],
      ['r-3', 2],
    ]);
  });

  it('are told once by a wave that is planned again, also without its file; a repeated job tells the same', async () => {
    const { b, plan, folder } = await waves(line('r-1', 'asdf') + line('good', GOOD));
    expect((await plan(1)).fresh).toHaveLength(1);
    await b.write({ 'reports.jsonl': line('r-1', 'asdf') + line('r-2', 'asdf') });
    const told = async (again: number) => (await plan(1, { again })).fresh.map(({ report }) => report);
    expect([await told(1), await told(1), await told(2)]).toEqual([['r-2'], ['r-2'], []]);
    await rm(folder, { recursive: true });
    expect(await told(3)).toEqual([]);
  });

  it('the report has all of two waves of which only one told fewer than it rejected', async () => {
    const many = (from: number, to: number): string =>
      Array.from({ length: to - from }, (_, n) => line(`r-${from + n}`, 'asdf')).join('');
    const { b, plan } = await waves(many(0, 60));
    const first = await plan(1);
    // People closed half of them, and as many came.
    await b.write({ 'reports.jsonl': many(30, 90) });
    const second = await plan(2);
    expect([first.fresh.length, second.fresh.length]).toEqual([50, 30]);
    const events = [first, second].flatMap(({ fresh, rejected }, n) => [
      ...fresh.map((one) => ({ kind: 'rejected', wave: n + 1, ...one })),
      { kind: 'wave', wave: n + 1, of: 9, state: 'began', taken: [], open: 60, left: 0, rejected },
    ]);
    const at = new Date().toISOString();
    const lines = events.map((event, n) => JSON.stringify({ v: 1, seq: n + 1, at, ...b.ref, ...event }));
    await writeFile(eventsPath(b.root, b.ref), `${lines.join('\n')}\n`);
    expect((await readModel(b.root, b.ref))?.model.rejected.size).toBe(90);
  });

  it('a report that a person accepted, and one that a person rejected, have their lines once, and so have the files', async () => {
    const { b, plan, folder } = await waves(line('r-1', 'asdf') + line('good', GOOD));
    const say = (id: string, body: string, verdict: 'accept' | 'reject') =>
      overrule(
        b.root,
        b.ref.project,
        { id, title: `Report ${id}`, body, labels: [], state: 'open' },
        { verdict, reason: `I ${verdict} it` },
      );
    await say('r-1', 'asdf', 'accept');
    await say('good', GOOD, 'reject');
    for (const wave of [1, 1]) expect((await plan(wave, { known: [] })).taken).toMatchObject([{ idea: 'report-r-1' }]);
    const rows: LedgerRow[] = [];
    for await (const row of new ChainReader().read(ledgerPath(b.root, b.ref.project))) rows.push(row);
    const wave = createHash('sha256')
      .update(await readFile(join(folder, '001.json')))
      .digest('hex');
    const judged = rows.filter(({ kind }) => kind === 'triage');
    expect(judged.map(({ idea: id, pass, actor, data, hashes }) => [id, pass, actor.kind, data.why, hashes])).toEqual([
      ['report-good', false, 'person', 'I reject it', { wave }],
      ['report-r-1', true, 'person', 'I accept it', { wave }],
    ]);
    // The one is no rejection.
    expect((await wavesInLedger(b.root, b.ref)).rejected.map(({ report }) => report)).toEqual(['good']);
  });

  it('the ledger has what a wave takes whose first plan had to wait', async () => {
    const { b, plan } = await waves(line('good', GOOD));
    expect((await plan(1)).taken).toEqual([]);
    expect((await plan(1, { again: 1, known: [] })).taken).toMatchObject([{ idea: 'report-good' }]);
    expect((await wavesInLedger(b.root, b.ref)).taken.get(1)).toMatchObject([{ idea: 'report-good' }]);
  });
});

describe('E3: reports that repeat what is over', () => {
  const TEXT = 'Saving the invoice page shows "TypeError: total is undefined". Steps: open an invoice, click Save.';
  const OTHER = 'The calendar drops the last day of the month. Steps: open March, look at the 31st: it is missing.';
  const item = (head: string, title: string, body: string) => `${head}\n# ${title}\n\n${body}\n`;

  async function planned(files: Record<string, string>) {
    const example = fileURLToPath(new URL('../../examples/trackers/notes/tracker.mjs', import.meta.url));
    const b = await bench({
      ideas: [idea('t-1')],
      files: { 'base.txt': 'base\n', ...files },
      config: { backlog: { tracker: 'command', run: [process.execPath, example, 'items'] } },
    });
    const backlog = { ...b.file.backlog, from: 'items' };
    await writeRun(b.root, { ...b.file, backlog, waves: { maxWaves: 9, batchSize: 5 } }, b.ideas);
    const result = await b.call(b.activities.planWave, { ...b.ref, wave: 1, most: 5, known: [] }).done;
    if (result.kind !== 'planned') throw new Error(result.why);
    return { taken: result.taken.map((one) => one.idea), fresh: result.fresh };
  }

  it('an item that a person closed in the tracker, and one that a label keeps back', async () => {
    const { taken, fresh } = await planned({
      'items/closed.md': item('', 'Invoice cannot be saved', TEXT),
      'items/closed.json': JSON.stringify({ open: false, holders: [], comments: [] }),
      'items/again.md': item('', 'Error on save of an invoice', TEXT),
      'items/kept.md': item('labels: wontfix', 'Calendar lacks a day', OTHER),
      'items/like.md': item('', 'A day is missing in the calendar', OTHER),
      'items/new.md': item(
        '',
        'Export of contacts',
        'The export of contacts writes an empty file. Click Export, then open it.',
      ),
    });
    expect(taken).toEqual(['item-new']);
    expect(fresh.map(({ report, gate, duplicateOf }) => [report, gate, duplicateOf])).toEqual([
      ['again', 'duplicate', 'closed'],
      ['like', 'duplicate', 'kept'],
    ]);
    expect(fresh.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('closed, which was closed lately'),
      expect.stringContaining('kept, which a label keeps back'),
    ]);
  });
});
