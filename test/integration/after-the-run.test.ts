/** What steers works after the run, too: kept for the next start, or done at once in git. Features: A2, A8, C1 to C5. */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';
import { cliPath, until } from '../support/program.js';
import { PtyScreen } from '../support/pty.js';

let held: Held;
afterEach(() => held?.box.dispose());
const SLOW = 480_000;

const ended = (signal: string) => ({ ...DONE, signal });

/** A night that is over: landed, failed, timed out, blocked, a question, and one that never began. */
async function night(): Promise<void> {
  held = await Held.open(
    inject('stateRoot'),
    [
      { id: 'landed', steps: [DONE] },
      { id: 'failed', steps: [{ ...DONE, exit: 3 }] },
      { id: 'late', maxIterations: 1, steps: [ended('none'), DONE] },
      { id: 'blocked', steps: [ended('BLOCKED: no key'), DONE] },
      { id: 'asks', steps: [ended('NEEDS_HUMAN: which colour?'), { ...DONE, when: 'green' }] },
      { id: 'never', depends: 'blocked', steps: [DONE] },
    ],
    { slots: 6, errors: { threshold: 50, maxRetries: 0 }, escalation: { steps: [] } },
  );
  await held.start();
  await held.idea('landed', 'landed');
  await held.idea('failed', 'failed');
  await held.idea('late', 'timeout');
  await held.idea('blocked', 'blocked');
  await held.idea('asks', 'needs-human');
  expect((await held.box.run('stop')).code).toBe(0);
  await held.closed();
}

const ok = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await held.box.run(...args);
  expect(code, stderr).toBe(0);
  return stdout + stderr;
};
const refused = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await held.box.run(...args);
  expect(code, stdout + stderr).toBe(7);
  return stderr;
};

it(
  'C3 C5: commands without a run are kept, start lists them, and the next run carries them out; A2 counts the retry',
  async () => {
    await night();
    expect(await ok('retry', 'failed', '--reason', 'the disk was full')).toContain(
      'failed is queued again. No run is open. The next start runs it',
    );
    expect(await ok('limit', 'late', '2')).toContain('late may use 2 more iterations');
    expect(await ok('limit', 'late', '3')).toContain('late may use 5 more iterations');
    expect(await ok('unblock', 'blocked')).toContain('blocked is queued again');
    expect(await ok('hint', 'late', 'try the other way')).toContain('with its first prompt in the next run');
    await ok('answer', 'asks', 'blue');
    expect((await held.why('asks')).status).toBe('pending');
    await ok('hint', 'asks', '--forget');
    expect(await held.why('asks')).toMatchObject({ status: 'needs-human', told: { verb: 'hint --forget' } });
    expect((await held.box.run('status')).stdout).toContain('? asks asks:\n    | which colour?');
    expect(await ok('answer', 'asks', 'green')).toContain('asks gets your answer with its first prompt');
    expect(await ok('skip', 'never')).toContain('the next run leaves never out');
    await ok('score', 'asks', '7');
    await ok('bump', 'blocked');
    await ok('edit', 'late', '--text', 'Do it in green');
    await ok('hint', 'blocked', 'never mind');
    expect(await ok('hint', 'blocked', '--forget')).toContain('the next start does not carry over the hint of blocked');
    expect((await held.box.run('status')).stdout).toMatch(/the next start carries over: .*limit late \+5/);

    expect(await refused('retry', 'landed')).toContain('landed has landed. Possible without a run: cleanup, rollback');
    expect(await refused('answer', 'late', 'x')).toContain('late timed out. Possible without a run: abandon,');
    expect((await held.box.run('retry', 'fialed')).stderr).toContain('Did you mean failed?');
    expect((await held.why('failed')).told).toEqual({ verb: 'retry', reason: 'the disk was full' });

    // As the next start counts it.
    expect((await held.why('failed')).parts).toContainEqual({
      label: 'tried again once, with the next start',
      value: -15,
    });
    const second = await ok('start', '--detach');
    for (const words of [
      'retry failed (the disk was full)',
      'limit late +5',
      'unblock blocked',
      'hint for late',
      'answer for asks',
      'skip never',
      'score asks 7',
      'bump blocked',
    ])
      expect(second).toMatch(new RegExp(`carries over: .*${words.replace(/[()+]/g, '\\$&')}`));
    expect(await held.finish()).toMatchObject({
      notLanded: [
        { idea: 'failed', status: 'failed' },
        { idea: 'blocked', status: 'blocked' },
        { idea: 'never', status: 'skipped' },
      ],
    });
    expect((await held.box.run('logs', '--json')).json).toContainEqual(
      expect.objectContaining({ kind: 'idea', idea: 'never', status: 'skipped' }),
    );
    expect(await held.prompt('late', 1)).toContain('try the other way');
    expect(await held.prompt('late', 1)).toContain('of 6');
    expect(await held.prompt('late', 1)).toContain('Do it in green');
    expect(await held.prompt('asks', 1)).toMatch(/which colour\?[\s\S]*green/);

    // Limits and points count until the idea has landed; the others are for one run.
    expect(await ok('start', '--detach')).toContain('carries over: bump blocked\n');
    await held.closed();
  },
  SLOW,
);

it(
  'C2: rollback and cleanup need no run: a landed idea leaves the target through the gate and stays out until a retry',
  async () => {
    await night();
    const branch = () => held.box.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/ralph/');
    const worktrees = () => held.box.git('worktree', 'list');

    await ok('abandon', 'asks');
    const again = /The next start runs it from the beginning/;
    expect(await held.box.git('rev-list', '--count', 'main..ralph/blocked')).not.toBe('0');
    const rolled = await ok('rollback', 'blocked');
    expect(rolled).toContain('blocked was rolled back: 1 commit taken off its branch; saved as');
    expect(rolled).toMatch(again);
    expect((await held.why('blocked')).reason).toContain('blocked was rolled back');
    expect(await held.box.git('rev-list', '--count', 'main..ralph/blocked')).toBe('0');
    expect(await ok('saves', 'blocked')).toContain('rolled back');
    // A second call has nothing left to do.
    expect(await refused('rollback', 'blocked')).toContain('there is nothing to take back of blocked');
    expect(await held.saves('blocked')).toHaveLength(1);

    expect(await worktrees()).toContain('[ralph/late]');
    expect(await ok('cleanup', 'late')).toContain('the worktree of late was removed');
    expect(await worktrees()).not.toContain('[ralph/late]');
    expect(await branch()).toContain('ralph/late');

    expect(existsSync(`${held.box.repo}/landed.txt`)).toBe(true);
    expect(await ok('rollback', 'landed')).toMatch(/landed was taken off main by [0-9a-f]{8}/);
    expect(existsSync(`${held.box.repo}/landed.txt`)).toBe(false);
    // One state in every view; the run keeps its numbers, and no commit is called green that it did not gate.
    const off = /landed landed as [0-9a-f]{8}, and was taken off main by [0-9a-f]{8}, its rollback/;
    const sum = /1 landed,? +1 of them no longer on main,? +5 (?:did not land|not)/;
    const since = 'since then: landed no longer on main; blocked rolled back; asks given up';
    expect((await held.why('landed')).reason).toMatch(off);
    const status = (await held.box.run('status')).stdout;
    expect(status).toMatch(sum);
    expect(status).toContain(since);
    expect(status).toMatch(/a start leaves out landed, asks, until: ralphctl retry IDEA/);
    // Somebody has decided about it: no warning beside that.
    expect(status).not.toMatch(off);
    const [fact] = (await held.box.run('status', '--json')).json;
    expect(fact).toMatchObject({
      last: { landed: 1 },
      since: [{ what: 'no longer on main', ideas: ['landed'] }, {}, {}],
    });
    expect(fact).not.toHaveProperty('gone');
    const after = (await held.box.run('report')).stdout;
    expect(after).toMatch(sum);
    expect(after).toContain(since);
    expect(after).not.toContain('! landed ');
    expect(after).toMatch(/main was green at [0-9a-f]{7} .*it is at [0-9a-f]{7} now, which this run did not gate/);
    const runs = (await held.box.run('runs')).stdout;
    expect(runs).toMatch(/◫ stopped +1 +5 /);
    expect(runs).toContain(since);
    expect(runs).toMatch(off);
    const shown = (await held.box.run('show', 'landed')).stdout;
    expect(shown).toContain('┌ ⊖ taken off the target ');
    expect(shown).toMatch(/target +landed landed as /);
    expect(shown).toContain('what helps now\n  ralphctl retry landed\n');
    const offered = (await held.box.run('why', 'landed')).stdout;
    expect(offered).toContain('status taken off: landed landed as');
    expect(offered).toContain('possible now:\n  ralphctl retry landed (with this, the next start runs it again)\n');
    expect(offered).not.toMatch(/ralphctl (?:start|rollback)|-15 +tried again/);
    for (const [, text] of Object.entries({ status, after, runs, shown, offered }))
      expect(text).not.toContain('--again');
    expect(await refused('rollback', 'landed')).toMatch(
      /nothing to take back of landed: landed landed as [0-9a-f]{8}, and was taken off main by [0-9a-f]{8}, its rollback/,
    );
    expect((await held.box.run('why', 'landed')).stdout).toMatch(/you told it: rollback$/m);
    expect(await refused('answer', 'landed', 'x')).toContain('landed landed, and was taken off its target');

    // A person reverts the rollback, then moves the branch back behind one: its work is on the target each time.
    await held.box.git('revert', '--no-edit', 'main');
    expect(existsSync(`${held.box.repo}/landed.txt`)).toBe(true);
    expect(await refused('answer', 'landed', 'x')).toContain('landed has landed. Possible without a run');
    const isBack = async (): Promise<void> => {
      expect((await held.box.run('why', 'landed')).stdout).toMatch(
        /status landed: its work is on main again[\s\S]*ralphctl rollback landed/,
      );
      const { stdout } = await held.box.run('report');
      expect(stdout).toMatch(/1 landed +5 not/);
      expect(stdout).toContain('✓ landed ');
      expect(stdout).not.toMatch(/no longer on (main|the target)/);
      expect((await held.box.run('status')).stdout).toMatch(/1 landed, 5 did not land/);
      expect((await held.box.run('status')).stdout).not.toMatch(/leaves out landed|rolled back landed/);
      expect((await held.box.run('show', 'landed')).stdout).toContain('┌ ✓ landed ');
      expect((await held.box.run('runs')).stdout).not.toContain('no longer on');
      expect(await refused('retry', 'landed')).toContain('landed has landed. Possible without a run');
      expect((await held.box.run('start', '--dry-run', '--json')).json[0]?.landed).toContain('landed');
    };
    await isBack();
    expect((await held.box.run('report')).stdout).not.toContain('branch ralph/blocked is kept');
    const taken = /landed was taken off main by [0-9a-f]{8}/;
    expect(await ok('rollback', 'landed')).toMatch(taken);
    await held.box.git('reset', '-q', '--hard', 'main~1');
    expect((await held.box.run('status')).stdout).toMatch(/1 landed, 5 did not land/);
    expect(await refused('retry', 'landed')).toContain('landed has landed. Possible without a run');
    expect(await ok('rollback', 'landed')).toMatch(taken);
    expect(existsSync(`${held.box.repo}/landed.txt`)).toBe(false);

    const second = await ok('start', '--detach');
    expect(second).toContain('you rolled back landed, so a start leaves it out until: ralphctl retry landed');
    expect((await held.finish()).notLanded).toContainEqual({
      ...{ idea: 'landed', status: 'skipped' },
      reason: 'taken off the target by a person; it stays out until a retry',
    });
    expect((await held.box.run('show', 'landed')).stdout).toContain('┌ ⊖ taken off the target ');
    // The list and the page of the screen say the same, though another run landed it, and take the retry.
    const screen = new PtyScreen(process.execPath, [cliPath, 'top'], {
      ...{ columns: 120, rows: 40, cwd: held.box.repo },
      env: { ...held.box.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' },
    });
    try {
      await screen.shows('3 ideas');
      screen.press('3');
      await screen.shows(/⊖ landed .*taken off/);
      // The first of the backlog is selected.
      screen.press('enter');
      await screen.shows('┌ ⊖ taken off the target ');
      await screen.shows('r retry');
      screen.press('r');
      await screen.shows('landed is queued again');
      await screen.shows('queued for the next start');
    } finally {
      await screen.dispose();
    }
    expect((await held.box.run('why', 'landed')).stdout).toContain('possible now:\n  ralphctl start (runs it from');
    await ok('start', '--detach');
    await held.finish();
    expect(existsSync(`${held.box.repo}/landed.txt`)).toBe(true);
    // What landed twice is one idea of the month, and each run keeps what it did.
    const all = (await held.box.run('runs')).stdout;
    expect(all).toMatch(/3 runs +this month \d+ landed/);
    const landings = (await held.box.run('runs', '--json')).json as { landed: number; done: { id: string }[] }[];
    expect(landings.map(({ done }) => done.filter(({ id }) => id === 'landed').length)).toEqual([1, 0, 1]);
    const ideas = new Set(landings.flatMap(({ done }) => done.map(({ id }) => id)));
    expect(all).toContain(`this month ${ideas.size} landed`);
  },
  SLOW,
);

it(
  'C2 C3: --all-failed and --where choose ideas by status, with and without a run; a refusal does not stop the others',
  async () => {
    await night();
    const retried = await held.box.run('retry', '--all-failed', '--json');
    expect(retried.code, retried.stderr).toBe(0);
    expect(retried.json.map(({ idea, verb }) => [idea, verb])).toEqual([
      ['failed', 'retry'],
      ['late', 'retry'],
      ['blocked', 'retry'],
    ]);
    const some = await held.box.run('unblock', '--where', 'blocked', '--where', 'timed-out');
    expect(some.code).toBe(7);
    expect(some.stdout).toContain('refused: late timed out.');
    // The retry has queued it.
    expect(some.stdout).toMatch(/refused: blocked is queued again already, so this changes nothing/);
    expect(some.stdout).toContain('unblock: 0 done, 2 refused');
    expect((await held.box.run('limit', '--where', 'timeout', '--by', '4')).stdout).toContain(
      'limit: 1 done, 0 refused',
    );
    expect(await held.box.run('skip', '--where', 'lost')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there are'),
    });
    expect(await held.box.run('abandon')).toMatchObject({ code: 2, stderr: expect.stringContaining('needs an idea') });
    expect(await held.box.run('retry', 'late', '--all-failed')).toMatchObject({ code: 2 });
    // A command for several keeps the later word: here each selector of each verb once.
    const failed = (await held.box.run('limit', '--all-failed', '--by', '3', '--json')).json;
    expect(failed.map(({ idea, done }) => [idea, /more iterations/.test(String(done))])).toEqual([
      ['failed', true],
      ['late', true],
      ['blocked', true],
    ]);
    expect(await held.box.run('limit', '--all-failed')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ralphctl limit --all-failed --by 10'),
    });
    expect(await held.box.run('skip', '--step', '--where', 'failed')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('skip --step takes one idea'),
    });
    expect((await held.box.run('skip', '--where', 'timed-out', '--where', 'asks')).stdout).toMatch(
      /leaves late out[\s\S]*leaves asks out[\s\S]*skip: 2 done, 0 refused/,
    );
    expect((await held.box.run('retry', '--where', 'skipped')).stdout).toMatch(/retry: 2 done, 0 refused/);
    const out = await held.box.run('skip', '--all-failed');
    expect(out.stdout).toMatch(/leaves failed out[\s\S]*leaves blocked out/);
    expect((await held.box.run('retry', '--where', 'skipped')).code).toBe(0);
    const givenUp = await held.box.run('abandon', '--all-failed');
    expect(givenUp.stdout).toMatch(/failed is abandoned[\s\S]*late is abandoned[\s\S]*blocked is abandoned/);
    await ok('retry', '--where', 'abandoned');
    await ok('abandon', '--where', 'failed', '--reason', 'obsolete');

    // With an open run: semi-auto, so that it stays open.
    await ok('start', '--detach', '--mode', 'semi-auto');
    await held.state('waiting_user');
    const open = await held.box.run('limit', '--where', 'pending', '--where', 'abandoned', '--by', '2');
    expect(open.code).toBe(7);
    expect(open.stdout).toContain('changed; it applies when late starts');
    expect(open.stdout).toContain('refused: failed was abandoned');
    const back = await held.box.run('retry', '--where', 'abandoned');
    expect([back.code, back.stdout]).toEqual([0, expect.stringContaining('failed is pending again')]);

    // A run that did no work gives way to the last one that did.
    await ok('stop');
    await held.closed();
    const report = await held.box.run('report');
    expect(report.code, report.stderr).toBe(0);
    expect(report.stderr).toMatch(/run \S+ did no work\. This is the report of run \S+, the last one that did/);
    expect(report.stdout).toMatch(/1 landed +5 not/);
  },
  SLOW,
);

it(
  'C2: a rollback that is killed in the middle of its gate is repeated; a run that starts meanwhile waits for it',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ralphctl-gate-'));
    const [hold, inGate] = [join(dir, 'hold'), join(dir, 'in-gate')];
    try {
      const gate = `test ! -e ${hold} || { touch ${inGate}; while test -e ${hold}; do sleep 0.1; done; }`;
      // The second idea gives the run that starts meanwhile something to start.
      const ideas = [
        { id: 'x-1', steps: [DONE] },
        { id: 'y-1', steps: [ended('BLOCKED: no key')] },
      ];
      held = await Held.open(inject('stateRoot'), ideas, { gate: [gate], escalation: { steps: [] } });
      const { box } = held;
      const reached = () => until('the gate of the rollback', async () => existsSync(inGate));
      await held.start();
      await held.finish();
      const target = await box.git('rev-parse', 'main');

      await writeFile(hold, '');
      const first = box.spawn('rollback', 'x-1');
      await reached();
      first.kill('SIGKILL');
      await once(first, 'exit');
      expect(await box.git('rev-parse', 'main')).toBe(target);

      await rm(inGate);
      const again = box.spawn('rollback', 'x-1');
      const rolledBack = once(again, 'exit');
      await reached();
      const start = box.spawn('start', '--detach');
      const started = once(start, 'exit');
      let said = '';
      start.stderr?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
      await until('the start to wait', async () => said.includes('waiting for another command on this project'));
      await rm(hold);
      expect((await rolledBack)[0]).toBe(0);
      expect((await started)[0], said).toBe(0);
      expect(said).toContain('you rolled back x-1, so a start leaves it out');
      await held.finish();
      expect(existsSync(join(box.repo, 'x-1.txt'))).toBe(false);
      expect(await box.git('rev-list', '--count', `${target}..main`)).toBe('1');
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  },
  SLOW,
);
