/** Where an idea stands in its plan, for a workflow that starts anew. Features: B9 C2. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { planPlacesDir } from '../../src/config/paths.js';
import type { PrepareResult } from '../../src/protocol/activities.js';
import { type Bench, bench, idea, say } from './bench.js';

const step = (id: string) => ({ id, text: `Do ${id}` });
const planned = () => idea('t-1', { plan: [{ name: 'P', steps: [step('a'), step('b'), step('c')] }] });
const open = (gate: string[] = ['true']): Promise<Bench> =>
  bench({ ideas: [planned()], agent: `cat > /dev/null\necho work >> work.txt\n${say('COMPLETE')}`, config: { gate } });

async function iterate(b: Bench, at: PrepareResult, serial: number, step: number, skipped: number[] = []) {
  const run = await b.call(b.activities.runAgent, b.agentInput(at, { serial, step, skippedSteps: skipped })).done;
  const input = { ...b.ref, idea: 't-1', serial, worktree: at.worktree, base: at.base, claimed: { step, skipped } };
  return { run, gate: await b.call(b.activities.runGate, input).done };
}

describe('the place in a plan (B9)', () => {
  it('moves on by a claim that passed its gate, and by the next run; a red gate leaves it', async () => {
    const b = await open(['test ! -e red']);
    const at = await b.prepare();
    expect(at).not.toHaveProperty('place', expect.anything());
    await iterate(b, at, 1, 0);
    expect((await b.prepare()).place).toEqual({ step: 1, skipped: [] });
    await b.write({ red: 'x' }, at.worktree);
    expect((await iterate(b, at, 2, 2, [1])).gate.pass).toBe(false);
    expect((await b.prepare()).place).toEqual({ step: 2, skipped: [1] });
  });

  it('is gone with the work: after a rollback, and after a landing (C2)', async () => {
    const b = await open();
    const at = await b.prepare();
    await iterate(b, at, 1, 0);
    await b.call(b.activities.rollbackIdea, { ...b.ref, idea: 't-1', agentName: 'ed-001' }).done;
    const again = await b.prepare();
    expect(again).not.toHaveProperty('place', expect.anything());
    const { run } = await iterate(b, again, 2, 0);
    const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    const { worktree, branch, base } = again;
    const landed = await b.call(b.activities.landIdea, { ...names, worktree, branch, base, head: run.head }).done;
    expect(landed.kind).toBe('landed');
    expect(await b.prepare()).not.toHaveProperty('place', expect.anything());
  });

  it('does not count for a branch without that work, for another plan, nor when the file is damaged', async () => {
    const b = await open();
    const at = await b.prepare();
    await iterate(b, at, 1, 0);
    const file = join(planPlacesDir(b.root, b.project), 't-1.json');
    const kept = await b.read(file);
    await b.gitIn(at.worktree, 'reset', '--quiet', '--hard', at.base);
    expect(await b.prepare()).not.toHaveProperty('place', expect.anything());
    await b.gitIn(at.worktree, 'reset', '--quiet', '--hard', JSON.parse(kept).head);
    expect((await b.prepare()).place).toEqual({ step: 1, skipped: [] });
    for (const text of ['{', '{"step":1}', kept.replace(/"digest":"./, '"digest":"-')]) {
      await writeFile(file, text);
      expect(await b.prepare()).not.toHaveProperty('place', expect.anything());
    }
  });

  it('is kept without the worktree while the branch is there; work that the target has is not taken for it', async () => {
    const b = await open();
    const at = await b.prepare();
    await iterate(b, at, 1, 0);
    await b.git('worktree', 'remove', '--force', at.worktree);
    expect((await b.prepare()).place).toEqual({ step: 1, skipped: [] });
    await b.git('worktree', 'remove', '--force', at.worktree);
    await b.git('merge', '--quiet', '--ff-only', at.branch);
    await b.git('branch', '-D', at.branch);
    expect(await b.prepare()).not.toHaveProperty('place', expect.anything());
  });
});
