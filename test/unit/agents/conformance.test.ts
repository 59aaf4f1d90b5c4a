/**
 * One suite over all adapters: what every one of them has to keep, whatever its CLI prints. Recorded output of real CLIs
 * is under test/fixtures/agents; replay.test.ts says how each recording ends.
 */
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/agents/reading/outcome.js';
import type { AgentEvent } from '../../../src/agents/reading/stream.js';
import { adapterFor, KNOWN_ADAPTERS } from '../../../src/agents/registry.js';
import type { AgentReader, Reading } from '../../../src/agents/types.js';
import type { AgentAdapter } from '../../../src/config/agent-spec.js';
import { LineSplitter } from '../../../src/process/output.js';
import type { RunResult } from '../../../src/process/run.js';
import { FIXTURES, spec } from './helpers.js';

const specOf = (adapter: AgentAdapter) => spec({ adapter, command: ['prog'], output: 'json' });
const names = (adapter: string): string[] => {
  try {
    return readdirSync(`${FIXTURES}${adapter}`)
      .filter((file) => file.endsWith('.stdout'))
      .map((file) => file.replace('.stdout', ''));
  } catch {
    return [];
  }
};
const recordings = KNOWN_ADAPTERS.flatMap((adapter) => names(adapter).map((name) => ({ adapter, name })));
const recorded = (adapter: string, name: string, stream: 'stdout' | 'stderr'): string =>
  readFileSync(`${FIXTURES}${adapter}/${name}.${stream}`, 'utf8');

const ended = (more: Partial<RunResult> = {}): RunResult => ({
  ...{ exitCode: 0, signal: null, durationMs: 60_000, stdoutBytes: 0, stderrBytes: 0, tail: '' },
  ...more,
});
const outcomeOf = (adapter: AgentAdapter, reading: Reading, run: RunResult) =>
  classify(reading, run, {
    hasTerminalEvent: adapterFor(specOf(adapter)).hasTerminalEvent(specOf(adapter)),
    name: adapter,
    exitMeaning: adapterFor(specOf(adapter)).exitMeaning,
  });

function open(adapter: AgentAdapter): { reader: AgentReader; events: AgentEvent[] } {
  const events: AgentEvent[] = [];
  return { reader: adapterFor(specOf(adapter)).reader(specOf(adapter), (event) => events.push(event)), events };
}

/** Feeds both streams as a process would, cut where `cuts` say. */
function read(adapter: AgentAdapter, stdout: string, stderr: string, cuts: readonly number[] = []): Reading {
  const { reader } = open(adapter);
  for (const [text, stream] of [
    [stderr, 'stderr'],
    [stdout, 'stdout'],
  ] as const) {
    const splitter = new LineSplitter((line, truncated) => reader.line(line, stream, truncated), 8 << 20);
    const bytes = Buffer.from(text);
    const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
    let start = 0;
    for (const end of [...places, bytes.length]) {
      splitter.push(bytes.subarray(start, end));
      start = end;
    }
    splitter.end();
  }
  return reader.finish();
}

function reordered(text: string): string {
  const swap = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(swap);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .reverse()
        .map(([key, inner]) => [key, swap(inner)]),
    );
  };
  return text
    .split('\n')
    .map((line) => {
      try {
        return JSON.stringify(swap(JSON.parse(line)));
      } catch {
        return line;
      }
    })
    .join('\n');
}

describe('B1: every recording reads the same', () => {
  const structured = recordings.filter(({ adapter }) => adapter !== 'aider');

  it.each(recordings)('$adapter/$name, wherever its bytes are cut and with CRLF', ({ adapter, name }) => {
    const [stdout, stderr] = [recorded(adapter, name, 'stdout'), recorded(adapter, name, 'stderr')];
    const whole = read(adapter, stdout, stderr);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        expect(read(adapter, stdout, stderr, cuts)).toEqual(whole);
      }),
      { numRuns: 5 },
    );
    expect(read(adapter, stdout.replaceAll('\n', '\r\n'), stderr.replaceAll('\n', '\r\n'))).toEqual(whole);
  });

  it.each(structured)(
    '$adapter/$name, with its keys in another order and events of the future',
    ({ adapter, name }) => {
      const stderr = recorded(adapter, name, 'stderr');
      const whole = read(adapter, recorded(adapter, name, 'stdout'), stderr);
      const future =
        '{"type":"from.the.future","event":"x","data":{"content":"COMPLETE"},"message":"429"}\nnot json\n\n[1]\n';
      const changed = reordered(recorded(adapter, name, 'stdout'))
        .split('\n')
        .join(`\n${future}`);
      expect(read(adapter, changed, stderr)).toEqual(whole);
    },
  );

  it.each(recordings)(
    '$adapter/$name is no success without its last event, and none after a signal',
    ({ adapter, name }) => {
      const stdout = recorded(adapter, name, 'stdout');
      const stderr = recorded(adapter, name, 'stderr');
      const whole = read(adapter, stdout, stderr);
      for (const stopped of ['aborted', 'timeout', 'idle'] as const) {
        expect(outcomeOf(adapter, whole, ended({ stopped, exitCode: 0 })).kind).not.toBe('ok');
      }
      expect(outcomeOf(adapter, whole, ended({ exitCode: null, signal: 'SIGTERM' })).kind).not.toBe('ok');
      expect(outcomeOf(adapter, whole, ended({ exitCode: 1 })).kind).not.toBe('ok');
      if (whole.terminal !== 'success') {
        expect(outcomeOf(adapter, whole, ended()).kind).not.toBe('ok');
        return;
      }
      expect(outcomeOf(adapter, whole, ended())).toEqual({ kind: 'ok' });
      const [out, err] = adapter === 'aider' ? [stdout, halfOf(stderr)] : [halfOf(stdout), stderr];
      expect(outcomeOf(adapter, read(adapter, out, err), ended()).kind).not.toBe('ok');
    },
  );
});

/** Without its last event: what is left when a CLI is interrupted. */
function halfOf(text: string): string {
  const lines = text.trimEnd().split('\n');
  const last = lines.findLastIndex((line) => line.startsWith('{'));
  return lines.slice(0, last).join('\n');
}

describe('B1: nothing that a CLI prints can end a reader', () => {
  const word = fc.constantFrom(
    ...['system', 'assistant', 'user', 'result', 'init', 'message', 'tool_use', 'tool_result', 'error', 'text'],
    ...['step_start', 'step_finish', 'agent_end', 'message_end', 'session', 'session.error', 'assistant.message'],
    ...['turn.completed', 'turn.failed', 'item.completed', 'exit', 'message_send', '__proto__', 'constructor'],
    ...['success', 'stop', 'rate_limit_event', 'auto_retry_start', 'assistant.turn_retry', 'toString'],
  );
  const key = fc.constantFrom(
    ...['type', 'subtype', 'event', 'message', 'part', 'data', 'content', 'result', 'error', 'usage', 'status'],
    ...['role', 'tokens', 'item', 'id', 'text', 'state', 'properties', 'reason', 'stopReason', 'errors', 'changes'],
    ...['rate_limit_info', 'tool_name', 'exitCode', 'is_error', '__proto__', 'responseHeaders', 'retry-after'],
  );
  const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      ...[word, fc.string(), fc.double(), fc.boolean(), fc.constant(null)],
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(key, tie('any'), { maxKeys: 6 }),
    ),
  })).any;
  const event = fc
    .tuple(word, fc.dictionary(key, value, { maxKeys: 8 }))
    .map(([type, fields]) => JSON.stringify({ ...fields, type, event: type }));
  const line = fc.oneof(
    event,
    event,
    fc.string(),
    fc.string().map((text) => `{"type":"result",${text}`),
  );

  it.each(KNOWN_ADAPTERS)('%s: no event of any shape throws, and what is read keeps its form', (adapter) => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(line, fc.constantFrom('stdout' as const, 'stderr' as const), fc.boolean()), {
          maxLength: 30,
        }),
        fc.record({
          exitCode: fc.option(fc.nat(255)),
          stopped: fc.constantFrom(undefined, 'timeout', 'idle', 'aborted', 'result-grace'),
        }),
        (lines, { exitCode, stopped }) => {
          const { reader } = open(adapter);
          for (const [text, stream, truncated] of lines) {
            for (const part of text.split('\n')) reader.line(part, stream, truncated);
            expect(typeof reader.retrying).toBe('boolean');
          }
          const reading = reader.finish();
          expect(typeof reading.finalMessage).toBe('string');
          expect(reading.turns).toBeGreaterThanOrEqual(0);
          for (const number of Object.values(reading.usage ?? {})) expect(Number.isFinite(number)).toBe(true);
          const run = ended({ exitCode, ...(stopped === undefined ? {} : { stopped: stopped as 'idle' }) });
          const outcome = outcomeOf(adapter, reading, run);
          if (outcome.kind === 'failed') expect(outcome.message).not.toBe('');
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each(KNOWN_ADAPTERS)('%s: a line of 50 MB costs no more than its limit and loses only itself', (adapter) => {
    const { reader } = open(adapter);
    const splitter = new LineSplitter((text, truncated) => reader.line(text, 'stdout', truncated), 8 << 20);
    splitter.push(Buffer.from('{"type":"user","message":{"content":"'));
    for (let n = 0; n < 50; n++) splitter.push(Buffer.alloc(1 << 20, 'x'));
    splitter.push(Buffer.from('"}}\n'));
    splitter.end();
    const reading = reader.finish();
    expect(reading.terminal).toBeUndefined();
    expect(reading.turns).toBe(adapter === 'scripted' ? 1 : 0);
  });
});

describe('B1: command lines', () => {
  it('gemini: its retries are bounded where it reads a file for that: as root', () => {
    const told = (root: boolean) => adapterFor(specOf('gemini')).invocation(specOf('gemini'), { ...ctx, root });
    const { env, files = {} } = told(true);
    expect(JSON.parse(files[env.GEMINI_CLI_SYSTEM_DEFAULTS_PATH ?? ''] ?? '')).toEqual({ general: { maxAttempts: 3 } });
    expect(told(false).files).toBeUndefined();
    expect(told(false).env).not.toHaveProperty('GEMINI_CLI_SYSTEM_DEFAULTS_PATH');
  });

  const ctx = {
    ...{ prompt: 'THE PROMPT', cwd: '/tree', nonce: 'n', idea: 'i', iteration: 1, scratch: '/scratch' },
    sessionId: '5f0c5ed3-3df4-4b8e-9a43-0e6f1d1d8b53',
  };
  const all = { model: 'MODEL', effort: 'EFFORT', maxTurns: 7, maxBudgetUsd: 1.5 };

  it.each(KNOWN_ADAPTERS)('%s: the prompt is never an argument, files are below the scratch folder', (adapter) => {
    const invocation = adapterFor(specOf(adapter)).invocation({ ...specOf(adapter), args: ['--last'] }, ctx);
    expect(invocation.argv.join(' ')).not.toContain('THE PROMPT');
    const files = Object.entries(invocation.files ?? {});
    for (const [path] of files) expect(path).toMatch(/^\/scratch\/[\w.-]+$/);
    const delivered = invocation.stdin === 'THE PROMPT' || files.some(([, content]) => content === 'THE PROMPT');
    expect(delivered).toBe(true);
    expect(invocation.argv[0]).toBe('prog');
    expect(invocation.argv).toContain('--last');
  });

  it.each(KNOWN_ADAPTERS)('%s: model, effort, turns and budget reach the CLI where it has them', async (adapter) => {
    const { ADAPTER_OPTIONS } = await import('../../../src/config/agent-spec.js');
    const options = ADAPTER_OPTIONS[adapter];
    const { argv, files } = adapterFor(specOf(adapter)).invocation({ ...specOf(adapter), ...all }, ctx);
    const told = [...argv, ...Object.values(files ?? {})].join(' ');
    const has = (option: (typeof options)[number]): boolean => options.includes(option) && adapter !== 'scripted';
    expect(told.includes('MODEL')).toBe(has('model'));
    expect(told.includes('EFFORT')).toBe(has('effort'));
    expect(/\b7\b/.test(told)).toBe(has('maxTurns'));
    expect(/\b1\.5\b/.test(told)).toBe(has('maxBudgetUsd'));
  });

  it.each(KNOWN_ADAPTERS)('%s: a conversation is gone on with only where the CLI can', (adapter) => {
    const told = (resume?: string): string =>
      adapterFor(specOf(adapter))
        .invocation(specOf(adapter), { ...ctx, ...(resume ? { resume } : {}) })
        .argv.join(' ');
    expect(told()).not.toContain('SESSION');
    expect(told('SESSION').includes('SESSION')).toBe(adapterFor(specOf(adapter)).resumes);
  });
});
