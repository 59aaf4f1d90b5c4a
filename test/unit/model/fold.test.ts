/** The model that every view reads, folded from events as runs write them. Features: G1 G2 G4 G6. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { besideLines } from '../../../src/client/views/beside-lines.js';
import { LiveLines } from '../../../src/client/views/live-lines.js';
import { groupProgress, partOf } from '../../../src/model/counts.js';
import { ideaFacts } from '../../../src/model/facts.js';
import { addIdeas, fold, newModel } from '../../../src/model/fold.js';
import type { RunModel } from '../../../src/model/model.js';
import { revertedIn } from '../../../src/model/reverted.js';
import { takeVerdicts } from '../../../src/model/stands.js';
import type { RunEvent, StampedEvent } from '../../../src/protocol/events.js';
import type { Idea } from '../../../src/protocol/idea.js';
import { IDEA_STATUSES, type IdeaStatus } from '../../../src/protocol/states.js';
import { shownOf } from '../../../src/screen/text/theme.js';
import { idea as titled } from '../screen/shop.js';

const HEAD = { project: 'shop-1', runId: 'r1', name: 'shop', target: 'main' };
const idea = (id: string, more: Partial<Idea> = {}): Idea => titled(id, `Title of ${id}`, more);

let clock = 0;
const at = (event: RunEvent, minutes = 1): StampedEvent => {
  clock += minutes * 60_000;
  return { at: new Date(Date.UTC(2026, 0, 1) + clock).toISOString(), ...event };
};

const play = (model: RunModel, events: RunEvent[]): void => {
  for (const event of events) fold(model, at(event));
};

const STARTED: RunEvent = { kind: 'idea', idea: 'a', title: 'A', status: 'running', agentName: 'ed-002' };
const BEGIN: RunEvent = {
  kind: 'iteration',
  idea: 'a',
  serial: 1,
  iteration: 1,
  max: 8,
  agentName: 'ed-002',
  agent: 'claude',
  model: 'opus',
};
const END: RunEvent = {
  kind: 'iteration-end',
  idea: 'a',
  serial: 1,
  iteration: 1,
  signal: { kind: 'progress', percent: 60 },
  outcome: 'ok',
  durationMs: 90_000,
  commits: 2,
  usage: { inputTokens: 1000, outputTokens: 50, costUsd: 0.25 },
};
const GATE: RunEvent = {
  kind: 'gate',
  idea: 'a',
  pass: false,
  command: 'npm test',
  exitCode: 1,
  tests: { passed: 4, failed: 2, skipped: 0, total: 6 },
  durationMs: 4000,
};

describe('an idea', () => {
  it('A8: a run takes from its start to its end; a clock that was set back makes it no shorter than its events', () => {
    const model = newModel({ ...HEAD, startedAt: 1000 }, [idea('a')]);
    const told = (at: number, state: 'running' | 'paused' | 'completed') =>
      fold(model, { at: new Date(at).toISOString(), kind: 'run', state, landed: 0, total: 1 });
    told(61_000, 'running');
    told(70_000, 'paused');
    told(91_000, 'completed');
    expect([model.startedAt, model.endedAt]).toEqual([1000, 91_000]);
    const late = newModel({ ...HEAD, startedAt: 100_000 }, [idea('a')]);
    fold(late, { at: new Date(61_000).toISOString(), kind: 'run', state: 'running', landed: 0, total: 1 });
    expect(late.startedAt).toBe(61_000);
  });

  it('C2: has a command once, though the run tells the result of its work with an event of its own', () => {
    const model = newModel(HEAD, [idea('a')]);
    const asked: RunEvent = {
      ...{ kind: 'command', verb: 'rollback', idea: 'a', by: 'cli' },
      ...{ reason: 'not wanted', done: 'a leaves main' },
    };
    const result: RunEvent = { kind: 'command', verb: 'rollback', idea: 'a', done: 'a was taken off main by 1' };
    play(model, [asked, END, result]);
    const about = model.ideas.get('a');
    expect(about?.said).toMatchObject([{ verb: 'rollback', by: 'cli', done: 'a was taken off main by 1' }]);
    expect(about?.told).toEqual({ verb: 'rollback', reason: 'not wanted' });
    expect(about?.moments.filter(({ kind }) => kind === 'said')).toHaveLength(1);
    expect(about).toMatchObject({ commits: 0 });
    play(model, [asked, result, { ...result, done: 'again' }]);
    expect(about?.said.map(({ done }) => done)).toEqual([result.done, result.done, 'again']);
  });

  it('C2: a retry that begins anew is one command and one line, and nobody typed the rollback that it takes', () => {
    const model = newModel(HEAD, [idea('a')]);
    const failed: RunEvent = { kind: 'idea', idea: 'a', title: 'A', status: 'failed', reason: 'no such file' };
    const asked: RunEvent = {
      ...{ kind: 'command', verb: 'retry', idea: 'a', by: 'cli' },
      done: 'a starts over on main as it is now: ralphctl first saves its work so far, then drops it',
    };
    const result: RunEvent = { kind: 'command', verb: 'rollback', idea: 'a', done: 'a begins again on main: 1 commit' };
    const told = [STARTED, BEGIN, END, failed, asked, failed, result];
    play(model, told);
    const about = model.ideas.get('a');
    expect(about?.said).toMatchObject([{ verb: 'retry', by: 'cli', done: result.done }]);
    expect(about?.told).toEqual({ verb: 'retry' });
    expect(about).toMatchObject({ commits: 0 });
    expect(model.log.filter(({ kind }) => kind === 'idea')).toHaveLength(2);
    const lines = new LiveLines(false);
    const logs = told.flatMap((event) => lines.lines(at(event))).join('\n');
    expect(logs.match(/failed: no such file/g)).toHaveLength(1);
    expect(logs).toContain('· a begins again on main: 1 commit');
    expect(logs).not.toContain('you: rollback');
  });

  it('C1 G2: an answer keeps the question of ralphctl, whose event came before the one of the command', () => {
    const model = newModel(HEAD, [idea('a')]);
    const question = '10 iterations in a row made no progress on this task. What should change?';
    const answer = { idea: 'a', text: 'write it once', by: 'cli' } as const;
    play(model, [
      ...[STARTED, BEGIN, END],
      { kind: 'asks', idea: 'a', asking: 'escalation', question, id: 'dc3f' },
      { kind: 'idea', idea: 'a', title: 'A', status: 'needs-human', reason: question },
      { kind: 'answered', ...answer, id: 'dc3f' },
      { kind: 'idea', idea: 'a', title: 'A', status: 'wants-slot' },
      { kind: 'command', verb: 'answer', ...answer, done: 'a has your answer; its next prompt contains it' },
    ]);
    expect(model.ideas.get('a')?.said).toMatchObject([{ verb: 'answer', question, text: 'write it once' }]);
  });

  it('A2: what an abort saves of an idea is no word of a person', () => {
    const model = newModel(HEAD);
    const at = new Date(0).toISOString();
    fold(model, { at, kind: 'idea', idea: 'a', title: 'A', status: 'pending' });
    fold(model, { at, kind: 'command', verb: 'stash', idea: 'a', done: 'a had no uncommitted changes' });
    expect(model.ideas.get('a')).toMatchObject({ said: [], moments: [] });
    expect(model.ideas.get('a')?.told).toBeUndefined();
  });

  it('has its iteration, limit, agent, percent, gate and cost (G1)', () => {
    const model = newModel(HEAD, [idea('a')]);
    play(model, [STARTED, BEGIN, END, GATE]);
    expect(model.ideas.get('a')).toMatchObject({
      status: 'running',
      slot: 2,
      agent: 'claude',
      model: 'opus',
      max: 8,
      percent: 60,
      commits: 2,
      spent: { dollars: 0.25, tokensIn: 1000, tokensOut: 50, unknownDollars: 0 },
      gate: { pass: false, command: 'npm test', tests: { passed: 4 } },
      iterations: [{ number: 1, signal: { kind: 'progress' }, gate: { pass: false } }],
    });
  });

  it('is not finished because its agent said so: a red gate, a landing that bounced and a failure take it back (G1)', () => {
    const done: RunEvent = { ...(END as object), serial: 2, signal: { kind: 'complete' } } as RunEvent;
    const next: RunEvent = { ...(BEGIN as object), serial: 2 } as RunEvent;
    const percent = (...events: RunEvent[]): number | undefined => {
      const model = newModel(HEAD, [idea('a')]);
      play(model, [STARTED, BEGIN, ...events]);
      return model.ideas.get('a')?.percent;
    };
    const green: RunEvent = { ...(GATE as object), pass: true } as RunEvent;
    const becomes = (status: IdeaStatus, more = {}): RunEvent => ({
      kind: 'idea',
      idea: 'a',
      title: 'A',
      status,
      ...more,
    });
    expect(percent(END, next, done, green)).toBe(100);
    expect(percent(END, next, done, green, becomes('landing'), becomes('landed'))).toBe(100);
    expect(percent(END, next, done, green, becomes('needs-human', { approval: true }))).toBe(100);
    // GATE is red.
    expect(percent(END, next, done, GATE)).toBe(60);
    expect(percent(END, next, done, green, { kind: 'bounced', idea: 'a', why: 'conflict in a.ts' })).toBe(60);
    for (const status of ['failed', 'timeout', 'blocked', 'pending', 'abandoned', 'needs-human'] as const)
      expect(percent(END, next, done, green, becomes(status))).toBe(60);
    // It never said less than all.
    const claims: RunEvent = { ...(END as object), signal: { kind: 'progress', percent: 100 } } as RunEvent;
    expect(percent(claims)).toBe(100);
    expect(percent(claims, becomes('failed'))).toBeUndefined();
  });

  it('has the reason of a wait until it tries again (F6 G1)', () => {
    const why = 'the disk of /w has only 2 MB free';
    const waits: RunEvent = { kind: 'waiting', idea: 'a', why, ms: 30_000 };
    const model = newModel(HEAD);
    play(model, [STARTED, BEGIN, waits]);
    expect(ideaFacts(model.ideas.get('a') ?? expect.fail()).backsOff).toBe(why);
    play(model, [{ kind: 'command', verb: 'hint', idea: 'a', done: 'a gets it' }]);
    expect(model.ideas.get('a')?.backsOff).toBe(why);
    play(model, [BEGIN]);
    expect(model.ideas.get('a')?.backsOff).toBeUndefined();
  });

  it('counts a run without usage as unknown, and a line that stands twice once', () => {
    const model = newModel(HEAD, [idea('a')]);
    const { usage: _, ...silent } = END as Extract<RunEvent, { kind: 'iteration-end' }>;
    play(model, [STARTED, BEGIN, BEGIN, silent, silent]);
    expect(model.ideas.get('a')?.spent).toMatchObject({
      iterations: 1,
      unknownTokens: 1,
      unknownDollars: 1,
      dollars: 0,
    });
    expect(model.ideas.get('a')?.iterations).toHaveLength(1);
    expect(model.ideas.get('a')?.commits).toBe(2);
  });

  it('keeps an end whose begin was lost in a crash', () => {
    const model = newModel(HEAD, [idea('a')]);
    play(model, [STARTED, END]);
    expect(model.ideas.get('a')?.iterations).toMatchObject([{ serial: 1, number: 1, durationMs: 90_000 }]);
  });

  it('has a question whole, also where the event of an older version cuts it', () => {
    const model = newModel(HEAD, [idea('a')]);
    const question = `${'x'.repeat(200)}\nsecond line`;
    const asks: RunEvent = { ...(END as object), signal: { kind: 'needs-human', question } } as RunEvent;
    play(model, [
      STARTED,
      BEGIN,
      asks,
      { kind: 'idea', idea: 'a', title: 'A', status: 'needs-human', reason: `${'x'.repeat(99)}…` },
    ]);
    expect(model.ideas.get('a')).toMatchObject({ question, status: 'needs-human' });
  });

  it('knows since when it waits, who said what, and no warning once it landed', () => {
    const model = newModel(HEAD, [idea('a')]);
    play(model, [STARTED, { kind: 'warning', idea: 'a', warning: 'stuck', text: 'no progress' }]);
    const blocked = at({ kind: 'idea', idea: 'a', title: 'A', status: 'blocked', reason: 'no key' });
    fold(model, blocked);
    fold(model, at({ kind: 'idea', idea: 'a', title: 'A', status: 'blocked', reason: 'still no key' }));
    expect(model.ideas.get('a')).toMatchObject({ since: Date.parse(blocked.at) });
    play(model, [
      {
        kind: 'command',
        verb: 'hint',
        idea: 'a',
        text: 'use the other key',
        by: 'screen',
        done: 'goes into its next prompt',
      },
      { kind: 'idea', idea: 'a', title: 'A', status: 'landed', commit: 'abc' },
    ]);
    expect(model.ideas.get('a')).toMatchObject({
      said: [{ verb: 'hint', text: 'use the other key', by: 'screen' }],
      warnings: [],
      commit: 'abc',
    });
  });
});

describe('a warning', () => {
  const stuck: RunEvent = { kind: 'warning', idea: 'a', warning: 'stuck', text: 'no progress' };
  const status = (name: IdeaStatus): RunEvent => ({ kind: 'idea', idea: 'a', title: 'A', status: name });
  const kinds = (model: RunModel): string[] => (model.ideas.get('a')?.warnings ?? []).map(({ kind }) => kind);

  it('of an idea is over by its event, and leaves the others', () => {
    const model = newModel(HEAD, [idea('a')]);
    play(model, [STARTED, stuck, { kind: 'warning', idea: 'a', warning: 'outside', text: 'b.txt changed' }]);
    expect(kinds(model)).toEqual(['stuck', 'outside']);
    play(model, [{ kind: 'warning-over', idea: 'a', warning: 'stuck' }]);
    expect(kinds(model)).toEqual(['outside']);
  });

  it('of the run is over by its event, and may come again', () => {
    const model = newModel(HEAD, [idea('a')]);
    const errors: RunEvent = { kind: 'warning', warning: 'errors', text: '3 ideas failed' };
    const budget: RunEvent = { kind: 'warning', warning: 'budget', text: '8 of 10' };
    play(model, [errors, budget, { kind: 'warning-over', warning: 'errors' }]);
    expect(model.warnings).toMatchObject([{ kind: 'budget' }]);
    play(model, [errors]);
    expect(model.warnings).toMatchObject([{ kind: 'budget' }, { kind: 'errors' }]);
  });

  it.each(['landed', 'blocked', 'timeout', 'failed', 'skipped', 'abandoned'] as const)(
    'ends with the workflow of an idea that is %s, as in status',
    (name) => {
      const model = newModel(HEAD, [idea('a')]);
      play(model, [STARTED, stuck, status(name)]);
      expect(kinds(model)).toEqual([]);
    },
  );

  it('of an idea that a stop cut off stays for the report, until it begins again', () => {
    const model = newModel(HEAD, [idea('a')]);
    play(model, [STARTED, stuck, status('pending')]);
    expect(kinds(model)).toEqual(['stuck']);
    play(model, [STARTED]);
    expect(kinds(model)).toEqual([]);
  });
});

describe('the run', () => {
  it('counts each idea in one part of the bar, and a group by its children', () => {
    const model = newModel(
      HEAD,
      [idea('g', { blue: true }), idea('a', { parent: 'g' }), idea('b', { parent: 'g' }), idea('c')],
      new Set(['c']),
    );
    expect(model.counts).toMatchObject({ total: 3, landed: 1, todo: 2 });
    play(model, [STARTED, { kind: 'idea', idea: 'b', title: 'B', status: 'landed' }]);
    expect(model.counts).toEqual({
      total: 3,
      landed: 2,
      landing: 0,
      working: 1,
      needYou: 0,
      todo: 0,
      skipped: 0,
      takenOff: 0,
    });
    expect(groupProgress(model.ideas, 'g')).toEqual({ done: 1, total: 2 });
  });

  it('keeps the landing queue in order, and when a limit began and ended', () => {
    const model = newModel(HEAD, [idea('a'), idea('b')]);
    play(model, [
      { kind: 'idea', idea: 'b', title: 'B', status: 'landing' },
      { kind: 'idea', idea: 'a', title: 'A', status: 'landing' },
      { kind: 'landing', idea: 'b' },
      { kind: 'account', account: { key: 'codex:1', agents: ['codex'], state: 'parked', kind: 'limited' } },
    ]);
    expect([model.queue, model.landing]).toEqual([['b', 'a'], 'b']);
    play(model, [
      { kind: 'idea', idea: 'b', title: 'B', status: 'landed' },
      { kind: 'account', account: { key: 'codex:1', agents: ['codex'], state: 'open' } },
      { kind: 'run', state: 'completed', landed: 1, total: 2 },
    ]);
    expect([model.queue, model.landing]).toEqual([['a'], undefined]);
    expect(model.limits).toHaveLength(1);
    expect(model.limits[0]?.to).toBeGreaterThan(model.limits[0]?.from ?? 0);
    expect(model).toMatchObject({ state: 'completed', endedAt: model.lastAt });
  });

  it('D2: an idea in review is not in the landing queue, and does not land', () => {
    const model = newModel(HEAD, [idea('a'), idea('b')]);
    const review = (state: 'open' | 'apart' | 'comments'): RunEvent => ({
      ...{ kind: 'review', idea: 'a', state },
      ...{ number: 4, url: 'https://forge/4' },
    });
    const becomes = (status: IdeaStatus): RunEvent => ({ kind: 'idea', idea: 'a', title: 'A', status });
    const shown = () => {
      const one = model.ideas.get('a');
      return [one && shownOf(one, model.landing), model.queue, model.landing];
    };
    play(model, [becomes('landing'), { kind: 'landing', idea: 'a' }]);
    expect(shown()).toEqual(['lands', ['a'], 'a']);
    play(model, [review('open'), becomes('landing')]);
    expect(shown()).toEqual(['in review', [], undefined]);
    expect(model.counts.landing).toBe(1);
    play(model, [review('apart')]);
    expect(shown()).toEqual(['queued', ['a'], undefined]);
    play(model, [{ kind: 'landing', idea: 'a' }, review('open'), review('comments'), becomes('wants-slot')]);
    expect(shown()).toEqual(['slot', [], undefined]);
    expect(model.ideas.get('a')).not.toHaveProperty('review');
  });

  it('takes ideas that were added later, by their texts or by an event alone', () => {
    const model = newModel(HEAD, [idea('a')]);
    play(model, [{ kind: 'idea', idea: 'a-1', title: 'Part', status: 'running', agentName: 'ed-001' }]);
    addIdeas(model, [idea('a-1', { title: 'Part', parent: 'a' })]);
    expect(model.counts.total).toBe(2);
    expect(model.ideas.get('a-1')).toMatchObject({ status: 'running', parent: 'a' });
    expect(model.ideas.get('a')?.children).toEqual(['a-1']);
  });

  it('says nothing of lines that no version knows', () => {
    const model = newModel(HEAD, [idea('a')]);
    fold(model, { at: 'nonsense', kind: 'run', state: 'running', landed: 0, total: 1 });
    fold(model, { at: new Date(0).toISOString(), kind: 'moon', idea: 'a' } as unknown as StampedEvent);
    expect(model.counts.total).toBe(1);
    expect(model.log).toHaveLength(1);
  });
});

describe('any order of events', () => {
  const ids = fc.constantFrom('a', 'b', 'c');
  const events = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant('idea' as const),
        idea: ids,
        title: fc.string(),
        status: fc.constantFrom(...IDEA_STATUSES),
      }),
      fc.record({
        kind: fc.constant('iteration' as const),
        idea: ids,
        serial: fc.nat(5),
        iteration: fc.nat(5),
        max: fc.nat(9),
        agentName: fc.constantFrom('ed-001', 'x'),
      }),
      fc.record({
        kind: fc.constant('iteration-end' as const),
        idea: ids,
        serial: fc.nat(5),
        iteration: fc.nat(5),
        signal: fc.constantFrom({ kind: 'none' as const }, { kind: 'progress' as const, percent: 50 }),
        outcome: fc.constant('ok' as const),
        durationMs: fc.nat(1000),
        commits: fc.nat(3),
      }),
      fc.record({ kind: fc.constant('landing' as const), idea: ids }),
      fc.record({ kind: fc.constant('interrupted' as const), idea: ids, iteration: fc.nat(5) }),
    ),
  );

  it('keeps the counts equal to what is in the map, and sums equal to the parts', () => {
    fc.assert(
      fc.property(events, (list) => {
        const model = newModel(HEAD, [idea('a'), idea('b')]);
        play(model, list);
        const ideas = [...model.ideas.values()];
        expect(model.counts.total).toBe(ideas.length);
        for (const part of ['landed', 'landing', 'working', 'needYou', 'todo', 'skipped'] as const)
          expect(model.counts[part]).toBe(ideas.filter((one) => partOf(one) === part).length);
        expect(model.spent.iterations).toBe(ideas.reduce((sum, one) => sum + one.spent.iterations, 0));
        expect(new Set(model.queue)).toEqual(
          new Set(ideas.filter((one) => one.status === 'landing').map(({ id }) => id)),
        );
        for (const one of ideas)
          expect(new Set(one.iterations.map(({ serial }) => serial)).size).toBe(one.iterations.length);
      }),
    );
  });
});

it('G1: status names the ideas that a run left out, with the command that says why', () => {
  const model = newModel(HEAD, [idea('a'), idea('b'), idea('c')]);
  play(model, [{ kind: 'idea', idea: 'a', title: 'A', status: 'skipped', reason: 'its pull request was closed' }]);
  expect(besideLines(model)).toEqual(['left out: a; the reason: ralphctl why a']);
  play(model, [{ kind: 'idea', idea: 'c', title: 'C', status: 'abandoned' }]);
  expect(besideLines(model)).toEqual(['left out: a, c; the reasons: ralphctl why IDEA']);
});

describe('landed work that a person took off during the run', () => {
  const text = 'abcdef01 (Revert "a") took it off main again; to run it again, once this run is over: ralphctl retry a';
  const taken: RunEvent[] = [
    { kind: 'run', state: 'running', landed: 0, total: 2 },
    { kind: 'idea', idea: 'a', title: 'A', status: 'landed', commit: 'c'.repeat(40) },
    { kind: 'reverted', idea: 'a', by: 'abcdef01', text },
    { kind: 'idea', idea: 'b', title: 'B', status: 'landed', commit: 'd'.repeat(40) },
  ];
  const played = (events = taken): RunModel => {
    const model = newModel(HEAD, [idea('a'), idea('b')]);
    play(model, events);
    return model;
  };

  it('C1 G1: is told on its own idea, which keeps its landing and its numbers', () => {
    const model = played();
    expect(model.ideas.get('a')).toMatchObject({ status: 'landed', reason: text, landedBefore: false });
    expect(model.ideas.get('a')?.moments).toMatchObject([{ kind: 'reverted', text }]);
    expect(model.ideas.get('b')).not.toHaveProperty('reason');
    expect(revertedIn(model)).toEqual([{ idea: 'a', text }]);
    expect(model.counts).toMatchObject({ landed: 2, total: 2 });
    expect(besideLines(model)).toEqual(['landed: b']);
  });

  it('C1: what came back has landed without that reason, and what is in the file is as it was', () => {
    const model = played();
    takeVerdicts(model, new Map([['a', { is: 'landed', commit: 'e'.repeat(40) }]]));
    expect(model.ideas.get('a')?.reason).toBe('its work is on main again');
    expect(revertedIn(model)).toBeUndefined();
    takeVerdicts(model, new Map());
    expect(model.ideas.get('a')?.reason).toBe(text);
    // What lost a part has landed before and after.
    const part = played([...taken.slice(0, 2), { ...(taken[2] as RunEvent & { kind: 'reverted' }), part: true }]);
    takeVerdicts(part, new Map([['a', { is: 'landed', commit: 'e'.repeat(40) }]]));
    expect(revertedIn(part)).toEqual([{ idea: 'a', text }]);
    expect(besideLines(part)).toEqual(['landed: a']);
    // A landing before this run counts as one from before.
    const before = newModel(HEAD, [idea('a')], new Set(['a']));
    play(before, [taken[2] as RunEvent]);
    expect(before.ideas.get('a')).toMatchObject({ status: 'landed', landedBefore: true, reason: text });
  });

  it('a run of an older version told it on the idea that landed next', () => {
    const note = 'abcdef01 (Revert "a") took a off the target again; to run it again, once this run is over: …';
    const [start, first] = taken as [RunEvent, RunEvent];
    const model = played([start, first, { ...(taken[3] as RunEvent & { kind: 'idea' }), reason: note }]);
    expect(model.ideas.get('b')).toMatchObject({ status: 'landed', reason: note });
    expect(model.ideas.get('a')).not.toHaveProperty('reason');
  });
});
