/**
 * What the full screen writes into a terminal in a minute of a busy run: the real program, counted in a pseudo terminal.
 * At most 30 frames and 60 KB, and next to nothing while nothing happens. Features: G4 G5.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { events, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { TERMINALS, Terminal } from '../support/terminals.js';

const SLOTS = 4;
const MINUTE = 60_000;
/** The painter puts each frame between two of these. */
const FRAME = '\u001b[?2026h';

let box: Sandbox;
beforeAll(async () => {
  const ideas = Array.from({ length: SLOTS }, (_, at) => `busy-${at + 1}`);
  const step = (n: number) => ({
    do: [
      { say: `step ${n}: I look at the files` },
      { run: 'sleep 0.7' },
      { append: { path: 'log.txt', text: `${n}\n` } },
    ],
    signal: `PROGRESS: ${n % 100}`,
  });
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap(ideas.map((id) => ({ id, text: `Be busy as ${id}`, max_iterations: 1000 }))),
    'ralphctl.yaml': yaml({ version: 1, agent: 'scripted', slots: SLOTS, stepDelayMs: 50, gate: ['true'] }),
    '.ralph-script.yaml': yaml({
      ideas: Object.fromEntries(ideas.map((id) => [id, Array.from({ length: 400 }, (_, n) => step(n))])),
    }),
  });
  await box.commit('set up');
  const started = await box.run('start', '--detach');
  expect(started.code, started.stderr).toBe(0);
}, 120_000);
afterAll(() => box?.dispose());

/** What a terminal gets in that time. */
async function written(terminal: Terminal, ms: number): Promise<{ frames: number; bytes: number }> {
  const before = terminal.screen.raw.length;
  await delay(ms);
  const text = terminal.screen.raw.slice(before);
  return { frames: text.split(FRAME).length - 1, bytes: Buffer.byteLength(text) };
}

describe.each(TERMINALS.filter(({ ascii, colour }) => colour && !ascii))('in a terminal of $name', (kind) => {
  it('writes at most 30 frames and 60 KB in a minute, on the run, and with the words of an agent', async () => {
    const terminal = new Terminal(box, kind);
    try {
      await terminal.screen.shows(/Slots 4 of 4/);
      const run = await written(terminal, MINUTE);
      // It does show the run.
      expect(run.frames).toBeGreaterThan(0);
      expect(run.frames).toBeLessThanOrEqual(30);
      expect(run.bytes).toBeLessThanOrEqual(60_000);
      await terminal.page('busy-1');
      await terminal.tab('Agent');
      const page = await written(terminal, MINUTE);
      expect(page.frames).toBeGreaterThan(0);
      // A stream that is looked at has a frame a second.
      expect(page.frames).toBeLessThanOrEqual(61);
      expect(page.bytes).toBeLessThanOrEqual(60_000);
    } finally {
      await terminal.dispose();
    }
  });
});

it('writes next to nothing while the run is paused', async () => {
  const terminal = new Terminal(box, TERMINALS[0] as (typeof TERMINALS)[number]);
  try {
    await terminal.screen.shows(/Slots 4 of 4/);
    terminal.screen.press('P');
    await terminal.screen.shows(/^[^\n]*paused/);
    await until('all ideas to be paused', async () => {
      const status = new Map<string, string>();
      for (const one of events(await box.run('logs', '--json')))
        if (one.kind === 'idea') status.set(one.idea, one.status);
      return [...status.values()].every((one) => one === 'paused');
    });
    // The rate of the last minute goes down to nothing.
    await until('nothing to happen', async () => !/\d+ a minute/.test(await terminal.screen.text()));
    // Line 1 says since when: a frame in ten seconds, later one in a minute.
    expect((await written(terminal, MINUTE / 2)).frames).toBeLessThanOrEqual(4);
  } finally {
    await terminal.dispose();
  }
});
