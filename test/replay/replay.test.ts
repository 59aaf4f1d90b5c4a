/**
 * Every kept history replays on the workflows as they are now: work that is open when ralphctl is updated goes on.
 * A history that does not replay any more means that a change needs `patched()`; it is never recorded again.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTelemetryFilterString, Runtime, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DeliverInput } from '../../src/protocol/alerts.js';
import { dataConverter } from '../../src/server/codec.js';
import { ProjectPayloads } from '../../src/server/payloads/project.js';
import { opened, type RawHistory, toHistory } from './history.js';

const dir = fileURLToPath(new URL('../histories/', import.meta.url));
/** The very file that workers load; `npm test` builds it. */
const codePath = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
const files = (await readdir(dir).catch(() => [])).filter((name) => name.endsWith('.json')).sort();
const quiet = { trace() {}, debug() {}, info() {}, log() {}, warn() {}, error() {} };

const read = async (name: string): Promise<RawHistory> => JSON.parse(await readFile(join(dir, name), 'utf8'));
const first = (history: RawHistory) => history.events[0]?.workflowExecutionStartedEventAttributes;

/** What a worker of a project with keys has. */
const keys = ['test-key-2', 'test-key-1'].map((id) => ({ id, file: join(dir, `${id}.txt`) }));
const payloads = new ProjectPayloads({
  keys: { newest: async () => ({ keys }), older: async () => undefined },
  ...{ env: {}, lookMs: 60_000, worker: true },
});
const isEncrypted = (name: string): boolean => name.includes('-encrypted-');

const replay = (history: RawHistory, converter = dataConverter): Promise<void> =>
  Worker.runReplayHistory(
    { workflowBundle: { codePath }, dataConverter: converter },
    toHistory(history),
    // Workflows address each other by id, so the id must be the one that was recorded.
    first(history)?.workflowId ?? '',
  );

interface Scheduled {
  activityTaskScheduledEventAttributes?: { input?: { payloads?: { data: string }[] } };
}

const fromBase64 = (text: string): string =>
  text.replace(/"(?:data|encryption-key-id)": ?"([A-Za-z0-9+/=]+)"/g, (_all, data: string) =>
    Buffer.from(data, 'base64').toString('utf8'),
  );

interface Listed {
  upsertWorkflowSearchAttributesEventAttributes?: {
    searchAttributes: { indexedFields: Record<string, { data: string } | undefined> };
  };
}

beforeAll(() => {
  const filter = makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' });
  Runtime.install({ logger: quiet, shutdownSignals: [], telemetryOptions: { logging: { forward: {}, filter } } });
});

describe('kept histories', () => {
  it('are there, of both workflows, and of every kind', () => {
    const kinds = [
      ...['autopilot-happy', 'autopilot-pause-resume', 'autopilot-stop', 'autopilot-continued'],
      ...['idea-happy', 'idea-gate-red', 'idea-needs-human', 'idea-blocked', 'idea-timeout', 'idea-conflict'],
      ...['idea-stop', 'idea-worker-lost', 'idea-continued'],
      ...['autopilot-pause-now', 'autopilot-abort', 'autopilot-modes', 'autopilot-recovery'],
      ...['idea-pause-now', 'idea-abort', 'idea-step', 'idea-extended'],
      ...['limited', 'budget', 'warned', 'escalated'].flatMap((kind) => [`autopilot-${kind}`, `idea-${kind}`]),
      ...['planned', 'approved', 'fallback', 'closed', 'told', 'retried', 'landing-red', 'single', 'adopted'].flatMap(
        (kind) => [`autopilot-${kind}`, `idea-${kind}`],
      ),
      ...['autopilot-review', 'idea-failed', 'idea-fresh', 'idea-restarted', 'idea-already-red'],
      ...['autopilot-no-worker', 'idea-handed-back', 'autopilot-wide', 'autopilot-alerted', 'alerts-alerted'],
      ...['autopilot-taken-back', 'alerts-taken-back', 'autopilot-pushed'],
      ...['autopilot-push-cut', 'autopilot-push-rollover', 'autopilot-forge-slow', 'autopilot-waves-later'],
      ...['autopilot-tracked', 'idea-tracked', 'idea-taken', 'tracker-tracked'],
      ...['autopilot-reviewed', 'idea-reviewed', 'autopilot-waves'],
      ...['autopilot-placed', 'idea-placed', 'idea-plan-closed', 'autopilot-plan-stopped'],
      ...['autopilot-stacked', 'idea-stacked', 'idea-asked-late', 'autopilot-unreached', 'autopilot-merged-lost'],
      ...['autopilot-beside', 'idea-beside', 'autopilot-unsolved', 'idea-unsolved', 'autopilot-left-open'],
      ...['autopilot-settled', 'idea-settled', 'autopilot-alone', 'autopilot-waves-approval'],
      // Runs of a version whose waves and stops did not reach every idea.
      ...['autopilot-review-unheard', 'autopilot-waves-unheard', 'autopilot-unreached-unheard'],
      ...['autopilot-resting', 'alerts-put-back', 'autopilot-encrypted', 'idea-encrypted'],
    ];
    for (const kind of kinds)
      expect(
        files.filter((name) => name.startsWith(`${kind}-`)),
        kind,
      ).not.toEqual([]);
  });

  it('show that an abort ends the last push of a stop at once, that ideas land while a push hangs, and one timer for a wait', async () => {
    const types = async (kind: string): Promise<string[]> =>
      (await read(`autopilot-${kind}-0.1.0.json`)).events.map((event) => event.eventType.replace('EVENT_TYPE_', ''));
    const cut = await types('push-cut');
    expect(cut.slice(cut.lastIndexOf('TIMER_STARTED'))).toContain('ACTIVITY_TASK_CANCEL_REQUESTED');
    expect(cut).not.toContain('TIMER_FIRED');
    const rollover = await types('push-rollover');
    const after = rollover.slice(rollover.indexOf('MARKER_RECORDED'));
    // The news that it landed goes to an idea.
    expect(after).toContain('SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED');
    expect(after.at(-1)).toBe('WORKFLOW_EXECUTION_CONTINUED_AS_NEW');
    // One for the limit of the forge, none while the next try works.
    expect((await types('forge-slow')).filter((type) => type === 'TIMER_STARTED')).toHaveLength(1);
  });

  it('show that a run whose ideas are all paused is paused in the list of runs, until one resumes', async () => {
    const { events } = (await read('autopilot-resting-0.1.0.json')) as unknown as { events: Listed[] };
    const states = events.flatMap(({ upsertWorkflowSearchAttributesEventAttributes: listed }) => {
      const data = listed?.searchAttributes.indexedFields.RalphState?.data;
      return data === undefined ? [] : [JSON.parse(Buffer.from(data, 'base64').toString()) as unknown];
    });
    expect(states.flat().join(' ')).toMatch(/paused running( running)* completed$/);
  });

  it('show that the rest of a cancelled alert goes out alone under its id, and what came since under its own', async () => {
    const { events } = (await read('alerts-put-back-0.1.0.json')) as unknown as { events: Scheduled[] };
    const sent = events.flatMap(({ activityTaskScheduledEventAttributes: scheduled }) => {
      const data = scheduled?.input?.payloads?.[0]?.data;
      return data === undefined ? [] : [JSON.parse(Buffer.from(data, 'base64').toString()) as DeliverInput];
    });
    const named = (id: string): string => id.split('.').slice(1, 3).join(' ');
    const told = sent.map(({ alert }) => [named(alert.id), ...alert.items.map(({ id }) => named(id)).sort()]);
    const [[id, ...first] = [], ...rest] = told;
    expect(first).toEqual(['q-1 question', 'q-2 blocked']);
    expect(rest[0]).toEqual([id, 'q-2 blocked']);
    expect(rest.slice(1).map((one) => one[0])).toEqual(['q-3 blocked']);
  });

  it.each(files.filter((name) => !isEncrypted(name)))('%s replays', async (name) => {
    await replay(await read(name));
  });

  it.each(files)('%s replays with keys for payloads', async (name) => {
    await replay(await read(name), payloads.dataConverter);
  });

  it.each(files.filter(isEncrypted))('%s has no plain text, and payloads of both keys', async (name) => {
    const text = await readFile(join(dir, name), 'utf8');
    const plain = JSON.stringify(await opened(JSON.parse(text), payloads.codecs));
    const words = ['which colour?', 'green', 'blue is taken', 'Do e-1'];
    const inPlain = fromBase64(plain);
    for (const word of words) expect([inPlain.includes(word), fromBase64(text).includes(word)]).toEqual([true, false]);
    for (const { id } of keys) expect(fromBase64(text)).toContain(id);
    await expect(replay(JSON.parse(text) as RawHistory)).rejects.toThrow();
  });

  it.each(files)('%s names no machine and no person', async (name) => {
    const decoded = fromBase64(JSON.stringify(await opened(await read(name), payloads.codecs)));
    expect(decoded).not.toMatch(/\/(home|root|Users|work)\//);
    for (const [, host] of decoded.matchAll(/-(?:agents|git)@([A-Za-z0-9.-]+)/g)) expect(host).toBe('testhost');
    for (const [, who] of decoded.matchAll(/"identity": ?"([^"]*)"/g))
      expect(who).toMatch(/^$|^\d+@testhost$|^history-service$/);
  });
});

describe('a history that does not fit', () => {
  /** The newest history of a kind, to be spoilt. */
  const pick = async (kind: string): Promise<RawHistory> =>
    read(files.filter((name) => name.startsWith(kind)).at(-1) ?? '');

  it('is refused when an activity was another one', async () => {
    const history = await pick('idea-happy-');
    const scheduled = history.events.find((event) => event.activityTaskScheduledEventAttributes);
    if (!scheduled?.activityTaskScheduledEventAttributes) throw new Error('the history has no activity');
    scheduled.activityTaskScheduledEventAttributes.activityType.name = 'prepareSomethingElse';
    await expect(replay(history)).rejects.toMatchObject({ name: 'DeterminismViolationError' });
  });

  it('is refused when a child was started under another id', async () => {
    const history = await pick('autopilot-happy-');
    const started = history.events.find((event) => event.startChildWorkflowExecutionInitiatedEventAttributes);
    if (!started?.startChildWorkflowExecutionInitiatedEventAttributes) throw new Error('the history has no child');
    started.startChildWorkflowExecutionInitiatedEventAttributes.workflowId += '-other';
    await expect(replay(history)).rejects.toMatchObject({ name: 'DeterminismViolationError' });
  });

  it('is refused when a step is missing', async () => {
    const history = await pick('idea-gate-red-');
    const at = history.events.findLastIndex((event) => event.activityTaskScheduledEventAttributes);
    const scheduled = history.events[at];
    if (!scheduled) throw new Error('the history has no activity');
    // A marker in its place: the ids stay in order, the command does not match.
    delete scheduled.activityTaskScheduledEventAttributes;
    scheduled.eventType = 'EVENT_TYPE_TIMER_STARTED';
    Object.assign(scheduled, { timerStartedEventAttributes: { timerId: '99', startToFireTimeout: '1s' } });
    await expect(replay(history)).rejects.toThrow();
  });
});
