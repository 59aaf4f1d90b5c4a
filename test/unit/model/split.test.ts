/** A person splits an idea while the run is open: it is a group then, lands with its parts, and counts in no number. Features: C2 G4. */
import { expect, it } from 'vitest';
import { gather } from '../../../src/client/report/gather.js';
import { goneAtEnd } from '../../../src/client/report/gone-at-end.js';
import { recordedRun, recordedStatus } from '../../../src/client/views/recorded.js';
import { outcomeOf } from '../../../src/model/at-end.js';
import { addIdeas as addToModel, fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import type { Idea } from '../../../src/protocol/idea.js';
import type { RunSummary } from '../../../src/protocol/run.js';
import { makeReport } from '../../../src/report/build.js';
import { amend } from '../../../src/run-files/amendments.js';
import { addIdeas, loadIdea } from '../../../src/run-files/run.js';
import { contextOf, planned, RUN_ID, repoOfOne, toldRun } from '../client/told-run.js';
import { commitFiles, sh } from '../git/repo.js';
import { idea } from '../screen/shop.js';

const PARTS = ['i-1-1', 'i-1-2'];
const part = (id: string): Idea => idea(id, `Do ${id}`, { parent: 'i-1' });
const of = (id: string, status: 'running' | 'failed' | 'pending' | 'landed', more = {}): RunEvent => ({
  ...{ kind: 'idea', idea: id, title: `Do ${id}`, status },
  ...more,
});
const WORKED: RunEvent[] = [
  of('i-1', 'running'),
  { kind: 'iteration', idea: 'i-1', serial: 1, iteration: 1, max: 5, agentName: 'ed-001' },
  {
    ...{ kind: 'iteration-end', idea: 'i-1', serial: 1, iteration: 1, signal: { kind: 'progress', percent: 40 } },
    ...{ outcome: 'ok', durationMs: 1000, commits: 1 },
  },
  of('i-1', 'failed', { reason: 'no progress' }),
];
const SPLIT: RunEvent = { kind: 'command', verb: 'split', idea: 'i-1', done: 'i-1 is replaced by i-1-1, i-1-2' };
const ENDED: RunEvent = of('i-1', 'pending', { reason: 'split into i-1-1, i-1-2' });
const landedParts = (commit: string): RunEvent[] => [
  ...PARTS.map((id) => of(id, 'landed', { commit })),
  of('i-1', 'landed', { reason: '2 of 2 ideas in it landed' }),
];

function folded(events: readonly RunEvent[]): RunModel {
  const model = newModel({ project: 'p', runId: 'r', name: 'shop', target: 'main' }, [idea('i-1', 'Do i-1')]);
  for (const [at, event] of events.entries()) fold(model, { at: new Date(1000 + at).toISOString(), ...event });
  addToModel(model, PARTS.map(part));
  return model;
}

it.each([
  ['an agent worked on it', [...WORKED, ENDED, SPLIT]],
  ['its agent was working', [...WORKED.slice(0, -1), ENDED]],
  ['it had not begun', [SPLIT]],
])('only its parts count: %s', (_, split) => {
  const open = folded(split);
  expect(open.counts).toMatchObject({ total: 2, landed: 0, todo: 2 });
  const model = folded([...split, ...landedParts('abc1234')]);
  expect(model.counts).toMatchObject({ total: 2, landed: 2 });
  expect(outcomeOf(model)).toMatchObject({ landed: 2, open: 0 });
  expect(model.ideas.get('i-1')).toMatchObject({ group: true, children: PARTS });
});

it('a reason of a person that reads alike, a split between runs and one that failed make no group', () => {
  const held = of('i-1', 'pending', { reason: 'split into two by hand', held: true });
  const since: RunEvent = { ...SPLIT, done: `${SPLIT.done} for the next runs`, afterRun: true };
  const failed = of('i-1', 'pending', { reason: 'could not be split: i-1-1 is taken', held: true });
  for (const event of [held, since, failed])
    expect(folded([...WORKED, event]).ideas.get('i-1')).toMatchObject({ group: false });
});

it('C1: status and report after the run count its parts alone, and miss nothing that it never landed', async () => {
  const repo = await repoOfOne();
  try {
    const context = contextOf(repo, false);
    const { root } = context;
    const project = await planned(context);
    const ref = { project, runId: RUN_ID };
    const whole = (await loadIdea(root, ref, 'i-1')) ?? expect.fail('no idea');
    // A try of its own landing was on the target for a moment: its agent had worked on it, and the target was put back.
    const tried = await commitFiles(repo.root, { 'try.txt': 'try\n' }, 'feat: try\n\nRalph-Idea: i-1');
    await sh(repo.root, 'update-ref', 'refs/ralphctl/landing/i-1', tried);
    await sh(repo.root, 'reset', '-q', '--hard', 'HEAD~1');
    await addIdeas(root, ref, PARTS.map(part));
    await amend(root, project, whole, { parts: PARTS.map(part) });
    for (const id of PARTS) await commitFiles(repo.root, { [`${id}.txt`]: id }, `feat: ${id}\n\nRalph-Idea: ${id}`);
    const commit = (await sh(repo.root, 'rev-parse', 'HEAD')).trim();
    await toldRun(context, project, 'completed', [...WORKED, ENDED, SPLIT, ...landedParts(commit)]);
    expect(await goneAtEnd(context, project, RUN_ID, { notLanded: [] } as unknown as RunSummary)).toEqual([]);
    const recorded = (await recordedRun(root, project, RUN_ID)) ?? expect.fail('no files');
    expect(recordedStatus(recorded)).toMatchObject({ total: 2, counts: { landed: 2 } });
    const { model, extra } = (await gather(context, ref)) ?? expect.fail('no files');
    const report = makeReport(model, extra);
    expect(report.counts).toMatchObject({ landed: 2, open: 0 });
    expect(report.counts).not.toHaveProperty('gone');
    expect(report.groups).toMatchObject([{ id: 'i-1', done: 2, total: 2 }]);
  } finally {
    await repo.remove();
  }
});
