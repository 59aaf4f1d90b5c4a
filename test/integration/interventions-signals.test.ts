/**
 * Commands as plain Temporal signals, as the Web UI and `temporal workflow signal` send them, to workflows that continue as
 * new all the while. Features: A5 A6 C1 C5.
 */
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunAgentInput } from '../../src/protocol/agent-run.js';
import { ideaWorkflowId, STATUS, TELL } from '../../src/protocol/names.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { until } from '../support/program.js';
import { cardsOf, quietRuntime, settings, World } from './rollover-world.js';

beforeAll(quietRuntime);

let world: World;
afterEach(() => world?.close());

const status = (): Promise<RunStatus> => world.autopilot.query<RunStatus>(STATUS);

describe('plain Temporal signals', () => {
  it('pauseNow, hint, skip, resume, slots and stop of one idea, with a continue-as-new in between (C1, C5)', async () => {
    const seen: RunAgentInput[] = [];
    let go = false;
    world = await World.open(inject('address'), {
      cards: cardsOf('i-1', 'i-2', 'i-3'),
      agent: async (input, signal) => {
        seen.push(input);
        // The first iteration of each idea hangs until it is interrupted or let go.
        while (!go && input.iteration === 1 && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 50));
        signal.throwIfAborted();
        return input.iteration < 6 ? 'progress' : 'complete';
      },
    });
    await world.start({ settings: settings({ slots: 2 }), maxHistory: 40 });
    await until('two at work', async () => world.working.size === 2);
    await world.autopilot.signal('pauseNow', 'from the Web UI');
    await until('the pause', async () => (await status()).state === 'paused');
    expect(world.working.size).toBe(0);
    expect(await status()).toMatchObject({ why: 'from the Web UI', statistics: { iterations: { total: 0 } } });

    await world.autopilot.signal('hint', 'i-1', 'mind the gap');
    await world.autopilot.signal('skip', { idea: 'i-3', reason: 'not now' });
    await world.autopilot.signal('slots', 1);
    await world.autopilot.signal('retry', 'i-1');
    go = true;
    await world.autopilot.signal('resume');
    await world.client.workflow.getHandle(ideaWorkflowId(world.project, 'i-2')).signal('stop', 'by its own page');
    const summary = await world.result();
    expect(summary.landed).toBe(1);
    expect(summary.notLanded).toEqual([
      { idea: 'i-2', status: 'pending', reason: 'by its own page' },
      { idea: 'i-3', status: 'skipped', reason: 'not now' },
    ]);
    expect(summary.status).toMatchObject({ slots: 1 });
    const hinted = seen.filter(({ idea, notes }) => idea === 'i-1' && notes.includes('mind the gap'));
    expect(hinted.map(({ iteration }) => iteration)).toEqual([1]);
    // Interrupted once, not charged: the first iteration ran twice, under one number.
    expect(seen.filter(({ idea, iteration }) => idea === 'i-1' && iteration === 1)).toHaveLength(2);
    expect(world.wrongs).toEqual([]);
    expect((await world.executions()).length).toBeGreaterThan(3);
  });

  it('modes: what is assigned starts, a refusal is typed, a command that arrives twice counts once (A5, A6)', async () => {
    world = await World.open(inject('address'), { cards: cardsOf('i-1', 'i-2') });
    await world.start({ settings: settings({ mode: 'semi-auto' }) });
    await until('the run to wait', async () => (await status())?.state === 'waiting_user');
    const tell = (command: object) => world.autopilot.executeUpdate(TELL, { args: [command] });
    await expect(tell({ verb: 'assign', idea: 'i-9' })).rejects.toMatchObject({
      cause: { type: 'ralph.Refused', message: 'there is no idea i-9 in this run' },
    });
    await world.autopilot.signal('assign', 'i-2');
    await until('i-2 to land', async () => (await status()).counts.landed === 1);
    expect((await status()).state).toBe('waiting_user');
    const once = { verb: 'slots', n: 3, id: 'same' };
    expect(await tell(once)).toEqual({ done: '3 slots' });
    await tell({ verb: 'slots', n: 5 });
    await tell(once);
    expect((await status()).slots).toBe(5);
    await world.autopilot.signal('mode', 'autopilot');
    expect((await world.result()).landed).toBe(2);
    expect(world.landed).toEqual(['i-2', 'i-1']);
  });
});
