/** How an agent run ends when it is not the agent that ends it. Features: B5 C1 C6. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ActivityCancellationDetails, ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { iterationDir } from '../../src/config/paths.js';
import { identityOf } from '../../src/process/identity.js';
import { findByToken } from '../../src/process/tokens.js';
import type { RunAgentResult } from '../../src/protocol/agent-run.js';
import { FAILURE } from '../../src/protocol/failures.js';
import { leftAttempts, markAttempt } from '../../src/run-files/attempts.js';
import { until } from '../support/program.js';
import { type Bench, bench, type Call, say } from './bench.js';

/** Works, starts a helper that leaves the process group, and would go on for ever. Ends in order when it is told to. */
const ENDLESS = `
echo work > work.txt
setsid sh -c 'trap "" TERM; echo helper > "$0/helper"; while :; do sleep 1; done' "$MARKS" &
trap 'echo told >> "$MARKS/told"; exit 143' TERM
echo begun >> "$MARKS/begun"
while :; do sleep 0.1; done
`;

async function begun(b: Bench): Promise<void> {
  await until(
    'the agent at work',
    async () => existsSync(join(b.marks, 'begun')) && existsSync(join(b.marks, 'helper')),
  );
}

async function started(b: Bench): Promise<Call<RunAgentResult>> {
  const at = await b.prepare();
  const call = b.call(b.activities.runAgent, b.agentInput(at));
  await begun(b);
  expect((await findByToken(b.project)).length).toBeGreaterThanOrEqual(2);
  return call;
}

const failureOf = (call: Call<unknown>): Promise<unknown> =>
  call.done.then(
    (value) => value,
    (error: unknown) => error,
  );
const resultFile = (b: Bench): string =>
  join(iterationDir(b.root, b.project, '20260101-000000-aaaa', 't-1', 1), 'result.json');

/** The state that a stop saved. */
const savedWork = (b: Bench): Promise<string> => b.git('show', 'refs/ralphctl/save/t-1/1:work.txt');

describe('a run that is stopped', () => {
  it('by a person: the whole tree ends, the work is saved, the activity ends as cancelled', async () => {
    const b = await bench({ agent: ENDLESS });
    const call = await started(b);
    call.env.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
    expect(await failureOf(call)).toBeInstanceOf(CancelledFailure);
    expect(await findByToken(b.project)).toEqual([]);
    expect(await b.read(join(b.marks, 'told'))).toBe('told\n');
    expect(await savedWork(b)).toBe('work');
    expect(existsSync(resultFile(b))).toBe(false);
    expect(await leftAttempts(b.root, b.project)).toEqual([]);
  });

  it.each([
    ['a worker that shuts down', 'WORKER_SHUTDOWN', { workerShutdown: true }],
    ['a worker that shuts down after a cancel was noted', 'WORKER_SHUTDOWN', { cancelRequested: true }],
    ['a missed heartbeat', 'TIMED_OUT', { timedOut: true }],
    ['a workflow that is gone', 'NOT_FOUND', { notFound: true }],
    ['an operator who resets the activity', 'RESET', { reset: true }],
  ] as const)(
    'by %s: the tree ends, the work is saved, and it counts as a lost worker',
    async (_why, reason, details) => {
      const b = await bench({ agent: ENDLESS });
      const call = await started(b);
      call.env.cancel(reason, new ActivityCancellationDetails(details));
      const failure = await failureOf(call);
      expect(failure).toBeInstanceOf(ApplicationFailure);
      expect(failure).toMatchObject({ type: FAILURE.workerLost, nonRetryable: false });
      expect(await findByToken(b.project)).toEqual([]);
      expect(await savedWork(b)).toBe('work');
      expect(existsSync(resultFile(b))).toBe(false);
    },
  );

  it('saves nothing of an agent that changed nothing', async () => {
    const b = await bench({ agent: 'echo begun >> "$MARKS/begun"; sleep 600' });
    const call = b.call(b.activities.runAgent, b.agentInput(await b.prepare()));
    await until('the agent at work', async () => existsSync(join(b.marks, 'begun')));
    call.env.cancel('CANCELLED', new ActivityCancellationDetails({ cancelRequested: true }));
    expect(await failureOf(call)).toBeInstanceOf(CancelledFailure);
    expect(await b.git('for-each-ref', 'refs/ralphctl/save')).toBe('');
  });

  it('begins again afterwards, where it was', async () => {
    const b = await bench({ agent: ENDLESS });
    const call = await started(b);
    call.env.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    await failureOf(call);
    await b.setAgent(`echo more >> work.txt\n${say('COMPLETE')}`);
    expect(await b.runAgent()).toMatchObject({ signal: { kind: 'complete' }, commits: 1 });
    expect(await b.git('show', 'ralph/t-1:work.txt')).toBe('work\nmore');
  });

  it('is not charged with a stop that comes before the agent began', async () => {
    const b = await bench({ agent: `echo run >> "$MARKS/runs"\n${say('COMPLETE')}` });
    const at = await b.prepare();
    const call = b.call(b.activities.runAgent, b.agentInput(at));
    call.env.cancel('WORKER_SHUTDOWN', new ActivityCancellationDetails({ workerShutdown: true }));
    expect(await failureOf(call)).toMatchObject({ type: FAILURE.workerLost });
    expect(existsSync(join(b.marks, 'runs'))).toBe(false);
    expect(existsSync(resultFile(b))).toBe(false);
  });
});

describe('one agent per idea', () => {
  it('a later attempt ends the earlier one, which then writes nothing', async () => {
    const b = await bench({ agent: ENDLESS });
    const at = await b.prepare();
    const first = b.call(b.activities.runAgent, b.agentInput(at));
    await begun(b);
    const before = await findByToken(b.project);
    // As after a network cut: the server gave the first one up, its worker does not know yet.
    await b.setAgent(
      `echo second >> work.txt\ntouch "$(git rev-parse --git-path index.lock)" "$MARKS/locked"\nwhile [ ! -e "$MARKS/go" ]; do sleep 0.05; done\n${say('COMPLETE')}`,
    );
    const second = b.call(b.activities.runAgent, b.agentInput(at));
    const failure = await failureOf(first);
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect((failure as ApplicationFailure).message).toMatch(/later attempt/);
    const left = await findByToken(b.project);
    expect(left.some((one) => before.some((old) => old.pid === one.pid && old.startTime === one.startTime))).toBe(
      false,
    );
    expect(existsSync(resultFile(b))).toBe(false);
    expect(await b.git('rev-parse', 'ralph/t-1')).toBe(at.base);
    expect(await leftAttempts(b.root, b.project)).toHaveLength(1);
    // A git command of the second one: its lock is not the first one's to break.
    await until('the lock', async () => existsSync(join(b.marks, 'locked')));
    const lock = await b.gitIn(at.worktree, 'rev-parse', '--path-format=absolute', '--git-path', 'index.lock');
    expect(existsSync(lock)).toBe(true);
    await b.write({ go: '' }, b.marks);
    expect(await second.done).toMatchObject({ signal: { kind: 'complete' }, commits: 1 });
    expect(await b.git('show', 'ralph/t-1:work.txt')).toBe('work\nsecond');
  });

  it('ends what a dead worker left of this idea, and nothing of another', async () => {
    const b = await bench();
    const { execa } = await import('execa');
    const stray = (of: string) => {
      const child = execa('sleep', ['600'], {
        env: { RALPHCTL_ATTEMPT: `${b.project}/${of}/run-0/1/x` },
        reject: false,
      });
      return { done: child, kill: () => child.kill('SIGKILL') };
    };
    const mine = stray('t-1');
    const other = stray('t-10');
    await until('both to run', async () => (await findByToken(b.project)).length === 2);
    const mark = { token: `${b.project}/t-1/run-0/1/x`, taskToken: '', idea: 't-1', serial: 1, startedAt: '' };
    await markAttempt(b.root, b.project, mark);
    expect(await b.runAgent()).toMatchObject({ signal: { kind: 'complete' } });
    expect((await mine.done).signal).toBe('SIGTERM');
    expect(await findByToken(`${b.project}/t-10`)).toHaveLength(1);
    other.kill();
    await other.done;
  });
});

describe('heartbeats', () => {
  it('go on every three seconds while the agent floods its output', async () => {
    const b = await bench({
      agent: `while [ ! -e "$MARKS/enough" ]; do head -c 4000000 /dev/zero | tr '\\0' 'x' | fold -w 200; done\n${say('COMPLETE')}`,
      config: { logs: { maxMegabytesPerRun: 4 } },
    });
    const at = await b.prepare();
    const call = b.call(b.activities.runAgent, b.agentInput(at));
    await until('four heartbeats', async () => call.beats.length >= 4, 25_000);
    await b.write({ enough: '' }, b.marks);
    await call.done;
    const gaps = call.beats.slice(1).map((beat, i) => beat - (call.beats[i] ?? 0));
    // The server gives up after 20 s.
    expect(Math.max(...gaps)).toBeLessThan(6000);
    expect(Math.min(...gaps)).toBeGreaterThan(1000);
  });
});

describe.runIf(process.platform === 'linux')('a process that has left its run', () => {
  const LEAVES = `(env -i setsid sh -c 'echo $$ > .pid; exec sleep 600' &)\nwhile [ ! -s .pid ]; do sleep 0.02; done\n`;
  const pidIn = async (b: Bench, worktree: string): Promise<number> => Number(await b.read(join(worktree, '.pid')));

  it('D1: is ended and named when the agent has ended, and when a gate or a landing has', async () => {
    const b = await bench({
      files: { '.gitignore': '.pid\n' },
      agent: `cat > /dev/null\necho work > work.txt\n${LEAVES}${say('COMPLETE')}`,
      config: { gate: [`rm -f .pid\n${LEAVES}`] },
    });
    const at = await b.prepare();
    const run = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    const ofAgent = await pidIn(b, at.worktree);
    expect(run.escaped).toEqual([`sleep (pid ${ofAgent})`]);
    expect(await identityOf(ofAgent)).toBeUndefined();
    const input = { ...b.ref, idea: 't-1', serial: 1, agentName: 'ed-001', worktree: at.worktree };
    const gate = await b.call(b.activities.runGate, input).done;
    const ofGate = await pidIn(b, at.worktree);
    expect(gate).toMatchObject({ pass: true, escaped: [`sleep (pid ${ofGate})`] });
    expect(await identityOf(ofGate)).toBeUndefined();
    const { worktree, branch, base } = at;
    const names = { ...b.ref, idea: 't-1', title: 'Do it', agentName: 'ed-001' };
    const landed = await b.call(b.activities.landIdea, { ...names, worktree, branch, base, head: run.head }).done;
    expect(landed).toMatchObject({ kind: 'landed', note: expect.stringContaining('left processes running') });
  });
});
