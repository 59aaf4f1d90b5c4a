/** What people said to an idea in earlier runs than the one that landed it. Features: A8 G4. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ideaInRuns } from '../../../src/client/model/idea-runs.js';
import { describeIdea } from '../../../src/client/views/idea-lines.js';
import { reportOn } from '../../../src/client/views/idea-report.js';
import { iterationDir, runDir } from '../../../src/config/paths.js';
import { keepAnswers } from '../../../src/jobs/agent-run/answers.js';
import { newModel } from '../../../src/model/fold.js';
import { answerNote } from '../../../src/protocol/command.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { showJson, showText } from '../../../src/report/show.js';
import { CLEANED_FILE, noteText } from '../../../src/run-files/cleaned.js';
import { eventsPath } from '../../../src/run-files/events.js';

const [FIRST, LAST] = ['20260101-000000-aaaa', '20260102-000000-bbbb'] as const;
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-said-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function events(runId: string, all: readonly RunEvent[]): Promise<void> {
  const path = eventsPath(root, { project: 'p', runId });
  await mkdir(dirname(path), { recursive: true });
  const at = new Date(1000).toISOString();
  await writeFile(path, all.map((one) => `${JSON.stringify({ at, ...one })}\n`).join(''));
}

it('why and show have the answer and the hint of an earlier run, marked with it', async () => {
  const told = { kind: 'command', idea: 'a-1', done: 'it gets it' } as const;
  await events(FIRST, [
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'needs-human' },
    { ...told, verb: 'answer', text: 'Red.' },
    { ...told, verb: 'hint', text: 'See docs.' },
  ]);
  await events(LAST, [{ kind: 'idea', idea: 'a-1', title: 'A', status: 'landed', commit: 'abc' }]);
  const dir = iterationDir(root, 'p', FIRST, 'a-1', 2);
  await mkdir(dir, { recursive: true });
  await keepAnswers(dir, [answerNote({ question: 'Which colour?', answer: 'Red.' })]);

  const runs = await ideaInRuns(root, 'p', 'a-1');
  const [last, ...others] = runs;
  if (!last) throw new Error('no run');
  const view = { idea: 'a-1', title: 'A', status: 'landed', score: 0 } as const;
  const report = await reportOn(
    { ...view, parts: [], waitsFor: [] },
    { root, project: 'p', runId: LAST, told: last.idea, over: true, runs },
  );
  expect(describeIdea(report).join('\n')).toContain(
    [
      `in run ${FIRST}:`,
      '  it asked:',
      '    | Which colour?',
      '  you answered:',
      '    | Red.',
      '  you told it: hint (See docs.)',
    ].join('\n'),
  );
  const model = newModel({ project: 'p', runId: LAST, name: 'p', target: 'main' }, []);
  const shown = { model, idea: last.idea, now: 2000, commands: [], others };
  expect(showJson(shown).said).toMatchObject([
    { verb: 'answer', text: 'Red.', runId: FIRST },
    { verb: 'hint', text: 'See docs.', runId: FIRST },
  ]);
  expect(showText(shown).join('\n')).toContain(`answer: Red. (run ${FIRST})`);
});

it('G9: why says on which day a gate log was cleaned, and names one that is there', async () => {
  const log = join(iterationDir(root, 'p', LAST, 'a-1', 1), 'gate', '1.log');
  await events(LAST, [
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'failed' },
    { kind: 'gate', idea: 'a-1', pass: false, durationMs: 1, command: 'npm test', exitCode: 1, log },
  ]);
  const [last] = await ideaInRuns(root, 'p', 'a-1');
  const view = { idea: 'a-1', title: 'A', status: 'failed', score: 0, parts: [], waitsFor: [] } as const;
  const about = { root, project: 'p', runId: LAST, told: last?.idea, over: true };
  const why = async (): Promise<string> =>
    describeIdea(await reportOn({ ...view, parts: [], waitsFor: [] }, about)).join('\n');
  await mkdir(dirname(log), { recursive: true });
  await writeFile(log, 'red');
  expect(await why()).toContain(`; its output: ${log}`);
  await rm(log);
  await writeFile(
    join(runDir(root, 'p', LAST), 'ideas', CLEANED_FILE),
    noteText({ gateLogs: '2026-11-03T10:00:00.000Z' }),
  );
  expect(await why()).not.toContain(log);
  expect(await why()).toContain(`; the gate logs of run ${LAST} were cleaned on 2026-11-03`);
});

it('B6: why has what changed outside the worktree, after the warning is over', async () => {
  await events(LAST, [
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'running' },
    { kind: 'warning', idea: 'a-1', warning: 'outside', text: 'a branch of yours moved: feature' },
    { kind: 'idea', idea: 'a-1', title: 'A', status: 'landed', commit: 'abc' },
  ]);
  const [told] = await ideaInRuns(root, 'p', 'a-1');
  const view = { idea: 'a-1', title: 'A', status: 'landed', score: 0, parts: [], waitsFor: [] } as const;
  const report = await reportOn(
    { ...view, parts: [], waitsFor: [] },
    { root, project: 'p', runId: LAST, ...(told ? { told: told.idea } : {}), over: true },
  );
  expect(describeIdea(report)).toContain('outside its worktree: a branch of yours moved: feature');
});
