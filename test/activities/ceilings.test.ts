/** Budgets of run and day while agents work: real agents side by side, one ledger. Features: B6, A1. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunAgentInput, RunAgentResult } from '../../src/protocol/agent-run.js';
import { until } from '../support/program.js';
import { type Bench, bench, idea } from './bench.js';

/** Says in its first run what it used, and then works until it is ended; in later ones it is done at once. */
const talker = `cat > /dev/null; echo "$RALPHCTL_IDEA" >> "$MARKS/runs"; echo work >> "$RALPHCTL_IDEA.txt"
echo '{"type":"message","text":"on it"}'; echo "{\\"type\\":\\"usage\\",\\"inputTokens\\":600,\\"outputTokens\\":0}"
[ -e "$MARKS/go" ] || while :; do sleep 1; done
printf '{"type":"result","status":"success","text":"<ralph nonce=\\\\"%s\\\\">COMPLETE</ralph>"}\\n' "$RALPHCTL_NONCE"`;

const ideas = ['c-1', 'c-2', 'c-3'].map((id) => idea(id));
const runs = async (b: Bench): Promise<string[]> =>
  (await readFile(join(b.marks, 'runs'), 'utf8').catch(() => '')).split('\n').filter(Boolean).sort();

async function begin(b: Bench, id: string, slot: number, more: Partial<RunAgentInput>) {
  const at = await b.prepare(id, { agentName: `ed-00${slot}` });
  return b.call(b.activities.runAgent, b.agentInput(at, { idea: id, agentName: `ed-00${slot}`, ...more }));
}
const of = ({ outcome }: RunAgentResult) => (outcome.kind === 'timeout' ? outcome.of : undefined);

describe('B6 the budget of the run, while agents work', () => {
  it('ends all who share it, keeps the next one back, and lets them go on when raised', async () => {
    const b = await bench({ agent: talker, output: 'json', ideas });
    const ceilings = { run: { tokens: 1000 } };
    const both = [await begin(b, 'c-1', 1, { ceilings }), await begin(b, 'c-2', 2, { ceilings })];
    const results = await Promise.all(both.map(({ done }) => done));
    for (const result of results) {
      expect(of(result)).toMatchObject({ scope: 'run', dimension: 'tokens', used: 1200, most: 1000, shared: true });
      expect(result).toMatchObject({ signal: { kind: 'none' }, commits: 1, usage: { inputTokens: 600 } });
    }
    // The next one is not begun, and the budget is no longer shared with anybody.
    const third = await (await begin(b, 'c-3', 3, { ceilings })).done;
    expect(of(third)).toEqual({ scope: 'run', dimension: 'tokens', used: 1200, most: 1000, unknown: 0 });
    expect(third).toMatchObject({ durationMs: 0, commits: 0, changed: false });
    expect(await runs(b)).toEqual(['c-1', 'c-2']);
    await writeFile(join(b.marks, 'go'), '');
    const more = { ceilings: { run: { tokens: 5000 } }, serial: 2 };
    expect(await (await begin(b, 'c-3', 3, more)).done).toMatchObject({
      outcome: { kind: 'ok' },
      signal: { kind: 'complete' },
    });
  });

  it('ends an agent that says nothing of what it uses when the minutes are over', async () => {
    const b = await bench({ agent: 'cat > /dev/null; echo half >> half.txt; while :; do sleep 1; done' });
    const result = await (await begin(b, 't-1', 1, { ceilings: { day: { minutes: 0.03 } } })).done;
    expect(of(result)).toMatchObject({ scope: 'day', dimension: 'minutes', most: 0.03 });
    expect(result).toMatchObject({ commits: 1, changed: true });
  });

  it('counts an iteration when it begins: none too many runs at the same time', async () => {
    const b = await bench({ agent: talker, output: 'json', ideas });
    const ceilings = { run: { iterations: 1 } };
    const first = await begin(b, 'c-1', 1, { ceilings });
    await until('the first agent', async () => (await runs(b)).length === 1);
    const second = await (await begin(b, 'c-2', 2, { ceilings })).done;
    expect(of(second)).toMatchObject({ dimension: 'iterations', used: 1, most: 1, shared: true });
    expect(await runs(b)).toEqual(['c-1']);
    first.env.cancel();
    await first.done.catch(() => {});
  });

  it('tells an agent that counts its own dollars what is left, and goes on with its conversation', async () => {
    const b = await bench({
      adapter: 'claude',
      agent: `echo "$*" >> "$MARKS/args"; n=$(wc -l < "$MARKS/args" | tr -d ' '); cat > /dev/null; echo "$n" >> work.txt
echo '{"type":"assistant","session_id":"s1","message":{"id":"m1","content":[{"type":"text","text":"on it"}]}}'
[ "$n" = 1 ] && echo '{"type":"result","subtype":"error_max_budget_usd","is_error":true,"session_id":"s1","total_cost_usd":2.6}' && exit 1
printf '{"type":"result","subtype":"success","is_error":false,"session_id":"s1","total_cost_usd":0.5,"result":"<ralph nonce=\\\\"%s\\\\">COMPLETE</ralph>"}\\n' "$RALPHCTL_NONCE"`,
    });
    const first = await (await begin(b, 't-1', 1, { ceilings: { run: { dollars: 2.5 }, day: { dollars: 9 } } })).done;
    expect(of(first)).toMatchObject({ scope: 'run', dimension: 'dollars', most: 2.5 });
    const refused = await (await begin(b, 't-1', 1, { ceilings: { run: { dollars: 2.5 } }, serial: 2 })).done;
    expect(of(refused)).toMatchObject({ used: 2.6 });
    const ceilings = { run: { dollars: 4 } };
    expect(await (await begin(b, 't-1', 1, { ceilings, serial: 3 })).done).toMatchObject({ outcome: { kind: 'ok' } });
    const args = (await readFile(join(b.marks, 'args'), 'utf8')).trim().split('\n');
    expect(args.map((line) => /--max-budget-usd (\S+)/.exec(line)?.[1])).toEqual(['2.5', '1.4']);
    expect(args[1]).toContain('--resume s1');
  });
});
