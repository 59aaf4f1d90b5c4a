import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Autopilot, type Effect } from '../../../../src/decide/run/autopilot.js';
import { MAX_QUESTION, MAX_REASON } from '../../../../src/decide/text.js';
import { ideaPage } from '../../../../src/decide/views/pages.js';
import { runStatus } from '../../../../src/decide/views/status.js';
import { MAX_LISTED } from '../../../../src/decide/views/survey.js';
import { type IdeaCard, MAX_CARD_TITLE } from '../../../../src/protocol/idea.js';
import { compressLargePayloads } from '../../../../src/server/codec.js';
import { card, conflictResult, landedResult, pilotOf, SETTINGS, say } from '../support.js';

const IDEAS = 10_000;
/** Generous, for slow machines under load; a pass over all ideas per event would take minutes. */
const LIMIT_CPU_MS = 4000;

/** Runs everything to its end with an executor that answers at once; one event, one decision, as the workflow does. */
function runAll(pilot: Autopilot, landEvery: number): number {
  const started = process.cpuUsage();
  const queue: Effect[] = [];
  const bounced = new Set<string>();
  const after = (event: () => void): void => {
    event();
    queue.push(...pilot.decide(false));
    pilot.takeChanges(0);
    pilot.isOver();
  };
  after(() => {});
  let landing: string | undefined;
  for (let turn = 0; !pilot.isOver(); turn++) {
    const command = queue.shift();
    if (command?.do === 'land') landing = command.idea;
    else if (command?.do === 'start' || (command?.do === 'verdict' && command.verdict.kind === 'reopen')) {
      after(() => say(pilot, command.idea, 'ready'));
    }
    if (landing === undefined || (command !== undefined && turn % landEvery !== 0)) continue;
    const idea = landing;
    landing = undefined;
    const first = !bounced.has(idea) && Number(idea.slice(1)) % 20 === 0;
    if (first) bounced.add(idea);
    after(() => pilot.landed(idea, first ? conflictResult() : landedResult()));
  }
  const used = process.cpuUsage(started);
  return (used.user + used.system) / 1000;
}

const wide = (): IdeaCard[] =>
  Array.from({ length: IDEAS }, (_, at) => card(`i${at}`, at % 7 === 0 ? { tags: ['quick-win'] } : {}));

/** Two hundred Blues of fifty, every idea waiting for the one above it in the next group. */
const layered = (): IdeaCard[] => [
  ...Array.from({ length: 200 }, (_, at) => card(`b${at}`, { blue: true })),
  ...Array.from({ length: IDEAS }, (_, at) =>
    card(`i${at}`, { parent: `b${Math.floor(at / 50)}`, dependsOn: at < 50 ? [] : [`i${at - 50}`] }),
  ),
];

const shaOf = (text: string): string => createHash('sha1').update(text).digest('hex');
const workOf = (id: string) => ({
  worktree: `/home/somebody/.local/state/ralphctl/projects/app-1a2b3c4d/worktrees/ed-001-${id}`,
  branch: `ralph/${id}`,
  base: shaOf('base'),
  head: shaOf(`head ${id}`),
  agentName: 'ed-001',
});

/** Titles of eighty characters that no compressor finds alike. */
const wordy = (): IdeaCard[] =>
  layered().map((idea) => ({
    ...idea,
    title:
      `Make ${shaOf(idea.id).slice(0, 6)} handle ${shaOf(`${idea.id}!`).slice(0, 6)} as the specification of the module asks for it`.slice(
        0,
        80,
      ),
  }));

describe('A1 A2 scale', () => {
  test.each([
    ['a flat backlog, 3 slots', wide, 3, 1],
    ['a flat backlog, 100 slots', wide, 100, 1],
    ['a flat backlog whose landings lag behind', wide, 100, 50],
    ['a layered backlog, 100 slots', layered, 100, 1],
  ])('ten thousand ideas cost a few seconds of CPU at most: %s', (_name, cards, slots, landEvery) => {
    const pilot = pilotOf(cards(), { slots });
    expect(runAll(pilot, landEvery)).toBeLessThan(LIMIT_CPU_MS);
    expect(pilot.state.totals.landings).toBe(IDEAS);
    expect(pilot.state.totals.bounces).toBe(IDEAS / 20);
  });

  test('C1 the carried state of ten thousand ideas stays under 512 KiB after the codec, at every stage', async () => {
    const pilot = pilotOf(wordy(), { slots: 100 });
    const sizes: number[] = [];
    const measure = async (): Promise<void> => {
      const data = Buffer.from(JSON.stringify(pilot.state));
      const [payload] = await compressLargePayloads.encode([
        { metadata: { encoding: Buffer.from('json/plain') }, data },
      ]);
      sizes.push(payload?.data?.length ?? 0);
    };
    await measure();
    let landed = 0;
    for (let queue = pilot.decide(false); queue.length > 0; ) {
      const command = queue.shift();
      if (command?.do === 'start') say(pilot, command.idea, 'ready', { work: workOf(command.idea) });
      if (command?.do === 'land') {
        landed += 1;
        if (landed % 2500 === 0) await measure();
        pilot.landed(command.idea, { kind: 'landed', commit: shaOf(command.idea), commits: 2, durationMs: 1 });
      }
      queue.push(...pilot.decide(false));
    }
    await measure();
    expect(pilot.state.totals.landings).toBe(IDEAS);
    expect(sizes.length).toBe(6);
    expect(Math.max(...sizes), sizes.join()).toBeLessThan(512 * 1024);
  });

  test('G9 a view of ten thousand ideas stays below 512 KiB, and a page below 1 MiB, with all texts at their longest', () => {
    const id = (at: number): string => `${'i'.repeat(58)}-${String(at).padStart(5, '0')}`;
    const long = Array.from({ length: IDEAS }, (_, at) => card(id(at), { title: 'ü'.repeat(MAX_CARD_TITLE) }));
    const pilot = pilotOf(long, { slots: 100, errorThreshold: 0 });
    const many = Array.from({ length: 3 }, (_, at) => ({ kind: 'stuck' as const, text: 'ü'.repeat(200), since: at }));
    pilot.state.entries.forEach((entry, at) => {
      entry.status = (['needs-human', 'running', 'landing', 'failed', 'pending'] as const)[at % 5] ?? 'pending';
      entry.reason = 'ü'.repeat(entry.status === 'needs-human' ? MAX_QUESTION : MAX_REASON);
      entry.warnings = many;
      if (entry.status === 'landing') pilot.state.lane.push(entry.card.id);
    });
    const view = runStatus({ project: 'p', runId: 'r' }, pilot.state, SETTINGS, pilot.graph, 0);
    expect(view.counts).toMatchObject({ 'needs-human': 2000, running: 2000, landing: 2000, failed: 2000 });
    for (const list of [view.active, view.attention, view.lane, view.warnings ?? []])
      expect(list).toHaveLength(MAX_LISTED);
    expect(view.more).toEqual({
      active: 4000 - MAX_LISTED,
      attention: 4000 - MAX_LISTED,
      lane: 2000 - MAX_LISTED,
      warnings: IDEAS - MAX_LISTED,
    });
    expect(Buffer.byteLength(JSON.stringify(view))).toBeLessThan(512 * 1024);
    expect(
      Buffer.byteLength(JSON.stringify(ideaPage(pilot.state.entries, pilot.graph, { count: IDEAS }))),
    ).toBeLessThan(1 << 20);
  });

  test('the state of ten thousand ideas is a few megabytes and comes back quickly', () => {
    const pilot = pilotOf(layered(), { slots: 100 });
    pilot.decide(false);
    const text = JSON.stringify(pilot.state);
    expect(text.length).toBeLessThan(2_500_000);
    const started = process.cpuUsage();
    const again = new Autopilot(JSON.parse(text), { ...SETTINGS, slots: 100 });
    runStatus({ project: 'p', runId: 'r' }, again.state, SETTINGS, again.graph, 0);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});
