/** What a run says of its ideas is the same with a worker, without one, and once all is over. Features: A2 A8 C5 D3. */
import { stripVTControlCharacters } from 'node:util';
import { execa } from 'execa';
import { afterEach, expect, inject, it } from 'vitest';
import { cliPath, roadmap, type Sandbox, sandbox, until, yaml } from '../support/program.js';

let box: Sandbox | undefined;
afterEach(() => box?.dispose());

const QUESTION = `${['Which rounding?', '  a) half even', '  b) half up'].join('\n')}\n${'Details matter here. '.repeat(40)}the end`;

/** One idea that claims without a change, one whose gate is red, one that asks, and one that waits for it. */
async function night(): Promise<Sandbox> {
  const opened = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([
      { id: 'empty-1', maxIterations: 3 },
      { id: 'red-1', maxIterations: 2 },
      { id: 'asks-1' },
      { id: 'waits-1', dependsOn: 'asks-1' },
    ]),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 3, stepDelayMs: 0, escalation: { steps: [] } },
      gate: ['test ! -e broken || (echo it is broken; exit 4)'],
      errors: { threshold: 50 },
    }),
    '.ralph-script.yaml': yaml({
      ideas: {
        'empty-1': [{ do: [], signal: 'COMPLETE' }],
        'red-1': [{ do: [{ append: { path: 'broken', text: 'x\n' } }], signal: 'COMPLETE' }],
        'asks-1': [
          {
            do: [{ append: { path: 'asked', text: 'x\n' } }, { say: 'I looked at both ways of rounding.' }],
            signal: `NEEDS_HUMAN: ${QUESTION}`,
          },
        ],
      },
      default: [{ do: [], signal: 'none' }],
    }),
  });
  box = opened;
  const { code, stderr } = await opened.run('start', '--detach');
  expect(code, stderr).toBe(0);
  return opened;
}

it('A8 C5: why, status and logs say the same with a worker, without one, and name the real cause', async () => {
  const run = await night();
  const say = async (...args: string[]) => (await run.run(...args)).stdout;
  await until(
    'all but the question to be over',
    async () => {
      const { json } = await run.run('status', '--json');
      const { counts } = (json[0]?.status ?? {}) as { counts?: Record<string, number> };
      return counts?.timeout === 2 && counts['needs-human'] === 1;
    },
    120_000,
  );
  const ideas = ['empty-1', 'red-1', 'asks-1', 'waits-1'];
  const before = await Promise.all(ideas.map((idea) => say('why', idea)));
  const [empty = '', red = '', asks = '', waits = ''] = before;
  expect(empty).toContain(
    'status timed out: 3 of 3 iterations used; 3 times in a row the agent reported COMPLETE but changed nothing',
  );
  expect(empty).toMatch(/3 agent runs:\n {2}#1 .*COMPLETE, turned down: no change, no commit\n {2}#2/);
  expect(red).toContain('2 times in a row the gate was red: test ! -e broken');
  expect(red).toMatch(/last gate red: test ! -e broken .*\(exit code 4\).*output: \/.*gate-1\.log/);
  expect(red).toMatch(/its work is kept in \/.* \(branch ralph\/red-1\)/);
  expect(empty).toMatch(/possible now:\n {2}ralphctl limit empty-1 10 \(.*\)\n {2}ralphctl retry empty-1 \(/);
  expect(asks).toMatch(/possible now:\n {2}ralphctl answer asks-1 "…" \(/);
  expect(asks).toContain('  ralphctl pause asks-1 --now (');
  expect(asks).toContain('  | I looked at both ways of rounding.');
  for (const line of QUESTION.split('\n')) expect(asks).toContain(`  | ${line}`);
  expect(waits).toContain('waits for asks-1 (asks)');
  const status = await say('status');
  expect(status).toContain('◔ empty-1 timed out: 3 of 3');
  // Long lines are wrapped.
  const unwrapped = status.replaceAll('\n    | ', ' ');
  for (const line of QUESTION.split('\n')) expect(unwrapped).toContain(line);

  const logs = await run.run('logs', 'red-1');
  const told = logs.stdout.split('\n').filter((line) => /^#|^gate |broken$/.test(line));
  expect(told).toEqual([
    expect.stringMatching(/^#1 \d\d:\d\d:\d\d COMPLETE, 1 commit; gate red: test .* \(exit code 4\)$/),
    // The gate, and the gate again.
    'it is broken',
    'it is broken',
    expect.stringMatching(/^gate red: test ! -e broken .*\(exit code 4\)$/),
  ]);
  expect(logs.stdout).not.toContain('{"');
  const coloured = await execa(process.execPath, [cliPath, 'logs', 'red-1'], {
    ...{ cwd: run.repo, extendEnv: false },
    env: { ...run.env, FORCE_COLOR: '1' },
  });
  expect(coloured.stdout).not.toBe(stripVTControlCharacters(coloured.stdout));

  expect((await run.run('worker', '--stop')).code).toBe(0);
  // All of it is the same, and one line says that nobody works.
  const still = 'no worker runs, so nothing moves. Continue with: ralphctl start';
  const now = (await Promise.all(ideas.map((idea) => say('why', idea)))).map((text) => text.split('\n'));
  expect(now.map((lines) => lines.filter((line) => line === still).length)).toEqual(ideas.map(() => 1));
  expect(now.map((lines) => lines.filter((line) => line !== still).join('\n'))).toEqual(before);
  const alone = await run.run('status');
  expect(alone.code, alone.stdout + alone.stderr).toBe(4);
  const lasting = (text: string): string[] => text.split('\n').filter((line) => /^(run|\?|!| {4}\|)/.test(line));
  expect(lasting(alone.stdout.replace(' (as last recorded)', ''))).toEqual(lasting(status));
  // What follows does not move, so that comes first.
  expect(alone.stdout).toMatch(/^no worker answers, so nothing moves\..*\nrun \S+: .* \(as last recorded\)\n/);
  expect((await run.run('status', '--all')).stdout).toMatch(/timed out +empty-1/);

  await run.run('stop');
  expect((await run.run('start', '--wait')).code).toBe(3);
  const after = await say('why', 'empty-1');
  expect(after).toContain('3 times in a row the agent reported COMPLETE but changed nothing');
  expect(after).toContain('possible now:\n  ralphctl start (tries it again');
  expect((await run.run('abandon', 'empty-1')).code).toBe(0);
  const givenUp = await say('why', 'empty-1');
  expect(givenUp).toContain('possible now:\n  ralphctl retry empty-1 (');
  expect(givenUp).not.toContain('ralphctl start');
  expect(after).not.toContain('of the ready pool');
  const retry = await run.run('retry', 'red-1');
  expect([retry.code, retry.stdout]).toEqual([0, expect.stringMatching(/red-1 is queued again\. .*ralphctl start/)]);
  const cleanup = await run.run('cleanup', 'red-1');
  expect([cleanup.code, cleanup.stdout]).toEqual([0, expect.stringContaining('the worktree of red-1 was removed')]);
}, 240_000);

it('D3: logs of an idea whose agent ended with an error show its exit code and its words', async () => {
  const fails = [{ do: [{ say: 'I begin.' }, { run: 'echo no such database >&2' }], exit: 3 }];
  box = await sandbox(inject('stateRoot'), {
    'roadmap.md': roadmap([{ id: 'exits-1' }]),
    'ralphctl.yaml': yaml({
      ...{ version: 1, agent: 'scripted', slots: 1, stepDelayMs: 0, gate: ['true'] },
      errors: { strategy: 'skip' },
    }),
    '.ralph-script.yaml': yaml({ ideas: { 'exits-1': fails } }),
  });
  const started = await box.run('start');
  expect(started.stdout, started.stderr).toContain('exits-1');
  const { code, stdout } = await box.run('logs', 'exits-1');
  expect(code).toBe(0);
  const lines = stdout.split('\n');
  expect(lines).toContainEqual(expect.stringContaining('I begin.'));
  expect(lines).toContainEqual(expect.stringMatching(/^the agent failed with exit code 3: .*\w/));
}, 120_000);
