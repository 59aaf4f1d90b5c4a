/** `Autopilot` in a random world: invariants at every step, and an end that is reached whatever happened on the way. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Autopilot, type Effect } from '../../../../src/decide/run/autopilot.js';
import type { LeftOpen } from '../../../../src/protocol/activities.js';
import type { IdeaCard } from '../../../../src/protocol/idea.js';
import type { RunSettings } from '../../../../src/protocol/run-settings.js';
import { brief, card, pilotOf, settings } from '../support.js';
import { type Temper, World } from '../world.js';

/** Ideas depend on earlier ideas and earlier Blues; a Blue's children come right after it, so there is no cycle. */
const dag: fc.Arbitrary<IdeaCard[]> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('idea', 'idea', 'idea', 'child', 'child', 'blue', 'nested'),
      deps: fc.array(fc.nat(20), { maxLength: 2 }),
      tags: fc.subarray(['critical', 'quick-win']),
    }),
    { minLength: 1, maxLength: 14 },
  )
  .map((specs) => {
    const cards: IdeaCard[] = [];
    let closed: string[] = [];
    let blue: string | undefined;
    specs.forEach(({ kind, deps, tags }, at) => {
      if (kind === 'idea' || kind === 'blue') {
        // Whatever stands before is complete now and may be depended on.
        closed = cards.map((one) => one.id);
        blue = undefined;
      }
      const dependsOn = deps.flatMap((dep) => closed[dep] ?? []);
      const group = kind === 'blue' || kind === 'nested';
      cards.push(
        card(`n${at}`, {
          dependsOn,
          tags,
          ...(group ? { blue: true as const } : {}),
          ...(blue && kind !== 'idea' && kind !== 'blue' ? { parent: blue } : {}),
        }),
      );
      if (group) blue = `n${at}`;
    });
    return cards;
  });

/** What must have landed before the idea may start, said without the graph. */
function mustHaveLanded(cards: readonly IdeaCard[], idea: string): string[] {
  const byId = new Map(cards.map((one) => [one.id, one]));
  const leaves = (id: string): string[] => {
    const one = byId.get(id);
    if (!one?.blue) return [id];
    const children = cards.filter((other) => other.parent === id);
    if (children.length === 0) return (one.dependsOn ?? []).flatMap(leaves);
    return children.flatMap((child) => leaves(child.id));
  };
  const needed: string[] = [];
  for (let at = byId.get(idea); at; at = byId.get(at.parent ?? ''))
    needed.push(...(at.dependsOn ?? []).flatMap(leaves));
  return needed;
}

/** Cheaper than `expect`, which would be called some million times. */
function must(holds: boolean, say: () => string): void {
  if (!holds) throw new Error(say());
}

function checkState(pilot: Autopilot): void {
  const { lane, waiting, entries, landing } = pilot.state;
  const held = entries.flatMap((entry) => entry.slot ?? []);
  must(new Set(held).size === held.length, () => `a slot is held twice: ${held}`);
  must(
    new Set([...lane, ...waiting]).size === lane.length + waiting.length,
    () => `twice in line: ${lane}; ${waiting}`,
  );
  must(landing === undefined || lane[0] === landing, () => `${landing} lands out of turn`);
  for (const { card: one, status, slot, beside, gating } of entries) {
    const about = (): string => `${one.id} is ${status}, slot ${slot} ${beside}, lane ${lane}, waiting ${waiting}`;
    const works = status === 'running' || status === 'paused';
    must((slot !== undefined && !beside) === works || (works && beside === true), about);
    must(beside === undefined || (slot !== undefined && (works || status === 'wants-slot')), about);
    must(gating === undefined || status === 'running', about);
    must(!waiting.includes(one.id) || status === 'wants-slot', about);
    must(lane.includes(one.id) === (status === 'landing'), about);
  }
}

class Simulation {
  readonly #cards: IdeaCard[];
  readonly #world: World;
  /** The same run twice: one goes on in memory, the other continues as new after every step. */
  readonly #pilot: Autopilot;
  #carried: Autopilot;
  readonly #settings: RunSettings;
  readonly #leftOpen: ReadonlySet<string>;

  constructor(cards: IdeaCard[], slots: number, seed: number, temper: Temper, orphans: boolean) {
    this.#cards = cards;
    // Older runs keep the slot of an idea while its gate runs.
    const gatesBeside = [undefined, 0, 0, 1][seed % 4];
    const settlesBeside = gatesBeside !== undefined && seed % 8 < 6;
    const pausesBeside = gatesBeside !== undefined && seed % 3 < 2;
    this.#settings = settings({
      ...{ slots: 3, ...(gatesBeside === undefined ? {} : { gatesBeside }) },
      ...(settlesBeside ? { settlesBeside } : {}),
      ...(pausesBeside ? { pausesBeside } : {}),
    });
    this.#world = new World(seed, temper, gatesBeside !== undefined, settlesBeside, pausesBeside);
    if (orphans) for (const one of cards) if (!one.blue && this.#world.chance(4)) this.#world.orphan(one.id);
    // The server's list may lag: the run comes upon some of them, or all, only when it starts them.
    const leftOpen = [...this.#world.children.values()].flatMap(({ idea, state }): LeftOpen[] => {
      if (this.#world.chance(3)) return [];
      const agentName = `ed-00${1 + (seed % 7)}`;
      if (state === 'working') return [this.#world.chance(3) ? { idea } : { idea, agentName }];
      if (state === 'gating') return [{ idea, agentName, state: 'gate' }];
      if (state === 'paused') return [{ idea, agentName, state: 'rests' }];
      return [state === 'asking' ? { idea, state: 'asks' } : { idea }];
    });
    this.#leftOpen = new Set(leftOpen.map(({ idea }) => idea));
    const opened = leftOpen.length > 0 ? { leftOpen } : {};
    this.#pilot = pilotOf(structuredClone(cards), { ...this.#settings, slots }, [], structuredClone(opened));
    this.#carried = pilotOf(structuredClone(cards), { ...this.#settings, slots }, [], structuredClone(opened));
  }

  /** Ideas whose finished work was dropped. */
  get thrownAway(): readonly string[] {
    return this.#world.thrownAway;
  }

  /** Agents that began beside a gate or while a run was settled, and ideas that went on under their number after it. */
  get handOvers(): { besides: number; early: number; kept: number } {
    return this.#world;
  }

  /** Landings that waited behind the place of an idea that came back from a conflict. */
  get waits(): number {
    return this.#world.target.waits;
  }

  run(steps: number): Autopilot {
    const world = this.#world;
    this.#decide();
    for (let step = 0; step < steps && !this.#over(); step++) this.#step();
    world.calm = true;
    for (let step = 0; !this.#over(); step++) {
      if (step > 5000) throw new Error(`no end in sight: ${JSON.stringify(this.#pilot.state)}`);
      const { run } = this.#pilot.state;
      if (!world.busy && run === 'running') this.#both((pilot) => pilot.resume());
      if (run === 'paused') this.#both((pilot) => (pilot.state.review ? pilot.review() : pilot.resume()));
      this.#step();
    }
    return this.#pilot;
  }

  #over(): boolean {
    return this.#pilot.isOver() && !this.#world.busy;
  }

  #step(): void {
    for (const event of this.#world.step()) this.#both(event);
    this.#decide();
  }

  #both(event: (pilot: Autopilot) => void): void {
    const { landing } = this.#pilot.state;
    event(this.#pilot);
    event(this.#carried);
    if (landing === undefined || this.#pilot.state.landing === landing) return;
    this.#world.target.over();
  }

  #decide(): void {
    const pilot = this.#pilot;
    const before = heldSlots(pilot);
    const takesOver = pilot.state.leftOpen !== undefined;
    const commands = pilot.decide(false);
    for (const command of commands) this.#check(command);
    const after = heldSlots(pilot);
    const isLeftOpen = (one: Effect): boolean => one.do === 'start' && this.#leftOpen.has(one.idea);
    const givesOnlyBack = commands.every((one) => isLeftOpen(one) || (one.do !== 'start' && one.do !== 'grant'));
    must(
      after <= before || after <= pilot.state.slots || (takesOver && givesOnlyBack),
      () => `${after} hold a slot of ${pilot.state.slots}`,
    );
    checkState(pilot);
    this.#checkAgents();
    this.#compare(commands);
    for (const command of commands) this.#world.carryOut(pilot, command);
    const { run } = pilot.state;
    if (!pilot.isOver() && run !== 'paused') {
      must(this.#world.busy || this.#world.asking, () => `deadlock: ${JSON.stringify(pilot.state)}`);
    }
  }

  #check(command: Effect): void {
    const { landings } = this.#world.target;
    if (command.do === 'start') {
      const missing = mustHaveLanded(this.#cards, command.idea).filter((id) => !landings.includes(id));
      must(missing.length === 0, () => `${command.idea} starts before ${missing}`);
    }
    if (command.do === 'land') must(!landings.includes(command.idea), () => `${command.idea} lands twice`);
  }

  /** Every agent at work has a slot that nobody else has. */
  #checkAgents(): void {
    const working = [...this.#world.children.values()].filter(
      ({ state, slotless }) => state === 'working' && !slotless,
    );
    for (const { idea, life, agent } of working) {
      const entry = this.#pilot.graph.entry(idea);
      if (!entry || entry.life !== life) continue;
      must(entry.slot !== undefined && !entry.beside, () => `${idea} works as ${agent} without a slot`);
    }
  }

  #compare(commands: Effect[]): void {
    const [mine, other] = [commands, this.#carried.decide(false)].map((list) => brief(list).sort().join(', '));
    must(mine === other, () => `decided "${mine}", but "${other}" after continuing as new`);
    const state = JSON.stringify(this.#carried.state);
    must(
      isDeepStrictEqual(JSON.parse(state), JSON.parse(JSON.stringify(this.#pilot.state))),
      () => `continuing as new made ${state} of ${JSON.stringify(this.#pilot.state)}`,
    );
    // How a child ended during its landing is in memory only; the workflow never continues as new during a landing.
    if (this.#world.landsWithoutChild) return;
    this.#carried = new Autopilot(JSON.parse(state), this.#settings);
  }
}

const heldSlots = (pilot: Autopilot): number =>
  pilot.state.entries.filter((entry) => entry.slot !== undefined && !entry.beside).length;

/** More in a long soak, e.g. `RALPHCTL_PROPERTY_RUNS=5000`. */
const RUNS = Number(process.env.RALPHCTL_PROPERTY_RUNS ?? 150);
const LIMIT = RUNS * 1200;
const seeds = fc.integer({ min: 0, max: 2 ** 31 });
const slotCounts = fc.integer({ min: 1, max: 5 });
const FRIENDLY: Temper = {
  bad: [],
  terminate: false,
  levers: ['pause', 'resume', 'resume', 'slots', 'pause-one', 'stop-one'],
};
const STOPPED: Temper = { bad: [], terminate: false, levers: ['pause', 'resume', 'stop', 'stop', 'stop-one'] };
const HOSTILE: Temper = {
  bad: ['failed', 'blocked', 'timeout', 'stopped', 'skipped'],
  terminate: true,
  levers: ['pause', 'resume', 'resume', 'slots', 'pause-one', 'stop-one', 'stop'],
};

describe('A1 A3 A4 A7 C1 C6 D1 properties', () => {
  test('where every idea succeeds in the end, all of them land exactly once, whatever happened on the way', {
    timeout: LIMIT,
  }, () => {
    let waits = 0;
    const seen = { besides: 0, early: 0, kept: 0 };
    fc.assert(
      fc.property(dag, slotCounts, seeds, fc.boolean(), fc.nat(300), (cards, slots, seed, orphans, steps) => {
        const simulation = new Simulation(cards, slots, seed, FRIENDLY, orphans);
        const pilot = simulation.run(steps);
        waits += simulation.waits;
        seen.besides += simulation.handOvers.besides;
        seen.early += simulation.handOvers.early;
        seen.kept += simulation.handOvers.kept;
        const ideas = pilot.state.entries.filter((entry) => !entry.card.blue);
        expect(ideas.filter((entry) => entry.status !== 'landed')).toEqual([]);
        expect(pilot.state.totals.landings).toBe(ideas.length);
        expect(pilot.graph.readyCount).toBe(0);
      }),
      { numRuns: RUNS },
    );
    expect(waits).toBeGreaterThan(0);
    expect(Math.min(seen.besides, seen.early, seen.kept)).toBeGreaterThan(0);
  });

  test('C6: finished work is tried to land, also in a run that stops meanwhile', { timeout: LIMIT }, () => {
    fc.assert(
      fc.property(dag, slotCounts, seeds, fc.boolean(), fc.nat(300), (cards, slots, seed, orphans, steps) => {
        const simulation = new Simulation(cards, slots, seed, STOPPED, orphans);
        simulation.run(steps);
        expect(simulation.thrownAway).toEqual([]);
      }),
      { numRuns: RUNS },
    );
  });

  test('where children fail, vanish and runs are stopped, no invariant breaks and the run ends', {
    timeout: LIMIT,
  }, () => {
    fc.assert(
      fc.property(dag, slotCounts, seeds, fc.boolean(), fc.nat(300), (cards, slots, seed, orphans, steps) => {
        const pilot = new Simulation(cards, slots, seed, HOSTILE, orphans).run(steps);
        if (pilot.state.run === 'stopping') return;
        for (const { card: one, status } of pilot.state.entries) {
          // What is left waits for something that did not land.
          if (status !== 'pending' || one.blue) continue;
          expect(pilot.graph.waitsFor(one.id)).not.toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
