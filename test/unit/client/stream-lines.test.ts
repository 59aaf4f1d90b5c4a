/** The live view of a run (G2, G3): readable lines from the stream, and a file that is turned over while it is read. */
import { appendFile, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AgentEvent, olderStream, StreamFile, type StreamLine } from '../../../src/agents/reading/stream.js';
import { StreamFollower } from '../../../src/client/follow/stream-follow.js';
import { elapsed } from '../../../src/client/views/elapsed.js';
import { progressText } from '../../../src/client/views/status-lines.js';
import { StreamView } from '../../../src/client/views/stream-lines.js';

const at = new Date().toISOString();

/** Lines without their time. */
function shown(events: readonly (AgentEvent | { kind: 'cut'; events: number })[], label = ''): string[] {
  const view = new StreamView(false);
  return events.flatMap((event) => view.lines({ at, ...event } as StreamLine, label)).map((line) => line.slice(10));
}

async function tempFile(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'ralph-stream-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return join(dir, 'stream.jsonl');
}

describe('lines for people', () => {
  it('say what the agent said and did, what failed, and what it cost', () => {
    expect(
      shown([
        { kind: 'session', id: 'x', model: 'opus' },
        { kind: 'message', text: 'First.\n\nThen more.' },
        { kind: 'tool', name: 'Bash', id: '1', subject: 'npm test' },
        { kind: 'tool', name: 'Read', id: '2' },
        { kind: 'tool-result', ok: true, id: '2' },
        { kind: 'tool-result', ok: false, id: '1', exitCode: 2, note: 'no such script' },
        { kind: 'retrying', message: 'overloaded', attempt: 2, of: 10, delayMs: 1500 },
        { kind: 'usage', inputTokens: 12_345, outputTokens: 68 },
        { kind: 'cut', events: 7 },
        { kind: 'usage', inputTokens: 1_234_567, outputTokens: 68, costUsd: 0.126 },
        { kind: 'end', ok: false, message: 'out of money' },
      ]),
    ).toEqual([
      'session with opus',
      'First.',
      'Then more.',
      '→ Bash npm test',
      '→ Read',
      '✗ Bash failed with exit code 2: no such script',
      '↻ retries (2 of 10), in 1.5s: overloaded',
      '… 7 events left out; the raw log has them',
      '✗ failed: out of money  2 tool calls, 1.2M tokens in, 68 out, $0.13',
    ]);
    expect(shown([{ kind: 'end', ok: true }], 't-1 │ ')).toEqual(['t-1 │ ✓ ended  0 tool calls']);
  });

  it('cannot be made to steer the terminal, and stay few', () => {
    const evil = 'a\u001b[2Jb\u202ec\rd';
    const lines = shown([
      { kind: 'message', text: `${evil}\n`.repeat(500) },
      { kind: 'tool', name: evil, subject: evil },
      { kind: 'limit', message: evil, resetAt: 0 },
      { kind: 'end', ok: false, message: evil },
    ]);
    expect(lines.length).toBeLessThan(50);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
    for (const line of lines) expect(line).not.toMatch(/[\x00-\x1f\u202e]/);
    expect(lines).toContain('… 460 more lines');
  });

  it('leave out what a later version may write', () => {
    expect(shown([{ kind: 'telepathy' } as unknown as AgentEvent])).toEqual([]);
  });

  it('status has one of them for a running agent', () => {
    const progress = { at: 1000, last: 'Edit: a.ts', tools: 3, messages: 1, usage: { inputTokens: 1500 } };
    expect(progressText(progress, 4000)).toBe('3 tool calls, 1.5k tokens in · 3.0s ago: Edit: a.ts');
    expect(progressText({ ...progress, waits: 'retrying', tools: 1, usage: {} }, 500)).toBe(
      '1 tool call · retries its provider, 0.0s ago: Edit: a.ts',
    );
  });
});

describe('following the file', () => {
  const texts = (lines: readonly StreamLine[]): string[] =>
    lines.map((line) => (line.kind === 'message' ? line.text : line.kind));
  const line = (text: string): string => `${JSON.stringify({ at, kind: 'message', text })}\n`;

  it('gives each line once: half a line waits, a broken one is skipped, a new file is begun', async () => {
    const path = await tempFile();
    const follower = new StreamFollower(path);
    expect(await follower.read()).toEqual([]);
    const whole = line('wörld');
    const half = Buffer.byteLength(whole) - 9;
    await writeFile(
      path,
      Buffer.concat([Buffer.from(`${line('one')}no json\n`), Buffer.from(whole).subarray(0, half)]),
    );
    expect(texts(await follower.read())).toEqual(['one']);
    await appendFile(path, Buffer.from(whole).subarray(half));
    expect(texts(await follower.read())).toEqual(['wörld']);
    await appendFile(path, line('before the turn'));
    await rename(path, olderStream(path));
    await writeFile(path, line('after the turn'));
    expect(texts(await follower.read())).toEqual(['before the turn', 'after the turn']);
    expect(await follower.read()).toEqual([]);
    await follower.close();
  });

  it('begins with the earlier half of a long run, and a new attempt from its start', async () => {
    const path = await tempFile();
    await writeFile(olderStream(path), line('earlier'));
    await writeFile(path, line('later'));
    const follower = new StreamFollower(path);
    expect(texts(await follower.read())).toEqual(['earlier', 'later']);
    const next = await StreamFile.open(path);
    next.emit({ kind: 'message', text: 'another attempt' });
    await next.close();
    expect(texts(await follower.read())).toEqual(['another attempt']);
    await follower.close();
  });
});

it('A8: elapsed time is that of the clock on the wall, also while the workflow stands still', () => {
  const statistics = { startedAt: 1000, runtimeMs: 5000 } as Parameters<typeof elapsed>[0];
  expect(elapsed(statistics, 756_000)).toBe(755_000);
  // The clock was set back, or the worker is older.
  expect(elapsed(statistics, 0)).toBe(5000);
  expect(elapsed({ ...statistics, startedAt: undefined }, 756_000)).toBe(5000);
});
