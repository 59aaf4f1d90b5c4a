/**
 * Everything that is told of a run and its ideas is in `status`, in its JSON and in `summary.json`: cost without a budget,
 * steps, question, words, gate, times. Features: A8 B9 C5 G1 G2 G4 G6.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import type { IdeaFacts, SummaryFile } from '../../src/model/facts.js';
import type { RunStatus } from '../../src/protocol/views.js';
import { type Sandbox, sandbox, until, yaml } from '../support/program.js';
import { whenOver } from '../support/told.js';

let box: Sandbox;
afterEach(() => box?.dispose());

const AGENT = join(import.meta.dirname, '../../dist/scripted-agent.js');
const say = (value: object) => ({ say: JSON.stringify(value) });
const ends = (signal: string, words = '') =>
  say({ type: 'result', status: 'success', text: `${words}<ralph nonce="\${NONCE}">${signal}</ralph>` });
const used = say({ type: 'usage', inputTokens: 1000, outputTokens: 50, costUsd: 0.1 });
const begins = say({ type: 'session', id: 's', model: 'tiny-2' });
const adds = (text: string) => ({ append: { path: 'work.txt', text: `${text}\n` } });

const QUESTION = 'Round half up or half even?\n  a) half up\n  b) half even';

interface Seen {
  status: RunStatus;
  told: Record<string, IdeaFacts>;
  run: SummaryFile['run'];
  last?: SummaryFile;
}
const look = async (): Promise<Seen> => (await box.run('status', '--json')).json[0] as unknown as Seen;

it('A8 B9 C5 G1: cost, tokens, model, steps, question, words, tests and times are in status and in summary.json', async () => {
  box = await sandbox(inject('stateRoot'), {
    'tap.txt': '1..3\nok 1 - adds\nok 2 - rounds\nok 3 - prints\n',
    'ideas.yaml': yaml({
      version: 1,
      ideas: [
        {
          id: 'p-1',
          text: 'Build it',
          plan: {
            phases: [
              {
                name: 'Model',
                steps: ['Make the model', { text: 'Try a shortcut', optional: true, maxIterations: 1 }],
              },
              { name: 'Wiring', steps: [{ id: 'wire', text: 'Wire it' }] },
            ],
          },
        },
        { id: 'b-1', text: 'Deploy it' },
      ],
    }),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'talking', slots: 1, stepDelayMs: 0, gate: ['test -e work.txt', 'cat tap.txt'] },
      agents: { talking: { adapter: 'command', command: [process.execPath, AGENT], output: 'json' } },
    }),
  });
  await box.write({
    '.ralph-script.yaml': yaml({
      ideas: {
        'p-1': [
          { whenPrompt: { contains: 'half even, please' }, do: [begins, adds('wired'), used, ends('COMPLETE')] },
          { do: [begins, adds('model'), used, ends('COMPLETE')] },
          { do: [begins, adds('half'), used, ends('PROGRESS: 40')] },
          { do: [begins, used, ends(`NEEDS_HUMAN: ${QUESTION}`, 'Both ways are possible.\n')] },
        ],
        'b-1': [{ do: [begins, ends('BLOCKED: no key')] }],
      },
    }),
  });
  await box.commit('script');
  const started = await box.run('start', '--detach', '--json');
  expect(started.code, started.stderr).toBe(0);
  const asks = await until(
    'the question',
    async () => {
      const seen = await look();
      const counts = seen.status?.counts;
      return counts?.['needs-human'] === 1 && counts.blocked === 1 && seen;
    },
    120_000,
  );
  const common = { agent: 'talking', model: 'tiny-2', step: { number: 3, of: 3, id: 'wire', phase: 'Wiring' } };
  expect(asks.told['p-1']).toMatchObject({
    ...common,
    ...{ status: 'needs-human', asking: 'question', question: QUESTION, percent: 40, commits: 2, retries: 0 },
    since: expect.any(Number),
    base: expect.stringMatching(/^[0-9a-f]{40}$/),
    stepsSkipped: ['1.2'],
    words: expect.stringContaining('Both ways are possible.'),
    spent: { iterations: 3, tokensIn: 3000, tokensOut: 150, unknownDollars: 0 },
    gate: { pass: true, tests: { passed: 3, total: 3 }, commands: [{ exitCode: 0 }, { tests: { passed: 3 } }] },
  });
  expect(asks.told['p-1']?.spent.dollars).toBeCloseTo(0.3);
  expect(asks.run?.spent).toMatchObject({ iterations: 4, unknownDollars: 1 });
  // As the worker knows it by itself, for the Web UI.
  expect(asks.status.attention.find(({ id }) => id === 'p-1')).toMatchObject({
    since: expect.any(Number),
    reason: QUESTION,
    course: { agent: 'talking', model: 'tiny-2', asking: 'question', step: { number: 3, of: 3 } },
  });
  expect(asks.status.spent).toMatchObject({ iterations: 4, tokens: 3150, unknownDollars: 1 });

  const text = (await box.run('status')).stdout;
  expect(text).toMatch(
    / {6}since \d\d:\d\d · step 3 of 3 · skipped 1\.2 · 40 % · gate green 3\/3 · 2 commits · \$0\.30, 3\.1k tokens · talking tiny-2\n/,
  );
  expect(text).toMatch(/4 iterations.*, \$0\.30\+, 3\.1k tokens\+\n/);

  expect((await box.run('answer', 'p-1', 'half even, please')).code).toBe(0);
  await whenOver(box);
  const { last } = await look();
  const facts = new Map((last?.ideas ?? []).map((one) => [one.idea, one]));
  expect(facts.get('p-1')).toMatchObject({
    ...common,
    ...{ status: 'landed', commit: expect.stringMatching(/^[0-9a-f]{40}$/), stepsSkipped: ['1.2'] },
    said: [{ verb: 'answer', text: 'half even, please', by: 'cli', done: expect.any(String) }],
    mergedGate: { pass: true, tests: { passed: 3, total: 3 } },
    spent: { iterations: 4, tokensIn: 4000 },
  });
  expect(facts.get('p-1')?.runs.map(({ number, signal, dollars }) => [number, signal?.kind, dollars])).toEqual([
    [1, 'complete', 0.1],
    [2, 'progress', 0.1],
    [3, 'needs-human', 0.1],
    [4, 'complete', 0.1],
  ]);
  expect(facts.get('b-1')).toMatchObject({
    ...{ status: 'blocked', signal: { kind: 'blocked', reason: 'no key' } },
    spent: { unknownDollars: 1, unknownTokens: 1 },
  });
  expect(last?.run?.spent).toMatchObject({ iterations: 5, tokensIn: 4000 });
  const { project, runId } = started.json[0] as { project: string; runId: string };
  const path = join(inject('stateRoot'), 'projects', project, 'runs', runId, 'summary.json');
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(last);
  const after = (await box.run('status')).stdout;
  expect(after).toContain('1 landed, 1 did not land, 5 iterations, $0.40+, 4.2k tokens+');
  expect(after).toMatch(/b-1 blocked: no key\n {6}since \d\d:\d\d · cost not reported · talking tiny-2\n/);
}, 300_000);
