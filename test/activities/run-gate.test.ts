/** The gate as an activity: whose failure is it, what is flaky, what a person should look at (B3, B5). */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAILURE } from '../../src/protocol/failures.js';
import { until } from '../support/program.js';
import { type Bench, bench, idea, say } from './bench.js';

const COMMIT = (script: string): string => `cat > /dev/null\n${script}\n${say('COMPLETE')}`;

async function gated(options: { files?: Record<string, string>; agent: string; gate: unknown; b?: Bench }) {
  const b =
    options.b ??
    (await bench({ files: options.files ?? {}, agent: COMMIT(options.agent), config: { gate: options.gate } }));
  const at = await b.prepare();
  const run = await b.call(b.activities.runAgent, b.agentInput(at)).done;
  const input = { ...b.ref, idea: 't-1', serial: 1, worktree: at.worktree, base: at.base };
  return { b, at, run, input, gate: await b.call(b.activities.runGate, input).done };
}

/** Fails while the file lists a failing test; prints as pytest does. */
const RUNNER = 'if [ -s failing ]; then sed "s/.*/FAILED t.py::& - assert/" failing; exit 1; fi';

describe('a red gate against its base', () => {
  it('new failures are the work’s own, with their names', async () => {
    const { gate } = await gated({
      files: { 'run.sh': RUNNER, failing: 'old\n' },
      agent: 'echo fresh >> failing',
      gate: [{ run: 'sh run.sh', name: 'tests' }],
    });
    expect(gate).toMatchObject({
      pass: false,
      failure: { command: 'tests', newTests: ['t.py::fresh'], knownTests: ['t.py::old'] },
    });
    expect(gate.failure).not.toHaveProperty('alreadyRed', expect.anything());
  });

  const SAME = { files: { 'run.sh': RUNNER, failing: 'old\n' }, agent: 'echo x > work.txt' };
  it('the same failures as before are nobody’s fault: a person is asked', async () => {
    const { gate } = await gated({ ...SAME, gate: [{ run: 'sh run.sh', name: 'tests' }] });
    expect(gate).toMatchObject({ pass: false, failure: { alreadyRed: true, knownTests: ['t.py::old'] } });
  });
  it('… may pass where the configuration says so', async () => {
    const { gate } = await gated({
      ...SAME,
      gate: { commands: [{ run: 'sh run.sh', name: 'tests' }], baseline: 'tolerate' },
    });
    expect(gate).toMatchObject({ pass: true, tolerated: ['tests'] });
  });
  it('… and the landing says what it tolerated (C4)', async () => {
    const config = { baseline: 'tolerate', commands: [{ run: 'sh run.sh', name: 'tests' }] };
    const { b, at, run } = await gated({ ...SAME, gate: config });
    const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    const input = { ...names, worktree: at.worktree, branch: at.branch, base: at.base, head: run.head };
    expect(await b.call(b.activities.landIdea, input).done).toMatchObject({
      kind: 'landed',
      note: expect.stringContaining('tests is red, as on the target before (gate.baseline: tolerate)'),
    });
  });
  it('… and count as any failure where it is strict', async () => {
    const { gate } = await gated({
      ...SAME,
      gate: { commands: [{ run: 'sh run.sh', name: 'tests' }], baseline: 'strict' },
    });
    expect(gate.pass).toBe(false);
    expect(gate.failure).not.toHaveProperty('alreadyRed', expect.anything());
  });

  describe('a command that is not found in a fresh worktree (B3)', () => {
    const files = {
      'package.json': JSON.stringify({ scripts: { test: 'no-such-checker' } }),
      Makefile: 'test:\n\tno-such-checker\n',
    };
    const agent = 'echo x > work.txt';
    it.each(['npm test', 'make test', 'no-such-checker', { run: ['no-such-checker', '--all'] }])(
      'is no red base: %j',
      async (command) => {
        const { gate } = await gated({ files, agent, gate: [command] });
        expect(gate).toMatchObject({
          pass: false,
          failure: {
            alreadyRed: true,
            cannotRun: expect.stringMatching(
              /^no-such-checker: command not found in a fresh worktree: no set-up is configured\. .*setup\.run/,
            ),
          },
        });
      },
    );
    it('is never tolerated: nothing was checked', async () => {
      const { gate } = await gated({ files, agent, gate: { commands: ['npm test'], baseline: 'tolerate' } });
      expect(gate).toMatchObject({ pass: false, failure: { cannotRun: expect.stringContaining('no-such-checker') } });
    });
    it('names the set-up that ran', async () => {
      const b = await bench({ files, agent: COMMIT(agent), config: { gate: ['npm test'], setup: { run: 'true' } } });
      const { gate } = await gated({ b, agent: '', gate: [] });
      expect(gate.failure?.cannotRun).toMatch(/although its set-up ran \(true\)/);
    });
    it('is the work’s own where the base finds it, and no excuse where only the base does not', async () => {
      const own = await gated({
        files: { 'run.sh': 'true' },
        agent: 'echo no-such-checker > run.sh',
        gate: ['sh run.sh'],
      });
      expect(own.gate.pass).toBe(false);
      expect(own.gate.failure).not.toHaveProperty('alreadyRed', expect.anything());
      const fixed = await gated({
        files: { 'run.sh': 'no-such-checker' },
        agent: 'echo exit 1 > run.sh',
        gate: ['sh run.sh'],
      });
      expect(fixed.gate.pass).toBe(false);
      expect(fixed.gate.failure).not.toHaveProperty('alreadyRed', expect.anything());
    });
  });

  it('the base is run once for a tree, in a worktree of its own', async () => {
    const counted = 'echo run >> "$COUNT"; exit 1';
    const b = await bench({
      files: { 'run.sh': counted },
      agent: COMMIT('echo x >> work.txt'),
      config: { gate: { commands: ['sh run.sh'], passEnv: ['COUNT'] } },
    });
    const count = join(b.marks, 'count');
    b.env.COUNT = count;
    const first = await gated({ b, agent: '', gate: [] });
    await b.call(b.activities.runGate, first.input).done;
    // Twice in the worktree of the idea, once on its base; already red, so never a second time for flakiness.
    expect((await b.read(count)).trim().split('\n')).toHaveLength(3);
    expect(await b.git('status', '--porcelain')).toBe('');
    expect(
      (await readdir(join(b.root, 'projects', b.project, 'baseline'))).filter((name) => name.endsWith('.json')),
    ).toHaveLength(1);
  });
});

describe('a flaky command', () => {
  const FLAKY =
    'if [ -e "$MARK" ]; then exit 0; fi; case "$PWD" in *base*) exit 0;; esac; touch "$MARK"; echo "FAILED t.py::x - e"; exit 1';
  const flaky = async (rerun: boolean) => {
    const config = { gate: { commands: [{ run: 'sh run.sh', name: 'tests' }], rerun, passEnv: ['MARK'] } };
    const b = await bench({ files: { 'run.sh': FLAKY }, agent: COMMIT('echo x > work.txt'), config });
    b.env.MARK = join(b.marks, 'mark');
    return (await gated({ b, agent: '', gate: [] })).gate;
  };
  it('passes when it passes the second time, and is named', async () => {
    expect(await flaky(true)).toMatchObject({
      pass: true,
      flaky: ['tests'],
      commands: [{ command: 'tests', flakyTests: ['t.py::x'] }],
    });
  });
  it('is red where reruns are off', async () => {
    expect(await flaky(false)).toMatchObject({ pass: false });
  });
  it('is not run again when the same tests failed after the last iteration', async () => {
    const runner = 'echo run >> "$COUNT"; case "$PWD" in *base*) exit 0;; esac; echo "FAILED t.py::x - e"; exit 1';
    const b = await bench({
      files: { 'run.sh': runner },
      agent: COMMIT('echo x > work.txt'),
      config: { gate: { commands: ['sh run.sh'], passEnv: ['COUNT'] } },
    });
    b.env.COUNT = join(b.marks, 'count');
    const { input } = await gated({ b, agent: '', gate: [] });
    const before = (await b.read(b.env.COUNT)).split('\n').length;
    const again = await b.call(b.activities.runGate, { ...input, serial: 2 }).done;
    expect(again).toMatchObject({ pass: false, failure: { newTests: ['t.py::x'] } });
    expect((await b.read(b.env.COUNT)).split('\n').length).toBe(before + 1);
  });
});

it('a green gate carries its tripwires; a red one has none', async () => {
  const files = { 'a.test.js': "test('a', () => {});\n" };
  const { gate } = await gated({ files, agent: 'rm a.test.js', gate: ['true'] });
  expect(gate).toMatchObject({ pass: true, tripwires: [{ kind: 'deleted-test', subject: 'a.test.js' }] });
  const red = await gated({ files, agent: 'rm a.test.js', gate: ['test -e a.test.js'] });
  expect(red.gate).not.toHaveProperty('tripwires', expect.anything());
});

describe('protected paths', () => {
  it('a repository that the agent made among them is moved out of the worktree, committed as a link or not', async () => {
    const nested = (path: string): string =>
      `git init -q ${path} && git -C ${path} -c user.name=a -c user.email=b commit -q --allow-empty -m x`;
    const b = await bench({
      files: { 'ci/run.sh': 'true\n', 'a.txt': 'a\n' },
      agent: COMMIT(
        `echo b > a.txt; ${nested('ci/tool')}; ${nested('ci/link')}; git add -f ci/link; git commit -qm link; echo x > ci/tool/kept.txt`,
      ),
      config: { gate: { commands: ['sh ci/run.sh'], protect: ['ci/**'] } },
    });
    const at = await b.prepare();
    const run = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(run.restored).toEqual([
      expect.stringMatching(/^ci\/link \(a repository of its own, kept in .*\.link\.kept-1\)$/),
      expect.stringMatching(/^ci\/tool\/ \(a repository of its own, kept in .*\.tool\.kept-1\)$/),
    ]);
    expect(await b.gitIn(at.worktree, 'diff', '--name-only', at.base, 'HEAD')).toBe('a.txt');
    expect(await b.gitIn(at.worktree, 'status', '--porcelain')).toBe('');
    expect(await b.read(`${at.worktree}.tool.kept-1/kept.txt`)).toBe('x\n');
  });

  it('are put back, added ones removed, and the agent is told; what it made of them stays in a save point', async () => {
    const b = await bench({
      files: { 'ci/run.sh': 'exit 1\n', 'a.txt': 'a\n' },
      agent: COMMIT(
        'echo exit 0 > ci/run.sh; echo new > ci/new.sh; git add ci/run.sh; git commit -qm sneaky; echo b > a.txt',
      ),
      config: { gate: { commands: ['sh ci/run.sh'], protect: ['ci/**'] } },
    });
    const at = await b.prepare();
    const run = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(run).toMatchObject({ changed: true, restored: ['ci/new.sh', 'ci/run.sh'] });
    expect(await b.gitIn(at.worktree, 'diff', '--name-only', at.base, 'HEAD')).toBe('a.txt');
    expect(await b.gitIn(at.worktree, 'status', '--porcelain')).toBe('');
    const saves = await b.git('for-each-ref', '--format=%(refname)', 'refs/ralphctl/save/t-1');
    expect(await b.git('show', `${saves.split('\n').at(-1)}:ci/run.sh`)).toBe('exit 0');
    await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
    const prompt = await b.read(
      join(b.root, 'projects', b.project, 'runs', '20260101-000000-aaaa', 'ideas', 't-1', '002', 'prompt.md'),
    );
    expect(prompt).toContain('Last time ralphctl restored: `ci/new.sh`, `ci/run.sh`.');
  });
});

describe('the environment of a gate', () => {
  const SEEN = 'echo "$RALPHCTL_SLOT $RALPHCTL_PORT_BASE $COMPOSE_PROJECT_NAME" >> "$SEEN"';

  it('gates side by side, a landing and a baseline have a slot, ports and container names of their own', async () => {
    const b = await bench({
      files: { 'base.txt': 'b\n' },
      agent: COMMIT('echo x > "$RALPHCTL_IDEA.txt"'),
      ideas: [idea('t-1'), idea('t-2')],
      config: {
        gate: { commands: [`${SEEN}; case "$PWD" in *base*) exit 0;; esac; test ! -e red`], passEnv: ['SEEN'] },
      },
    });
    b.env.SEEN = join(b.marks, 'seen');
    const gateOf = async (id: string, agentName: string) => {
      const at = await b.prepare(id, { agentName });
      const { head } = await b.call(b.activities.runAgent, b.agentInput(at, { idea: id, agentName })).done;
      const input = { ...b.ref, idea: id, serial: 1, agentName, worktree: at.worktree, base: at.base };
      return { at, head, input };
    };
    const [one, two] = await Promise.all([gateOf('t-1', 'ed-001'), gateOf('t-2', 'ed-002')]);
    await Promise.all([one, two].map(({ input }) => b.call(b.activities.runGate, input).done));
    const names = { ...b.ref, idea: 't-1', title: 'Do t-1', agentName: 'ed-001' };
    const { worktree, branch, base } = one.at;
    expect((await b.call(b.activities.landIdea, { ...names, worktree, branch, base, head: one.head }).done).kind).toBe(
      'landed',
    );
    await b.write({ red: 'x' }, two.at.worktree);
    expect((await b.call(b.activities.runGate, two.input).done).pass).toBe(false);
    const rows = (await readFile(b.env.SEEN, 'utf8')).trim().split('\n');
    const own = (slot: number) => `${slot} ${20_000 + slot * 100} ${b.project}-${slot}`;
    // The second idea is run three times: green, red, and once more for flakiness; then on its base.
    expect([...new Set(rows)].sort()).toEqual([own(1), own(2), own(0), own(101)].sort());
  });

  it('a secret of the worker does not reach gate and set-up; one that they miss is named, never shown', async () => {
    const secret = 'postgres://u:hunter22@db/app';
    const b = await bench({
      files: { 'run.sh': 'test -n "$DATABASE_URL" || { echo "DATABASE_URL is not set"; exit 1; }' },
      agent: COMMIT('env > agent.env; echo x > work.txt'),
      config: { setup: { run: 'env > setup.env' }, gate: ['env > gate.env', 'sh run.sh'] },
    });
    Object.assign(b.env, { DATABASE_URL: secret, LC_MY_SECRET: secret, GOPATH: '/go', LC_ALL: 'C.UTF-8' });
    const { gate, at } = await gated({ b, agent: '', gate: [] });
    for (const file of ['setup.env', 'gate.env']) {
      const seen = await b.read(join(at.worktree, file));
      expect(seen).not.toContain('hunter22');
      expect(seen).toMatch(/^GOPATH=\/go$/m);
      expect(seen).toMatch(/^LC_ALL=C.UTF-8$/m);
    }
    const hint =
      'DATABASE_URL is set for ralphctl but is not passed to this command; pass it with gate.passEnv: [DATABASE_URL]';
    expect(gate.failure?.tail).toContain(hint);
    expect(gate.failure?.tail).not.toContain('hunter22');
    expect(await b.read(gate.failure?.log ?? '')).toContain(hint);
  });

  it('gate.passEnv and setup.passEnv let a variable through', async () => {
    const b = await bench({
      agent: COMMIT('echo x > work.txt'),
      config: {
        setup: { run: 'test "$NPM_TOKEN" = t', passEnv: ['NPM_TOKEN'] },
        gate: { commands: ['test "$DATABASE_URL" = u && test -z "$NPM_TOKEN"'], passEnv: ['DATABASE_URL'] },
      },
    });
    Object.assign(b.env, { DATABASE_URL: 'u', NPM_TOKEN: 't' });
    expect((await gated({ b, agent: '', gate: [] })).gate.pass).toBe(true);
  });
});

describe('B3: a person removes the worktree while its gate runs, and', () => {
  const CHECK =
    'test -d "$MARKS" && touch "$MARKS/gate"; until [ -e "$MARKS/go" ]; do sleep 0.05; done; test ! -e red.txt';
  it.each([
    ['nothing is there', () => undefined],
    ['another one is made there', (b: Bench, path: string) => b.git('worktree', 'add', '--force', path, 'ralph/t-1')],
  ])('%s: no green gate, and a message with the command', async (_name, then) => {
    const b = await bench({
      agent: COMMIT('echo x > red.txt'),
      config: { gate: { commands: [CHECK], passEnv: ['MARKS'] } },
    });
    Object.assign(b.env, { MARKS: b.marks });
    const at = await b.prepare();
    await b.call(b.activities.runAgent, b.agentInput(at)).done;
    const input = { ...b.ref, idea: 't-1', serial: 1, worktree: at.worktree, base: at.base };
    const gate = b.call(b.activities.runGate, input).done;
    await until('the gate', async () => (await readdir(b.marks)).includes('gate'));
    await b.git('worktree', 'remove', '--force', at.worktree);
    await then(b, at.worktree);
    await writeFile(join(b.marks, 'go'), '');
    await expect(gate).rejects.toMatchObject({
      type: FAILURE.repository,
      message: `the worktree ${at.worktree} is gone. Restart the idea with: ralphctl retry t-1`,
    });
  });

  it('its branch is deleted, too: the message names the save, without which a retry begins with nothing', async () => {
    const b = await bench({ agent: COMMIT('echo x > work.txt'), config: { gate: ['true'] } });
    const at = await b.prepare();
    await b.call(b.activities.runAgent, b.agentInput(at)).done;
    await b.git('update-ref', 'refs/ralphctl/save/t-1/1', 'ralph/t-1');
    await b.git('worktree', 'remove', '--force', at.worktree);
    await b.git('branch', '-D', 'ralph/t-1');
    const input = { ...b.ref, idea: 't-1', serial: 1, worktree: at.worktree, base: at.base };
    await expect(b.call(b.activities.runGate, input).done).rejects.toMatchObject({
      type: FAILURE.repository,
      message: expect.stringMatching(
        /ralph\/t-1 does not exist any more\. Its save 1 \(refs\/ralphctl\/save\/t-1\/1\).*: ralphctl saves restore t-1 1 --to ralph\/t-1\. Then: ralphctl retry t-1$/,
      ),
    });
  });
});
