/** What people see of an agent while it works, without a word of it in history. Features: G2 G9. */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import type { AgentHeartbeat } from '../../src/protocol/agent-run.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox;

const AGENT = (scratch: string): string => `cat > /dev/null
echo '{"type":"session","id":"s1","model":"tiny"}'
echo '{"type":"tool","id":"1","name":"shell","subject":"npm test"}'
echo '{"type":"tool-result","id":"1","ok":false,"exitCode":3}'
echo '{"type":"usage","inputTokens":4321,"outputTokens":10}'
echo '{"type":"message","text":"Looking at it."}'
touch ${scratch}/began-$RALPHCTL_ITERATION
while [ ! -e ${scratch}/go-$RALPHCTL_ITERATION ]; do sleep 0.1; done
echo "$RALPHCTL_ITERATION" >> work.txt
if [ "$RALPHCTL_ITERATION" = 1 ]; then end="PROGRESS: 50"; else end=COMPLETE; fi
printf '{"type":"result","status":"success","text":"<ralph nonce=\\\\"%s\\\\">%s</ralph>"}\\n' "$RALPHCTL_NONCE" "$end"
`;

beforeEach(async () => {
  box = await sandbox(inject('stateRoot'), { 'roadmap.md': roadmap([{ id: 'v-1' }]) });
  await writeFile(join(box.scratch, 'agent.sh'), AGENT(box.scratch));
  const mine = { adapter: 'command', command: ['/bin/sh', join(box.scratch, 'agent.sh')], output: 'json' };
  const gate = ['printf "\\033]52;c;eA==\\007the gate \\033[31mspeaks\\n"'];
  await box.write({
    'ralphctl.yaml': yaml({ version: 1, agent: 'mine', agents: { mine }, slots: 1, stepDelayMs: 0, gate }),
  });
  await box.commit('set up');
});
afterEach(() => box?.dispose());

const began = (n: number) => until(`iteration ${n}`, async () => existsSync(join(box.scratch, `began-${n}`)));
const go = (n: number) => writeFile(join(box.scratch, `go-${n}`), '');
const look = async () =>
  (await box.run('status', '--json')).json[0] as unknown as {
    status: RunStatus;
    progress: Record<string, AgentHeartbeat>;
  };

describe('an agent at work', () => {
  it('shows in status what it does and has used, counts its iterations, and its logs can be read or scripted', async () => {
    expect((await box.run('start', '--detach')).code).toBe(0);
    await began(1);
    const first = await until('progress', async () => (await look()).progress['v-1']);
    expect(first).toMatchObject({ tools: 1, messages: 1, last: 'Looking at it.' });
    expect(first.usage).toEqual({ inputTokens: 4321, outputTokens: 10 });
    const text = await box.run('status');
    expect(text.stdout).toMatch(/1 tool call, 4\.3k tokens in, 10 out · .* ago: Looking at it\./);

    const follow = box.spawn('logs', '-f');
    let followed = '';
    follow.stdout?.on('data', (chunk: Buffer) => {
      followed += chunk.toString();
    });
    await until('the view of all agents', async () => followed.includes('v-1 │ → shell npm test'));

    await go(1);
    await began(2);
    const second = await until('the second iteration', async () => {
      const found = await look();
      return found.status.statistics.iterations.total === 1 && found;
    });
    expect(second.status.counts.running).toBe(1);
    await until('the second agent in the view', async () => followed.split('→ shell npm test').length === 3);

    const readable = (await box.run('logs', 'v-1', '--iteration', '1')).stdout;
    expect(readable).toMatch(
      /session with tiny\n.*→ shell npm test\n.*✗ shell failed with exit code 3\n.*Looking at it\./,
    );
    expect(readable).toMatch(/✓ ended {2}1 tool call, 4\.3k tokens in, 10 out/);
    const lines = (await box.run('logs', 'v-1', '--iteration', '1', '--json')).json;
    expect(lines.map((line) => line.kind)).toEqual([...['session', 'tool', 'tool-result', 'usage', 'message', 'end']]);
    const raw = (await box.run('logs', 'v-1', '--iteration', '1', '--raw')).stdout;
    expect(raw).toContain('{"type":"message","text":"Looking at it."}');
    const both = await box.run('logs', 'v-1', '--raw', '--json');
    expect([both.code, JSON.stringify(both.json)]).toEqual([2, expect.stringContaining('do not work together')]);

    const unknown = await box.run('logs', '-f', 'v-2');
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringMatching(/there is no idea v-2 in run/)]);

    await go(2);
    const done = await box.run('start', '--json', '--wait');
    expect(done.code, done.stderr).toBe(0);
    expect(await readFile(join(box.repo, 'work.txt'), 'utf8').catch(() => box.git('show', 'main:work.txt'))).toContain(
      '2',
    );
    const gate = (await box.run('logs', 'v-1')).stdout;
    expect(gate).toContain('the gate speaks\n');
    expect(gate).not.toContain('\u001b');
  });
});
