/** What the screen says that each agent does now. Real files. Features: G4 G5. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SlotActs } from '../../../src/client/screen/slot-acts.js';
import { iterationDir } from '../../../src/config/paths.js';
import { fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import type { RunEvent } from '../../../src/protocol/events.js';
import { idea } from '../../activities/idea.js';
import { until } from '../../support/program.js';

const RUN = { project: 'p', runId: '20260101-000000-aaaa' };
let root: string;
let model: RunModel;
let acts: SlotActs;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-acts-'));
  model = newModel({ ...RUN, name: 'shop', target: 'main', startedAt: 0, slots: 1 }, [idea('a-1')]);
  acts = new SlotActs(root);
  tell({ kind: 'idea', idea: 'a-1', title: 'A', status: 'running', agentName: 'ed-001' });
});
afterEach(() => rm(root, { recursive: true, force: true }));

function tell(event: RunEvent): void {
  fold(model, { at: new Date(1000).toISOString(), ...event });
}
const begin = (serial: number) =>
  tell({ kind: 'iteration', idea: 'a-1', serial, iteration: serial, max: 9, agentName: 'ed-001' });
async function stream(serial: number, ...events: object[]): Promise<void> {
  const path = join(iterationDir(root, RUN.project, RUN.runId, 'a-1', serial), 'stream.jsonl');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
}
/** Looks again until it says so: it looks at a stream once in a while only. */
const says = (act: string | undefined) =>
  until(`the screen to say ${act}`, async () => {
    await acts.read(model);
    return acts.now.get('a-1') === act;
  });

it('the newest tool call of the agent run, and that it thinks after a message', async () => {
  begin(1);
  await stream(1, { kind: 'tool', name: 'Edit', subject: 'src/a.ts' });
  await says('Edit src/a.ts');
  expect(acts.quiet.get('a-1')).toBeGreaterThanOrEqual(0);
  await stream(1, { kind: 'tool', name: 'Edit', subject: 'src/a.ts' }, { kind: 'message', text: 'hm' });
  await says('thinking');
});

it('nothing of the agent run before, whether the new one has a stream or not', async () => {
  begin(1);
  await stream(1, { kind: 'tool', name: 'Edit', subject: 'src/a.ts' });
  await says('Edit src/a.ts');
  begin(2);
  await acts.read(model);
  expect([acts.now.get('a-1'), acts.quiet.get('a-1')]).toEqual([undefined, undefined]);
  await stream(2, { kind: 'started' });
  await until('a look at the new stream', async () => {
    await acts.read(model);
    return acts.quiet.get('a-1') !== undefined;
  });
  expect(acts.now.get('a-1')).toBeUndefined();
  await stream(2, { kind: 'started' }, { kind: 'tool', name: 'Read', subject: 'b.ts' });
  await says('Read b.ts');
});

it('G1: what the agent run has cost so far, as its last usage says, and nothing of the one before', async () => {
  begin(1);
  await stream(1, { kind: 'tool', name: 'Edit', subject: 'src/a.ts' }, { kind: 'usage', inputTokens: 9 });
  await says('Edit src/a.ts');
  expect(acts.dollars.get('a-1')).toBeUndefined();
  // Further from the end than the newest act.
  const words = Array.from({ length: 90 }, () => ({ kind: 'message', text: 'x'.repeat(100) }));
  await stream(1, { kind: 'usage', costUsd: 0.2 }, { kind: 'usage', costUsd: 0.3 }, ...words);
  await says('thinking');
  expect(acts.dollars.get('a-1')).toBe(0.3);
  begin(2);
  await acts.read(model);
  expect(acts.dollars.get('a-1')).toBeUndefined();
});
