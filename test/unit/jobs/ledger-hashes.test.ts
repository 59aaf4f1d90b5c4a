/** The operations of gates and waves have the hashes of the files that they are about. Features: E5. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { ledgerPath, runDir } from '../../../src/config/paths.js';
import { noteJob } from '../../../src/jobs/ledger/note.js';
import { writeWave } from '../../../src/jobs/waves/named.js';
import type { GateResult } from '../../../src/protocol/gate.js';
import type { LedgerRow } from '../../../src/protocol/ledger.js';
import type { PlanWaveResult } from '../../../src/protocol/waves.js';
import { ChainReader } from '../../../src/run-files/ledger.js';

const RUN = { project: 'p', runId: '20260101-000000-aaaa' };
const digest = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex');

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-hashes-'));
  const made = root;
  onTestFinished(() => rm(made, { recursive: true, force: true }));
});
const deps = () => ({ root, host: 'h', env: {} });
async function rows(): Promise<LedgerRow[]> {
  const all: LedgerRow[] = [];
  for await (const row of new ChainReader().read(ledgerPath(root, 'p'))) all.push(row);
  return all;
}

const command = (name: string, exitCode: number) => ({ command: name, exitCode, durationMs: 1 });
/** A gate whose second command failed twice. */
async function gate(dir: string): Promise<GateResult> {
  await mkdir(dir, { recursive: true });
  for (const name of ['gate-1', 'gate-2', 'gate-2-again', 'gate-3']) await writeFile(join(dir, `${name}.log`), name);
  const log = join(dir, 'gate-2.log');
  const failure = { command: 'test', exitCode: 1, timedOut: false, tail: '', log };
  const again = { ...command('test', 1), again: { exitCode: 1 } };
  return { pass: false, commands: [command('lint', 0), again], failure, log, durationMs: 2 };
}
/** Without the log of an older gate with more commands. */
const LOGS = { 'gate-1': digest('gate-1'), 'gate-2': digest('gate-2'), 'gate-2-again': digest('gate-2-again') };

it('a gate on the branch and one on the tree to land: their logs', async () => {
  const input = { ...RUN, idea: 'a-1', serial: 1, worktree: '/w', agentName: 'ed-001' };
  await noteJob(deps(), 'runGate', input, await gate(join(root, 'gate')));
  const work = { worktree: '/w', branch: 'b', base: 'x', head: 'y', agentName: 'ed-001' };
  const merged = {
    kind: 'red',
    onto: 'o',
    candidate: 'c',
    gate: await gate(join(root, 'landing')),
    durationMs: 1,
  } as const;
  await noteJob(deps(), 'landIdea', { ...RUN, idea: 'a-1', title: 'A', ...work }, merged);
  expect((await rows()).map(({ kind, hashes }) => [kind, hashes])).toEqual([
    ['build', LOGS],
    ['build', LOGS],
  ]);
});

it('a wave and what an agent read for it: its file, which a repeated plan leaves as it is', async () => {
  const input = { ...RUN, wave: 1, most: 5, known: [] };
  const reading = {
    ...{ agent: 'claude', at: '2026-01-01T00:00:00.000Z', minutes: 3, notes: 'in a.ts', files: ['a.ts'] },
    ...{ project: { pass: true, reason: '', quote: '' }, actionable: { pass: true, reason: '', quote: '' } },
  };
  const said = {
    taken: ['issue-1'],
    survivors: [],
    rejected: [],
    readings: [['issue-1', reading] as [string, typeof reading]],
  };
  const planned: PlanWaveResult = {
    ...{ kind: 'planned', cards: [], taken: [], open: 1, left: 0, rejected: 0, fresh: [], leftOut: 0 },
  };
  await writeWave(root, input, said);
  await noteJob(deps(), 'planWave', input, planned);
  const file = join(runDir(root, 'p', RUN.runId), 'waves', '001.json');
  const before = await readFile(file);
  // The job was cut off before anybody heard of its end.
  await writeWave(root, input, said);
  expect(await readFile(file)).toEqual(before);
  expect((await rows()).map(({ op, kind, hashes }) => [op, kind, hashes])).toEqual([
    ['commit', undefined, { wave: digest(before) }],
    ['evidence', 'investigation', { wave: digest(before) }],
  ]);
});
