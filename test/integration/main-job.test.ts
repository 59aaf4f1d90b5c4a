/**
 * The main job on the real server, real git and real processes: twelve ideas with everything that can happen to one.
 * Features: A1 A3 A8 B1 B3 B5 B11 C5 D1 F1 G8.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { RunSummary } from '../../src/protocol/run.js';
import { events, type Outcome, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

const file = (path: string, text: string) => ({ write: { path, text } });

/** Ideas that meet at a rendezvous: each says it is there and waits for the others, so they must run at once. */
const meet = (scratch: string, me: string, others: string[]) => [
  { write: { path: join(scratch, me), text: 'here' } },
  ...others.map((other) => ({ waitFor: { path: join(scratch, other) } })),
];

function script(scratch: string): unknown {
  const simple = (id: string) => [{ do: [file(`${id}.txt`, `${id}\n`)], signal: 'COMPLETE' }];
  return {
    ideas: {
      'a-1': [{ do: [...meet(scratch, 'a-1', ['a-2', 'a-3']), file('a-1.txt', 'a-1\n')], signal: 'COMPLETE' }],
      'a-2': [{ do: [...meet(scratch, 'a-2', ['a-1', 'a-3']), file('a-2.txt', 'a-2\n')], signal: 'COMPLETE' }],
      'a-3': [{ do: [...meet(scratch, 'a-3', ['a-1', 'a-2']), file('a-3.txt', 'a-3\n')], signal: 'COMPLETE' }],
      'b-1': simple('b-1'),
      // Claims to be done with a red gate, then fixes it.
      'red-1': [
        { do: [file('red-1.txt', 'bad\n')], signal: 'COMPLETE' },
        {
          whenPrompt: { contains: ['The quality checks did not pass', 'bad file'] },
          do: [file('red-1.txt', 'good\n')],
          signal: 'COMPLETE',
        },
      ],
      'blocked-1': [{ do: [file('half.txt', 'half\n')], signal: 'BLOCKED: no database here' }],
      'ask-1': [
        { signal: 'NEEDS_HUMAN: which colour?' },
        {
          whenPrompt: { contains: ['which colour?', 'The answer: green'] },
          do: [file('colour.txt', 'green\n')],
          signal: 'COMPLETE',
        },
      ],
      'slow-1': [{ do: [file('slow.txt', 'more and more\n')], signal: 'PROGRESS:40' }],
      // Both start from the same commit and write the same file.
      'c-1': [
        { do: [...meet(scratch, 'c-1', ['c-2']), file('shared.txt', 'one\n')], signal: 'COMPLETE' },
        { whenPrompt: { contains: 'conflict markers' }, do: [file('shared.txt', 'one and two\n')], signal: 'COMPLETE' },
      ],
      'c-2': [
        { do: [...meet(scratch, 'c-2', ['c-1']), file('shared.txt', 'two\n')], signal: 'COMPLETE' },
        { whenPrompt: { contains: 'conflict markers' }, do: [file('shared.txt', 'one and two\n')], signal: 'COMPLETE' },
      ],
      'after-blocked': simple('after-blocked'),
      'last-1': [
        { do: [{ run: 'test -f a-1.txt && test -f shared.txt' }, file('last.txt', 'last\n')], signal: 'COMPLETE' },
      ],
    },
  };
}

const tasks = [
  { id: 'a-1', tags: 'critical' },
  { id: 'a-2', tags: 'critical' },
  { id: 'a-3', tags: 'critical' },
  { id: 'b-1', depends: 'a-1' },
  { id: 'red-1', max_iterations: 4 },
  { id: 'blocked-1' },
  { id: 'ask-1' },
  { id: 'slow-1', max_iterations: 3 },
  { id: 'c-1', depends: 'a-1' },
  { id: 'c-2', depends: 'a-1' },
  { id: 'after-blocked', depends: 'blocked-1' },
  { id: 'last-1', depends: 'c-1, c-2, b-1' },
];

describe('twelve ideas, end to end', () => {
  let box: Sandbox;
  let outcome: Outcome;
  let answered: Outcome | undefined;

  beforeAll(async () => {
    box = await sandbox(inject('stateRoot'), {
      'roadmap.md': roadmap(tasks),
      'ralphctl.yaml': yaml({
        version: 1,
        agent: 'writer',
        agents: { writer: { adapter: 'scripted', model: 'model-7' } },
        slots: 3,
        stepDelayMs: 0,
        // Red while a file says "bad"; the file is named on stdout.
        gate: {
          commands: [{ name: 'no bad file', run: '! grep -l bad -- *.txt && echo "ok 1 - files" && echo "1..1"' }],
        },
      }),
      'base.txt': 'base\n',
    });
    await box.write({ '.ralph-script.yaml': yaml(script(box.scratch)) });
    await box.commit('script');
    const started = box.run('start', 'roadmap.md', '--json', '--wait');
    const asked = until(
      'the question of ask-1',
      async () => {
        const { json } = await box.run('status', '--json');
        const status = json[0]?.status as { attention: { id: string; status: string }[] } | undefined;
        return status?.attention.some((line) => line.id === 'ask-1' && line.status === 'needs-human');
      },
      90_000,
    );
    answered = await asked.then(() => box.run('answer', 'ask-1', 'green'));
    outcome = await started;
    if (process.env.RALPHCTL_TEST_SHOW) console.log(outcome.stdout, outcome.stderr);
  }, 180_000);

  afterAll(() => box?.dispose());

  const summary = (): RunSummary => outcome.json.at(-1) as unknown as RunSummary;

  it('lands what can land and names the rest (A1, A8, B3)', () => {
    expect(outcome.code, outcome.stderr).toBe(3);
    expect(summary().outcome).toBe('completed');
    const rest = Object.fromEntries(summary().notLanded.map((one) => [one.idea, [one.status, one.reason ?? '']]));
    expect(rest).toEqual({
      'blocked-1': ['blocked', 'no database here'],
      'slow-1': ['timeout', expect.stringMatching(/^3 of 3 iterations used; /)],
      'after-blocked': ['pending', ''],
    });
    expect(summary().landed).toBe(9);
    const { statistics } = summary().status;
    expect(statistics.iterations.total).toBe(16);
    expect(statistics.merges).toEqual({ landed: 9, conflictsResolved: 1, pending: 0 });
  });

  it('puts each landed idea on the target exactly once, named after idea and agent (B11, D1)', async () => {
    const subjects = (await box.git('log', '--format=%s', 'main')).split('\n');
    for (const id of ['a-1', 'a-2', 'a-3', 'b-1', 'red-1', 'ask-1', 'c-1', 'c-2', 'last-1']) {
      // While a gate runs beside the slots, its idea keeps its number.
      const mine = subjects.filter((subject) => new RegExp(`#${id}@ed-\\d{3}$`).test(subject));
      expect(mine.length, `${id} in\n${subjects.join('\n')}`).toBeGreaterThanOrEqual(1);
    }
    const trailers = (await box.git('log', '--format=%(trailers:key=Ralph-Idea,valueonly)', 'main'))
      .split('\n')
      .filter(Boolean);
    expect(trailers.filter((id) => id === 'a-1')).toHaveLength(1);
    expect(trailers).not.toContain('blocked-1');
    const by = await box.git('log', '-1', '--grep=^Ralph-Idea: a-1$', '--format=%(trailers:only)', 'main');
    expect(by).toMatch(/^Ralph-Idea: a-1\nRalph-Agent: writer\nRalph-Model: model-7\nRalph-Slot: ed-\d{3}$/m);
    expect(await readFile(join(box.repo, 'shared.txt'), 'utf8')).toBe('one and two\n');
    expect(await readFile(join(box.repo, 'colour.txt'), 'utf8')).toBe('green\n');
  });

  it('starts an idea only when what it depends on has landed (A3)', () => {
    const order = events(outcome).flatMap((event) => (event.kind === 'idea' ? [`${event.idea} ${event.status}`] : []));
    const at = (what: string): number => order.indexOf(what);
    expect(at('last-1 running')).toBeGreaterThan(Math.max(at('c-1 landed'), at('c-2 landed'), at('b-1 landed')));
    expect(order.some((line) => line.startsWith('after-blocked'))).toBe(false);
  });

  it('gives the failing gate, the answer and the conflict to the agent, and only then lands (B3, C5, D1)', () => {
    const seen = events(outcome);
    // Without the gate of its landing: whether that runs depends on what landed meanwhile.
    expect(
      seen.flatMap((one) => (one.kind === 'gate' && one.idea === 'red-1' && !one.merged ? [one.pass] : [])),
    ).toEqual([false, true]);
    expect(answered?.code).toBe(0);
    expect(seen.some((event) => event.kind === 'answered' && event.idea === 'ask-1')).toBe(true);
    expect(seen.filter((event) => event.kind === 'bounced')).toHaveLength(1);
  });

  it('ticks what landed as part of the landing, and leaves the checkout clean (F1)', async () => {
    const text = await box.git('show', 'main:roadmap.md');
    expect(text).toContain('- [x] **a-1**');
    expect(text).toContain('- [x] **last-1**');
    expect(text).toContain('- [ ] **blocked-1**');
    expect(await box.git('status', '--porcelain')).toBe('');
    expect(await readFile(join(box.repo, 'roadmap.md'), 'utf8')).toBe(`${text}\n`);
  });

  it('keeps the work of ideas that did not land (B3, B4)', async () => {
    expect(await box.git('show', 'ralph/blocked-1:half.txt')).toBe('half');
    expect(await box.git('show', 'ralph/slow-1:slow.txt')).toBe('more and more');
    const branches = (await box.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')).split('\n');
    expect(branches.sort()).toEqual(['main', 'ralph/blocked-1', 'ralph/slow-1']);
  });

  it('does not land anything twice when it is started again (C6)', async () => {
    const before = await box.git('rev-parse', 'main');
    const again = await box.run('start', 'roadmap.md', '--json', '--dry-run');
    expect(again.json[0]?.landed).toEqual(['a-1', 'a-2', 'a-3', 'b-1', 'red-1', 'ask-1', 'c-1', 'c-2', 'last-1']);
    expect(await box.git('rev-parse', 'main')).toBe(before);
    expect(existsSync(join(box.scratch, 'a-1'))).toBe(true);
  });
});
