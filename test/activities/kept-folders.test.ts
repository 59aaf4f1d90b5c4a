/**
 * What lies in worktrees beside the repository's own files (dependencies, virtual environments) over several ideas: it
 * keeps working, and nothing of one idea's gate reaches another's. Features: B3 B11 D1.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LandResult } from '../../src/protocol/git-work.js';
import { type Bench, bench, idea, say } from './bench.js';

const agent = `cat > /dev/null\necho work > "$RALPHCTL_IDEA.txt"\n${say('COMPLETE')}`;
const count = async (b: Bench, name: string): Promise<number> =>
  (await b.read(join(b.marks, name))).trim().split('\n').length;

/** Prepares an idea and lets its agent work. */
async function worked(b: Bench, id: string, agentName = 'ed-001') {
  const at = await b.prepare(id, { agentName });
  const run = await b.call(b.activities.runAgent, b.agentInput(at, { idea: id, agentName })).done;
  return { at, run };
}
async function land(b: Bench, id: string, { at, run }: Awaited<ReturnType<typeof worked>>): Promise<LandResult> {
  const { worktree, branch, base } = at;
  const names = { ...b.ref, idea: id, title: `Do ${id}`, agentName: 'ed-001' };
  return b.call(b.activities.landIdea, { ...names, worktree, branch, base, head: run.head }).done;
}
const gate = async (b: Bench, id: string, worktree: string) =>
  (await b.call(b.activities.runGate, { ...b.ref, idea: id, serial: 1, agentName: 'ed-001', worktree }).done).pass;

describe('a Python virtual environment, which holds the path of its worktree', () => {
  // As pip does it: a script whose first line names the interpreter of the environment.
  const MAKE = [
    'echo ran >> "$COUNT"',
    'python3 -m venv --without-pip .venv',
    `.venv/bin/python -c 'import sys; open(".venv/bin/tool","w").write("#!%s\\nimport sys\\nprint(sys.prefix)\\n" % sys.executable)'`,
    'chmod +x .venv/bin/tool',
  ].join(' && ');

  it('B11: works on when the idea changes its slot, and in the worktree of the next idea, without a new set-up', async () => {
    const b = await bench({
      files: { '.gitignore': '.venv/\n' },
      agent,
      ideas: [idea('t-1'), idea('t-2')],
      config: { setup: { run: MAKE, passEnv: ['COUNT'] }, gate: ['.venv/bin/tool'] },
    });
    b.env.COUNT = join(b.marks, 'set-ups');
    const first = await worked(b, 't-1');
    const moved = await b.prepare('t-1', { agentName: 'ed-002' });
    expect(moved.worktree).toBe(first.at.worktree);
    expect(await gate(b, 't-1', moved.worktree)).toBe(true);
    expect((await land(b, 't-1', first)).kind).toBe('landed');
    const second = await worked(b, 't-2', 'ed-003');
    expect(second.at.origin).toBe('recycled');
    expect(await gate(b, 't-2', second.at.worktree)).toBe(true);
    expect((await land(b, 't-2', second)).kind).toBe('landed');
    // Once in the worktree of the ideas, once in that of landings.
    expect(await count(b, 'set-ups')).toBe(2);
  });
});
