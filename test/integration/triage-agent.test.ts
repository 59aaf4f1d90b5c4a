/** An agent reads the reports of a wave in a whole run, and the worker dies while it does. Features: E3 E4 C1. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { iterationDir, ledgerPath } from '../../src/config/paths.js';
import { identityOf, isAlive } from '../../src/process/identity.js';
import { pidsWith } from '../support/processes.js';
import { events, sandbox, until, yaml } from '../support/program.js';

/** Waits for the file `go` beside the repository, then judges: what is about rockets belongs to another project. */
const READER = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
const [marks] = process.argv.slice(2);
const prompt = readFileSync(0, 'utf8');
appendFileSync(marks + '/reads', process.pid + '\\n');
while (!existsSync(marks + '/go')) await delay(20);
const word = [...prompt.matchAll(/"word": "(\\w+)"/g)].at(-1)[1];
const ok = { pass: true, reason: '', quote: '' };
const reports = [...prompt.matchAll(/----- (\\w+): the report begins -----\\n(.*)\\n/g)].map(([, id, title]) => ({
  id, actionable: ok, minutes: 5, files: [], notes: 'The total is missing for drafts.',
  project: title === 'Rockets' ? { pass: false, reason: 'it is about rockets', quote: 'launch pad' } : ok,
}));
console.log(JSON.stringify({ word, reports }));
`;

const STEPS = 'Steps: open the page, click the button. Expected: it works. Actual: the page shows "';
const REPORTS = [
  { id: 'a', title: 'Save fails', body: `Saving an invoice fails. ${STEPS}TypeError: total is undefined".` },
  { id: 'b', title: 'Rockets', body: `The rocket does not start from the launch pad. ${STEPS}no fuel pressure".` },
];

it('E3 C1: killed while the agent reads, the next worker ends it and asks again; each report is read and noted once', async () => {
  const stateRoot = inject('stateRoot');
  const box = await sandbox(stateRoot, {
    'reports.jsonl': REPORTS.map((one) => `${JSON.stringify(one)}\n`).join(''),
  });
  onTestFinished(() => box.dispose());
  const marks = join(box.scratch, 'reader');
  await mkdir(marks, { recursive: true });
  const reader = join(marks, 'reader.mjs');
  await writeFile(reader, READER);
  await box.write({
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', stepDelayMs: 0, gate: ['true'] },
      triage: { agent: 'reader' },
      agents: { reader: { adapter: 'command', command: [process.execPath, reader, marks] } },
    }),
    '.ralph-script.yaml': yaml({
      default: [{ do: [{ append: { path: 'work.txt', text: 'x\n' } }], signal: 'COMPLETE' }],
    }),
  });
  await box.commit('configuration');
  const readers = async (): Promise<number[]> =>
    existsSync(join(marks, 'reads'))
      ? (await readFile(join(marks, 'reads'), 'utf8')).trim().split('\n').map(Number)
      : [];

  const begun = await box.run('run', 'reports.jsonl', '--max-waves', '1', '--detach', '--json');
  expect(begun, begun.stderr).toMatchObject({ code: 0 });
  const { project, runId } = begun.json[0] as { project: string; runId: string };
  const [first = 0] = await until('the reader', async () => ((await readers()).length > 0 ? readers() : undefined));
  const identity = await identityOf(first);
  if (!identity) throw new Error('the reader has ended');
  for (const pid of await pidsWith('worker', '--child', '--project', project)) process.kill(pid, 'SIGKILL');
  const [, second = 0] = await until('the reader of the next worker', async () =>
    (await readers()).length > 1 ? readers() : undefined,
  );
  expect(second).not.toBe(first);
  expect(await isAlive(identity)).toBe(false);
  await writeFile(join(marks, 'go'), '');
  await until('the end of the run', async () => (await box.run('status', '--json')).code === 6);

  const all = events(await box.run('logs', '--json'));
  const told = all.flatMap((event) => (event.kind === 'wave' && event.state === 'began' ? [event] : []));
  expect(told.map(({ taken, read }) => [taken?.map(({ idea }) => idea), read?.reports, read?.byRules])).toEqual([
    [['report-a'], 2, 0],
  ]);
  expect(all.flatMap((event) => (event.kind === 'rejected' ? [event.report] : []))).toEqual(['b']);
  const prompt = await readFile(join(iterationDir(stateRoot, project, runId, 'report-a', 1), 'prompt.md'), 'utf8');
  expect(prompt).toContain('The total is missing for drafts.');
  const ledger = (await readFile(ledgerPath(stateRoot, project), 'utf8'))
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as { kind: string; idea?: string }]));
  expect(ledger.filter(({ kind }) => kind === 'investigation')).toHaveLength(1);
  expect(ledger.filter(({ kind }) => kind === 'triage')).toHaveLength(1);
  expect(await readers()).toHaveLength(2);
  expect(await readdir(box.repo)).toContain('work.txt');
  const report = await box.run('report');
  expect(report.stdout).toMatch(/1 landed/);
}, 480_000);
