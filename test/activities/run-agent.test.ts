/** One agent run: its files, its result, and what the next prompt holds. Features: B1 B3 C5. */
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { iterationDir } from '../../src/config/paths.js';
import { TAIL_LIMIT } from '../../src/protocol/run-ref.js';
import { leftAttempts } from '../../src/run-files/attempts.js';
import { bench, idea, say } from './bench.js';

/** Workflow history takes nothing larger from one iteration. */
const HISTORY_LIMIT = 16 * 1024;

describe('runAgent', () => {
  it('runs the agent in its worktree, commits what it left and writes the iteration down', async () => {
    const b = await bench({
      agent: `cat > "$MARKS/stdin"; pwd > "$MARKS/cwd"; env > "$MARKS/env"; echo work > work.txt; echo hello\n${say('COMPLETE')}`,
    });
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result).toMatchObject({
      outcome: { kind: 'ok' },
      signal: { kind: 'complete' },
      exitCode: 0,
      commits: 1,
      changed: true,
      dir: iterationDir(b.root, b.project, '20260101-000000-aaaa', 't-1', 1),
    });
    expect(result).not.toHaveProperty('unfinished', expect.anything());
    expect(result.head).toBe(await b.git('rev-parse', 'ralph/t-1'));
    expect(await b.git('show', 'ralph/t-1:work.txt')).toBe('work');
    expect(await b.git('log', '-1', '--format=%s', 'ralph/t-1')).toBe('feat: do t-1 #t-1@ed-001');
    expect((await b.read(join(b.marks, 'cwd'))).trim()).toBe(at.worktree);
    expect(await b.read(join(b.marks, 'env'))).not.toMatch(/TEMPORAL/);
    const prompt = await b.read(join(result.dir, 'prompt.md'));
    expect(await b.read(join(b.marks, 'stdin'))).toBe(prompt);
    expect(prompt).toContain('Do t-1 well.');
    expect(prompt).toContain('iteration 1 of 5');
    expect(await b.read(join(result.dir, 'output.log'))).toContain('hello');
    expect(JSON.parse(await b.read(join(result.dir, 'result.json')))).toEqual(result);
    expect(await b.read(join(result.dir, 'final-message.md'))).toContain('hello');
    expect(await leftAttempts(b.root, b.project)).toEqual([]);
    expect(await b.git('status', '--porcelain')).toBe('');
  });

  it('returns the stored result of a finished iteration and does not run the agent again', async () => {
    const b = await bench({ agent: `echo run >> "$MARKS/runs"; echo work >> work.txt\n${say('PROGRESS:30')}` });
    const at = await b.prepare();
    const first = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    const again = await b.call(b.activities.runAgent, b.agentInput(at, { notes: ['late'] })).done;
    expect(again).toEqual(first);
    // The later message was in no prompt.
    expect([first.notes, await b.read(join(first.dir, 'prompt.md'))]).toEqual([0, expect.not.stringContaining('late')]);
    expect(await b.read(join(b.marks, 'runs'))).toBe('run\n');
    const next = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
    expect(next.dir).not.toBe(first.dir);
    expect(await b.read(join(b.marks, 'runs'))).toBe('run\nrun\n');
    expect(await b.read(join(at.worktree, 'work.txt'))).toBe('work\nwork\n');
  });

  it('keeps the result small whatever the agent prints, and the output on disk', async () => {
    const b = await bench({
      agent: `i=0; while [ $i -lt 400 ]; do head -c 10000 /dev/zero | tr '\\0' 'x'; echo; i=$((i+1)); done\nprintf '%05000d\\n' 0\n${say(`BLOCKED: ${'é'.repeat(5000)}`)}`,
      config: { logs: { maxMegabytesPerRun: 1 } },
    });
    const result = await b.runAgent();
    expect(result.signal.kind).toBe('blocked');
    expect(result.tail.length).toBeLessThanOrEqual(TAIL_LIMIT);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(HISTORY_LIMIT);
    const { size } = await stat(join(result.dir, 'output.log'));
    expect(size).toBeGreaterThan(500_000);
    expect(size).toBeLessThan(1.5 * 2 ** 20);
  });

  it('keeps the result small for two hundred nested repositories and an endless error', async () => {
    const b = await bench({
      agent: `i=0; while [ $i -lt 200 ]; do d=nested-with-a-rather-long-name-to-fill-the-list-$i; git init -q $d; (cd $d && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x); i=$((i+1)); done\n${say('COMPLETE')}`,
    });
    const result = await b.runAgent();
    expect(result.unfinished).toMatch(/git repositories of their own/);
    expect(Buffer.byteLength(JSON.stringify(result))).toBeLessThan(HISTORY_LIMIT);
    await b.setAgent(`head -c 3000000 /dev/zero | tr '\\0' 'e' >&2; exit 3`);
    const failed = await b.runAgent({ serial: 2 });
    expect(failed.outcome.kind).toBe('failed');
    expect(Buffer.byteLength(JSON.stringify(failed))).toBeLessThan(HISTORY_LIMIT);
  }, 60_000);

  it('tells the agent what happened last time and what a person said', async () => {
    const b = await bench();
    const { dir } = await b.runAgent({
      serial: 4,
      iteration: 3,
      feedback: {
        kind: 'gate-failed',
        command: 'npm test',
        exitCode: 7,
        tail: 'expected 4, got 5',
        log: '/x/gate.log',
      },
      notes: ['You asked: which colour?\nThe answer: green', 'look at src/trim.js first'],
    });
    const prompt = await b.read(join(dir, 'prompt.md'));
    expect(prompt).toContain('iteration 3 of 5');
    for (const part of ['npm test', 'exit code 7', 'expected 4, got 5', '/x/gate.log']) expect(prompt).toContain(part);
    for (const part of ['which colour?', 'The answer: green', 'look at src/trim.js first']) {
      expect(prompt).toContain(part);
    }
  });

  it('C5 an answer is news in one prompt and stays in every later one; a hint is said once', async () => {
    const b = await bench({ agent: `cat > /dev/null; echo work >> work.txt\n${say('PROGRESS:10')}` });
    const at = await b.prepare();
    const promptOf = async (serial: number, notes: string[], runId = '20260101-000000-aaaa'): Promise<string> => {
      const input = b.agentInput(at, { runId, serial, iteration: serial, notes });
      return b.read(join((await b.call(b.activities.runAgent, input).done).dir, 'prompt.md'));
    };
    const green = 'You asked: which\ncolour?\nThe answer: green';
    const [first, second, third] = [
      await promptOf(1, [green, 'look at src/trim.js first']),
      // It comes again when the iteration was not charged.
      await promptOf(2, [green, 'You asked: which port?\nThe answer: 81']),
      await promptOf(3, []),
    ];
    expect(first).not.toContain('Answers you already have');
    expect(second).not.toContain('Answers you already have');
    expect(second.match(/The answer: green/g)).toHaveLength(1);
    expect(third).toContain(
      '## Answers you already have\n\n- You asked: which\n  colour?\n  The answer: green\n- You asked: which port?\n  The answer: 81\n',
    );
    expect(third).not.toMatch(/From the person|src\/trim\.js/);
    // A later run of the same idea.
    await b.laterRun('20260102-000000-aaaa');
    const later = await promptOf(1, [], '20260102-000000-aaaa');
    expect(later).toMatch(/Answers you already have[\s\S]*green[\s\S]*81/);
  });

  it('C5 the answers that a prompt repeats are bounded, the latest ones stay, and a broken file costs nothing', async () => {
    const b = await bench({ agent: `cat > /dev/null; echo work >> work.txt\n${say('PROGRESS:10')}` });
    const at = await b.prepare();
    const answers = (count: number, text: string): string[] =>
      Array.from({ length: count }, (_, n) => `You asked: question ${n}?\nThe answer: ${text}${n}`);
    const promptOf = async (serial: number, notes: string[]): Promise<string> => {
      const input = b.agentInput(at, { serial, iteration: serial, notes });
      return b.read(join((await b.call(b.activities.runAgent, input).done).dir, 'prompt.md'));
    };
    await promptOf(1, answers(12, 'short'));
    const many = await promptOf(2, answers(8, '\u{1f600}'.repeat(1500)));
    expect(many.match(/The answer: short/g)).toHaveLength(10);
    expect(many).toContain('The answer: short11');
    expect(many).not.toMatch(/The answer: short[01]\n/);
    const long = await promptOf(3, []);
    const base = (await promptOf(4, [])).length;
    expect(long.match(/You asked: question/g)).toHaveLength(3);
    expect(long).toContain('question 7?');
    expect(long).not.toContain('\ufffd');
    expect(base).toBeLessThan(8000 + 5000);
    await writeFile(
      join(iterationDir(b.root, b.project, '20260101-000000-aaaa', 't-1', 2), 'notes.json'),
      '{"answers":[null,3',
    );
    expect(await promptOf(5, [])).toContain('The answer: short11');
  });

  it('autoCommit: false leaves work in progress uncommitted, but never a claim', async () => {
    const b = await bench({
      agent: `echo "$RALPHCTL_ITERATION" >> work.txt\n${say('PROGRESS:10')}`,
      config: { autoCommit: false },
    });
    const at = await b.prepare();
    const first = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(first).toMatchObject({ commits: 0, changed: false, head: at.base });
    expect(await b.read(join(at.worktree, 'work.txt'))).toBe('1\n');
    await b.setAgent(`echo 2 >> work.txt\n${say('COMPLETE')}`);
    const second = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
    expect(second).toMatchObject({ commits: 1, changed: true });
    expect(await b.git('show', 'ralph/t-1:work.txt')).toBe('1\n2');
  });

  it('a single attempt is committed even without a signal and with autoCommit off', async () => {
    const b = await bench({
      agent: 'echo once > work.txt; echo done',
      config: { autoCommit: false },
      ideas: [idea('t-1', { ralph: false })],
    });
    expect(await b.runAgent()).toMatchObject({ signal: { kind: 'none' }, commits: 1, changed: true });
  });

  it('conflict markers and a refusing commit hook make a claim unfinished', async () => {
    const b = await bench({
      agent: `printf '<<<<<<< ours\\na\\n=======\\nb\\n>>>>>>> theirs\\n' > base.txt\n${say('COMPLETE')}`,
      config: { commit: { hooks: true } },
    });
    const at = await b.prepare();
    const marked = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(marked.unfinished).toBe('conflict markers are left in base.txt');
    await b.write({ '.git/hooks/pre-commit': '#!/bin/sh\necho "no TODO allowed"; exit 1\n' });
    await b.git('config', 'core.fileMode', 'true');
    const { chmod } = await import('node:fs/promises');
    await chmod(join(b.repo, '.git/hooks/pre-commit'), 0o755);
    await b.setAgent(`echo fixed > base.txt\n${say('COMPLETE')}`);
    const refused = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2 })).done;
    expect(refused.unfinished).toMatch(/^the commit was refused: .*no TODO allowed/s);
    expect(await b.read(join(at.worktree, 'base.txt'))).toBe('fixed\n');
  });

  it('B2: the run has a promise of its own, an idea another one, and nothing else completes them', async () => {
    const promise = (text: string) =>
      `cat > /dev/null; echo work >> work.txt; printf '<promise nonce="%s">${text}</promise>\\n' "$RALPHCTL_NONCE"`;
    const own = { ...idea('t-1'), promise: 'MY OWN' };
    const rows = [
      { ideas: [idea('t-1')], agent: promise('ALL GREEN'), kind: 'complete' },
      { ideas: [idea('t-1')], agent: `cat > /dev/null; echo work >> work.txt\n${say('COMPLETE')}`, kind: 'none' },
      { ideas: [own], agent: promise('ALL GREEN'), kind: 'none' },
      { ideas: [own], agent: promise('MY OWN'), kind: 'complete' },
    ];
    for (const { kind, ...row } of rows) {
      const b = await bench({ ...row, config: { signals: { promise: 'ALL GREEN' } } });
      const result = await b.runAgent();
      expect([row.agent, result.signal.kind]).toEqual([row.agent, kind]);
      const told = await b.read(join(result.dir, 'prompt.md'));
      expect(told).toContain(`<promise nonce="NONCE">${row.ideas[0]?.promise ?? 'ALL GREEN'}</promise>`);
    }
  });

  it('reads no signal of a run that failed or ran out of time', async () => {
    const b = await bench({ agent: `${say('COMPLETE')}; echo 'internal error' >&2; exit 1` });
    expect(await b.runAgent()).toMatchObject({ outcome: { kind: 'failed' }, signal: { kind: 'none' }, exitCode: 1 });
    await b.setAgent(`echo half > half.txt; ${say('COMPLETE')}; sleep 600`);
    const late = await b.runAgent({ serial: 2, timeoutMs: 5_000 });
    expect(late).toMatchObject({ outcome: { kind: 'timeout', why: 'iteration' }, signal: { kind: 'none' } });
    expect(await b.git('show', 'ralph/t-1:half.txt')).toBe('half');
    expect((await readdir(late.dir)).sort()).toEqual([
      'final-message.md',
      'kept.txt',
      'output.log',
      'prompt.md',
      'result.json',
      'stream.jsonl',
    ]);
  });
});
