/** When something last moved in a run, from real files. Features: G7. */
import { appendFile, mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ideaDir, runDir } from '../../../src/config/paths.js';
import { eventsPath } from '../../../src/run-files/events.js';
import { lastMovement, wroteSince } from '../../../src/run-files/movement.js';

const ref = { project: 'p', runId: 'r' };
let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ralphctl-movement-'));
  await mkdir(runDir(root, ref.project, ref.runId), { recursive: true });
});
afterEach(() => rm(root, { recursive: true, force: true }));

let second = 0;
const event = (kind: string, more: object = {}): Promise<void> =>
  appendFile(
    eventsPath(root, ref),
    `${JSON.stringify({ at: new Date(++second * 1000).toISOString(), kind, ...more })}\n`,
  );

describe('the last movement', () => {
  it('G7: is the last event that moved something, beside alerts, warnings, and tries that could not work', async () => {
    second = 0;
    expect(await lastMovement(root, ref)).toEqual({ at: 0 });
    await event('run', { state: 'running' });
    await event('iteration-end', { outcome: 'ok', commits: 0 });
    await event('alert', { row: 'ops' });
    await event('iteration');
    await event('iteration-end', { outcome: 'timeout', commits: 0 });
    await event('warning');
    await appendFile(eventsPath(root, ref), '{"at":"torn');
    expect(await lastMovement(root, ref)).toEqual({ state: 'running', at: 2000 });
    await appendFile(eventsPath(root, ref), '\n');
    await event('iteration-end', { outcome: 'failed', commits: 1 });
    expect(await lastMovement(root, ref)).toMatchObject({ at: 7000 });
  });

  it('G7: is none, where the only events are alerts: the alert of a standstill does not begin another one', async () => {
    second = 0;
    await event('alert', { row: 'ops' });
    await event('alert', { row: 'ops' });
    expect(await lastMovement(root, ref)).toEqual({ at: 0 });
    await event('warning');
    await event('alert', { row: 'ops' });
    expect(await lastMovement(root, ref)).toEqual({ at: 3000 });
  });

  it('G7: of a long file is read from its end', async () => {
    second = 0;
    for (let line = 0; line < 40; line++) await event('warning', { text: 'x'.repeat(20_000) });
    const { at } = await lastMovement(root, ref);
    expect(at).toBeGreaterThan(20_000);
    expect(at).toBeLessThanOrEqual(40_000);
  });

  it('G7: is also output of an agent or a gate', async () => {
    const folder = join(ideaDir(root, ref.project, ref.runId, 't-1'), '001');
    await mkdir(folder, { recursive: true });
    const [log, prompt] = [join(folder, 'output.log'), join(folder, 'prompt.md')];
    for (const path of [log, prompt]) await writeFile(path, 'x');
    await utimes(log, 100, 100);
    expect(await wroteSince(root, ref, 99_000)).toBe(true);
    expect(await wroteSince(root, ref, 101_000)).toBe(false);
    await writeFile(log, '');
    expect(await wroteSince(root, ref, 99_000)).toBe(false);
  });
});
