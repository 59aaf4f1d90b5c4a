/**
 * Both workflows continue as new over and over while ideas run, land, bounce, fail and are paused: nothing is started
 * twice, nothing is lost. Features: A1 C1 C6.
 */
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { answerIn, answerNote } from '../../src/protocol/command.js';
import type { LandResult } from '../../src/protocol/git-work.js';
import { autopilotId, COMMAND, HINT, ideaWorkflowId, PAUSE, RESUME, STATUS } from '../../src/protocol/names.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { until } from '../support/program.js';
import { cardsOf, quietRuntime, settings, World, type WorldOptions } from './rollover-world.js';

beforeAll(quietRuntime);

/** `npm run test:full` takes the large sizes: 60 ideas, 200 signals, 500 hints. The small ones cross each boundary, too. */
const LARGE = process.env.RALPHCTL_TEST_FULL !== undefined;
const SIZES = LARGE
  ? { first: 54, signals: 200, hints: 500, burst: 50 }
  : { first: 18, signals: 60, hints: 160, burst: 40 };

let world: World;
afterEach(() => world?.close());

const open = async (options: WorldOptions): Promise<World> => {
  world = await World.open(inject('address'), options);
  return world;
};
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `r-${i + 1}`);
const status = (): Promise<RunStatus> => world.autopilot.query<RunStatus>(STATUS);
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });

/** `freed` resolves once `free` was called. */
function latch(): { free: () => void; freed: Promise<void> } {
  let free = (): void => {};
  const freed = new Promise<void>((resolve) => {
    free = resolve;
  });
  return { free, freed };
}

describe('continue-as-new', () => {
  it('many ideas, and many pause and resume signals: each lands once, none starts twice, no slot is lost', async () => {
    const first = names(SIZES.first);
    const last = Array.from({ length: 6 }, (_, i) => `last-${i + 1}`);
    const bounced = new Set<string>();
    const failed = new Set<string>();
    let sent = 0;
    let gate = (): void => {};
    const together = new Promise<void>((resolve) => {
      gate = resolve;
    });
    await open({
      cards: [...cardsOf(...first), ...last.map((id) => ({ id, title: id, dependsOn: first }))],
      agent: async ({ idea, iteration }, signal) => {
        if (last.includes(idea)) {
          // All six slots must still be there at the end: nobody goes on before six are at work at once.
          if (last.every((id) => world.working.has(id))) gate();
          await Promise.race([together, aborted(signal)]);
          // Nor does the run end before all the signals are sent, however fast it is.
          await Promise.race([until('all signals', async () => sent >= SIZES.signals, 120_000), aborted(signal)]);
          return 'complete';
        }
        const n = Number(idea.slice(2));
        if (n % 10 === 5 && !failed.has(idea)) {
          failed.add(idea);
          return 'failed';
        }
        return iteration <= n % 8 ? 'progress' : 'complete';
      },
      land: async ({ idea }): Promise<LandResult | undefined> => {
        if (!/[37]$/.test(idea) || idea.startsWith('last') || bounced.has(idea)) return undefined;
        bounced.add(idea);
        return { kind: 'conflict', onto: 'tip', files: ['a'], detail: '', durationMs: 1 };
      },
    });
    await world.start({ maxHistory: 40 });
    const signals = (async () => {
      for (; sent < SIZES.signals; sent += 2) {
        await world.autopilot.signal(PAUSE, 'for a moment');
        await world.autopilot.signal(RESUME);
      }
    })();
    const summary = await world.result();
    await signals.catch(() => {});
    expect(summary.notLanded).toEqual([]);
    expect(summary.landed).toBe(first.length + last.length);
    expect(sent, 'signals while it ran').toBe(SIZES.signals);
    expect(world.wrongs).toEqual([]);
    expect([...world.landed].sort()).toEqual([...first, ...last].sort());
    expect(world.most).toBe(6);
    for (const id of [...first, ...last]) {
      expect(world.prepared.get(id), `${id} was prepared`).toBe(1);
      const done = world.iterations.get(id) ?? [];
      // Bounced ones get one more; no iteration is ever done again.
      expect(done, id).toEqual(done.map((_, i) => i + 1));
    }
    expect(bounced.size).toBe(first.filter((id) => /[37]$/.test(id)).length);
    const all = await world.executions();
    const runs = (id: string) => all.filter(({ workflowId }) => workflowId === id);
    expect(runs(autopilotId(world.project)).length, 'runs of the autopilot').toBeGreaterThan(1);
    for (const id of [...first, ...last]) {
      const mine = runs(ideaWorkflowId(world.project, id));
      expect(new Set(mine.map(({ raw }) => raw.firstRunId)).size, `${id} was started`).toBe(1);
      expect(mine.map((run) => run.status.name).filter((name) => name !== 'CONTINUED_AS_NEW')).toEqual(['COMPLETED']);
    }
    const ideaRuns = all.length - runs(autopilotId(world.project)).length;
    expect(ideaRuns, 'runs of ideas').toBeGreaterThan(first.length + last.length);
  }, 240_000);

  it('a child terminated from outside is noticed, own or carried over, and does not hold its slot', async () => {
    const held = new Set(['r-1', 'r-2']);
    await open({
      cards: cardsOf(...names(4)),
      agent: async ({ idea }, signal) => (held.has(idea) ? aborted(signal) : 'complete'),
    });
    await world.start({ settings: settings({ slots: 2 }), maxHistory: 30 });
    await until('both held ideas to work', async () => [...held].every((id) => world.working.has(id)));
    const kill = (id: string) =>
      world.client.workflow.getHandle(ideaWorkflowId(world.project, id)).terminate('by a test');
    await kill('r-1');
    await until('the slot of r-1 to be used again', async () => world.landed.includes('r-4'));
    const runOf = async (): Promise<string> => (await world.autopilot.describe()).runId;
    const before = await runOf();
    // Messages fill the history, so that the autopilot continues as new and r-2 is no child of its run any more.
    for (let i = 0; i < 10; i++) {
      await world.autopilot.signal(PAUSE);
      await world.autopilot.signal(RESUME);
    }
    await until('another run of the autopilot', async () => (await runOf()) !== before);
    expect((await status()).counts.running).toBe(1);
    await kill('r-2');
    await world.autopilot.signal(PAUSE);
    await world.autopilot.signal(RESUME);
    const summary = await world.result();
    expect(summary.landed).toBe(2);
    expect(summary.notLanded.map(({ idea, status: state }) => [idea, state])).toEqual([
      ['r-1', 'failed'],
      ['r-2', 'failed'],
    ]);
    for (const { reason } of summary.notLanded) expect(reason).toMatch(/its workflow (ended|is gone)/);
  }, 120_000);

  it('a new autopilot takes over what a terminated one left open, and finishes it', async () => {
    const { free, freed } = latch();
    const ids = names(12);
    let landing = '';
    await open({
      cards: cardsOf(...ids),
      agent: async ({ idea, iteration }, signal) => {
        // r-1 to r-3 finish one after the other and queue to land; the others are in the middle of their second iteration.
        if (idea === 'r-2') await until('r-1 to land', async () => world.landed.includes('r-1'));
        if (idea === 'r-3') await until('r-2 to be landing', async () => landing === 'r-2');
        if (['r-1', 'r-2', 'r-3'].includes(idea)) return 'complete';
        if (iteration === 1) return 'progress';
        await Promise.race([freed, aborted(signal)]);
        return 'complete';
      },
      land: async ({ idea }, signal) => {
        // r-1 lands; the landing of r-2 is under way when the autopilot goes; r-3 waits behind it.
        landing = idea;
        if (idea === 'r-2') await Promise.race([freed, aborted(signal)]);
        return undefined;
      },
    });
    await world.start({ maxHistory: 60 });
    await until('six at work and one landed', async () => {
      const { counts } = await status();
      return world.working.size === 6 && counts.landing === 2 && counts.landed === 1;
    });
    await world.autopilot.terminate('by a test');
    await world.start({ runId: 'run-2', maxHistory: 60 });
    await until('the new autopilot to know them', async () => (await status())?.counts.pending === 3);
    free();
    const summary = await world.result();
    expect(summary.notLanded).toEqual([]);
    expect([...world.landed].sort()).toEqual([...ids].sort());
    expect(world.wrongs).toEqual([]);
    const all = await world.executions();
    for (const id of ids) {
      const mine = all.filter(({ workflowId }) => workflowId === ideaWorkflowId(world.project, id));
      expect(new Set(mine.map(({ raw }) => raw.firstRunId)).size, `${id} was started`).toBe(1);
    }
  }, 120_000);

  it('a new autopilot takes open ideas over before it starts others, each under the number that it has', async () => {
    const { free, freed } = latch();
    const cards = cardsOf(...names(6));
    await open({
      cards,
      agent: async ({ idea }, signal) => {
        if (idea !== 'r-1') await Promise.race([freed, aborted(signal)]);
        return 'complete';
      },
    });
    const two = settings({ slots: 2 });
    await world.start({ settings: two });
    // r-1 has landed, so that r-3 works under the number 1 and r-2 under the number 2.
    await until('r-2 and r-3 to work', async () => [...world.working.keys()].sort().join() === 'r-2,r-3');
    await world.autopilot.terminate('by a test');
    // The others come first now.
    cards.reverse();
    await world.start({ runId: 'run-2', settings: two });
    const active = async () => (await status())?.active.map(({ id, agentName }) => `${id} ${agentName}`).sort();
    await until('the new autopilot to know them', async () => ((await active()) ?? []).length >= 2);
    expect(await active()).toEqual(['r-2 ed-002', 'r-3 ed-001']);
    free();
    const summary = await world.result();
    expect(summary.notLanded).toEqual([]);
    expect(world.wrongs).toEqual([]);
    expect(world.most).toBe(2);
  }, 120_000);

  it('an answer from between two runs answers the question that an open idea still asks', async () => {
    const notes: string[][] = [];
    await open({
      cards: cardsOf('r-1'),
      agent: async (input) => {
        notes.push(input.notes);
        return input.notes.length > 0 ? 'complete' : 'asks';
      },
    });
    await world.start();
    await until('r-1 to ask', async () => (await status())?.counts['needs-human'] === 1);
    await world.autopilot.terminate('by a test');
    const note = answerNote({ question: 'Which?', answer: 'blue' });
    world.carried = { abandoned: [], hints: [{ idea: 'r-1', notes: [note, 'and mind the cat'] }] };
    await world.start({ runId: 'run-2' });
    const summary = await world.result();
    expect(summary.notLanded).toEqual([]);
    const said = notes.at(-1) ?? [];
    expect(said.filter((one) => answerIn(one)?.answer === 'blue')).toHaveLength(1);
    expect(said.filter((one) => one === 'and mind the cat').length).toBeLessThanOrEqual(1);
  }, 120_000);

  it('an open idea that is not in the backlog any more ends, and its number is free only then', async () => {
    const { free, freed } = latch();
    const cards = cardsOf(...names(2));
    await open({
      cards,
      agent: async ({ idea }, signal) => {
        if (idea === 'r-1') await Promise.race([freed, aborted(signal)]);
        return 'progress';
      },
      maxIterations: 3,
    });
    await world.start({ settings: settings({ slots: 1 }) });
    await until('r-1 to work', async () => world.working.has('r-1'));
    await world.autopilot.terminate('by a test');
    cards.shift();
    await world.start({ runId: 'run-2', settings: settings({ slots: 1 }) });
    await until('the new autopilot to know the rest', async () => (await status())?.counts.pending === 1);
    free();
    await world.result();
    await world.executions();
    expect(world.wrongs).toEqual([]);
    expect([world.most, world.iterations.get('r-1')]).toEqual([1, [1]]);
  }, 120_000);

  it('an open idea that a person skips meanwhile ends after its iteration, and does not land', async () => {
    const { free, freed } = latch();
    await open({
      cards: cardsOf(...names(2)),
      agent: async ({ idea }, signal) => {
        if (idea === 'r-1') await Promise.race([freed, aborted(signal)]);
        return 'complete';
      },
    });
    await world.start({ settings: settings({ slots: 1 }) });
    await until('r-1 to work', async () => world.working.has('r-1'));
    await world.autopilot.terminate('by a test');
    world.carried = { abandoned: [], hints: [], kept: [{ idea: 'r-1', verb: 'skip' }] };
    await world.start({ runId: 'run-2', settings: settings({ slots: 1 }) });
    await until('the new autopilot to know it', async () => (await status())?.counts.skipped === 1);
    free();
    const summary = await world.result();
    expect(summary.notLanded.map(({ idea, status: at }) => [idea, at])).toEqual([['r-1', 'skipped']]);
    await world.executions();
    expect(world.landed).toEqual(['r-2']);
  }, 120_000);

  it('an idea that landed while its autopilot was terminated does not stay open', async () => {
    let landing = false;
    await open({
      cards: cardsOf(...names(2)),
      land: async ({ idea }, signal) => {
        if (idea !== 'r-1' || landing) return undefined;
        landing = true;
        // It is on the target, and nobody hears of it.
        world.landed.push(idea);
        return aborted(signal);
      },
    });
    await world.start({ settings: settings({ slots: 2 }) });
    await until('the landing', async () => world.landed.includes('r-1'));
    await world.autopilot.terminate('by a test');
    await world.start({ runId: 'run-2', settings: settings({ slots: 2 }) });
    const summary = await world.result();
    expect(summary.landed).toBe(2);
    await world.executions();
    expect(world.landed.filter((id) => id === 'r-1')).toHaveLength(1);
  }, 120_000);
});

it('a step of a workflow that a busy or halted machine holds up for long is not cut off, which would end the worker', async () => {
  await open({ cards: [] });
  const running = world.workers.filter(({ options }) => options.workflowBundle);
  expect(running.map(({ options }) => options.isolateExecutionTimeoutMs)).toEqual([300_000]);
});

describe('messages while an idea continues as new', () => {
  it('hints in bursts: each is in exactly one prompt, whatever run of the workflow took it (C1, C5)', async () => {
    const prompts: string[] = [];
    let sent = 0;
    let last = Number.POSITIVE_INFINITY;
    await open({
      cards: cardsOf(...['r-1']),
      agent: async ({ iteration, notes }) => {
        prompts.push(...notes);
        await until(`hints for iteration ${iteration}`, async () => sent >= Math.min(SIZES.hints, iteration * 40));
        if (sent === SIZES.hints) last = Math.min(last, iteration);
        // What came during the iteration that saw the last one is in the prompt of the next.
        return iteration > last ? 'complete' : 'progress';
      },
    });
    await world.start({ settings: settings({ slots: 1 }), maxHistory: 20 });
    const idea = world.client.workflow.getHandle(ideaWorkflowId(world.project, 'r-1'));
    await until('the agent to work', async () => world.working.has('r-1'));
    for (let burst = 0; burst < SIZES.hints / 20; burst++) {
      await Promise.all(Array.from({ length: 20 }, (_, at) => idea.signal(HINT, `hint ${burst * 20 + at}`)));
      sent += 20;
    }
    const summary = await world.result();
    expect(summary.landed).toBe(1);
    expect(prompts).toHaveLength(SIZES.hints);
    expect(new Set(prompts).size).toBe(SIZES.hints);
    const all = await world.executions();
    const runs = all.filter(({ workflowId }) => workflowId === ideaWorkflowId(world.project, 'r-1'));
    // How often depends on the machine; that it happened at all is what the hints had to get through.
    expect(runs.length, 'runs of the idea').toBeGreaterThan(1);
  }, 240_000);

  it('hints through a run that continues as new, too: each is in exactly one prompt (C1, C5)', async () => {
    const prompts: string[] = [];
    await open({
      cards: cardsOf(...['r-1']),
      maxIterations: 2000,
      // Goes on until all have come; every few iterations the idea continues as new.
      agent: async ({ notes }) => {
        prompts.push(...notes);
        return prompts.length >= SIZES.hints ? 'complete' : 'progress';
      },
    });
    await world.start({ settings: settings({ slots: 1 }), maxHistory: 40 });
    await until('the agent to work', async () => world.iterations.has('r-1'));
    const hint = (n: number) =>
      world.autopilot.signal(COMMAND, { id: `hint-${n}`, verb: 'hint', idea: 'r-1', text: `hint ${n}` });
    for (let sent = 0; sent < SIZES.hints; sent += SIZES.burst) {
      const burst = Array.from({ length: SIZES.burst }, (_, at) => sent + at);
      // Some are sent twice under one id, as after an answer that was lost.
      await Promise.all([...burst, ...burst.filter((n) => n % 10 === 0)].map(hint));
      // The run goes on as a new one when all are delivered, and the next burst comes while it does.
      await until('the burst in prompts', async () => prompts.length >= sent + SIZES.burst, 120_000);
    }
    const summary = await world.result();
    expect(summary.landed).toBe(1);
    expect([...prompts].sort()).toEqual(Array.from({ length: SIZES.hints }, (_, n) => `hint ${n}`).sort());
    const all = await world.executions();
    const runs = (id: string) => all.filter(({ workflowId }) => workflowId === id).length;
    expect(runs(autopilotId(world.project)), 'runs of the autopilot').toBeGreaterThan(1);
    expect(runs(ideaWorkflowId(world.project, 'r-1')), 'runs of the idea').toBeGreaterThan(1);
  }, 240_000);
});
