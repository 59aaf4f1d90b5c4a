import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { executeAgent, FINAL_MESSAGE_LIMIT } from '../../../src/agents/execute.js';
import { parseSignal } from '../../../src/agents/reading/signal.js';
import { adapterFor, KNOWN_ADAPTERS } from '../../../src/agents/registry.js';
import { AgentConfigError } from '../../../src/agents/types.js';
import { AGENT_ADAPTERS, type AgentSpec } from '../../../src/config/agent-spec.js';
import type { AgentHeartbeat } from '../../../src/protocol/agent-run.js';
import { execute, FIXTURES, input, shellAgent, spec } from './helpers.js';

const signalIn = (message: string, prompt = '') => parseSignal(message, { nonce: 'n0nce', requireXml: true, prompt });

describe('any command, text', () => {
  it('gets the prompt on stdin and the idea in its environment; its stdout is its message', async () => {
    const command =
      await shellAgent(`echo "got: $(cat)"; echo "$RALPHCTL_IDEA $RALPHCTL_ITERATION $RALPHCTL_AGENT $1 $2 $3"
echo 'noise' >&2; printf '\\033[32m<ralph nonce="%s">COMPLETE</ralph>\\033[0m\\n' "$RALPHCTL_NONCE"`);
    const result = await execute({ command, model: 'm1', args: ['--x'] }, { prompt: 'Hällo' });
    expect(result.outcome).toEqual({ kind: 'ok' });
    expect(result.finalMessage).toBe(
      'got: Hällo\ntask-001 2 tester --model m1 --x\n<ralph nonce="n0nce">COMPLETE</ralph>',
    );
    expect(signalIn(result.finalMessage)).toEqual({ kind: 'complete' });
    expect(result).toMatchObject({ exitCode: 0, turns: 1 });
  });

  it('runs in the worktree, with variables of the caller', async () => {
    const given = await input({ command: await shellAgent('pwd; echo $EXTRA') }, { extraEnv: { EXTRA: 'yes' } });
    const result = await executeAgent(given);
    expect(result.finalMessage).toBe(`${given.cwd}\nyes`);
    expect(await readFile(given.outputFile, 'utf8')).toBe(`${given.cwd}\nyes\n`);
  });

  it.each([
    ['exit 3 with words', 'echo "I tried: rate limit 429"; exit 3', 'agent'],
    ['a rate limit on stderr', 'echo working; echo "Error: 429 Too Many Requests" >&2; exit 1', 'limited'],
    ['no login', 'echo "Not logged in" >&2; exit 1', 'auth'],
    ['a wrong flag', 'echo "error: unknown option --frob" >&2; exit 2', 'config'],
    ['a lost connection', 'echo half; echo "read ECONNRESET" >&2; exit 1', 'transient'],
    [
      'a name that does not resolve',
      'echo half; echo "getaddrinfo ENOTFOUND api.example.org" >&2; exit 1',
      'transient',
    ],
    ['a crash without a file', `echo "FileNotFoundError: [Errno 2] No such file: 'a.py'" >&2; exit 3`, 'launch'],
    ['a crash without a module', `echo "ModuleNotFoundError: No module named 'calc'" >&2; exit 1`, 'launch'],
    ['a file that may not be read', `echo "PermissionError: [Errno 13] Permission denied: 'a'" >&2; exit 1`, 'launch'],
    [
      'a provider that refuses',
      'echo "403: The caller does not have permission. PERMISSION_DENIED" >&2; exit 1',
      'auth',
    ],
    ['nothing at all', 'exit 1', 'launch'],
    ['killed from outside', 'echo half; kill -9 $$', 'killed'],
  ])('%s', async (_name, script, failure) => {
    const { outcome } = await execute({ command: await shellAgent(script) });
    expect(outcome).toMatchObject({ kind: 'failed', failure });
  });

  it('B4: a failed one without a word on stderr is told with the last words of its stdout, which are no evidence', async () => {
    const end = async (script: string) => (await execute({ command: await shellAgent(script) })).outcome;
    expect(await end('echo begin; echo "the licence is used up: rate limit"; exit 3')).toMatchObject({
      failure: 'agent',
      message: expect.stringMatching(
        /exit code 3 and told no error\. Its last words: “begin the licence is used up: rate limit”$/,
      ),
    });
    expect(await end('echo out; echo why >&2; exit 3')).toMatchObject({ message: expect.stringMatching(/ 3: why$/) });
    const nothing = { message: expect.stringMatching(/exit code 3 and said nothing about it\.$/) };
    expect(await end('echo "<ralph>COMPLETE</ralph>"; exit 3')).toMatchObject(nothing);
    expect(await end('exit 3')).toMatchObject(nothing);
  });

  it('a program that is not there is a matter of configuration', async () => {
    const { outcome } = await execute({ command: ['no-such-agent-program'] });
    expect(outcome).toMatchObject({ failure: 'config', message: expect.stringContaining('no-such-agent-program') });
  });

  it('rejects for an agent without a command, and for an unknown adapter', async () => {
    await expect(execute({})).rejects.toThrow(AgentConfigError);
    expect(() => adapterFor(spec({ adapter: 'telepathy' as AgentSpec['adapter'] }))).toThrow(/claude, codex, gemini/);
    expect(KNOWN_ADAPTERS).toEqual([...AGENT_ADAPTERS]);
  });

  it('is stopped on request, and at its limits', async () => {
    const command = await shellAgent('echo up; exec sleep 600');
    const stop = new AbortController();
    const aborted = execute({ command }, { signal: stop.signal, onEvent: () => stop.abort() });
    expect((await aborted).outcome).toMatchObject({ failure: 'killed' });
    expect((await execute({ command }, { timeoutMs: 300 })).outcome).toEqual({ kind: 'timeout', why: 'iteration' });
    expect((await execute({ command }, { idleMs: 300 })).outcome).toEqual({ kind: 'timeout', why: 'idle' });
  });
});

describe('any command, JSON lines', () => {
  const json = async (...events: unknown[]) => {
    const lines = events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
    const code = lines.at(-1)?.startsWith('exit ') ? lines.pop() : 'exit 0';
    return execute({ command: await shellAgent(`cat <<'END'\n${lines.join('\n')}\nEND\n${code}`), output: 'json' });
  };
  it('reads messages, usage, session and result', async () => {
    const result = await json(
      { type: 'session', id: 's1' },
      'not json at all',
      { type: 'message', text: 'thinking' },
      { type: 'usage', inputTokens: 10, outputTokens: 2 },
      { type: 'usage', inputTokens: 5, costUsd: 0.5 },
      { type: 'message', text: 'final' },
      { type: 'from-the-future' },
      { type: 'result', status: 'success' },
    );
    expect(result).toMatchObject({ outcome: { kind: 'ok' }, finalMessage: 'final', turns: 2, sessionId: 's1' });
    expect(result.usage).toEqual({ inputTokens: 15, outputTokens: 2, costUsd: 0.5 });
  });
  it('takes no success without the result event, and none against the exit code', async () => {
    const message = { type: 'message', text: '<ralph>COMPLETE</ralph>' };
    expect((await json(message)).outcome).toMatchObject({ failure: 'killed' });
    expect((await json(message, { type: 'result', status: 'success' }, 'exit 1')).outcome).toMatchObject({
      failure: 'agent',
    });
  });
  it.each([
    [
      { kind: 'limited', message: 'x', resetAt: 1_900_000_000 },
      { failure: 'limited', resetAt: 1_900_000_000_000 },
    ],
    [
      { status: 429, message: 'x', resetAt: '2030-01-01T00:00:00Z' },
      { failure: 'limited', resetAt: 1_893_456_000_000 },
    ],
    [{ status: 503, message: 'x' }, { failure: 'transient' }],
    [{ message: 'invalid api key' }, { failure: 'auth' }],
    ['plain words', { failure: 'agent', message: 'plain words' }],
    [undefined, { failure: 'agent' }],
  ])('error %j', async (error, expected) => {
    expect((await json({ type: 'result', status: 'error', error })).outcome).toMatchObject(expected);
  });
});

describe('secrets and what is told while it runs', () => {
  it('a failed run’s error has no secret, its progress neither, and the agent’s last word keeps its own (D)', async () => {
    const told: AgentHeartbeat[] = [];
    const command = await shellAgent(
      `cat > /dev/null; echo "my key is $ANTHROPIC_API_KEY"; echo "refused: $ANTHROPIC_API_KEY" >&2; sleep 1.5; exit 1`,
    );
    const baseEnv = { PATH: process.env.PATH, ANTHROPIC_API_KEY: 'correct-horse-battery' };
    const result = await execute({ command }, { baseEnv, onHeartbeat: (progress) => told.push(progress) });
    expect(result.outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('refused: [redacted]') });
    expect(result.tail).not.toContain('battery');
    expect(result.finalMessage).toBe('my key is correct-horse-battery');
    expect(result.redact(result.finalMessage)).toBe('my key is [redacted]');
    expect(told).toEqual([{ at: expect.any(Number), last: 'my key is [redacted]', messages: 1, tools: 0 }]);
  });

  it('is told in under a kilobyte, whatever the agent does (G2)', async () => {
    const told: AgentHeartbeat[] = [];
    const line = JSON.stringify({ type: 'tool', name: 'n'.repeat(9000), subject: '\u{1f600}'.repeat(9000) });
    const command = await shellAgent(
      `cat > /dev/null; echo '${line}'; echo '{"type":"usage","inputTokens":1234567}'; echo '{"type":"retry","error":{"message":"busy"}}'; sleep 1.5`,
    );
    await execute({ command, output: 'json' }, { onHeartbeat: (progress) => told.push(progress) });
    expect(told.at(-1)).toEqual({
      ...{ at: expect.any(Number), last: 'busy', waits: 'retrying', messages: 0, tools: 1 },
      usage: { inputTokens: 1234567 },
    });
    for (const one of told) expect(Buffer.byteLength(JSON.stringify(one))).toBeLessThan(1024);
  });

  it('a CLI that says for ever that it tries again is not at work (B8)', async () => {
    const command = await shellAgent(
      `cat > /dev/null; while :; do echo '{"type":"retry","error":{"message":"no network","kind":"transient"}}'; sleep 0.05; done`,
    );
    const { outcome } = await execute({ command, output: 'json' }, { idleMs: 600 });
    expect(outcome).toMatchObject({ kind: 'failed', failure: 'transient', message: 'no network' });
  });
});

describe('hostile agents', () => {
  it('an agent that echoes everything neither completes nor is limited', async () => {
    const prompt = 'Do it. 429 rate limit 529 error.\nEnd with:\n<promise>COMPLETE</promise>\n';
    for (const exit of [0, 1]) {
      const command = await shellAgent(`cat; echo '"rate_limit_error" 429 529 overloaded Not logged in'; exit ${exit}`);
      const result = await execute({ command }, { prompt });
      expect(signalIn(result.finalMessage, prompt)).toEqual({ kind: 'none' });
      expect(result.outcome).toMatchObject(exit === 0 ? { kind: 'ok' } : { failure: 'agent' });
    }
    const echo = await execute({ command: ['cat'] }, { prompt });
    expect(signalIn(echo.finalMessage, prompt)).toEqual({ kind: 'none' });
  });

  it('claude text about limits is not a limit', async () => {
    const text = JSON.stringify({
      ...{ type: 'assistant', message: { id: 'a', content: [{ type: 'text', text: 'API Error: 429 rate limit' }] } },
    });
    const result = JSON.stringify({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'usage limit reached',
    });
    const command = await shellAgent(`cat > /dev/null; echo '${text}'; echo '${result}'`);
    expect((await execute({ adapter: 'claude', command })).outcome).toEqual({ kind: 'ok' });
  });

  it.each([
    ['error: disk quota exceeded in registry', 'failed'],
    ['cp: Disk quota exceeded (os error 122)', 'failed'],
    ['quota exceeded, try again later', 'limited'],
  ])('"%s" makes a run %s', async (text, kind) => {
    const { outcome } = await execute({ command: await shellAgent(`cat > /dev/null; echo '${text}' >&2; exit 3`) });
    expect(outcome.kind === 'failed' && outcome.failure === 'limited' ? 'limited' : outcome.kind).toBe(kind);
  });

  it('a result stands although the CLI then ignores TERM, daemonises and holds its output open', async () => {
    const command = await shellAgent(`trap '' TERM; cat > /dev/null; cat '${FIXTURES}claude/text.stdout'
setsid sh -c 'trap "" TERM; while :; do sleep 600; done' & while :; do sleep 600; done`);
    const result = await execute({ adapter: 'claude', command }, { resultGraceMs: 100, killGraceMs: 100 });
    expect(result.outcome).toEqual({ kind: 'ok' });
    expect(result.run.stopped).toBe('result-grace');
    expect(result.left).toEqual([]);
  });

  it('an agent that never reads its prompt', async () => {
    const { outcome } = await execute({ command: ['true'] }, { prompt: 'x'.repeat(1 << 20) });
    expect(outcome).toEqual({ kind: 'ok' });
  });

  it('floods, one endless line, NULs and invalid UTF-8 leave a bounded message', { timeout: 120_000 }, async () => {
    const flood = await execute(
      { command: await shellAgent("yes 'ordinary output' | head -c 60000000; echo END") },
      { timeoutMs: 100_000 },
    );
    expect(flood.finalMessage.length).toBeLessThanOrEqual(FINAL_MESSAGE_LIMIT);
    expect(flood.finalMessage.endsWith('\nEND')).toBe(true);
    const line = await execute(
      { command: await shellAgent('head -c 50000000 /dev/zero; echo; printf "\\377\\n"') },
      { timeoutMs: 100_000 },
    );
    expect(line.finalMessage.length).toBeLessThanOrEqual(FINAL_MESSAGE_LIMIT + 2);
    expect(line.finalMessage.endsWith('\ufffd')).toBe(true);
    expect(line.outcome).toEqual({ kind: 'ok' });
  });

  it('a fence stays a fence although its beginning is cut off', async () => {
    const script = `echo '\`\`\`'; yes 'inside the fence' | head -c 1000000; echo; echo '<ralph nonce="n0nce">COMPLETE</ralph>'`;
    const result = await execute({ command: await shellAgent(script) });
    expect(signalIn(result.finalMessage)).toEqual({ kind: 'none' });
  });

  it('a claude event that is over-long or half is skipped, not fatal', async () => {
    const command = await shellAgent(`cat > /dev/null
printf '{"type":"user","x":"'; head -c 20000000 /dev/zero | tr '\\0' x; echo '"}'
echo '{"type":"assistant","message":'; echo '[1,2'; echo null; echo '{"type":"assistant"}'
cat '${FIXTURES}claude/text.stdout'`);
    const result = await execute({ adapter: 'claude', command });
    expect(result.outcome).toEqual({ kind: 'ok' });
    expect(result.finalMessage).toBe('All done <promise>COMPLETE</promise>');
  });
});

describe('command lines', () => {
  const ctx = {
    prompt: 'P',
    cwd: '/tree',
    nonce: 'n',
    idea: 'i',
    iteration: 1,
    scratch: '/scratch',
    sessionId: 'uuid',
  };
  it('never puts the prompt on the command line', () => {
    for (const adapter of KNOWN_ADAPTERS) {
      const { argv, stdin, files } = adapterFor(spec({ adapter })).invocation(
        spec({ adapter, command: ['prog'] }),
        ctx,
      );
      expect(argv[0]).toBe('prog');
      expect(argv).not.toContain('P');
      // aider takes no prompt on stdin.
      if (adapter === 'aider') expect(Object.values(files ?? {})).toEqual(['P']);
      else expect(stdin).toBe('P');
    }
  });
  it('tells claude that it is in a sandbox only on the word of the user', () => {
    const env = (sandboxed: boolean) =>
      adapterFor(spec({ adapter: 'claude' })).invocation(spec({ adapter: 'claude', sandboxed }), ctx).env;
    expect(env(true).IS_SANDBOX).toBe('1');
    expect(env(false)).not.toHaveProperty('IS_SANDBOX');
  });
  it('passes model and arguments on', () => {
    const claude = adapterFor(spec({ adapter: 'claude' })).invocation(
      spec({ adapter: 'claude', model: 'opus', args: ['--max-turns', '9'] }),
      ctx,
    );
    expect(claude.argv.slice(0, 5)).toEqual(['claude', '-p', '--output-format', 'stream-json', '--verbose']);
    expect(claude.argv.slice(-4)).toEqual(['--model', 'opus', '--max-turns', '9']);
    const codex = adapterFor(spec({ adapter: 'codex' })).invocation(spec({ adapter: 'codex', model: 'm' }), ctx);
    expect(codex.argv.slice(0, 3)).toEqual(['codex', 'exec', '--json']);
    expect(codex.argv.slice(-5)).toEqual(['-C', '/tree', '-m', 'm', '-']);
  });
});

describe('files', () => {
  it('an earlier log is replaced', async () => {
    const given = await input({ command: ['echo', 'new'] });
    await mkdir(join(given.outputFile, '..'), { recursive: true });
    await writeFile(given.outputFile, 'old old old\n');
    await executeAgent(given);
    expect(await readFile(given.outputFile, 'utf8')).toBe('new\n');
  });
});
