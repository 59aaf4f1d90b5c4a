/**
 * Ideas of an earlier run whose line has left the backlog: what is in git can still be steered, and nothing promises a run
 * that no start makes. Features: C1 to C5.
 */
import { existsSync } from 'node:fs';
import { afterEach, expect, inject, it } from 'vitest';
import { DONE, Held } from '../support/held.js';
import { roadmap, yaml } from '../support/program.js';

let held: Held;
afterEach(() => held?.box.dispose());
const SLOW = 480_000;

const ok = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await held.box.run(...args);
  expect(code, stdout + stderr).toBe(0);
  return stdout + stderr;
};
/** The backlog has these ideas from now on. */
async function backlog(...ids: string[]): Promise<void> {
  await held.box.write({ 'roadmap.md': roadmap(ids.map((id) => ({ id }))) });
  await held.box.commit(`backlog: ${ids.join(' ')}`);
}
const stays = { errors: { threshold: 50, maxRetries: 0 }, escalation: { steps: [] } };
const BLOCKED = { ...DONE, signal: 'BLOCKED: no key' };

it(
  'C2 G8: what only an older run had is explained, rolled back, cleaned up and reset after two more runs',
  async () => {
    held = await Held.open(
      inject('stateRoot'),
      [
        { id: 'a-1', steps: [DONE] },
        { id: 'b-1', steps: [BLOCKED] },
        { id: 'c-1', steps: [BLOCKED] },
      ],
      { slots: 3, ...stays },
    );
    await held.start();
    const first = (await held.closed()).last as unknown as { status: { runId: string } };
    for (const id of ['d-1', 'e-1']) {
      await backlog(id);
      await ok('start', '--detach');
      await held.closed();
    }
    const last = (await held.closed()).last as unknown as { status: { runId: string } };
    expect(last.status.runId).not.toBe(first.status.runId);

    expect(await ok('why', 'a-1')).toMatch(/^a-1 .*\nstatus landed/);
    expect(await ok('why', 'b-1')).toMatch(/^b-1 .*\nstatus blocked: no key[\s\S]*agent run/);
    expect(await ok('show', 'a-1')).toContain('✓ landed');
    expect((await held.box.run('why', 'a-2')).stderr).toContain('there is no idea a-2');

    expect(existsSync(`${held.box.repo}/a-1.txt`)).toBe(true);
    expect(await ok('rollback', 'a-1')).toMatch(/a-1 was taken off main by [0-9a-f]{8}/);
    expect(existsSync(`${held.box.repo}/a-1.txt`)).toBe(false);
    expect(await ok('show', 'a-1')).toContain('⊖ taken off');

    expect(await held.box.git('worktree', 'list')).toContain('[ralph/b-1]');
    expect(await ok('cleanup', 'b-1')).toContain('the worktree of b-1 was removed');
    expect(await ok('rollback', 'b-1')).toContain('b-1 was rolled back: 1 commit taken off its branch');
    expect(await ok('saves', 'b-1')).toContain('do b-1');
    expect(await ok('reset', 'c-1')).toMatch(/^c-1 was reset: its branch and its worktree are gone, saved as/);
    expect(await held.box.git('for-each-ref', '--format=%(refname:lstrip=3)', 'refs/heads/ralph/')).not.toContain(
      'c-1',
    );
  },
  SLOW,
);

it(
  'C3 C5: a retry without a line is refused with the way back, and no view promises a run',
  async () => {
    held = await Held.open(
      inject('stateRoot'),
      [
        { id: 'a-1', steps: [BLOCKED, DONE] },
        { id: 'b-1', steps: [BLOCKED, DONE] },
        { id: 'c-1', steps: [BLOCKED] },
      ],
      { slots: 3, ...stays },
    );
    const { box } = held;
    await held.start();
    const first = ((await held.closed()).last as unknown as { status: { runId: string } }).status.runId;
    const line = `git show ${await box.git('log', '-1', '--format=%h', '--', 'roadmap.md')}:roadmap.md`;
    expect(await ok('retry', 'b-1')).toContain('b-1 is queued again');

    await backlog('c-1');
    const { code, stderr } = await box.run('retry', 'a-1');
    expect([code, stderr]).toEqual([
      7,
      expect.stringContaining(
        `retry a-1 would do nothing: roadmap.md does not have it any more, so no start runs it. The last commit with its line is`,
      ),
    ]);
    expect(stderr).toContain(`${line}. Put the line back, then: ralphctl retry a-1`);
    expect((await box.git('show', line.replace('git show ', ''))).includes('a-1')).toBe(true);
    expect((await box.run('answer', 'a-1', 'x')).code).toBe(7);
    expect(await ok('retry', '--all-failed')).toMatch(
      /left out: a-1: roadmap\.md does not have it any more.*\nleft out: b-1: [\s\S]*c-1 is queued again[\s\S]*retry: 1 done, 0 refused, 2 left out/,
    );

    const waits = 'waits for its line, which roadmap.md does not have: retry b-1';
    const status = await box.run('status');
    expect(status.stdout).toContain(waits);
    expect(status.stdout).toMatch(/the next start carries over: retry c-1$/m);
    expect(status.stdout).toContain('since then: a-1, b-1 no longer in roadmap.md; c-1 queued for the next start');
    const planned = await ok('start', '--dry-run');
    expect(planned).toContain(waits);
    expect(planned).not.toMatch(/carries over: .*b-1/);
    const about = await ok('why', 'a-1');
    expect(about).toContain('roadmap.md does not have it any more, so no start runs it');
    expect(about).toContain(`possible now:\n  ${line} (has its line; with it, a start runs it again)\n`);
    expect(about).not.toContain('ralphctl start');
    const shown = await ok('show', 'a-1');
    expect(shown).toContain(`what helps now\n  ${line}\n`);
    expect(shown).not.toContain('ralphctl start');
    type Told = {
      todo: { subject: string; text: string; commands: string[] }[];
      open: { idea: string; notes: string[] }[];
    };
    const told = async (...args: string[]) => (await box.run('report', '--json', ...args)).json[0] as unknown as Told;
    const next = await told();
    expect(next.todo.map(({ subject }) => subject)).toEqual(['queued']);
    expect(next.todo[0]?.text).toBe('you queued 1 idea for the next start: c-1');
    expect(next.open.find(({ idea }) => idea === 'b-1')?.notes).toContain('its retry waits for its line');

    // Later runs say the same, also about the run that had it.
    await ok('start', '--detach');
    await held.closed();
    const older = await told('--run', first);
    expect(older.open.map(({ idea }) => idea)).toContain('a-1');
    expect(older.todo.filter(({ subject }) => ['a-1', 'b-1', 'the rest', 'queued'].includes(subject))).toEqual([]);
    expect((await box.run('retry', 'a-1')).code).toBe(7);

    // With its line, everything is as before.
    await backlog('a-1', 'b-1', 'c-1');
    expect((await ok('start', '--dry-run')).includes('retry b-1')).toBe(true);
    expect(await ok('retry', 'a-1')).toContain('a-1 is queued again');
    await ok('start', '--detach');
    await held.closed();
    expect(await held.events()).toContainEqual(expect.objectContaining({ kind: 'iteration', idea: 'a-1' }));
  },
  SLOW,
);

it(
  'C5: a backlog that is not in git has no version to show',
  async () => {
    held = await Held.open(inject('stateRoot'), [{ id: 'a-1', steps: [BLOCKED] }], stays);
    const { box } = held;
    await box.git('rm', '--quiet', '--cached', 'roadmap.md');
    await box.write({ 'ideas.md': roadmap([{ id: 'x-1' }, { id: 'y-1' }]), '.gitignore': 'ideas.md\n' });
    await box.commit('not in git');
    await box.write({ '.ralph-script.yaml': yaml({ default: [{ signal: 'BLOCKED: no key' }] }) });
    await box.commit('all are blocked');
    await ok('start', 'ideas.md', '--detach');
    await held.closed();
    await box.write({ 'ideas.md': roadmap([{ id: 'y-1' }]) });
    const { code, stderr } = await box.run('retry', 'x-1');
    expect([code, stderr]).toEqual([
      7,
      expect.stringContaining('Git has no version of ideas.md, because nobody committed it. Put the line back, then:'),
    ]);
  },
  SLOW,
);
