/** An agent that was cut off goes on with its conversation, inside one iteration only. Features: B2 B8. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ActivityCancellationDetails } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { iterationDir } from '../../src/config/paths.js';
import { FAILURE } from '../../src/protocol/failures.js';
import { until } from '../support/program.js';
import { type Bench, bench } from './bench.js';

/** A stand-in for claude: notes its arguments and its prompt, and then does as `behaviour` says in run `$n`. */
const claude = (behaviour: string): Promise<Bench> =>
  bench({
    adapter: 'claude',
    agent: `echo "$*" >> "$MARKS/args"; n=$(wc -l < "$MARKS/args" | tr -d ' '); cat > "$MARKS/prompt-$n"
turn() { echo '{"type":"assistant","session_id":"s1","message":{"id":"m1","content":[{"type":"text","text":"on it"}]}}'; }
done_() { printf '{"type":"result","subtype":"success","is_error":false,"session_id":"s1","result":"<ralph nonce=\\\\"%s\\\\">COMPLETE</ralph>"}\\n' "$RALPHCTL_NONCE"; }
${behaviour}`,
  });
const told = async (b: Bench): Promise<string[]> => {
  const lines = (await readFile(join(b.marks, 'args'), 'utf8')).trim().split('\n');
  return lines.map((line) => /--resume (\S+)/.exec(line)?.[1] ?? 'new');
};

describe('B2: a conversation that was cut off', () => {
  it('is gone on with in the same iteration, with the whole prompt, and not in the next', async () => {
    const b = await claude('echo work >> work.txt; turn; [ "$n" = 1 ] && kill -9 $$; done_');
    const at = await b.prepare();
    const first = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(first).toMatchObject({ outcome: { kind: 'failed', failure: 'killed' }, session: { id: 's1' } });
    const second = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2 })).done;
    expect(second).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' } });
    const third = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 3, iteration: 2 })).done;
    expect(third.outcome).toEqual({ kind: 'ok' });
    expect(await told(b)).toEqual(['new', 's1', 'new']);
    const prompt = await readFile(join(b.marks, 'prompt-2'), 'utf8');
    expect(prompt).toContain('continue where you stopped');
    expect(prompt).toContain('Do t-1 well.');
  });

  it('begins afresh, once and at once, when the conversation is gone', async () => {
    const b = await claude(`case "$*" in
*--resume*) echo '{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["No conversation found"]}'; exit 1 ;;
esac
echo work >> work.txt; turn; [ "$n" = 1 ] && kill -9 $$; done_`);
    const at = await b.prepare();
    await b.call(b.activities.runAgent, b.agentInput(at)).done;
    const second = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2 })).done;
    expect(second).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' } });
    expect(await told(b)).toEqual(['new', 's1', 'new']);
  });

  it('is not gone on with when the agent never got to work, or failed by itself', async () => {
    const b =
      await claude(`[ "$n" = 1 ] && { turn; echo '{"type":"result","subtype":"success","is_error":true,"result":"no"}'; exit 1; }
[ "$n" = 2 ] && kill -9 $$
turn; done_`);
    const at = await b.prepare();
    for (const serial of [1, 2, 3]) await b.call(b.activities.runAgent, b.agentInput(at, { serial })).done;
    expect(await told(b)).toEqual(['new', 'new', 'new']);
  });

  it('is gone on with after the worker was lost, which leaves no result', async () => {
    const b = await claude('turn; [ "$n" = 1 ] && while :; do sleep 0.1; done; echo work >> work.txt; done_');
    const at = await b.prepare();
    const first = b.call(b.activities.runAgent, b.agentInput(at));
    const dir = iterationDir(b.root, b.project, '20260101-000000-aaaa', 't-1', 1);
    await until('the conversation to be noted', async () => existsSync(join(dir, 'session.json')));
    first.env.cancel('TIMED_OUT', new ActivityCancellationDetails({ timedOut: true }));
    await expect(first.done).rejects.toMatchObject({ type: FAILURE.workerLost });
    expect(existsSync(join(dir, 'result.json'))).toBe(false);
    const second = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(second).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' } });
    expect(await told(b)).toEqual(['new', 's1']);
  });

  it('is not gone on with by another agent after a lost worker, nor when no model had answered', async () => {
    const b = await claude('[ "$n" = 1 ] && { touch "$MARKS/up"; while :; do sleep 0.1; done; }; turn; done_');
    const at = await b.prepare();
    const first = b.call(b.activities.runAgent, b.agentInput(at));
    await until('the first agent', async () => existsSync(join(b.marks, 'up')));
    first.env.cancel('TIMED_OUT', new ActivityCancellationDetails({ timedOut: true }));
    await expect(first.done).rejects.toMatchObject({ type: FAILURE.workerLost });
    const dir = iterationDir(b.root, b.project, '20260101-000000-aaaa', 't-1', 1);
    expect(existsSync(join(dir, 'session.json'))).toBe(false);
    await b.write({ 'session.json': JSON.stringify({ id: 's0', iteration: 1, agent: 'other' }) }, dir);
    await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(await told(b)).toEqual(['new', 'new']);
  });
});
