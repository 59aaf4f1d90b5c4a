/** Events that are over when their alert goes out: after quiet hours, in a later run, before a worker. Features: G7. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { alertPayload } from '../../src/config/schema/alert.js';
import type { AlertItem, AlertKind } from '../../src/protocol/alerts.js';
import type { RunEvent } from '../../src/protocol/events.js';
import type { IdeaStatus } from '../../src/protocol/states.js';
import { eventsPath } from '../../src/run-files/events.js';
import { noteQueuedAnswer } from '../../src/run-files/queued-answers.js';
import { receiver } from '../support/receiver.js';
import { type Bench, bench, idea } from './bench.js';

const FIRST = '20260101-000000-aaaa';
const SECOND = '20260102-000000-bbbb';
const BEGUN = Date.UTC(2026, 0, 1);
/** When the events of the alert came about. */
const SINCE = BEGUN + 60_000;

type Told = RunEvent | { at: number; event: RunEvent };

async function tells(b: Bench, runId: string, events: readonly Told[]): Promise<void> {
  const path = eventsPath(b.root, { project: b.project, runId });
  const lines = events.map((one, index) => {
    const { at, event } = 'event' in one ? one : { at: BEGUN + index, event: one };
    return `${JSON.stringify({ at: new Date(at).toISOString(), ...event })}\n`;
  });
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, lines.join(''));
}

const run = (state: 'running' | 'stopping' | 'stopped'): RunEvent => ({ kind: 'run', state, landed: 0, total: 3 });
const stands = (id: string, status: IdeaStatus): RunEvent => ({ kind: 'idea', idea: id, title: 'A', status });
const asks = (id: string, question: string): RunEvent => ({
  ...{ kind: 'asks', idea: id, asking: 'question', question: 'Which port?', id: question },
});
/** The idea asks, and a stop ends its run. */
const asking = [run('running'), stands('t-1', 'needs-human'), asks('t-1', 'q111')];
const stopped = [run('stopping'), stands('t-1', 'pending'), run('stopped')];

const item = (kind: AlertKind, more: Partial<AlertItem> = {}): AlertItem => ({
  ...{ id: `${FIRST}.${more.idea ?? 'run'}.${kind}.1`, kind, run: FIRST, at: SINCE, command: 'ralphctl status' },
  ...more,
});
const question = item('question', { idea: 't-1', command: 'ralphctl answer t-1 --question q111 "…"' });

async function rig(ideas = [idea('t-1'), idea('t-2'), idea('t-3')]) {
  const hook = await receiver();
  onTestFinished(() => hook.close());
  const b = await bench({ ideas, config: { notify: { rows: [{ name: 'ops', to: 'webhook', url: hook.url }] } } });
  let alerts = 0;
  /** Kinds and ideas of the events that went out. */
  const deliver = async (items: AlertItem[], runId = FIRST) => {
    const counts: Partial<Record<AlertKind, number>> = {};
    for (const { kind } of items) counts[kind] = (counts[kind] ?? 0) + 1;
    const alert = { id: `alert-${++alerts}`, items, counts };
    const before = hook.received.length;
    const { outcome } = await b.call(b.activities.deliverAlert, { project: b.project, runId, row: 'ops', alert }).done;
    const [got] = hook.received.slice(before);
    const { title = '', events = [] } = got ? alertPayload.parse(JSON.parse(got.text)) : {};
    return { outcome, title, events: events.map((one) => `${one.kind} ${one.idea ?? 'run'}`) };
  };
  return { b, deliver };
}

it('G7: of an ended run, an alert tells only what still holds in a later one, and what ended', async () => {
  const { b, deliver } = await rig();
  await tells(b, FIRST, [...asking, stands('t-2', 'blocked'), stands('t-3', 'failed'), ...stopped]);
  await b.laterRun(SECOND);
  await tells(b, SECOND, [run('running'), stands('t-1', 'running'), stands('t-2', 'running')]);
  const items = [
    ...[question, item('blocked', { idea: 't-2' }), item('failed', { idea: 't-3' }), item('landed', { idea: 't-9' })],
    ...[item('review'), item('all-limited'), item('budget'), item('nothing-moves'), item('run-done')],
  ];
  const told = await deliver(items, SECOND);
  expect(told.events.sort()).toEqual(['failed t-3', 'landed t-9', 'run-done run']);
  expect(told.title).toBe('ralphctl: t-3 failed, the run is over, t-9 landed');
  expect(await deliver([question, item('review')], SECOND)).toEqual({ outcome: 'gone', title: '', events: [] });
});

it('G7: what is blocked in the later run, too, and what its own run asks, is told', async () => {
  const { b, deliver } = await rig();
  await tells(b, FIRST, [...asking, stands('t-2', 'blocked'), ...stopped]);
  await b.laterRun(SECOND);
  await tells(b, SECOND, [run('running'), stands('t-1', 'needs-human'), asks('t-1', 'q222'), stands('t-2', 'blocked')]);
  const own = { ...question, id: 'own', run: SECOND };
  const { events } = await deliver(
    [question, own, item('blocked', { idea: 't-2' }), { ...item('review'), run: SECOND }],
    SECOND,
  );
  expect(events.sort()).toEqual(['blocked t-2', 'question t-1', 'review run']);
});

it('G7: a question that a stop left open is told after the run, until a person has answered it', async () => {
  const { b, deliver } = await rig();
  await tells(b, FIRST, [...asking, ...stopped]);
  expect((await deliver([question])).events).toEqual(['question t-1']);
  // A start that failed is no later run.
  await b.laterRun(SECOND);
  expect((await deliver([question])).events).toEqual(['question t-1']);
  const answer: RunEvent = { kind: 'command', verb: 'answer', idea: 't-1', text: '8080', done: 'kept', afterRun: true };
  await tells(b, FIRST, [...asking, ...stopped, answer]);
  expect(await deliver([question])).toMatchObject({ outcome: 'gone', events: [] });
});

it('G7: a push that the remote refuses outlasts its run, until a later one begins', async () => {
  const { b, deliver } = await rig();
  const held: RunEvent = { kind: 'push', state: 'held', to: 'origin/main', ideas: ['t-1'], why: 'no access' };
  await tells(b, FIRST, [run('running'), held, run('stopped')]);
  expect((await deliver([item('not-pushed')])).events).toEqual(['not-pushed run']);
  await b.laterRun(SECOND);
  await tells(b, SECOND, [run('running')]);
  expect(await deliver([item('not-pushed')], SECOND)).toMatchObject({ outcome: 'gone' });
});

it('G7 C5: a question that a person has answered is not told, though its idea has not gone on yet', async () => {
  const { b, deliver } = await rig();
  const answer: RunEvent = { kind: 'command', verb: 'answer', idea: 't-1', text: '8080', done: 't-1 has your answer' };
  // The answer to an earlier question.
  await tells(b, FIRST, [...asking, { at: SINCE - 1, event: answer }]);
  expect((await deliver([question])).events).toEqual(['question t-1']);
  await tells(b, FIRST, [...asking, { at: SINCE + 1, event: answer }]);
  expect(await deliver([question, item('failed', { idea: 't-2' })])).toMatchObject({
    ...{ title: 'ralphctl: t-2 failed', events: ['failed t-2'] },
  });
  expect(await deliver([question])).toMatchObject({ outcome: 'gone' });
});

it('G7 C5: a question whose answer waits for a worker is not told, and another one is', async () => {
  const { b, deliver } = await rig();
  await tells(b, FIRST, asking);
  await noteQueuedAnswer(b.root, b.ref, { idea: 't-1', question: 'q000', at: SINCE + 1 });
  await noteQueuedAnswer(b.root, b.ref, { idea: 't-1', at: SINCE - 1 });
  expect((await deliver([question])).events).toEqual(['question t-1']);
  await noteQueuedAnswer(b.root, b.ref, { idea: 't-1', question: 'q111', at: SINCE + 2 });
  expect(await deliver([question])).toMatchObject({ outcome: 'gone' });
  const refused: RunEvent = { kind: 'refused', verb: 'answer', idea: 't-1', why: 'it is too long' };
  await tells(b, FIRST, [...asking, { at: SINCE + 3, event: refused }]);
  expect((await deliver([question])).events).toEqual(['question t-1']);
});

it('G7: an alert whose run nobody can read any more is told', async () => {
  const { b, deliver } = await rig();
  await mkdir(eventsPath(b.root, b.ref), { recursive: true });
  expect((await deliver([question, item('review')])).events.sort()).toEqual(['question t-1', 'review run']);
  expect((await deliver([{ ...question, run: '20251231-000000-zzzz' }])).events).toEqual(['question t-1']);
});
