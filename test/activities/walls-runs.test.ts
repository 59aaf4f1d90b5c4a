/**
 * Somebody terminates the autopilot while agents work, and a person starts again: ideas of the earlier run, their agents
 * and the newer run work beside each other. The wall stays. Features: C5 D2; attacks 1, 2.
 */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../support/program.js';
import { type Bench, bench, idea, say, whileAgentWorks } from './bench.js';

const NEXT = '20260102-000000-bbbb';
const TIME = { timeout: 60_000 };
const POISON = `printf '[filter "x"]\\n\\tclean = touch %s/canary; cat\\n\\tsmudge = touch %s/canary; cat\\n[core]\\n\\thooksPath = %s/hooks\\n' "$MARKS" "$MARKS" "$MARKS" >> "$GITDIR/config"; mkdir -p "$GITDIR/info"; echo '*.txt filter=x' >> "$GITDIR/info/attributes"`;
const SNEAK = `to=$(git commit-tree -p main -m sneak "main^{tree}"); env -u GIT_TRACE2_EVENT git update-ref refs/heads/main $to`;

const start = async (b: Bench): Promise<void> => {
  await b.laterRun(NEXT, { createdAt: new Date(86_400_000).toISOString() });
};

/** An idea of the newer run: its worktree, its agent, its landing. */
async function workInNext(b: Bench, id: string): Promise<void> {
  await b.setAgent(`cat > /dev/null; echo other > ${id}.txt; ${say('COMPLETE')}`);
  const next = { idea: id, agentName: 'ed-002', runId: NEXT };
  const at = await b.prepare(id, next);
  const { head } = await b.call(b.activities.runAgent, b.agentInput(at, next)).done;
  const { worktree, branch, base } = at;
  const work = { title: 'Other', worktree, branch, base, head };
  await b.call(b.activities.landIdea, { ...b.ref, ...next, ...work }).done;
}

/** The agent of the earlier run attacks before or after the newer run begins. `work`: of the newer run. */
async function attacked(when: 'before' | 'after', attack: string, work: (b: Bench) => Promise<void>) {
  const b = await bench({ ideas: ['t-1', 't-2', 't-3'].map((id) => idea(id)) });
  const shape = async () => [await b.read(join(b.repo, '.git/config')), await readdir(join(b.repo, '.git/info'))];
  const before = await shape();
  const wait = (mark: string) => `until [ -e "$MARKS/${mark}" ]; do sleep 0.05; done`;
  const first = `GITDIR='${b.repo}/.git'; ${when === 'after' ? wait('attack') : ':'}; ${attack}; touch "$MARKS/attacked"`;
  const beside = async () => {
    await start(b);
    if (when === 'after') {
      await workInNext(b, 't-3');
      await writeFile(join(b.marks, 'attack'), '');
      await until('the attack', async () => (await readdir(b.marks)).includes('attacked'));
    }
    await work(b);
  };
  const result = when === 'before' ? await whileAgentWorks(b, beside, { first }) : await runBeside(b, beside, first);
  return { b, result, before, after: await shape() };
}

/** As `whileAgentWorks`, but the agent attacks on demand. */
async function runBeside(b: Bench, does: () => Promise<void>, first: string) {
  const go = 'until [ -e "$MARKS/go" ]; do sleep 0.05; done';
  await b.setAgent(`cat > /dev/null; echo work > work.txt; touch "$MARKS/there"; ${first}; ${go}; ${say('COMPLETE')}`);
  const running = b.runAgent();
  running.catch(() => undefined);
  await until('the agent', async () => (await readdir(b.marks)).includes('there'));
  await does();
  await writeFile(join(b.marks, 'go'), '');
  return running;
}

it.each(['before', 'after'] as const)(
  'C5: settings that an agent of the earlier run makes %s the newer run begins run nowhere, and its idea asks',
  TIME,
  async (when) => {
    const { b, result, before, after } = await attacked(when, POISON, (there) => workInNext(there, 't-2'));
    expect(result.strayed?.what.join('\n')).toMatch(/set filter\.x\.clean.* in \.git\/config/);
    expect(await readdir(b.marks)).not.toContain('canary');
    expect(after).toEqual(before);
    expect(await b.git('show', 'main:t-2.txt')).toBe('other');
  },
);

it.each(['before', 'after'] as const)(
  'D2: a target that an agent of the earlier run moves %s the newer run begins gets no landing unasked',
  TIME,
  async (when) => {
    const { b } = await attacked(when, SNEAK, (there) =>
      expect(workInNext(there, 't-2')).rejects.toThrow(/without a landing/),
    );
    expect(await b.git('log', '-1', '--format=%s', 'main')).toBe('sneak');
  },
);
