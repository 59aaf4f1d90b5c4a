import { execFile } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ExecuteAgentInput, executeAgent } from '../../../src/agents/execute.js';
import { buildPrompt } from '../../../src/agents/prompt/prompt.js';
import { parseSignal } from '../../../src/agents/reading/signal.js';
import { readScript, ScriptError } from '../../../src/agents/scripted/script.js';
import { findByToken } from '../../../src/process/tokens.js';
import { input } from './helpers.js';

let home: string;
let program: string;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'ralph-scripted-'));
  program = join(home, 'scripted-agent.mjs');
  await build({
    entryPoints: [new URL('../../../src/agents/scripted/main.ts', import.meta.url).pathname],
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile: program, logLevel: 'error' },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});
afterAll(() => rm(home, { recursive: true, force: true }));

const IDEA = { id: 'task-001', title: 'T', text: 'Do it.', success: [] };

async function play(script: string, more: Partial<ExecuteAgentInput> = {}) {
  const given = await input({ adapter: 'scripted', command: [process.execPath, program], args: [] }, more);
  await writeFile(join(given.scratch, 'script.yaml'), script);
  const prompt = more.prompt ?? buildPrompt({ idea: IDEA, iteration: 1, maxIterations: 5, nonce: 'n0nce', notes: [] });
  const result = await executeAgent({
    ...given,
    prompt,
    spec: { ...given.spec, args: ['--script', join(given.scratch, 'script.yaml')] },
  });
  const signal = parseSignal(result.finalMessage, { nonce: 'n0nce', requireXml: true, prompt });
  return { ...result, signal, cwd: given.cwd, left: await findByToken(given.token) };
}

describe('what a scripted run does', () => {
  it('works on files, speaks, and ends with its signal', async () => {
    const { cwd, ...result } = await play(`
ideas:
  task-001:
    - do:
        - write: {path: "dir/\${IDEA}.txt", text: "one \${ITERATION}\\n"}
        - append: {path: "dir/\${IDEA}.txt", text: "two\\n"}
        - replace: {path: dir/task-001.txt, from: one, to: 1}
        - mkdir: empty
        - write: {path: gone, text: x}
        - delete: gone
        - run: "pwd > where; echo from-shell"
        - say: "Hello \${IDEA}"
        - complain: "on stderr"
      signal: COMPLETE
`);
    expect(result.outcome).toEqual({ kind: 'ok' });
    expect(result.signal).toEqual({ kind: 'complete' });
    expect(result.finalMessage).toBe('from-shell\nHello task-001\n\n<ralph nonce="n0nce">COMPLETE</ralph>');
    expect(await readFile(join(cwd, 'dir/task-001.txt'), 'utf8')).toBe('1 2\ntwo\n');
    expect((await readFile(join(cwd, 'where'), 'utf8')).trim()).toBe(cwd);
    await expect(access(join(cwd, 'gone'))).rejects.toThrow();
    await access(join(cwd, 'empty'));
  });

  it('commits, and does not mind when there is nothing to commit', async () => {
    const { cwd, outcome } = await play(`
default:
  - do:
      - run: git init -q
      - write: {path: a, text: b}
      - commit: "feat: a #\${IDEA}"
      - commit: nothing
    signal: COMPLETE
`);
    expect(outcome).toEqual({ kind: 'ok' });
    const { stdout } = await promisify(execFile)('git', ['log', '--format=%s'], { cwd });
    expect(stdout).toBe('feat: a #task-001\n');
  });

  it.each([
    ['"BLOCKED: no key"', { kind: 'blocked', reason: 'no key' }],
    ['"NEEDS_HUMAN: a or b?"', { kind: 'needs-human', question: 'a or b?' }],
    ['"PROGRESS: 40"', { kind: 'progress', percent: 40 }],
    ['{promise: COMPLETE}', { kind: 'complete' }],
    ['none', { kind: 'none' }],
    ['{raw: "I am not <ralph>COMPLETE</ralph>"}', { kind: 'none' }],
    ['{raw: "<ralph nonce=old>COMPLETE</ralph>"}', { kind: 'none' }],
  ])('signal %s', async (signal, expected) => {
    expect((await play(`default:\n  - signal: ${signal}\n`)).signal).toEqual(expected);
  });

  it('echoes the prompt without completing', async () => {
    const result = await play('default: {do: [{echoPrompt: true}]}');
    expect(result.finalMessage).toContain('NONCE');
    expect(result.signal).toEqual({ kind: 'none' });
  });

  it('plays an entry for each iteration, the last one again', async () => {
    const script = 'default: [{signal: "PROGRESS: 1"}, {signal: "PROGRESS: 2"}]';
    const percents = [];
    for (const iteration of [1, 2, 3]) percents.push((await play(script, { iteration })).signal);
    expect(percents).toEqual([1, 2, 2].map((percent) => ({ kind: 'progress', percent })));
  });

  it('reacts to the prompt', async () => {
    const script = `
default:
  - signal: "NEEDS_HUMAN: which port?"
  - whenPrompt: {contains: "port 81", lacks: [never]}
    do: [{write: {path: port, text: "81"}}]
    signal: COMPLETE
`;
    expect((await play(script)).signal).toEqual({ kind: 'needs-human', question: 'which port?' });
    expect((await play(script, { prompt: 'Use port 81.' })).signal).toEqual({ kind: 'complete' });
    expect((await play(script, { prompt: 'Use port 81, never.' })).signal.kind).toBe('needs-human');
  });
});

describe('how a scripted run fails', () => {
  it('with an exit code of its choice', async () => {
    const result = await play('default: {exit: 3, signal: COMPLETE}');
    expect(result).toMatchObject({ exitCode: 3, outcome: { failure: 'agent' } });
  });
  it('by a crash', async () => {
    const result = await play('default: {do: [{say: half}], crash: SIGKILL, signal: COMPLETE}');
    expect(result).toMatchObject({ outcome: { failure: 'killed' }, signal: { kind: 'none' } });
  });
  it('by hanging, deaf to TERM', async () => {
    const result = await play('default: {do: [{ignoreSignals: true}, {say: up}], hang: true, signal: COMPLETE}', {
      idleMs: 1000,
      killGraceMs: 100,
    });
    expect(result).toMatchObject({ outcome: { kind: 'timeout', why: 'idle' }, signal: { kind: 'none' }, left: [] });
  });
  it('leaving a process behind that holds its output open', async () => {
    const result = await play(`default: {do: [{spawn: "trap '' TERM; sleep 600; sleep 600"}], signal: COMPLETE}`);
    expect(result).toMatchObject({ outcome: { kind: 'ok' }, signal: { kind: 'complete' }, left: [] });
  });
  it('with a flood', async () => {
    const result = await play(
      'default: {do: [{flood: {mb: 20, lineBytes: 1000000}}, {flood: {mb: 2}}], signal: COMPLETE}',
    );
    expect(result.signal).toEqual({ kind: 'complete' });
    expect(result.run.stdoutBytes).toBeGreaterThan(22 << 20);
  });
  it('waiting for a file', async () => {
    const given = play('default: {do: [{run: "(sleep 0.2; touch go) &"}, {waitFor: {path: go}}], signal: COMPLETE}');
    expect((await given).signal).toEqual({ kind: 'complete' });
  });
  it.each([
    ['default: {do: [{replace: {path: a, from: b, to: c}}]}', /replace \(step 1/],
    ['default: {do: [{run: "exit 4"}]}', /exit code 4/],
    ['ideas: {other: {signal: COMPLETE}}', /nothing for the idea "task-001"/],
    ['default: {do: [{wriet: {}}]}', /default\[0\]\.do\[0\] has the unknown key "wriet". Known keys: write/],
  ])('with a word of explanation: %s', async (script, message) => {
    const result = await play(script);
    expect(result.exitCode).toBe(2);
    expect(result.outcome).toMatchObject({ kind: 'failed', message: expect.stringMatching(message) });
  });
});

describe('reading scripts', () => {
  it.each([
    ['- a', /mapping/],
    ['a: [', /YAML/],
    ['defaults: []', /unknown key "defaults"/],
    ['default: {do: {say: x}}', /list of steps/],
    ['default: {do: [{say: x, run: y}]}', /exactly one step/],
    ['default: {exit: soon}', /whole number/],
    ['default: {whenPrompt: {has: x}}', /unknown key "has"/],
  ])('refuses %s', (text, message) => {
    expect(() => readScript(text)).toThrow(ScriptError);
    expect(() => readScript(text)).toThrow(message);
  });
  it('reads JSON too', () => {
    expect(readScript('{"default":[{"signal":"COMPLETE"}]}').default).toEqual([{ signal: 'COMPLETE' }]);
  });
});
