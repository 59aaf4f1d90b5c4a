/** What a person tells a whole run, on the real program. Features: A5 A6 A7 B4 C1. */
import { afterEach, describe, expect, inject, it } from 'vitest';
import { Held, type HeldStep } from '../support/held.js';

let held: Held;
afterEach(() => held?.box.dispose());

const two: HeldStep[] = [{ signal: 'PROGRESS:50' }, { signal: 'COMPLETE' }];
const one: HeldStep[] = [{ signal: 'COMPLETE' }];
const open = (ideas: Parameters<typeof Held.open>[1], config = {}) => Held.open(inject('stateRoot'), ideas, config);

describe('interrupting a run', () => {
  it('pause --now ends the agent, saves its work and charges nothing; the same iteration runs again (C1)', async () => {
    held = await open([{ id: 'p-1', steps: two }]);
    const { box } = held;
    await held.start();
    await held.began('p-1', 1);
    const told = await box.run('pause', '--now', '--reason', 'fire drill');
    expect(told.code, told.stderr).toBe(0);
    await held.state('paused');
    expect((await held.status()).why).toBe('fire drill');
    const saves = await held.saves('p-1');
    expect(saves.length).toBeGreaterThan(0);
    expect(await box.git('show', `${saves.at(-1)}:draft-p-1.txt`)).toBe('draft 1');
    expect((await box.run('pause', '--now')).code).toBe(7);
    const resumed = await box.run('resume');
    expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('resumed')]);
    await held.began('p-1', 1, 2);
    await held.go('p-1-1', 'p-1-2');
    expect(await held.finish()).toMatchObject({ outcome: 'completed', landed: 1 });
    const events = await held.events();
    expect(events.filter((event) => event.kind === 'interrupted')).toHaveLength(1);
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'command', verb: 'pause-now', reason: 'fire drill' }),
    );
    expect(events.flatMap((event) => (event.kind === 'iteration-end' ? [event.iteration] : []))).toEqual([1, 2]);
  });

  it('abort ends agents at once, puts ideas back to pending with their changes saved; a later start goes on (B4, C1)', async () => {
    held = await open(
      [
        { id: 'p-1', steps: one },
        { id: 'p-2', steps: one },
      ],
      { slots: 2 },
    );
    const { box } = held;
    await held.start();
    await held.began('p-1');
    await held.began('p-2');
    const told = await box.run('abort', '--reason', 'wrong branch');
    expect([told.code, told.stdout]).toEqual([0, expect.stringContaining('aborting')]);
    await held.closed();
    const { json } = await box.run('status', '--json');
    const last = json[0]?.last as { outcome: string; notLanded: { idea: string; status: string }[] };
    expect(last.outcome).toBe('aborted');
    expect((await box.run('status')).stdout).toContain('last run: aborted');
    expect(last.notLanded.map(({ idea, status }) => [idea, status])).toEqual([
      ['p-1', 'pending'],
      ['p-2', 'pending'],
    ]);
    for (const id of ['p-1', 'p-2']) {
      const saves = await held.saves(id);
      expect(await box.git('show', `${saves.at(-1)}:draft-${id}.txt`)).toBe('draft 1');
    }
    const none = await box.run('resume');
    expect([none.code, none.stderr]).toEqual([6, expect.stringContaining('ralphctl start')]);
    const why = (await box.run('why', 'p-1')).stdout;
    expect(why).toMatch(/what was not committed is in its save \d+; the next start brings it back/);
    await held.go('p-1-1', 'p-2-1');
    const next = await box.run('start', '--json', '--wait');
    expect(next.code, next.stderr).toBe(0);
    expect(next.stdout).toContain('what an abort had put away is back, from its save');
    // The agent adds a line to its draft.
    expect(await box.git('show', 'main:draft-p-1.txt')).toBe('draft 1\ndraft 1');
  });
});

describe('who starts ideas', () => {
  it('semi-auto: nothing starts by itself, assign starts one, autopilot takes the rest (A5, A6)', async () => {
    held = await open([
      { id: 'p-1', steps: one },
      { id: 'p-2', steps: one },
      { id: 'p-3', steps: one, depends: 'p-1' },
    ]);
    const { box } = held;
    await held.start('--mode', 'semi-auto');
    await held.state('waiting_user');
    expect((await held.status()).counts).toMatchObject({ pending: 3, running: 0 });
    const early = await box.run('assign', 'p-3');
    expect([early.code, early.stderr]).toEqual([7, expect.stringContaining('p-3 still waits for p-1')]);
    expect((await box.run('assign', 'p-2')).code).toBe(0);
    await held.began('p-2');
    expect((await held.status()).state).toBe('waiting_user');
    await held.go('p-2-1');
    await held.idea('p-2', 'landed');
    expect(await held.times('p-1', 1)).toBe(0);
    expect((await box.run('mode', 'autopilot')).code).toBe(0);
    await held.began('p-1');
    const refused = await box.run('assign', 'p-3', '--json');
    expect([refused.code, refused.json[0]]).toEqual([
      7,
      { kind: 'error', message: expect.stringContaining('ralphctl bump'), exitCode: 7 },
    ]);
    await held.go('p-1-1', 'p-3-1');
    expect(await held.finish()).toMatchObject({ landed: 3, notLanded: [] });
  });

  it('step: every iteration waits for an approval, and a switch lets all go (A6)', async () => {
    held = await open([{ id: 'p-1', steps: two.map((step) => ({ ...step, free: true })) }]);
    const { box } = held;
    await held.start('--mode', 'step');
    await held.event('an idea that waits', (event) => event.kind === 'idea' && event.status === 'paused');
    const waiting = await box.run('status');
    expect(waiting.stdout).toContain('ralphctl approve p-1');
    expect(await held.times('p-1', 1)).toBe(0);
    expect((await box.run('approve', 'p-1')).code).toBe(0);
    await held.began('p-1', 1);
    await held.idea('p-1', 'paused');
    expect(await held.times('p-1', 2)).toBe(0);
    const other = await box.run('mode', 'step');
    expect([other.code, other.stderr]).toEqual([7, expect.stringContaining('the mode is already step')]);
    expect((await box.run('mode', 'autopilot')).code).toBe(0);
    expect(await held.finish()).toMatchObject({ landed: 1 });
    expect(await held.times('p-1', 2)).toBe(1);
  });
});

describe('after too many failures', () => {
  it('the run pauses, says so everywhere, refuses a mere resume, and a review goes on (A7)', async () => {
    const broken: HeldStep[] = [{ signal: 'none', exit: 3, free: true }];
    held = await open(
      [
        { id: 'p-1', steps: broken },
        { id: 'p-2', steps: broken },
        { id: 'p-3', steps: [{ signal: 'COMPLETE', free: true }] },
      ],
      { errors: { threshold: 2, maxRetries: 0 } },
    );
    const { box } = held;
    await held.start();
    await held.state('paused');
    const status = await held.status();
    expect(status).toMatchObject({ review: true, why: expect.stringContaining('2 ideas failed one after another') });
    expect(status.possible).toContain('review');
    expect(status.possible).not.toContain('resume');
    const lines = (await box.run('status')).stdout;
    expect(lines).toContain('the run needs a review');
    expect(lines).not.toContain('! failures in a row:');
    const refused = await box.run('resume');
    expect([refused.code, refused.stderr]).toEqual([7, expect.stringContaining('ralphctl review')]);
    const shown = await box.run('why', 'p-3');
    expect(shown.stdout).toContain(
      'the run is paused: 2 ideas failed one after another; look at them, then resume with: ralphctl review\n',
    );
    expect((await box.run('stop', 'p-3')).code).toBe(0);
    const released = await box.run('resume', 'p-3');
    expect([released.code, released.stdout]).toEqual([
      0,
      'p-3 can start again. The run is paused, so it starts nothing until: ralphctl review',
    ]);
    expect((await box.run('review', '--reason', 'known')).code).toBe(0);
    await held.closed();
    const again = await box.run('review');
    expect(again.code).toBe(6);
    const events = await held.events();
    expect(events).toContainEqual(expect.objectContaining({ kind: 'command', verb: 'review', reason: 'known' }));
    expect(await box.git('log', '--format=%s', 'main')).toContain('#p-3');
  });
});
