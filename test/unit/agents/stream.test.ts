/** The normalised stream of a run (issue: live view): the same words for every CLI, bounded whatever comes. */
import { mkdir, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AgentEvent,
  olderStream,
  oneLine,
  StreamFile,
  type StreamLine,
  toolSubject,
} from '../../../src/agents/reading/stream.js';
import type { AgentSpec } from '../../../src/config/agent-spec.js';
import { execute, replay, shellAgent, tempDir } from './helpers.js';

const read = async (path: string): Promise<StreamLine[]> =>
  (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as StreamLine);

/** Runs the agent; gives what it said as it went along and what stands in the file. */
async function streamOf(agent: Partial<AgentSpec>, idleMs?: number) {
  const events: AgentEvent[] = [];
  const streamFile = join(await tempDir(), 'stream.jsonl');
  const more = { streamFile, onEvent: (event: AgentEvent) => events.push(event), ...(idleMs ? { idleMs } : {}) };
  await execute(agent, more);
  const lines = await read(streamFile);
  return { events, lines };
}

describe('what each CLI tells', () => {
  it('claude: session, words, tool with its subject, its result, usage so far, end; the file holds the same (B1, G2)', async () => {
    const { events, lines } = await streamOf({ adapter: 'claude', command: await replay('claude/tool') });
    expect(events).toEqual([
      { kind: 'session', id: '7c17398c-a88a-440a-b782-642b6365d723', model: 'claude-opus-4-8[1m]' },
      { kind: 'message', text: 'I will write the file.' },
      { kind: 'usage', inputTokens: 1300, outputTokens: 1 },
      { kind: 'tool', name: 'Write', id: 'toolu_mock000002', subject: '/repo/hello.txt' },
      { kind: 'tool-result', ok: true, id: 'toolu_mock000002' },
      { kind: 'message', text: 'All done <promise>COMPLETE</promise>' },
      { kind: 'usage', inputTokens: 2600, outputTokens: 2 },
      { kind: 'usage', inputTokens: 2600, outputTokens: 68, costUsd: expect.closeTo(0.0138, 6) },
      { kind: 'end', ok: true },
    ]);
    expect(lines).toEqual(events.map((event) => ({ at: expect.stringMatching(/^\d{4}-.*Z$/), ...event })));
  });

  it('codex: a command when it begins and its exit code when it ends', async () => {
    const { events } = await streamOf({ adapter: 'codex', command: await replay('codex/tool') });
    expect(events).toEqual([
      { kind: 'session', id: '01a1fbcb-cc3d-7c71-b957-169b9b1cd6b3' },
      { kind: 'message', text: 'I will write the file.' },
      { kind: 'tool', name: 'shell', id: 'item_2', subject: expect.stringContaining('/bin/bash -lc "printf') },
      { kind: 'tool-result', ok: true, id: 'item_2', exitCode: 0 },
      { kind: 'message', text: 'All done <promise>COMPLETE</promise>' },
      { kind: 'usage', inputTokens: 2400, outputTokens: 68 },
      { kind: 'end', ok: true },
    ]);
  });

  it('waiting to try again, with how often and why', async () => {
    const codex = await streamOf({ adapter: 'codex', command: await replay('codex/529') });
    expect(codex.events).toContainEqual({
      ...{ kind: 'retrying', status: 529, attempt: 2, of: 5 },
      message: expect.stringContaining('Overloaded'),
    });
    const claude = await streamOf({ adapter: 'claude', command: await replay('claude/429') });
    expect(claude.events).toContainEqual({
      ...{ kind: 'retrying', message: 'rate_limit', status: 429, attempt: 1, of: 10, delayMs: 1000 },
    });
    expect(claude.events.at(-1)).toMatchObject({ kind: 'end', ok: false });
  });

  it('a limit with the time it ends', async () => {
    const { events } = await streamOf({ adapter: 'claude', command: await replay('claude/oauth-quota') });
    expect(events).toContainEqual({ kind: 'limit', message: 'five_hour', resetAt: 1_795_231_411_000 });
  });

  it('any command with JSON lines', async () => {
    const command = await shellAgent(`cat > /dev/null
echo '{"type":"session","id":"s1"}'
echo '{"type":"tool","id":"1","name":"shell","subject":"npm test"}'
echo '{"type":"tool-result","id":"1","ok":false,"exitCode":2}'
echo '{"type":"usage","inputTokens":5}'
echo '{"type":"usage","inputTokens":5,"outputTokens":1}'
echo '{"type":"retry","error":{"message":"busy","status":529}}'
echo '{"type":"retry","error":{"message":"wait","kind":"limited","resetAt":1900000000}}'
echo '{"type":"message","text":"hello"}'
echo '{"type":"result","status":"success"}'
`);
    const { events } = await streamOf({ command, output: 'json' });
    expect(events).toEqual([
      { kind: 'session', id: 's1' },
      { kind: 'tool', name: 'shell', id: '1', subject: 'npm test' },
      { kind: 'tool-result', ok: false, id: '1', exitCode: 2 },
      { kind: 'usage', inputTokens: 5 },
      { kind: 'usage', inputTokens: 10, outputTokens: 1 },
      { kind: 'retrying', message: 'busy', status: 529 },
      { kind: 'limit', message: 'wait', resetAt: 1_900_000_000_000 },
      { kind: 'message', text: 'hello' },
      { kind: 'end', ok: true },
    ]);
  });

  it('B6: amounts that nobody can have used are unknown, and a reset that is no date says nothing', async () => {
    const command = await shellAgent(`cat > /dev/null
echo '{"type":"usage","inputTokens":-5,"costUsd":-1e9}'
echo '{"type":"usage","inputTokens":7,"outputTokens":1e308,"costUsd":1e308}'
echo '{"type":"usage","inputTokens":1,"costUsd":1e999}'
echo '{"type":"retry","error":{"message":"wait","kind":"limited","resetAt":1e300}}'
`);
    const { events } = await streamOf({ command, output: 'json' });
    expect(events.slice(0, 4)).toEqual([
      { kind: 'usage' },
      { kind: 'usage', inputTokens: 7 },
      { kind: 'usage', inputTokens: 8 },
      { kind: 'limit', message: 'wait' },
    ]);
  });

  it('any command with plain text: each line that says something', async () => {
    const command = await shellAgent(`cat > /dev/null; printf 'one\\n\\n  \\n\\033[1mtwo\\033[0m\\n'; echo no >&2`);
    const { events } = await streamOf({ command });
    expect(events).toEqual([
      { kind: 'message', text: 'one' },
      { kind: 'message', text: 'two' },
    ]);
  });
});

describe('the file of the stream', () => {
  it('stays within its limit, the latest at the end, and counts what is left out', async () => {
    const path = join(await tempDir(), 'stream.jsonl');
    const file = await StreamFile.open(path, { maxBytes: 64 << 10 });
    for (let n = 0; n < 50_000; n++) file.emit({ kind: 'message', text: `${n} ${'x'.repeat(100)}` });
    await file.close();
    const size = (await stat(path)).size + (await stat(olderStream(path)).catch(() => ({ size: 0 }))).size;
    expect(size).toBeLessThan((64 << 10) + 1000);
    const lines = await read(path);
    const last = lines.at(-1);
    expect(last?.kind).toBe('cut');
    expect(last?.kind === 'cut' && last.events).toBe(50_000 - 2000);
  });

  it('keeps the latest half in the file and the one before beside it', async () => {
    const path = join(await tempDir(), 'stream.jsonl');
    for (const _attempt of [1, 2]) {
      const file = await StreamFile.open(path, { maxBytes: 20_000 });
      for (let n = 0; n < 400; n++) file.emit({ kind: 'tool', name: String(n), subject: 'y'.repeat(60) });
      await file.close();
      const names = [...(await read(olderStream(path))), ...(await read(path))].map((line) =>
        line.kind === 'tool' ? Number(line.name) : Number.NaN,
      );
      expect(names.at(-1)).toBe(399);
      expect(names).toEqual(names.map((_, index) => (names[0] ?? Number.NaN) + index));
    }
  });

  it('shortens long texts and takes out what must not be shown', async () => {
    const path = join(await tempDir(), 'stream.jsonl');
    const file = await StreamFile.open(path, { redact: (text) => text.replaceAll('hunter2', '[secret]') });
    file.emit({ kind: 'message', text: `a\nb hunter2 ${'z'.repeat(100_000)}` });
    file.emit({ kind: 'tool', name: 'shell', subject: `curl -u hunter2\n${'z'.repeat(1000)}` });
    await file.close();
    const [message, tool] = await read(path);
    expect(message).toMatchObject({ kind: 'message', text: expect.stringMatching(/^a\nb \[secret\] z+…$/) });
    expect(tool).toMatchObject({ kind: 'tool', subject: expect.stringMatching(/^curl -u \[secret\] z+…$/) });
    expect((await stat(path)).size).toBeLessThan(6000);
  });

  it('a disk that fails loses the stream, not the run', async () => {
    const dir = join(await tempDir(), 'stream.jsonl');
    await mkdir(join(dir, 'in-the-way'), { recursive: true });
    const file = await StreamFile.open(dir);
    file.emit({ kind: 'message', text: 'x' });
    await file.close();
    expect(file.error).toBeDefined();
    const full = await open('/dev/full', 'a').catch(() => undefined);
    await full?.close();
    if (!full) return;
    const { events } = await (async () => {
      const seen: AgentEvent[] = [];
      const result = await execute(
        { command: await shellAgent('echo fine') },
        { streamFile: dir, onEvent: (event) => seen.push(event) },
      );
      expect(result.outcome).toEqual({ kind: 'ok' });
      return { events: seen };
    })();
    expect(events).toEqual([{ kind: 'message', text: 'fine' }]);
  });
});

describe('the subject of a tool call', () => {
  it.each([
    [{ file_path: '/a/b.ts', content: 'x'.repeat(5000) }, '/a/b.ts'],
    [{ command: ['bash', '-lc', 'ls'] }, 'bash -lc ls'],
    [{ content: 'x', path: 'src' }, 'src'],
    [{ description: 'List files', command: 'ls  -l\n| head' }, 'ls -l | head'],
    [{ odd: 'only this' }, 'only this'],
    [{ n: 1 }, undefined],
    [undefined, undefined],
    ['plain', 'plain'],
  ])('%j', (args, expected) => expect(toolSubject(args)).toBe(expected));

  it('is one short line whatever the arguments are', () => {
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const subject = toolSubject(value) ?? '';
        expect(subject.length).toBeLessThanOrEqual(300);
        expect(subject).not.toMatch(/[\r\n]/);
      }),
    );
    expect(oneLine('😀'.repeat(300), 10)).toBe('😀😀😀😀…');
  });
});
