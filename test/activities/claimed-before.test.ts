/** Finished work that the end of a run kept from its landing needs its gate, and no other agent run. Features: C1 C2. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runDir } from '../../src/config/paths.js';
import type { RunAgentInput } from '../../src/protocol/agent-run.js';
import type { IdeaStatus } from '../../src/protocol/states.js';
import { type Bench, bench, idea, say } from './bench.js';

const NEXT = '20260102-000000-bbbb';
const AGENT = `cat > /dev/null; echo run >> "$MARKS/runs"; echo work >> work.txt`;

/** An agent says COMPLETE in one run, which ends so, and the next one begins. */
async function stopped(status: IdeaStatus = 'pending', signal = 'COMPLETE'): Promise<Bench> {
  const b = await bench({ agent: `${AGENT}\n${say(signal)}` });
  await b.runAgent();
  const summary = {
    version: 1,
    ...{ outcome: 'stopped', landed: 0, landedBefore: 0 },
    notLanded: [{ idea: 't-1', status, reason: 'stopped while it waited for an approval' }],
    status: { runId: b.ref.runId, statistics: { iterations: { total: 1 } } },
  };
  await writeFile(join(runDir(b.root, b.project, b.ref.runId), 'summary.json'), JSON.stringify(summary));
  await b.laterRun(NEXT);
  return b;
}

async function again(b: Bench, more: Partial<RunAgentInput> = {}) {
  const at = await b.call(b.activities.prepareIdea, { ...b.ref, runId: NEXT, idea: 't-1', agentName: 'ed-001' }).done;
  return b.call(b.activities.runAgent, b.agentInput(at, { runId: NEXT, ...more })).done;
}

const runs = async (b: Bench): Promise<number> => (await b.read(join(b.marks, 'runs'))).trim().split('\n').length;

it('C1: the next run takes the result of the last one, whose gate comes next', async () => {
  const b = await stopped();
  const result = await again(b);
  expect(await runs(b)).toBe(1);
  expect(result).toMatchObject({ signal: { kind: 'complete' }, changed: true, commits: 0, earlier: b.ref.runId });
  expect(result).not.toHaveProperty('usage', expect.anything());
  expect(result.head).toBe(await b.git('rev-parse', 'ralph/t-1'));
  expect(await again(b)).toEqual(result);
  // The landing names its agent.
  expect(result.agent).toBe('sh');
  // A second claim in the same run is the agent's.
  await again(b, { serial: 2, iteration: 2 });
  expect(await runs(b)).toBe(2);
});

describe('C2 C5: the agent runs', () => {
  it('where its text has changed, a person has said something, or the gate was red', async () => {
    for (const change of ['text', 'note', 'red'] as const) {
      const b = await stopped();
      if (change === 'text') await b.laterRun(NEXT, {}, [idea('t-1', { text: 'Do it otherwise.' })]);
      await again(b, {
        ...(change === 'note' ? { notes: ['mind the cat'] } : {}),
        ...(change === 'red'
          ? { feedback: { kind: 'gate-failed', command: 'npm test', exitCode: 1, tail: '', log: '' } }
          : {}),
      });
      expect([change, await runs(b)]).toEqual([change, 2]);
    }
  });

  it('where the idea had failed, had not said COMPLETE, or the run has no summary', async () => {
    for (const b of [await stopped('failed'), await stopped('pending', 'PROGRESS:50')]) {
      await again(b);
      expect(await runs(b)).toBe(2);
    }
    const cut = await stopped();
    await writeFile(join(runDir(cut.root, cut.project, cut.ref.runId), 'summary.json'), '{');
    await again(cut);
    expect(await runs(cut)).toBe(2);
  });

  it('where somebody has committed or edited in its worktree, or taken its work back', async () => {
    for (const line of ['git commit -q --allow-empty -m more', 'echo mine > mine.txt', 'git reset -q --hard HEAD^']) {
      const b = await stopped();
      const at = await b.call(b.activities.prepareIdea, { ...b.ref, runId: NEXT, idea: 't-1', agentName: 'ed-001' })
        .done;
      await b.gitIn(at.worktree, '-c', `alias.do=!${line}`, 'do');
      await b.call(b.activities.runAgent, b.agentInput(at, { runId: NEXT })).done;
      expect([line, await runs(b)]).toEqual([line, 2]);
    }
  });

  it('for an idea that runs once more although it had landed', async () => {
    const b = await stopped();
    await b.laterRun(NEXT, { again: ['t-1'] });
    await again(b);
    expect(await runs(b)).toBe(2);
  });
});

it('its result names the run in which the agent worked', async () => {
  const b = await stopped();
  const { dir } = await again(b);
  expect(JSON.parse(await readFile(join(dir, 'result.json'), 'utf8'))).toMatchObject({
    earlier: b.ref.runId,
    durationMs: 0,
  });
});
