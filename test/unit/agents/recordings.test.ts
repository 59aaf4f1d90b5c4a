/**
 * Recordings of the real CLIs (`npm run test:agents -- --record`), read again by the adapters: each must be understood
 * as it was when it was made. Features: B1 B2.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { classify } from '../../../src/agents/reading/outcome.js';
import { adapterFor, KNOWN_ADAPTERS } from '../../../src/agents/registry.js';
import type { AgentAdapter } from '../../../src/config/agent-spec.js';
import type { RunResult } from '../../../src/process/run.js';
import clis from '../../agents/clis.json' with { type: 'json' };
import { FIXTURES, spec } from './helpers.js';

interface Recording {
  case: string;
  version: string;
  expected: string;
  lines: Array<{ out?: string; err?: string }>;
  ending: { exit?: number; signal?: NodeJS.Signals };
}

function recording(path: string): Recording {
  const [heading, ...rest] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const lines = rest.map((line) => JSON.parse(line) as Recording['lines'][number] & Recording['ending']);
  return { ...(JSON.parse(heading ?? '') as Recording), ending: lines.pop() ?? {}, lines };
}

const recordings = KNOWN_ADAPTERS.flatMap((adapter) => {
  const folder = `${FIXTURES}${adapter}`;
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith('.jsonl')) : [];
  return files.map((file) => ({ adapter, file, ...recording(`${folder}/${file}`) }));
});

/**
 * A CLI that ended by a signal which nobody else sent was ended by us: after its result, or by a clock. Some make an exit
 * code of it, of their own choice.
 */
function runOf({ expected, ending, case: name }: Recording): RunResult {
  const signalled = ending.signal !== undefined || [130, 137, 143].includes(ending.exit ?? 0);
  const ours = (signalled || name.startsWith('hang')) && !name.startsWith('sig');
  const stopped = expected === 'timeout' ? 'timeout' : ours ? (expected === 'ok' ? 'result-grace' : 'idle') : undefined;
  return {
    ...{ exitCode: ending.exit ?? null, signal: ending.signal ?? null, durationMs: 60_000 },
    ...{ stdoutBytes: 0, stderrBytes: 0, tail: '' },
    ...(stopped ? { stopped } : {}),
  };
}

function understood(adapter: AgentAdapter, recorded: Recording): string {
  const cli = spec({ adapter, name: adapter });
  const it = adapterFor(cli);
  const reader = it.reader(cli, () => {});
  for (const { out, err } of recorded.lines) {
    if (out !== undefined) reader.line(out, 'stdout', false);
    if (err !== undefined) reader.line(err, 'stderr', false);
  }
  const options = { hasTerminalEvent: it.hasTerminalEvent(cli), name: adapter, exitMeaning: it.exitMeaning };
  const outcome = classify(reader.finish(), runOf(recorded), options);
  return outcome.kind === 'failed' ? outcome.failure : outcome.kind;
}

describe('recordings of the real CLIs', () => {
  it.each(recordings)('$adapter $version: $case is $expected (B1, B2)', (recorded) => {
    expect(understood(recorded.adapter, recorded)).toBe(recorded.expected);
  });

  it.each(Object.keys(clis))('%s has one of an answer and one of a written file (B1)', (cli) => {
    const good = recordings.filter(({ adapter, expected }) => adapter === cli && expected === 'ok');
    expect(good.map((one) => one.case)).toEqual(expect.arrayContaining(['text', 'write']));
  });

  it('hold nothing of the machine that they were made on', () => {
    const bad = recordings.filter(({ adapter, file }) =>
      /ralphctl-act-|\/root\/|\/tmp\/w\/|127\.0\.0\.1:[0-9]{2}/.test(
        readFileSync(`${FIXTURES}${adapter}/${file}`, 'utf8'),
      ),
    );
    expect(bad.map(({ adapter, file }) => `${adapter}/${file}`)).toEqual([]);
    expect(recordings.length).toBeGreaterThan(0);
  });
});
