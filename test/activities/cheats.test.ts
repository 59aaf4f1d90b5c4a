/** Every known way to make a gate green without making the work right is seen before it lands (B3, F3). */
import { describe, expect, it } from 'vitest';
import type { GateResult } from '../../src/protocol/gate.js';
import { eventsPath, parseEvent } from '../../src/run-files/events.js';
import { writeRun } from '../../src/run-files/run.js';
import { until } from '../support/program.js';
import { type Bench, bench, say } from './bench.js';
import { CHEATS, type Cheat } from './cheats.js';

async function gated({ files, gate, agent }: Omit<Cheat, 'caught'>): Promise<GateResult> {
  const b = await bench({
    files,
    agent: `cat > /dev/null\n${agent}\n${say('COMPLETE')}`,
    config: { gate: [{ run: gate, name: 'tests' }] },
  });
  const at = await b.prepare();
  await b.call(b.activities.runAgent, b.agentInput(at)).done;
  const input = { ...b.ref, idea: 't-1', serial: 1, worktree: at.worktree, base: at.base };
  return b.call(b.activities.runGate, input).done;
}

/** `base tests 1/1`: what the events say is at work, in order. */
async function activities(b: Bench): Promise<string[]> {
  const lines = (await b.read(eventsPath(b.root, b.ref))).trim().split('\n');
  return lines.flatMap((line) => {
    const event = parseEvent(line);
    if (event?.kind !== 'activity') return [];
    const { activity, command, number, of } = event;
    return [command === undefined ? activity : `${activity} ${command} ${number}/${of}`];
  });
}

describe('a gate that was made green', () => {
  it.each(Object.entries(CHEATS))('%s', async (_name, { caught, ...cheat }) => {
    const gate = await gated(cheat);
    if (caught === 'no tests') {
      expect(gate).toMatchObject({ pass: false, failure: { command: 'tests', exitCode: 0 } });
      expect(gate.failure?.tail).toMatch(/no test/);
      return;
    }
    expect(gate.failure).toBeUndefined();
    const asks = (gate.tripwires ?? []).filter((one) => !one.warn);
    expect([...new Set(asks.map((one) => one.kind))].sort(), JSON.stringify(asks)).toEqual([...caught].sort());
  });
});

describe('honest work', () => {
  const ADD = CHEATS['a test is marked as skipped'] as Cheat;
  const honest = async (agent: string, gate: object = {}, files: Record<string, string> = {}) => {
    const b = await bench({
      files: { ...ADD.files, 'check.sh': 'echo run >> "$COUNT"; npm test\n', ...files },
      agent: `cat > /dev/null\n${agent}\n${say('COMPLETE')}`,
      config: { gate: { commands: [{ run: 'sh check.sh', name: 'tests' }], passEnv: ['COUNT'], ...gate } },
    });
    b.env.COUNT = `${b.marks}/count`;
    const at = await b.prepare();
    await b.call(b.activities.runAgent, b.agentInput(at)).done;
    const input = { ...b.ref, idea: 't-1', serial: 1, worktree: at.worktree, base: at.base };
    const done = await b.call(b.activities.runGate, input).done;
    return { b, at, input, gate: done, runs: (await b.read(b.env.COUNT)).trim().split('\n').length };
  };
  const MORE = `printf "import { test } from 'node:test';\\ntest('more', () => {});\\n"`;
  const CHANGED = `sed -i.old 's/a + b/a + b + 1/' src/add.js; sed -i.old 's/2), 3/2), 4/;s/0), 1/0), 2/' test/add.test.js; find . -name '*.old' -delete`;

  it('that adds tests in files of their own asks nothing and runs nothing twice', async () => {
    const { gate, runs } = await honest(`${MORE} > test/more.test.js; echo 'export const x = 1;' >> src/add.js`);
    expect(gate).toMatchObject({ pass: true, tests: { passed: 3 } });
    expect(gate).not.toHaveProperty('tripwires', expect.anything());
    // In its worktree and on its base.
    expect(runs).toBe(2);
  });

  it('that adds tests to a file that is there, moves one or changes dependencies asks nothing', async () => {
    const move = 'mkdir -p test/deep; git mv test/other.test.js test/deep/other.test.js';
    const { gate } = await honest(
      `echo "test('more', () => {});" >> test/add.test.js; ${move}; sed -i.old 's/"type"/"license":"MIT","type"/' package.json; rm package.json.old`,
      {},
      { 'test/other.test.js': "import { test } from 'node:test';\ntest('other', () => {});\n" },
    );
    expect(gate).toMatchObject({ pass: true, tests: { passed: 4 } });
    expect(gate).not.toHaveProperty('tripwires', expect.anything());
  });

  it('that changes a product beside scripts, helpers and data of the gate, and adds to these, asks nothing', async () => {
    const { gate } = await honest(
      `sed -i.old 's/a + b/b + a/' src/add.js; echo 'export const more = 1;' >> support/same.mjs; echo '{"sum":3,"more":1}' > data/expected.json
sed -i.old 's/"#one":/"#two":".\\/src\\/add.js","#one":/' package.json; find . -name '*.old' -delete; echo '{"level":2}' > src/settings.json`,
      {},
      {
        'package.json': JSON.stringify({
          type: 'module',
          imports: { '#one': './src/add.js' },
          scripts: { test: 'node scripts/check.mjs && node --test' },
        }),
        'scripts/check.mjs': "import { add } from '../src/add.js';\nimport './lib/rules.mjs';\nadd(1, 2);\n",
        'scripts/lib/rules.mjs': 'export {};\n',
        'support/same.mjs': 'export const same = 1;\n',
        'data/expected.json': '{"sum":3}\n',
        'src/settings.json': '{"level":1}\n',
        'src/level.js':
          "import { readFileSync } from 'node:fs';\nexport const level = readFileSync(new URL('./settings.json', import.meta.url), 'utf8');\n",
        'test/level.test.js':
          "import assert from 'node:assert';\nimport { readFileSync } from 'node:fs';\nimport { test } from 'node:test';\nimport { same } from '../support/same.mjs';\nimport { level } from '../src/level.js';\nimport expected from '../data/expected.json' with { type: 'json' };\ntest('level', () => assert.equal(level, readFileSync('src/settings.json', 'utf8')));\ntest('sum', () => assert.equal(expected.sum * same, 3));\n",
      },
    );
    expect(gate).toMatchObject({ pass: true, tests: { passed: 4 } });
    expect(gate).not.toHaveProperty('tripwires', expect.anything());
  });

  it('that changes behaviour together with its tests is shown as that', async () => {
    const { gate, at, b } = await honest(CHANGED);
    expect(gate).toMatchObject({
      pass: true,
      tripwires: [{ kind: 'base-test', subject: 'tests: adds, adds nothing' }],
    });
    // Each thing that may take minutes is named when it begins.
    await until('the events are written', async () => (await activities(b)).length > 3);
    expect(await activities(b)).toEqual(['base', 'base tests 1/1', 'base-tests', 'base-tests tests 1/1']);
    // The worktree that lands is as the agent left it.
    expect(await b.gitIn(at.worktree, 'status', '--porcelain')).toBe('');
  });

  it('… goes back to the agent where the tests of the base have to pass', async () => {
    const { gate } = await honest(CHANGED, { baseTests: 'require' });
    expect(gate).toMatchObject({ pass: false, failure: { command: 'tests', newTests: ['adds', 'adds nothing'] } });
    expect(gate.failure?.tail).toMatch(/from before you began fail with your code: adds, adds nothing\. /);
    expect(gate.failure?.log).toMatch(/base-tests\/gate-1\.log$/);
  });

  it('… and lands without a word where they are off', async () => {
    const { gate, runs } = await honest(CHANGED, { baseTests: 'off' });
    expect(gate).toMatchObject({ pass: true });
    expect(gate).not.toHaveProperty('tripwires', expect.anything());
    expect(runs).toBe(2);
  });

  it('that needs what else it changes in a gate file keeps it when the tests of the base run', async () => {
    const { gate } = await honest(
      `sed -i.old 's/"type"/"imports":{"#one":".\\/src\\/one.js"},"type"/;s/node --test/node --test --no-warnings/' package.json; rm package.json.old
echo 'export const one = 0;' > src/one.js
printf "import { one } from '#one';\\nexport const add = (a, b) => a + b + one;\\n" > src/add.js`,
    );
    expect(gate).toMatchObject({ pass: true, tests: { passed: 2 } });
    expect(gate.tripwires).toEqual([{ kind: 'gate-file', subject: 'package.json' }]);
  });

  it('over a base that cannot be gated is said to be compared with nothing', async () => {
    const b = await bench({
      agent: `cat > /dev/null\necho x > work.txt\n${say('COMPLETE')}`,
      config: { gate: ['true'] },
    });
    const at = await b.prepare();
    await b.call(b.activities.runAgent, b.agentInput(at)).done;
    const input = { ...b.ref, idea: 't-1', serial: 1, worktree: at.worktree, base: at.base };
    b.file.config.setup.run = 'false';
    await writeRun(b.root, { ...b.file, runId: '20260102-000000-aaaa' }, b.ideas);
    expect(await b.call(b.activities.runGate, { ...input, runId: '20260102-000000-aaaa' }).done).toMatchObject({
      pass: true,
      tripwires: [{ kind: 'base-test', subject: 'not known: the gate could not be run on the base', warn: true }],
    });
  });

  it('without a claim is gated only: what matters before a landing is left out', async () => {
    const { b, input, runs } = await honest(CHANGED);
    const gate = await b.call(b.activities.runGate, { ...input, unclaimed: true as const }).done;
    expect(gate).toMatchObject({ pass: true });
    expect((await b.read(b.env.COUNT ?? '')).trim().split('\n')).toHaveLength(runs + 1);
  });

  it('that starts from what has landed needs no run of its base', async () => {
    const { b, at } = await honest(`echo x > work.txt`);
    const head = await b.gitIn(at.worktree, 'rev-parse', 'HEAD');
    const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    const landed = { ...names, worktree: at.worktree, branch: at.branch, base: at.base, head };
    expect(await b.call(b.activities.landIdea, landed).done).toMatchObject({ kind: 'landed' });
    const before = (await b.read(b.env.COUNT ?? '')).trim().split('\n').length;
    await b.git('switch', '--quiet', '--create', 'next', 'main');
    await b.write({ 'next.txt': 'x\n' });
    await b.commit('next');
    const input = { ...b.ref, idea: 't-1', serial: 2, worktree: b.repo, base: 'main' };
    expect(await b.call(b.activities.runGate, input).done).toMatchObject({ pass: true });
    expect((await b.read(b.env.COUNT ?? '')).trim().split('\n')).toHaveLength(before + 1);
  });
});
