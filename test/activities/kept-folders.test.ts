/**
 * What lies in worktrees beside the repository's own files (dependencies, virtual environments) over several ideas: it
 * keeps working, and nothing of one idea's gate reaches another's. Features: B3 B11 D1.
 */
import { link, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { takeStamp } from '../../src/gate/kept/stamp.js';
import { gateLanding } from '../../src/jobs/gate/gate.js';
import { setUp } from '../../src/jobs/prepare.js';
import type { LandResult } from '../../src/protocol/git-work.js';
import { loadRun } from '../../src/run-files/run.js';
import { type Bench, bench, idea, say } from './bench.js';

const agent = `cat > /dev/null\necho work > "$RALPHCTL_IDEA.txt"\n${say('COMPLETE')}`;
const count = async (b: Bench, name: string): Promise<number> =>
  (await b.read(join(b.marks, name))).trim().split('\n').length;

/** Prepares an idea and lets its agent work. */
async function worked(b: Bench, id: string, agentName = 'ed-001') {
  const at = await b.prepare(id, { agentName });
  const run = await b.call(b.activities.runAgent, b.agentInput(at, { idea: id, agentName })).done;
  return { at, run };
}
async function land(b: Bench, id: string, { at, run }: Awaited<ReturnType<typeof worked>>): Promise<LandResult> {
  const { worktree, branch, base } = at;
  const names = { ...b.ref, idea: id, title: `Do ${id}`, agentName: 'ed-001' };
  return b.call(b.activities.landIdea, { ...names, worktree, branch, base, head: run.head }).done;
}
const gate = async (b: Bench, id: string, worktree: string) =>
  (await b.call(b.activities.runGate, { ...b.ref, idea: id, serial: 1, agentName: 'ed-001', worktree }).done).pass;

describe('a Python virtual environment, which holds the path of its worktree', () => {
  // As pip does it: a script whose first line names the interpreter of the environment.
  const MAKE = [
    'echo ran >> "$COUNT"',
    'python3 -m venv --without-pip .venv',
    `.venv/bin/python -c 'import sys; open(".venv/bin/tool","w").write("#!%s\\nimport sys\\nprint(sys.prefix)\\n" % sys.executable)'`,
    'chmod +x .venv/bin/tool',
  ].join(' && ');

  it('B11: works on when the idea changes its slot, and in the worktree of the next idea, without a new set-up', async () => {
    const b = await bench({
      files: { '.gitignore': '.venv/\n' },
      agent,
      ideas: [idea('t-1'), idea('t-2')],
      config: { setup: { run: MAKE, passEnv: ['COUNT'] }, gate: ['.venv/bin/tool'] },
    });
    b.env.COUNT = join(b.marks, 'set-ups');
    const first = await worked(b, 't-1');
    const moved = await b.prepare('t-1', { agentName: 'ed-002' });
    expect(moved.worktree).toBe(first.at.worktree);
    expect(await gate(b, 't-1', moved.worktree)).toBe(true);
    expect((await land(b, 't-1', first)).kind).toBe('landed');
    const second = await worked(b, 't-2', 'ed-003');
    expect(second.at.origin).toBe('recycled');
    expect(await gate(b, 't-2', second.at.worktree)).toBe(true);
    expect((await land(b, 't-2', second)).kind).toBe('landed');
    // Once in the worktree of the ideas, once in that of landings.
    expect(await count(b, 'set-ups')).toBe(2);
  });
});

describe('a worktree that was moved', () => {
  const MAKE = `echo ran >> "$COUNT"; mkdir -p .venv && echo "$PWD/.venv" > .venv/home`;

  it.each([
    // As ralphctl advises where another state folder has the branch.
    ['by hand', async (b: Bench, at: string) => b.git('worktree', 'move', at, `${at}-moved`)],
    [
      'by ralphctl, as it had lost its repository',
      async (b: Bench, at: string) => {
        await b.git('worktree', 'move', at, join(b.base, 'elsewhere'));
        await writeFile(join(b.base, 'elsewhere/.git'), 'gitdir: /nowhere\n');
        await b.write({ taken: 'its former place' }, at);
      },
    ],
  ])('B11: %s gets its virtual environment again, at its new path, and keeps its work', async (_, move) => {
    const b = await bench({
      files: { '.gitignore': '.venv/\n' },
      agent,
      config: { setup: { run: MAKE, passEnv: ['COUNT'] }, gate: ['test "$(cat .venv/home)" = "$PWD/.venv"'] },
    });
    b.env.COUNT = join(b.marks, 'set-ups');
    const { at } = await worked(b, 't-1');
    await b.write({ 'unsaved.txt': 'u', '.venv/stale': 's' }, at.worktree);
    await move(b, at.worktree);
    const moved = await b.prepare('t-1');
    expect(moved).toMatchObject({ origin: 'adopted' });
    expect(await gate(b, 't-1', moved.worktree)).toBe(true);
    expect(await readdir(join(moved.worktree, '.venv'))).toEqual(['home']);
    expect(await b.read(join(moved.worktree, 'unsaved.txt'))).toBe('u');
    await b.prepare('t-1');
    expect(await count(b, 'set-ups')).toBe(2);
  });
});

/** The runner of the tests: red where the work is broken. */
const RUNNER = '#!/bin/sh\ntest ! -e broken\n';
const SET_UP = 'echo ran >> "$COUNT"; mkdir -p node_modules/.bin && cp runner node_modules/.bin/mytest';
const files = { '.gitignore': 'node_modules/\n', runner: RUNNER, 'app.sh': ':\n' };

/** Agents leave what `scripts` says for their idea. */
async function project(
  scripts: Record<string, string>,
  config: Record<string, unknown> = {},
  more: Record<string, string> = {},
) {
  const cases = Object.entries(scripts).map(([id, script]) => `${id}) ${script} ;;`);
  const b = await bench({
    files: { ...files, ...more },
    agent: `cat > /dev/null\necho work > "$RALPHCTL_IDEA.txt"\ncase "$RALPHCTL_IDEA" in\n${cases.join('\n')}\nesac\n${say('COMPLETE')}`,
    ideas: ['t-1', 't-2', 't-3'].map((id) => idea(id)),
    config: {
      setup: { run: `chmod +x runner; ${SET_UP}`, passEnv: ['COUNT'] },
      gate: { commands: ['sh app.sh', 'node_modules/.bin/mytest'], tripwires: { gateFiles: 'off' } },
      ...config,
    },
  });
  b.env.COUNT = join(b.marks, 'set-ups');
  return b;
}
const BREAK = 'echo x > broken';
/** Code of an idea that does this when it is run in the worktree of landings. */
const inLanding = (what: string): string =>
  `printf '%s\\n' 'case "$PWD" in */integration/*) ${what.replaceAll("'", "'\\''")} ;; esac' > app.sh`;

describe('what the code of one idea does in the worktree of landings does not reach the next', () => {
  it.each([
    [
      'replaces the runner',
      'rm node_modules/.bin/mytest; printf "#!/bin/sh\\n" > node_modules/.bin/mytest; chmod +x node_modules/.bin/mytest',
    ],
    [
      'writes over it, with size and time as they were',
      'm=node_modules/.bin/mytest; touch -r $m /tmp/$$.t; printf "#!/bin/sh\\ntest   -n  broken\\n" > $m; touch -r /tmp/$$.t $m; rm /tmp/$$.t',
    ],
    [
      'puts a folder of its own in its place',
      'mv node_modules x; cp -r x node_modules; rm -r x; echo exit 0 > node_modules/.bin/mytest',
    ],
    ['links to a runner elsewhere', 'ln -sf /bin/true node_modules/.bin/mytest'],
    [
      'hides an edit of a tracked file from git, and makes set-up forget',
      'git update-index --skip-worktree runner; printf "#!/bin/sh\\n" > runner; rm "$(git rev-parse --git-dir)/ralphctl-setup"',
    ],
  ])('%s', async (_, poison) => {
    const b = await project({ 't-1': inLanding(poison), 't-2': `${BREAK}; echo : > app.sh` });
    expect((await land(b, 't-1', await worked(b, 't-1'))).kind).toBe('landed');
    expect((await land(b, 't-2', await worked(b, 't-2'))).kind).toBe('red');
  });

  it('files that it adds are gone; what set-up made is as it was, and it does not run again', async () => {
    const b = await project(
      {
        't-1': inLanding(
          'mkdir -p node_modules/.cache; echo x > node_modules/.cache/x; echo x > node_modules/.bin/added',
        ),
        't-2': `echo 'ls node_modules/.cache node_modules/.bin/added >> "$COUNT.seen" 2>/dev/null; test -x node_modules/.bin/mytest' > app.sh`,
      },
      {
        gate: {
          commands: ['sh app.sh', 'node_modules/.bin/mytest'],
          tripwires: { gateFiles: 'off' },
          passEnv: ['COUNT'],
        },
      },
    );
    expect((await land(b, 't-1', await worked(b, 't-1'))).kind).toBe('landed');
    expect((await land(b, 't-2', await worked(b, 't-2'))).kind).toBe('landed');
    expect(await b.read(`${b.env.COUNT}.seen`)).toBe('');
    expect(await count(b, 'set-ups')).toBe(2);
  });

  it('without any set-up, kept folders begin empty', async () => {
    const b = await project(
      {
        't-1': inLanding(
          'mkdir -p node_modules/.bin; printf "#!/bin/sh\\n" > node_modules/.bin/mytest; chmod +x node_modules/.bin/mytest',
        ),
        't-2': 'echo : > app.sh',
      },
      {
        setup: {},
        gate: {
          commands: ['sh app.sh', 'test ! -x node_modules/.bin/mytest || test ! -e t-2.txt'],
          tripwires: { gateFiles: 'off' },
        },
      },
    );
    expect((await land(b, 't-1', await worked(b, 't-1'))).kind).toBe('landed');
    expect((await land(b, 't-2', await worked(b, 't-2'))).kind).toBe('landed');
  });

  it('a set-up that ran the code of an idea that did not land is made anew', async () => {
    const b = await project({ 't-1': `${BREAK}; printf '#!/bin/sh\\n' > runner; echo false > app.sh`, 't-2': BREAK });
    expect((await land(b, 't-1', await worked(b, 't-1'))).kind).toBe('red');
    expect((await land(b, 't-2', await worked(b, 't-2'))).kind).toBe('red');
  });

  it('the set-up for the tests of the base serves the next idea, too', async () => {
    const edit = 'echo "# $RALPHCTL_IDEA" >> a.test.sh';
    const b = await project(
      { 't-1': edit, 't-2': edit, 't-3': edit },
      {
        gate: {
          commands: ['sh a.test.sh', 'node_modules/.bin/mytest'],
          baseTests: 'ask',
          tripwires: { gateFiles: 'off' },
        },
      },
      { 'a.test.sh': ':\n' },
    );
    const ran: number[] = [];
    for (const id of ['t-1', 't-2']) {
      const { at } = await worked(b, id);
      const input = { ...b.ref, idea: id, serial: 1, agentName: 'ed-001', worktree: at.worktree, base: at.base };
      expect((await b.call(b.activities.runGate, input).done).pass).toBe(true);
      ran.push(await count(b, 'set-ups'));
    }
    // Only that of its own worktree.
    expect(ran[1]).toBe((ran[0] ?? 0) + 1);
  });

  it('worktrees.cache names what may stay', async () => {
    const b = await project(
      {
        't-1': inLanding(
          'mkdir -p target node_modules/.cache; echo x > target/x; echo y > node_modules/.cache/y; echo z > node_modules/z',
        ),
        't-2': "echo 'cat target/x node_modules/.cache/y && test ! -e node_modules/z' > app.sh",
      },
      {
        worktrees: { cache: ['target', 'node_modules/.cache'] },
        gate: { commands: ['case "$PWD" in */integration/*) sh app.sh;; esac'], tripwires: { gateFiles: 'off' } },
      },
      { '.gitignore': 'node_modules/\ntarget/\n' },
    );
    expect((await land(b, 't-1', await worked(b, 't-1'))).kind).toBe('landed');
    expect((await land(b, 't-2', await worked(b, 't-2'))).kind).toBe('landed');
    expect(await count(b, 'set-ups')).toBe(2);
  });
});

describe('what an idea leaves in its worktree does not reach the idea that gets it next', () => {
  const POISON = 'printf "#!/bin/sh\\n" > node_modules/.bin/mytest';

  it('an edit of what set-up made', async () => {
    const b = await project({ 't-1': POISON, 't-2': BREAK, 't-3': ':' });
    const first = await worked(b, 't-1');
    expect((await land(b, 't-1', first)).kind).toBe('landed');
    const second = await worked(b, 't-2');
    expect(second.at).toMatchObject({ origin: 'recycled', worktree: first.at.worktree });
    expect(await gate(b, 't-2', second.at.worktree)).toBe(false);
  });

  it('also when its preparation was cut off after the worktree had been taken', async () => {
    const b = await project(
      { 't-1': POISON, 't-2': BREAK },
      { setup: { run: `test ! -e "$COUNT.stop" || exit 1; chmod +x runner; ${SET_UP}`, passEnv: ['COUNT'] } },
    );
    const first = await worked(b, 't-1');
    expect((await land(b, 't-1', first)).kind).toBe('landed');
    await b.write({ 'set-ups.stop': '' }, b.marks);
    await expect(b.prepare('t-2')).rejects.toThrow(/setup command failed/);
    await rm(join(b.marks, 'set-ups.stop'));
    const second = await worked(b, 't-2');
    expect(second.at).toMatchObject({ origin: 'adopted', worktree: first.at.worktree });
    expect(await gate(b, 't-2', second.at.worktree)).toBe(false);
  });

  it('its own additions stay for the idea itself', async () => {
    const b = await project({ 't-1': 'echo mine > node_modules/mine' });
    const { at } = await worked(b, 't-1');
    await b.prepare('t-1', { agentName: 'ed-002' });
    expect(await b.read(join(at.worktree, 'node_modules/mine'))).toBe('mine\n');
  });
});

describe('a stamp of kept folders', () => {
  it('F2: that somebody wrote over counts for nothing, in a new job process, too', async () => {
    const b = await project({ 't-1': ':', 't-2': BREAK });
    expect((await land(b, 't-1', await worked(b, 't-1'))).kind).toBe('landed');
    const [, dir = ''] = /worktree (.*\/integration\/.*)/.exec(await b.git('worktree', 'list', '--porcelain')) ?? [];
    await writeFile(join(dir, 'node_modules/.bin/mytest'), '#!/bin/sh\n');
    const stamp = JSON.stringify(await takeStamp(dir, ['node_modules/']));
    await writeFile(join(await b.gitIn(dir, 'rev-parse', '--absolute-git-dir'), 'ralphctl-kept'), stamp);
    const two = await worked(b, 't-2');
    vi.resetModules();
    const { createActivities } = await import('../../src/activities/index.js');
    const { workHere } = await import('../../src/jobs/index.js');
    const deps = { root: b.root, host: 'testhost', env: b.env, client: {} as never };
    const fresh = createActivities(deps, workHere(deps));
    const { worktree, branch, base } = two.at;
    const names = { ...b.ref, idea: 't-2', title: 'Do t-2', agentName: 'ed-001' };
    const input = { ...names, worktree, branch, base, head: two.run.head };
    expect((await b.call(fresh.git.landIdea, input).done).kind).toBe('red');
  });

  it('files with other names elsewhere are told by content: a link that comes or goes changes their change time', async () => {
    const b = await project(
      { 't-1': ':', 't-2': ':', 't-3': BREAK },
      {
        setup: {
          run: 'echo ran >> "$COUNT"; mkdir -p node_modules/.bin; ln "$COUNT.store" node_modules/.bin/mytest',
          passEnv: ['COUNT'],
        },
      },
    );
    const store = join(b.marks, 'set-ups.store');
    await writeFile(store, RUNNER, { mode: 0o755 });
    expect((await land(b, 't-1', await worked(b, 't-1'))).kind).toBe('landed');
    await link(store, join(b.marks, 'another'));
    expect((await land(b, 't-2', await worked(b, 't-2'))).kind).toBe('landed');
    expect(await count(b, 'set-ups')).toBe(2);
    // Through its other name, the runner of every worktree is changed.
    await writeFile(store, '#!/bin/sh\nexit 0\n');
    const third = await worked(b, 't-3');
    expect(third.at.origin).toBe('recycled');
    expect(await count(b, 'set-ups')).toBe(3);
  });
});

describe('who writes into dependency folders after their agent or set-up', () => {
  const write = async (b: Bench, path: string): Promise<void> => {
    await writeFile(path, '#!/bin/sh\n');
    expect(await b.read(path)).toBe('#!/bin/sh\n');
  };

  it('B3: is named by the gate, once', async () => {
    const b = await project({ 't-1': 'echo : > app.sh' });
    const { at } = await worked(b, 't-1');
    const input = { ...b.ref, idea: 't-1', serial: 1, agentName: 'ed-001', worktree: at.worktree };
    const runner = join(at.worktree, 'node_modules/.bin/mytest');
    await write(b, runner);
    const first = await b.call(b.activities.runGate, input).done;
    expect(first).toMatchObject({ pass: true, late: ['node_modules/.bin/mytest'] });
    await write(b, runner);
    expect(await b.call(b.activities.runGate, input).done).not.toHaveProperty('late', expect.anything());
  });

  it('B3: nobody is named where only the agent wrote', async () => {
    const b = await project({ 't-1': 'echo x > node_modules/mine; echo : > app.sh' });
    const { at } = await worked(b, 't-1');
    const input = { ...b.ref, idea: 't-1', serial: 1, agentName: 'ed-001', worktree: at.worktree };
    expect(await b.call(b.activities.runGate, input).done).not.toHaveProperty('late', expect.anything());
  });

  it('B3: set-up runs again where they changed between it and the gate of a landing', async () => {
    const b = await project({ 't-1': BREAK });
    const run = await loadRun(b.root, b.ref);
    const done = await worked(b, 't-1');
    const deps = { root: b.root, env: b.env, host: 'testhost' };
    // A worktree that is set up as that of landings is.
    const where = { ...b.ref, idea: 't-1', agentName: 'landing-0', dir: done.at.worktree, logDir: b.marks };
    const signal = new AbortController().signal;
    await setUp(deps, run, { ...where, signal, shared: true });
    const before = await count(b, 'set-ups');
    await write(b, join(done.at.worktree, 'node_modules/.bin/mytest'));
    const gate = await gateLanding(deps, run, { ...where, signal });
    expect(gate).toMatchObject({ pass: false, failure: { command: expect.stringContaining('mytest') } });
    expect(await count(b, 'set-ups')).toBe(before + 1);
  });
});
