/** Hostile output: memory stays flat, the event loop keeps turning, both ends of the output are on disk. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../../src/process/run.js';
import { node, options, sh } from './helpers.js';

interface Watched {
  worstGapMs: number;
  rssGrowth: number;
}

async function watched(work: () => Promise<unknown>): Promise<Watched> {
  const before = process.memoryUsage().rss;
  let peak = before;
  let worstGapMs = 0;
  // In processor time: on a busy machine the process itself may wait for longer.
  const used = (): number => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  };
  let last = used();
  const timer = setInterval(() => {
    const now = used();
    worstGapMs = Math.max(worstGapMs, now - last);
    last = now;
    peak = Math.max(peak, process.memoryUsage.rss());
  }, 10);
  await work();
  clearInterval(timer);
  return { worstGapMs, rssGrowth: peak - before };
}

const FLOOD = (mb: number): string[] => [
  '/bin/sh',
  '-c',
  `yes 'a line of ordinary output' | head -c ${mb << 20}; echo; echo THE-END`,
];

describe('floods', () => {
  it('streams a gigabyte through a capped log with flat memory', { timeout: 600_000 }, async () => {
    const opts = await options(FLOOD(1024), { maxLogBytes: 8 << 20, timeoutMs: 590_000 });
    let tail = '';
    const seen = await watched(async () => {
      const result = await run(opts);
      expect(result.exitCode).toBe(0);
      expect(result.stdoutBytes).toBe((1024 << 20) + 9);
      tail = result.tail;
    });
    expect(tail.endsWith('THE-END\n')).toBe(true);
    expect(tail.length).toBeLessThanOrEqual(64 << 10);
    expect(seen.rssGrowth).toBeLessThan(150 << 20);
    expect(seen.worstGapMs).toBeLessThan(1000);
    const log = await readFile(opts.outputFile, 'latin1');
    expect(log.length).toBeLessThan((8 << 20) + 200);
    expect(log.startsWith('a line of ordinary output\n')).toBe(true);
    expect(log.endsWith('THE-END\n')).toBe(true);
    const leftOut = Number(/\[ralphctl: (\d+) bytes left out here/.exec(log)?.[1]);
    const marker = /\n\[ralphctl: .*\]\n/.exec(log)?.[0].length ?? 0;
    expect(leftOut + log.length - marker).toBe((1024 << 20) + 9);
    expect(await readdir(dirname(opts.outputFile))).toEqual(['output.log']);
  });

  it('cuts one line of 50 MB instead of holding it', async () => {
    const lines: Array<{ length: number; truncated: boolean }> = [];
    const opts = await sh(`head -c ${50 << 20} /dev/zero; echo; echo after`, {
      onLine: (line, _stream, truncated) => lines.push({ length: line.length, truncated }),
    });
    const seen = await watched(() => run(opts));
    expect(lines).toEqual([
      { length: 1 << 20, truncated: true },
      { length: 5, truncated: false },
    ]);
    expect(seen.rssGrowth).toBeLessThan(100 << 20);
    expect((await stat(opts.outputFile)).size).toBe((50 << 20) + 7);
  });

  it('counts every line of a flood of short ones', async () => {
    let lines = 0;
    const opts = await options(FLOOD(64), { onLine: () => lines++ });
    const seen = await watched(() => run(opts));
    expect(lines).toBe(Math.ceil((64 << 20) / 26) + 1);
    expect(seen.worstGapMs).toBeLessThan(1000);
  });

  it('can be stopped in the middle of a flood', async () => {
    const opts = await sh('yes', { timeoutMs: 400, maxLogBytes: 1 << 20, killGraceMs: 100 });
    const result = await run(opts);
    expect(result.stopped).toBe('timeout');
    expect((await stat(opts.outputFile)).size).toBeLessThan((1 << 20) + 200);
  });

  it('writes single bytes from many writes whole', async () => {
    const lines: string[] = [];
    const script = `let i = 0; const t = () => { if (i++ < 600) process.stdout.write('x', t); else process.stdout.write('\\n'); }; t();`;
    await run(await node(script, { onLine: (line) => lines.push(line) }));
    expect(lines).toEqual(['x'.repeat(600)]);
  });
});
