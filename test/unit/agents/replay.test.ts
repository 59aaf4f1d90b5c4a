/** The adapters against recorded runs of the real CLIs, replayed by a real process. */
import { describe, expect, it } from 'vitest';
import type { AgentOutcome } from '../../../src/protocol/agent-run.js';
import { execute, FIXTURES, replay, shellAgent } from './helpers.js';

type Expected = 'ok' | 'timeout' | Extract<AgentOutcome, { kind: 'failed' }>['failure'];
const kindOf = (outcome: AgentOutcome): Expected => (outcome.kind === 'failed' ? outcome.failure : outcome.kind);

const CLAUDE: Array<[string, Expected]> = [
  ['text', 'ok'],
  ['tool', 'ok'],
  ['empty', 'ok'],
  ['429', 'limited'],
  ['529', 'transient'],
  ['oauth-quota', 'limited'],
  ['new-quota', 'limited'],
  ['billing', 'limited'],
  ['new-no-key', 'auth'],
  ['new-oauth-401', 'auth'],
  ['new-refused', 'transient'],
  ['badflag', 'config'],
  ['new-root-no-sandbox', 'config'],
  ['400ctx', 'context'],
  ['loop-maxturns', 'timeout'],
  ['new-loop-budget', 'budget'],
  ['new-maxtok', 'agent'],
  ['hang-sigterm', 'killed'],
  ['shell-sigkill', 'killed'],
  ['new-shell-sigint', 'killed'],
  ['hang-sigint', 'launch'],
];
const CODEX: Array<[string, Expected]> = [
  ['text', 'ok'],
  ['tool', 'ok'],
  ['429', 'limited'],
  ['quota', 'limited'],
  ['529', 'transient'],
  ['idle-timeout', 'transient'],
  ['401', 'auth'],
  ['no-key', 'auth'],
  ['404', 'config'],
  ['400ctx', 'context'],
  ['shell-sigint', 'agent'],
  ['hang-sigterm', 'killed'],
  ['resume-missing', 'launch'],
];

const GEMINI: Array<[string, Expected]> = [
  ['text', 'ok'],
  ['tool', 'ok'],
  ['empty', 'agent'],
  ['401', 'auth'],
  ['429', 'limited'],
  ['529-max2', 'transient'],
  ['refused', 'transient'],
  ['maxturns', 'timeout'],
  ['nokey', 'auth'],
  ['norelaunch-hang-sigterm', 'launch'],
  ['norelaunch-shell-sigterm', 'killed'],
];
const OPENCODE: Array<[string, Expected]> = [
  ['text', 'ok'],
  ['tool', 'ok'],
  ['empty', 'ok'],
  ['401', 'auth'],
  ['429', 'limited'],
  ['400ctx', 'context'],
  ['badmodel', 'config'],
  ['refused', 'transient'],
  ['nomodel', 'agent'],
  ['resume-missing', 'launch'],
  ['hang-sigterm', 'killed'],
  ['shell-sigterm', 'killed'],
  ['logs', 'limited'],
];
const COPILOT: Array<[string, Expected]> = [
  ['text', 'ok'],
  ['tool', 'ok'],
  ['resume', 'ok'],
  ['401', 'auth'],
  ['hang-sigterm', 'killed'],
  ['group-shell-sigterm', 'killed'],
];
const QWEN: Array<[string, Expected]> = [
  ['text', 'ok'],
  ['tool', 'ok'],
  ['401', 'auth'],
  ['norelaunch', 'killed'],
  ['norelaunch-shell-sigterm', 'killed'],
];
const PI: Array<[string, Expected]> = [
  ['text', 'ok'],
  ['tool', 'ok'],
  ['resume', 'ok'],
  ['401', 'auth'],
  ['hang-sigterm', 'killed'],
  ['shell-sigterm', 'killed'],
  ['shell-sigkill', 'killed'],
];

/** What copilot uses it tells at its end only in the currency of its plans. */
const TELLS_TOKENS: readonly string[] = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'pi'];

describe.each([
  ['claude', CLAUDE],
  ['codex', CODEX],
  ['gemini', GEMINI],
  ['opencode', OPENCODE],
  ['copilot', COPILOT],
  ['qwen', QWEN],
  ['pi', PI],
] as const)('%s, recorded', (adapter, cases) => {
  it.each(cases)('%s is %s', async (fixture, expected) => {
    const result = await execute({ adapter, command: await replay(`${adapter}/${fixture}`) });
    expect([kindOf(result.outcome), result.outcome]).toEqual([expected, result.outcome]);
    expect(result.left).toEqual([]);
    if (expected === 'ok' && fixture !== 'empty') {
      expect(result.finalMessage).toBe('All done <promise>COMPLETE</promise>');
      expect(result.turns).toBeGreaterThan(0);
      if (TELLS_TOKENS.includes(adapter)) {
        expect(result.usage?.inputTokens).toBeGreaterThan(1000);
        expect(result.usage?.outputTokens).toBeGreaterThan(0);
      } else expect(result.usage).toBeUndefined();
      expect(result.sessionId).toMatch(/^(?:[0-9a-f-]{36}|ses_\w+)$/);
      expect(result.resumable).toBe(true);
    }
    if (result.outcome.kind === 'failed') expect(result.outcome.message).not.toBe('');
  });
});

describe('details of recorded runs', () => {
  it('says when a limit ends', async () => {
    const { outcome } = await execute({ adapter: 'claude', command: await replay('claude/oauth-quota') });
    expect(outcome).toMatchObject({ failure: 'limited', resetAt: 1_795_231_411_000 });
  });

  it('gives the cost that claude reports, and none for codex', async () => {
    const claude = await execute({ adapter: 'claude', command: await replay('claude/tool') });
    expect(claude.usage).toEqual({ inputTokens: 2600, outputTokens: 68, costUsd: expect.closeTo(0.0138, 6) });
    const codex = await execute({ adapter: 'codex', command: await replay('codex/tool') });
    expect(codex.usage).toEqual({ inputTokens: 2400, outputTokens: 68 });
  });

  it.each([
    ['claude', 'claude/new-401', 'auth'],
    ['codex', 'codex/429long', 'limited'],
    ['codex', 'codex/refused', 'transient'],
  ] as const)(
    '%s: a CLI that sits in a retry when the clock runs out failed for that reason (%s)',
    async (adapter, fixture, kind) => {
      const { outcome } = await execute({ adapter, command: await replay(fixture) }, { idleMs: 1500 });
      expect(outcome).toMatchObject({ kind: 'failed', failure: kind });
    },
  );

  it('B8: a CLI that is silent with no tool at work waits for its provider; with one, it hangs', async () => {
    const silent = await execute({ adapter: 'qwen', command: await replay('qwen/429') }, { idleMs: 300 });
    expect(silent.outcome).toMatchObject({ kind: 'failed', failure: 'transient' });
    const command = await shellAgent(`cat > /dev/null; head -n 2 '${FIXTURES}qwen/tool.stdout'
sed -n 3p '${FIXTURES}qwen/tool.stdout'; exec sleep 600`);
    const hangs = await execute({ adapter: 'qwen', command }, { idleMs: 300 });
    expect(hangs.outcome).toEqual({ kind: 'timeout', why: 'idle' });
  });

  it('B8: opencode tells of its tools when they have ended; whether one is at work its log says', async () => {
    const log = (message: string): string =>
      `echo 'timestamp=2026-11-21T09:28:45.060Z level=INFO run=e6b230f0 message=${message}' >&2`;
    const asked = log('stream providerID=mock modelID=m session.id=ses_1 small=false agent=build mode=primary');
    const part = '"part":{"messageID":"m1"}';
    const begun = `echo '{"type":"step_start","sessionID":"ses_1",${part}}'`;
    const tool = log('evaluated permission=bash pattern="sleep 600" action.permission=* action.action=allow');
    const run = async (...lines: string[]) => {
      const command = await shellAgent(['cat > /dev/null', ...lines, 'exec sleep 600'].join('\n'));
      return execute({ adapter: 'opencode', command }, { idleMs: 300 });
    };
    const ended = async (...lines: string[]) => (await run(...lines)).outcome;
    const waits = { kind: 'failed', failure: 'transient' };
    expect(await ended(asked)).toMatchObject(waits);
    expect(await ended(asked, begun)).toMatchObject(waits);
    expect(await ended(asked, begun, tool)).toEqual({ kind: 'timeout', why: 'idle' });
    expect(await ended(asked, begun, tool, asked)).toMatchObject(waits);
    // Under a release that logs in other words little is known.
    const text = `echo '{"type":"text","sessionID":"ses_1","part":{"messageID":"m1","text":"on it"}}'`;
    expect(await ended(begun, text)).toEqual({ kind: 'timeout', why: 'idle' });
    // What a subagent asks is no conversation to go on with.
    const sub = log('stream providerID=mock modelID=m session.id=ses_2 small=false agent=general mode=subagent');
    expect((await run(asked, sub)).sessionId).toBe('ses_1');
  });

  it('B8: qwen adds a broken connection to half an answer and calls it a success; an agent that quotes one has succeeded', async () => {
    const ended = async (text: string, output_tokens: number) => {
      const told = { session_id: 's1', is_error: false };
      const usage = { input_tokens: output_tokens, output_tokens };
      const content = [{ type: 'text', text }];
      const lines = [
        { ...told, type: 'assistant', message: { id: 'm1', content, usage } },
        { ...told, type: 'result', subtype: 'success', result: text, usage },
      ];
      const command = await shellAgent(
        ['cat > /dev/null', ...lines.map((line) => `echo '${JSON.stringify(line)}'`)].join('\n'),
      );
      return (await execute({ adapter: 'qwen', command })).outcome;
    };
    const broken = 'I will [API Error: terminated (cause: other side closed)]';
    expect(await ended(broken, 0)).toMatchObject({ kind: 'failed', failure: 'transient' });
    expect(await ended(broken, 34)).toEqual({ kind: 'ok' });
  });

  it('B8: copilot tells its session only at the end; that it has asked its model it tells at once', async () => {
    const said = (type: string, data: object): string => `echo '${JSON.stringify({ type, data })}'`;
    // Told to end, it gives a result.
    const told = `trap 'echo "{\\"type\\":\\"result\\",\\"exitCode\\":130}"; exit 130' TERM`;
    const ended = async (...lines: string[]) => {
      const script = ['cat > /dev/null', told, ...lines, 'while :; do sleep 0.1; done'];
      const command = await shellAgent(script.join('\n'));
      return (await execute({ adapter: 'copilot', command }, { timeoutMs: 4000 })).outcome;
    };
    const asked = said('model.call_start', { turnId: '0', model: 'm' });
    expect(await ended(asked)).toMatchObject({ kind: 'failed', failure: 'transient' });
    const answer = said('assistant.message', { messageId: 'm1', content: 'on it', toolRequests: [{}] });
    const tool = said('tool.execution_start', { toolCallId: 't1', toolName: 'bash', arguments: {} });
    expect(await ended(asked, answer, tool)).toEqual({ kind: 'timeout', why: 'iteration' });
  });

  it('B8: gemini that got half of its first answer still waits for its model', async () => {
    const said = (type: string, more: object): string => `echo '${JSON.stringify({ type, ...more })}'`;
    const half = said('message', { role: 'assistant', content: 'I will', delta: true });
    const ended = async (...lines: string[]) => {
      const command = await shellAgent(['cat > /dev/null', ...lines, 'exec sleep 600'].join('\n'));
      return (await execute({ adapter: 'gemini', command }, { timeoutMs: 4000 })).outcome;
    };
    const begun = said('init', { session_id: 's1' });
    expect(await ended(begun, half)).toMatchObject({ kind: 'failed', failure: 'transient' });
    const tool = said('tool_use', { tool_name: 'shell', tool_id: 't1', parameters: {} });
    expect(await ended(begun, half, tool)).toEqual({ kind: 'timeout', why: 'iteration' });
  });

  it('B8: aider that has asked its model waits for it; with an answer at hand it is at work', async () => {
    const event = (name: string): string => `echo '{"event":"${name}","properties":{"prompt_tokens":1}}' >&2`;
    const ended = async (...lines: string[]) => {
      const command = await shellAgent([...lines, 'exec sleep 600'].join('\n'));
      return (await execute({ adapter: 'aider', command }, { idleMs: 2000 })).outcome;
    };
    const asked = [event('launched'), event('message_send_starting')];
    expect(await ended(...asked)).toMatchObject({ kind: 'failed', failure: 'transient' });
    expect(await ended(...asked, event('message_send'))).toEqual({ kind: 'timeout', why: 'idle' });
  });

  it.each([
    ['codex waits for a network', 'codex', 'codex/refused', 'transient'],
    ['codex sleeps as long as the provider says', 'codex', 'codex/429long', 'limited'],
  ] as const)('B8: %s: ended long before it would give up, and not as work', async (_what, adapter, fixture, kind) => {
    const { outcome, left } = await execute({ adapter, command: await replay(fixture) }, { retryingMs: 300 });
    expect(outcome).toMatchObject({ kind: 'failed', failure: kind });
    expect(left).toEqual([]);
  });

  it('B8: a retry that worked is forgotten', async () => {
    const command = await shellAgent(`cat > /dev/null
echo '{"type":"retry","error":"busy"}'; echo '{"type":"message","text":"on"}'; sleep 0.6
echo '{"type":"result","status":"success"}'`);
    expect((await execute({ command, output: 'json' }, { retryingMs: 300 })).outcome).toEqual({ kind: 'ok' });
  });

  it.each([
    ['claude/oauth-quota', 'usage'],
    ['claude/billing', 'credit'],
    ['claude/429', 'rate'],
    ['codex/quota', 'credit'],
    ['opencode/429', 'rate'],
  ])('B8: %s is a limit of %s', async (fixture, scope) => {
    const adapter = fixture.split('/')[0] as 'claude';
    expect((await execute({ adapter, command: await replay(fixture) })).outcome).toMatchObject({ scope });
  });

  it('says what to do where a CLI refuses root', async () => {
    const { outcome } = await execute({ adapter: 'claude', command: await replay('claude/new-root-no-sandbox') });
    expect(outcome).toMatchObject({ message: expect.stringContaining('sandboxed: true') });
  });

  it('the user’s own words for failures come before the built-in ones, and after what is structured', async () => {
    const failures = [{ match: 'gateway says no', kind: 'limited' as const }];
    const said = await execute({
      command: await shellAgent('echo half; echo "GATEWAY says no" >&2; exit 1'),
      failures,
    });
    expect(said.outcome).toMatchObject({ failure: 'limited' });
    const words = [{ match: 'Incorrect', kind: 'transient' as const }];
    const typed = await execute({ adapter: 'pi', command: await replay('pi/401'), failures: words });
    expect(typed.outcome).toMatchObject({ failure: 'auth' });
  });

  it('a CLI that just hangs is idle', async () => {
    const { outcome } = await execute({ adapter: 'codex', command: await replay('codex/stdin-open') }, { idleMs: 300 });
    expect(outcome).toEqual({ kind: 'timeout', why: 'idle' });
  });
});
