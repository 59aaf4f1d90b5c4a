/** The gate of an idea on what will land (`landing.parallel`): one green gate is all it needs. Features: B3 D1. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { GateResult } from '../../src/protocol/gate.js';
import type { LandInput, LandResult } from '../../src/protocol/git-work.js';
import { roadmap, until } from '../support/program.js';
import { type Bench, bench, idea, say } from './bench.js';

const IDEAS = ['t-1', 't-2', 't-3'];
/** Says which files of ideas it saw. Without t-2 it waits for the test; it is red where `broken` is there. */
const GATE =
  'ls t-?.txt 2> /dev/null | tr "\\n" " " >> "$COUNT"; echo >> "$COUNT"; [ -e t-2.txt ] || [ -n "$FREE" ] || until [ -e "$MARKS/go" ]; do sleep 0.05; done; test ! -e broken';

interface Worked extends LandInput {
  slot: string;
}

async function project(scripts: Record<string, string> = {}, gate: object = {}, more: object = {}) {
  const cases = Object.entries(scripts).map(([id, script]) => `${id}) ${script} ;;`);
  const b = await bench({
    files: {
      'base.txt': 'base\n',
      '.gitignore': 'node_modules/\n',
      'roadmap.md': roadmap(IDEAS.map((id) => ({ id }))),
    },
    agent: `cat > /dev/null\necho work > "$RALPHCTL_IDEA.txt"\ncase "$RALPHCTL_IDEA" in\n${cases.join('\n')}\nesac\n${say('COMPLETE')}`,
    ideas: IDEAS.map((id) => idea(id)),
    config: {
      gate: {
        commands: [GATE],
        passEnv: ['COUNT', 'MARKS', 'FREE'],
        rerun: false,
        tripwires: OFF,
        baseTests: 'off',
        ...gate,
      },
      landing: { parallel: 3 },
      ...more,
    },
  });
  Object.assign(b.env, { COUNT: join(b.marks, 'gates'), MARKS: b.marks });
  await b.write({ gates: '' }, b.marks);
  return b;
}
/** So that no gate runs on the base. */
const OFF = { deletedTests: 'off', newSkips: 'off', gateFiles: 'off' };

async function worked(b: Bench, id: string): Promise<Worked> {
  const slot = `ed-00${id.at(-1)}`;
  const at = await b.prepare(id, { agentName: slot });
  const { head } = await b.call(b.activities.runAgent, b.agentInput(at, { idea: id, agentName: slot })).done;
  const { worktree, branch, base } = at;
  return { ...b.ref, slot, idea: id, title: `Do ${id}`, agentName: slot, worktree, branch, base, head };
}
const gate = (b: Bench, { idea: id, slot, worktree, base }: Worked): Promise<GateResult> =>
  b.call(b.activities.runGate, { ...b.ref, idea: id, serial: 1, agentName: slot, worktree, base }).done;
const land = (b: Bench, { slot: _, ...input }: Worked): Promise<LandResult> =>
  b.call(b.activities.landIdea, input).done;
/** What each gate saw, in order. */
const seen = async (b: Bench): Promise<string[]> =>
  (await b.read(join(b.marks, 'gates')))
    .split('\n')
    .slice(0, -1)
    .map((line) => line.trim());
const go = (b: Bench): Promise<void> => b.write({ go: '' }, b.marks);
const sawFirst = (b: Bench) => until('the gate of t-1', async () => (await seen(b)).includes('t-1.txt'));

describe('an idea alone', () => {
  it('needs one green gate, and lands with its tick', async () => {
    const b = await project();
    await go(b);
    const one = await worked(b, 't-1');
    expect(await gate(b, one)).toMatchObject({ pass: true });
    expect(await land(b, one)).toMatchObject({ kind: 'landed', gate: { same: 'gate of t-1' } });
    expect(await seen(b)).toEqual(['t-1.txt']);
    expect(await b.git('show', 'main:roadmap.md')).toContain('- [x] **t-1**');
    expect(await b.git('status', '--porcelain')).toBe('');
  });

  it('is gated again at its landing where the target moved meanwhile', async () => {
    const b = await project();
    await go(b);
    const one = await worked(b, 't-1');
    expect(await gate(b, one)).toMatchObject({ pass: true });
    await b.write({ 't-9.txt': 'mine\n' });
    await b.commit('mine');
    expect(await land(b, one)).toMatchObject({ kind: 'landed' });
    expect(await seen(b)).toEqual(['t-1.txt', 't-1.txt t-9.txt']);
  });

  it('does not hide behind what its agent did to the folders of its worktree', async () => {
    const tool = 'mkdir -p node_modules && echo "test ! -e broken" > node_modules/check';
    const b = await project(
      { 't-1': 'touch broken; echo true > node_modules/check' },
      { commands: ['echo "$PWD" >> "$COUNT"; sh node_modules/check'] },
      { setup: { run: tool } },
    );
    const one = await worked(b, 't-1');
    expect(await b.read(join(one.worktree, 'node_modules/check'))).toBe('true\n');
    const red = await gate(b, one);
    expect(red).toMatchObject({ pass: false });
    expect(red.failure?.tail).toContain('this ran on your commits in another worktree');
    expect(await land(b, one)).toMatchObject({ kind: 'red' });
    expect((await seen(b)).every((dir) => dir !== one.worktree)).toBe(true);
  });

  it('whose gate changes the settings of git is gated again', async () => {
    const b = await project(
      { 't-1': 'echo "git config filter.x.clean cat" > hook.sh' },
      {
        commands: ['echo ran >> "$COUNT"; [ ! -e hook.sh ] || [ -e "$MARKS/go" ] || sh hook.sh'],
      },
    );
    const one = await worked(b, 't-1');
    const got = await gate(b, one);
    expect(got).toMatchObject({ pass: true, tripwires: [{ kind: 'outside' }] });
    await go(b);
    expect(await land(b, one)).toMatchObject({ kind: 'landed' });
    expect(await seen(b)).toEqual(['ran', 'ran']);
  });

  it.each([
    ['landing.parallel is 1', {}, { landing: { parallel: 1 } }],
    ['gate.reuse is off', { reuse: false }, {}],
  ])('is gated in its own worktree and at its landing where %s', async (_, more, other) => {
    const b = await project({}, { commands: ['echo "$PWD" >> "$COUNT"'], ...more }, other);
    const one = await worked(b, 't-1');
    expect(await gate(b, one)).toMatchObject({ pass: true });
    expect(await land(b, one)).toMatchObject({ kind: 'landed' });
    expect(await seen(b)).toEqual([one.worktree, expect.stringContaining('/integration/main')]);
  });
});

describe('ideas that finish together', () => {
  it('are gated side by side, each on those ahead of it, and land without another gate', async () => {
    const b = await project();
    const [one, two] = [await worked(b, 't-1'), await worked(b, 't-2')];
    const first = gate(b, one);
    await sawFirst(b);
    const second = gate(b, two);
    await until('the gate of t-2', async () => (await seen(b)).length === 2);
    await go(b);
    expect(await Promise.all([first, second])).toMatchObject([{ pass: true }, { pass: true }]);
    expect(await land(b, one)).toMatchObject({ kind: 'landed', gate: { same: 'gate of t-1' } });
    expect(await land(b, two)).toMatchObject({ kind: 'landed', gate: { same: 'gate of t-2' } });
    expect(await seen(b)).toEqual(['t-1.txt', 't-1.txt t-2.txt']);
    expect(await b.git('show', 'main:roadmap.md')).toContain('- [x] **t-2**');
  });

  it('land in the other order, too, and the tree that nobody gated is gated', async () => {
    const b = await project();
    await go(b);
    const [one, two] = [await worked(b, 't-1'), await worked(b, 't-2')];
    expect(await gate(b, one)).toMatchObject({ pass: true });
    expect(await gate(b, two)).toMatchObject({ pass: true });
    expect(await land(b, two)).toMatchObject({ kind: 'landed' });
    // The same two ideas are the same tree.
    expect(await land(b, one)).toMatchObject({ kind: 'landed', gate: { same: 'gate of t-2' } });
    expect(await seen(b)).toEqual(['t-1.txt', 't-1.txt t-2.txt', 't-2.txt']);
  });

  it('a red one leaves, and the one behind it is gated anew without it', async () => {
    const b = await project({ 't-1': 'touch broken' });
    const [one, two] = [await worked(b, 't-1'), await worked(b, 't-2')];
    const first = gate(b, one);
    await sawFirst(b);
    const second = gate(b, two);
    await until('the gate of t-2', async () => (await seen(b)).length === 2);
    await go(b);
    expect(await Promise.all([first, second])).toMatchObject([{ pass: false }, { pass: true }]);
    expect(await land(b, two)).toMatchObject({ kind: 'landed', gate: { same: 'gate of t-2' } });
    const gates = await seen(b);
    expect([gates[0], gates[1], gates.at(-1)]).toEqual(['t-1.txt', 't-1.txt t-2.txt', 't-2.txt']);
    expect(await b.git('ls-tree', '--name-only', 'main')).not.toContain('broken');
  });

  it('one that is red only with another: its own gate is green, and its landing tells the agent', async () => {
    const b = await project(
      {},
      {
        commands: ['ls t-?.txt | tr "\\n" " " >> "$COUNT"; echo >> "$COUNT"; [ ! -e t-1.txt ] || [ ! -e t-2.txt ]'],
      },
    );
    const [one, two] = [await worked(b, 't-1'), await worked(b, 't-2')];
    expect(await gate(b, one)).toMatchObject({ pass: true });
    expect(await gate(b, two)).toMatchObject({ pass: true });
    expect(await land(b, one)).toMatchObject({ kind: 'landed', gate: { same: 'gate of t-1' } });
    expect(await land(b, two)).toMatchObject({ kind: 'red', others: ['t-1'] });
    expect(await b.git('ls-tree', '--name-only', 'main')).not.toContain('t-2.txt');
  });

  it('one that a person ends while others are gated behind it costs them nothing but a gate', async () => {
    const b = await project();
    const [one, two] = [await worked(b, 't-1'), await worked(b, 't-2')];
    const input = { ...b.ref, idea: 't-1', serial: 1, agentName: one.slot, worktree: one.worktree, base: one.base };
    const first = b.call(b.activities.runGate, input);
    await sawFirst(b);
    const second = gate(b, two);
    await until('the gate of t-2', async () => (await seen(b)).length === 2);
    first.env.cancel();
    await expect(first.done).rejects.toThrow();
    expect(await second).toMatchObject({ pass: true });
    expect(await land(b, two)).toMatchObject({ kind: 'landed', gate: { same: 'gate of t-2' } });
    expect(await seen(b)).toEqual(['t-1.txt', 't-1.txt t-2.txt', 't-2.txt']);
  });
});
