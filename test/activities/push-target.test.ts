/**
 * `landing.mode: push` on a real bare remote: what lands is pushed, never over somebody else's commits, and a push that
 * does not work loses nothing. Features: D2.
 */
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { dropPushed } from '../../src/client/after-run/not-pushed.js';
import { heldText } from '../../src/decide/delivery/push.js';
import { recordRemote } from '../../src/git/delivery/remote.js';
import { goneOf } from '../../src/git/landing/gone.js';
import { landedIdeas } from '../../src/git/landing/landed.js';
import { addIdeas, writeRun } from '../../src/run-files/run.js';
import { pidsWith } from '../support/processes.js';
import { until } from '../support/program.js';
import { type Bench, idea } from './bench.js';
import { type Pushing, pushing } from './pushing.js';

describe('D2 a push after a landing', () => {
  it('brings the landed commits to the remote, once, and says which ideas', async () => {
    const { b, lands, push, inBare } = await pushing();
    await lands('t-1');
    const tip = await b.git('rev-parse', 'main');
    expect(await push()).toEqual({ kind: 'pushed', commit: tip, commits: 1, ideas: ['t-1'] });
    expect(await inBare('rev-parse', 'main')).toBe(tip);
    // As after a push of the user's own.
    expect(await b.git('rev-parse', 'origin/main')).toBe(tip);
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 0, ideas: [] });
  });

  it('status speaks of no missing push once sync has made it, before the run tries again', async () => {
    const { b, lands } = await pushing();
    await lands('t-1');
    const file = { ...b.file, remote: await recordRemote(b.repo, { name: 'origin', branch: 'main' }) };
    const errors = { kind: 'errors' as const, text: '3 ideas failed' };
    const told = () => ({
      delivery: { to: 'origin/main', text: '1 commit (t-1) is not on origin/main', since: 0 },
      warnings: [errors, { kind: 'push' as const, text: '1 commit (t-1) is not on origin/main' }],
    });
    const before = told();
    await dropPushed(before, file);
    expect(before).toEqual(told());
    // What sync, or a push of the user, leaves here.
    await b.git('push', '--quiet', 'origin', 'main');
    const after = told();
    await dropPushed(after, file);
    expect(after).toEqual({ warnings: [errors] });
  });

  it('pushes only the target: no tag, no branch, no ref of ralphctl', async () => {
    const { b, lands, push, inBare } = await pushing();
    await b.git('config', 'push.followTags', 'true');
    await lands('t-1');
    await b.git('tag', '--annotate', '--message', 'mine', 'v1', 'main');
    await push();
    expect(await inBare('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });

  it('counts a push as done when it was cut off after the remote had taken it', async () => {
    const { b, lands, push } = await pushing();
    await lands('t-1');
    await b.git('push', '--quiet', b.file.remote?.name ?? 'origin', 'main:main');
    await b.git('update-ref', '-d', 'refs/ralphctl/remote/origin/main');
    await b.git('update-ref', 'refs/remotes/origin/main', 'main~1');
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 1, ideas: ['t-1'] });
  });

  it('a damaged note of an earlier try holds no push', async () => {
    const { b, lands } = await pushing();
    await lands('t-1');
    await writeFile(join(b.root, 'projects', b.project, 'runs', b.ref.runId, 'push.json'), '{"serial": 0, "bef');
    const pushed = await b.call(b.activities.pushTarget, { ...b.ref, serial: 0 }).done;
    expect(pushed).toMatchObject({ kind: 'pushed', commits: 1, ideas: ['t-1'] });
  });

  it('C1: a push whose result was lost is told by the next try, and written into the ledger once', async () => {
    const { b, lands, bare } = await pushing();
    const attempt = (serial: number) => b.call(b.activities.pushTarget, { ...b.ref, serial }).done;
    await lands('t-1');
    expect(await attempt(0)).toMatchObject({ kind: 'pushed', commits: 1, ideas: ['t-1'] });
    // The worker dies before the server hears of it; meanwhile another idea lands.
    await lands('t-2');
    expect(await attempt(0)).toMatchObject({ kind: 'pushed', commits: 2, ideas: ['t-2', 't-1'] });
    expect(await attempt(1)).toMatchObject({ kind: 'pushed', commits: 0, ideas: [] });
    const ledger = (await readFile(join(b.root, 'projects', b.project, 'ledger.jsonl'), 'utf8')).split('\n');
    const pushes = ledger.filter((line) => line.includes('"kind":"push"')).map((line) => JSON.parse(line).idea);
    expect(pushes.sort()).toEqual(['t-1', 't-2']);
    expect(await b.gitIn(bare, 'rev-parse', 'main')).toBe(await b.git('rev-parse', 'main'));
  });

  it('creates the branch where the remote never had it', async () => {
    const { b, lands, push, inBare } = await pushing();
    await inBare('update-ref', '-d', 'refs/heads/main');
    await b.git('update-ref', '-d', 'refs/remotes/origin/main');
    await lands('t-1');
    expect(await push()).toMatchObject({ kind: 'pushed' });
    expect(await inBare('rev-parse', 'main')).toBe(await b.git('rev-parse', 'main'));
  });
});

describe('D2 a remote that moves', () => {
  it('takes over the commits of others before it lands, so the idea is gated on top of them', async () => {
    const gate = ['test -e theirs.txt'];
    const { b, works, land, push, otherPushes, inBare } = await pushing({ config: { gate } });
    const input = await works('t-1');
    const theirs = await otherPushes({ 'theirs.txt': 'theirs\n' });
    expect(await land(input)).toMatchObject({ kind: 'landed', gate: { commands: [{ exitCode: 0 }] } });
    expect(await b.git('rev-parse', 'main~1')).toBe(theirs);
    expect(await readFile(join(b.repo, 'theirs.txt'), 'utf8')).toBe('theirs\n');
    expect(await b.git('status', '--porcelain')).toBe('');
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 1 });
    expect(await inBare('log', '--format=%an', 'main')).toContain('Other Person');
  });

  it('starts over when the remote moves during the gate: the landed tree was gated as it is', async () => {
    const gate = ['echo ran >> "$HOME/gated"; until [ -e "$HOME/go" ]; do sleep 0.05; done'];
    const { b, works, land, otherPushes } = await pushing({ config: { gate } });
    const input = await works('t-1');
    const landing = land(input);
    landing.catch(() => undefined);
    await until('the gate', async () => (await readFile(join(b.base, 'gated'), 'utf8').catch(() => '')) !== '');
    const theirs = await otherPushes({ 'theirs.txt': 'theirs\n' });
    await b.write({ go: '' }, b.base);
    expect(await landing).toMatchObject({ kind: 'landed' });
    expect(await b.git('rev-parse', 'main~1')).toBe(theirs);
    expect((await readFile(join(b.base, 'gated'), 'utf8')).trim().split('\n')).toHaveLength(2);
  });

  it('lands unpushed work again on top of it, gated as exactly that tree, and pushes without force', async () => {
    const gate = [
      'cat base.txt theirs.txt t-1.txt t-2.txt > /dev/null 2>&1; git rev-parse HEAD^{tree} >> "$HOME/trees"',
    ];
    const { b, bare, lands, push, otherPushes, inBare, ideasIn } = await pushing({ config: { gate } });
    await rename(bare, `${bare}.away`);
    await lands('t-1');
    await lands('t-2');
    expect(await push()).toMatchObject({ kind: 'held', cause: 'unreachable', commits: 2, ideas: ['t-2', 't-1'] });
    const local = await b.git('rev-parse', 'main');
    await rename(`${bare}.away`, bare);
    const theirs = await otherPushes({ 'theirs.txt': 'theirs\n' });
    const result = await push();
    const tip = await b.git('rev-parse', 'main');
    expect(result).toMatchObject({ kind: 'pushed', commit: tip, commits: 3, ideas: ['t-2', 't-1'] });
    expect(result).toMatchObject({ replaced: expect.arrayContaining([{ idea: 't-2', commit: tip }]) });
    expect(await inBare('rev-parse', 'main')).toBe(tip);
    expect(await b.git('rev-parse', 'main~2')).toBe(theirs);
    expect(await ideasIn(bare)).toEqual(['t-2', 't-1']);
    expect((await readFile(join(b.base, 'trees'), 'utf8')).trim().split('\n').at(-1)).toBe(
      await b.git('rev-parse', 'main^{tree}'),
    );
    // The checkout follows, and the commits from before are kept.
    expect(await b.git('status', '--porcelain')).toBe('');
    expect(await readFile(join(b.repo, 'theirs.txt'), 'utf8')).toBe('theirs\n');
    expect(await b.git('for-each-ref', '--format=%(objectname)', 'refs/ralphctl/replaced')).toBe(local);
  });

  it('lands an idea that began on commits which landed again', async () => {
    const { b, bare, lands, works, land, push, otherPushes, ideasIn } = await pushing();
    await rename(bare, `${bare}.away`);
    await lands('t-1');
    const input = await works('t-2');
    await rename(`${bare}.away`, bare);
    await otherPushes({ 'theirs.txt': 'theirs\n' });
    await push();
    expect(await land(input)).toMatchObject({ kind: 'landed', commits: 1 });
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 1, ideas: ['t-2'] });
    expect(await ideasIn(bare)).toEqual(['t-2', 't-1']);
    expect(await b.git('show', 'main:roadmap.md')).toMatch(/\[x\] \*\*t-1\*\*[\s\S]*\[x\] \*\*t-2\*\*/);
  });

  it('E1 lands the work of a wave again, whose ideas the backlog of the run does not have', async () => {
    const { b, bare, lands, push, otherPushes, ideasIn } = await pushing({ ideas: [] });
    await rename(bare, `${bare}.away`);
    await addIdeas(b.root, b.ref, [idea('t-1')]);
    await lands('t-1');
    await rename(`${bare}.away`, bare);
    const theirs = await otherPushes({ 'theirs.txt': 'theirs\n' });
    expect(await push()).toMatchObject({ kind: 'pushed', ideas: ['t-1'] });
    expect(await b.git('rev-parse', 'main~1')).toBe(theirs);
    expect(await ideasIn(bare)).toEqual(['t-1']);
  });

  it('E1 says that work of an earlier run must land again, before the first wave', async () => {
    const { b, push, otherPushes } = await pushing({ ideas: [] });
    await b.git('commit', '--quiet', '--allow-empty', '--message', 'feat: Do t-9\n\nRalph-Idea: t-9');
    await otherPushes({ 'theirs.txt': 'theirs\n' });
    const why = expect.stringContaining('must land again on top of it');
    expect(await push()).toMatchObject({ kind: 'held', cause: 'conflict', ideas: ['t-9'], why });
  });

  it('ticks anew where another host has ticked the line beside it', async () => {
    const files = { 'roadmap.md': '- [ ] **t-1** One\n- [ ] **t-2** Two\n- [ ] **t-3** Three\n' };
    const { b, bare, lands, push, otherPushes } = await pushing({ files });
    await rename(bare, `${bare}.away`);
    await lands('t-2');
    await rename(`${bare}.away`, bare);
    await otherPushes({ 'roadmap.md': files['roadmap.md'].replace('[ ] **t-1**', '[x] **t-1**') });
    expect(await push()).toMatchObject({ kind: 'pushed' });
    expect(await b.git('show', 'main:roadmap.md')).toBe('- [x] **t-1** One\n- [x] **t-2** Two\n- [ ] **t-3** Three');
  });

  it('merges instead where landings are merges', async () => {
    const { b, bare, lands, push, otherPushes, ideasIn } = await pushing({
      config: { landing: { strategy: 'merge' } },
    });
    await rename(bare, `${bare}.away`);
    await lands('t-1');
    const local = await b.git('rev-parse', 'main');
    await rename(`${bare}.away`, bare);
    const theirs = await otherPushes({ 'theirs.txt': 'theirs\n' });
    expect(await push()).toMatchObject({ kind: 'pushed' });
    expect(await b.git('rev-parse', 'main^1', 'main^2')).toBe(`${theirs}\n${local}`);
    expect(await ideasIn(bare)).toContain('t-1');
  });

  /** Ideas land while the remote is away and somebody else pushes there; then all of it lands again in one merge. */
  async function mergedAgain(meanwhile: (at: Pushing) => Promise<void>) {
    const at = await pushing({ config: { landing: { strategy: 'merge' } } });
    await rename(at.bare, `${at.bare}.away`);
    await meanwhile(at);
    await rename(`${at.bare}.away`, at.bare);
    await at.otherPushes({ 'theirs.txt': 'theirs\n' });
    expect(await at.push()).toMatchObject({ kind: 'pushed' });
    expect((await at.b.git('show', '--no-patch', '--format=%P', 'main')).split(' ')).toHaveLength(2);
    return at;
  }
  const rollback = (b: Bench, id: string) =>
    b.call(b.activities.undoIdea, { ...b.ref, idea: id, title: `Do ${id}`, agentName: 'ed-001' }).done;
  const filesOf = async (b: Bench) => (await b.git('ls-tree', '--name-only', 'main')).split('\n').sort();

  it('C2 a rollback takes one idea out of such a merge, and leaves the others', async () => {
    const { b } = await mergedAgain(async ({ lands }) => {
      await lands('t-1');
      await lands('t-2');
    });
    expect(await rollback(b, 't-1')).toMatchObject({ kind: 'undone', commits: 2 });
    expect(await filesOf(b)).toEqual(['base.txt', 'roadmap.md', 't-2.txt', 'theirs.txt']);
    expect(await b.git('show', 'main:roadmap.md')).toMatch(/\[ \] \*\*t-1\*\*[\s\S]*\[x\] \*\*t-2\*\*/);
    expect(await landedIdeas(b.repo, 'main')).toEqual(['t-2']);
    await b.git('revert', '--no-edit', 'main');
    expect((await landedIdeas(b.repo, 'main', 'roadmap.md')).sort()).toEqual(['t-1', 't-2']);
    expect(await rollback(b, 't-1')).toMatchObject({ kind: 'undone' });
    expect(await filesOf(b)).toEqual(['base.txt', 'roadmap.md', 't-2.txt', 'theirs.txt']);
  });

  it('C2 an idea that was rolled back before such a merge does not come back with it', async () => {
    const { b, push } = await mergedAgain(async ({ b: here, lands }) => {
      await lands('t-1');
      await lands('t-2');
      expect(await rollback(here, 't-1')).toMatchObject({ kind: 'undone' });
    });
    expect(await landedIdeas(b.repo, 'main', 'roadmap.md')).toEqual(['t-2']);
    expect(await filesOf(b)).toEqual(['base.txt', 'roadmap.md', 't-2.txt', 'theirs.txt']);
    expect(await b.git('log', '-1', '--format=%(trailers:only)', 'main')).toBe(
      'Ralph-Reverted: t-1\nRalph-Idea: t-2\n',
    );
    // A person reverts the rollback behind the merge.
    const [note] = (await b.git('log', '--format=%H', '--grep=^Ralph-Reverted: t-1', '--no-merges', 'main')).split(
      '\n',
    );
    await b.git('revert', '--no-edit', note ?? '');
    expect((await landedIdeas(b.repo, 'main', 'roadmap.md')).sort()).toEqual(['t-1', 't-2']);
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 1 });
    expect(await rollback(b, 't-1')).toMatchObject({ kind: 'undone' });
    expect(await filesOf(b)).toEqual(['base.txt', 'roadmap.md', 't-2.txt', 'theirs.txt']);
  });

  it.each(['rebase', 'merge'])(
    'C2 a rollback whose result was lost is told by the next try, also after it landed again (%s)',
    async (strategy) => {
      const { b, bare, lands, push, otherPushes } = await pushing({ config: { landing: { strategy } } });
      await lands('t-1');
      await push();
      await rename(bare, `${bare}.away`);
      // The worker dies before the server hears of it.
      expect(await rollback(b, 't-1')).toMatchObject({ kind: 'undone' });
      await rename(`${bare}.away`, bare);
      await otherPushes({ 'theirs.txt': 'theirs\n' });
      const pushed = await push();
      expect(pushed).toMatchObject({ kind: 'pushed', ideas: ['t-1'] });
      // That is for the ideas on the target.
      expect(pushed).not.toHaveProperty('replaced', [expect.anything()]);
      expect(await rollback(b, 't-1')).toMatchObject({ kind: 'undone' });
      expect(await landedIdeas(b.repo, 'main')).toEqual([]);
    },
  );

  it('C2 a rollback stays whose work somebody else took off the remote meanwhile', async () => {
    const { b, bare, other, lands, push, otherPushes } = await pushing();
    await lands('t-1');
    await push();
    await b.gitIn(other, 'pull', '--quiet', '--rebase');
    await b.gitIn(other, 'revert', '--no-edit', 'HEAD');
    await b.gitIn(other, 'push', '--quiet');
    await rename(bare, `${bare}.away`);
    expect(await rollback(b, 't-1')).toMatchObject({ kind: 'undone' });
    expect(await landedIdeas(b.repo, 'main')).toEqual([]);
    await rename(`${bare}.away`, bare);
    const theirs = await otherPushes({ 'theirs.txt': 'theirs\n' });
    expect(await push()).toMatchObject({ kind: 'pushed', ideas: ['t-1'] });
    // It has no change of its own any more, and says all the same that the idea is off.
    expect(await b.git('diff', '--stat', 'main~1', 'main')).toBe('');
    expect(await b.git('rev-parse', 'main~1')).toBe(theirs);
    expect(await landedIdeas(b.repo, 'main')).toEqual([]);
  });

  it('C2 a rollback of work that somebody has taken off the target moves nothing', async () => {
    const { b, other, lands, push } = await pushing();
    await lands('t-1');
    await push();
    await b.gitIn(other, 'pull', '--quiet', '--rebase');
    await b.gitIn(other, 'revert', '--no-edit', 'HEAD');
    await b.gitIn(other, 'push', '--quiet');
    await b.git('pull', '--quiet', '--rebase');
    const before = await b.git('rev-parse', 'main');
    expect(await rollback(b, 't-1')).toMatchObject({ kind: 'nothing' });
    expect(await b.git('rev-parse', 'main')).toBe(before);
  });

  it.each([
    ['a conflict', { 'base.txt': 'theirs\n' }, ['true'], { cause: 'conflict', why: /conflicts with it in base\.txt/ }],
    ['a red gate', { 'theirs.txt': 'x\n' }, ['test ! -e theirs.txt'], { cause: 'red', why: /the gate is red/ }],
  ] as const)(
    '%s leaves both as they are, says so, and is not tried again on the same commits',
    async (_, theirs, gate, expected) => {
      const { b, bare, lands, push, otherPushes, inBare } = await pushing({ config: { gate } });
      await rename(bare, `${bare}.away`);
      await lands('t-1', { 'base.txt': 'ours\n' });
      await rename(`${bare}.away`, bare);
      const remote = await otherPushes(theirs);
      const local = await b.git('rev-parse', 'main');
      const held = await push();
      expect(held).toMatchObject({
        kind: 'held',
        cause: expected.cause,
        commits: 1,
        ideas: ['t-1'],
        tips: { local, remote },
      });
      expect(held).toHaveProperty('why', expect.stringMatching(expected.why));
      expect([await b.git('rev-parse', 'main'), await inBare('rev-parse', 'main')]).toEqual([local, remote]);
      await b.git('update-ref', '-d', 'refs/ralphctl/candidate/t-1');
      const { cause, why } = held as { cause: 'red' | 'conflict'; why: string };
      expect(await push({ local, remote, cause, why })).toMatchObject({ kind: 'held', cause, why });
      // As an older version asked.
      expect(await push({ local, remote })).toMatchObject({ kind: 'held', cause: 'conflict' });
      expect(await b.git('for-each-ref', 'refs/ralphctl/candidate')).toBe('');
    },
  );

  it('never rewrites a commit of the user', async () => {
    const { b, bare, lands, push, otherPushes, inBare } = await pushing();
    await rename(bare, `${bare}.away`);
    await lands('t-1');
    await b.write({ 'mine.txt': 'mine\n' });
    const mine = await b.commit('my own');
    await rename(`${bare}.away`, bare);
    const theirs = await otherPushes({ 'theirs.txt': 'theirs\n' });
    expect(await push()).toMatchObject({ kind: 'held', cause: 'foreign', why: expect.stringContaining('my own') });
    expect([await b.git('rev-parse', 'main'), await inBare('rev-parse', 'main')]).toEqual([mine, theirs]);
  });

  it('advises a join that keeps landed commits: what began on them lands, and all of it counts as landed', async () => {
    const { b, bare, lands, works, land, push, otherPushes, ideasIn } = await pushing();
    await rename(bare, `${bare}.away`);
    const first = await lands('t-1');
    await b.write({ 'mine.txt': 'mine\n' });
    await b.commit('my own');
    await rename(`${bare}.away`, bare);
    await otherPushes({ 'theirs.txt': 'theirs\n' });
    const running = await works('t-2');
    const held = await push();
    if (held.kind !== 'held') throw new Error('the push is to be held');
    const advised = /git (pull .*?)[;,]/.exec(heldText(held, 'origin/main'))?.[1] ?? '';
    await b.git('-c', 'core.editor=true', ...advised.split(' '));
    expect(await land(running)).toMatchObject({ kind: 'landed' });
    expect(await push()).toMatchObject({ kind: 'pushed', ideas: ['t-2', 't-1'] });
    expect(await b.gitIn(bare, 'rev-parse', 'main')).toBe(await b.git('rev-parse', 'main'));
    expect(await ideasIn(bare)).toEqual(['t-2', 't-1']);
    expect((await landedIdeas(b.repo, 'main', 'roadmap.md')).sort()).toEqual(['t-1', 't-2']);
    const commit = first.kind === 'landed' ? first.commit : '';
    const look = { repo: b.repo, target: 'main', backlogPath: 'roadmap.md' };
    expect(await goneOf(look, new Map([['t-1', commit]]))).toEqual([]);
    // The next landing stands on the merge.
    await lands('t-3');
    expect(await push()).toMatchObject({ kind: 'pushed', ideas: ['t-3'] });
  });
});

describe('D2 very many commits that the remote lacks', () => {
  it('never rewrites a commit of the user below them', { timeout: 120_000 }, async () => {
    const { b, otherPushes, push, inBare } = await pushing({ config: { landing: { strategy: 'merge' } } });
    await b.write({ 'mine.txt': 'mine\n' });
    const mine = await b.commit('my own');
    await b.git('switch', '--quiet', '--detach');
    const one = (n: number) =>
      `commit refs/heads/main\ncommitter A <a@localhost> ${1_700_000_000 + n} +0000\ndata <<.\nfeat: ${n}\n\nRalph-Idea: t-1\n.\n${n === 0 ? `from ${mine}\n` : ''}M 644 inline n.txt\ndata <<.\n${n}\n.\n`;
    const input = Array.from({ length: 2001 }, (_, n) => one(n)).join('\n');
    await execa('git', ['fast-import', '--quiet'], { cwd: b.repo, env: b.env, extendEnv: false, input });
    const tip = await b.git('rev-parse', 'main');
    const theirs = await otherPushes({ 'theirs.txt': 'theirs\n' });
    expect(await push()).toMatchObject({
      ...{ kind: 'held', cause: 'foreign' },
      why: expect.stringContaining(`${mine.slice(0, 10)} (my own) here is not a landing`),
    });
    expect([await b.git('rev-parse', 'main'), await inBare('rev-parse', 'main')]).toEqual([tip, theirs]);
  });
});

describe('D2 a remote from which somebody removed commits', () => {
  /** Pushes t-1 and t-2; then somebody takes both off the remote, and t-3 lands here. */
  async function rewound() {
    const made = await pushing();
    const { b, lands, push, inBare } = made;
    const start = await b.git('rev-parse', 'main');
    await lands('t-1');
    await lands('t-2');
    expect(await push()).toMatchObject({ kind: 'pushed' });
    const before = await b.git('rev-parse', 'main');
    await inBare('update-ref', 'refs/heads/main', start);
    await lands('t-3');
    return { ...made, start, before };
  }

  it('holds the push, says what was removed and both ways out, also at the next look', async () => {
    const { b, push, inBare, start, before } = await rewound();
    const held = await push();
    expect(held).toMatchObject({ kind: 'held', cause: 'rewound', commits: 3 });
    expect(held).toHaveProperty(
      'why',
      `somebody took 2 commits off origin/main (from ${before.slice(0, 10)} to ${start.slice(0, 10)}). To take them off here, too: git rebase --onto ${start.slice(0, 10)} ${before.slice(0, 10)} main. To put them back: git push origin ${before.slice(0, 10)}:main`,
    );
    expect(await push()).toMatchObject({ kind: 'held', cause: 'rewound' });
    expect(await inBare('rev-parse', 'main')).toBe(start);
    expect(await b.git('log', '--format=%s', 'main')).toContain('feat: do t-3');
  });

  it('pushes the rest once they are taken off here, too', async () => {
    const { b, push, bare, ideasIn, start, before } = await rewound();
    expect(await push()).toMatchObject({ kind: 'held', cause: 'rewound' });
    await b.git('rebase', '--quiet', '--onto', start.slice(0, 10), before.slice(0, 10), 'main');
    expect(await push()).toMatchObject({ kind: 'pushed' });
    expect(await ideasIn(bare)).toEqual(['t-3']);
  });

  it('goes on once they are put back', async () => {
    const { b, push, bare, ideasIn, before } = await rewound();
    expect(await push()).toMatchObject({ kind: 'held', cause: 'rewound' });
    await b.git('push', '--quiet', 'origin', `${before.slice(0, 10)}:main`);
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 1 });
    expect(await ideasIn(bare)).toEqual(['t-3', 't-2', 't-1']);
  });

  it('holds where other commits took their place, and lands on top of those after a pull', async () => {
    const { b, other, push, inBare, bare, ideasIn, start } = await rewound();
    await b.gitIn(other, 'pull', '--quiet', '--rebase');
    await b.gitIn(other, 'reset', '--quiet', '--hard', start);
    await b.write({ 'theirs.txt': 'theirs\n' }, other);
    await b.gitIn(other, 'add', '--all');
    await b.gitIn(other, 'commit', '--quiet', '--message', 'instead');
    await b.gitIn(other, 'push', '--quiet', '--force');
    const theirs = await inBare('rev-parse', 'main');
    const held = await push();
    expect(held).toMatchObject({ kind: 'held', cause: 'rewound' });
    expect(held).toHaveProperty(
      'why',
      expect.stringContaining(`To put them back: git rebase ${theirs.slice(0, 10)} main`),
    );
    expect(await inBare('rev-parse', 'main')).toBe(theirs);
    await b.git('rebase', '--quiet', theirs.slice(0, 10), 'main');
    expect(await push()).toMatchObject({ kind: 'pushed' });
    expect(await inBare('log', '--format=%s', 'main')).toContain('instead');
    expect(await ideasIn(bare)).toEqual(['t-3', 't-2', 't-1']);
  });

  it('does not make a deleted or renamed branch again by itself', async () => {
    const { b, lands, push, inBare } = await pushing();
    await inBare('branch', '-m', 'main', 'trunk');
    await lands('t-1');
    const held = await push();
    expect(held).toMatchObject({ kind: 'held', cause: 'rewound' });
    expect(held).toHaveProperty('why', expect.stringContaining('origin has no branch main any more'));
    expect(await inBare('for-each-ref', '--format=%(refname)')).toBe('refs/heads/trunk');
    const [, command = ''] = /again: git (push \S+ \S+)\./.exec((held as { why: string }).why) ?? [];
    await b.git(...command.split(' '));
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 1 });
  });

  it('with mode pr, an idea that would bring them back does not leave this machine', async () => {
    const { b, works, land, inBare } = await pushing({
      config: { landing: { mode: 'pr', pr: { repo: 'github.localhost/me/shop' } } },
    });
    const input = await works('t-1');
    const start = await inBare('rev-parse', 'main');
    await b.write({ 'mine.txt': 'mine\n' });
    await b.commit('secret plans');
    await b.git('push', '--quiet', 'origin', 'main');
    await inBare('update-ref', 'refs/heads/main', start);
    await expect(land(input)).rejects.toThrow(/somebody took 1 commit off origin\/main .*git rebase --onto .* main/s);
    expect(await inBare('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });
});

describe('D2 a push that the remote does not take', () => {
  it('keeps the landing and gives the words of the hook', async () => {
    const { b, lands, push, hook, inBare } = await pushing();
    await hook('pre-receive', 'echo "no pushes on sundays" >&2; exit 1');
    const before = await inBare('rev-parse', 'main');
    expect(await lands('t-1')).toMatchObject({ kind: 'landed' });
    const tip = await b.git('rev-parse', 'main');
    const held = await push();
    expect(held).toMatchObject({ kind: 'held', cause: 'rejected', commits: 1, ideas: ['t-1'] });
    expect(held).toHaveProperty('why', expect.stringContaining('no pushes on sundays'));
    expect([await b.git('rev-parse', 'main'), await inBare('rev-parse', 'main')]).toEqual([tip, before]);
    await rm(join(b.base, 'bare.git/hooks/pre-receive'));
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 1 });
  });

  it('a branch that looks raced for and never moves is a rejection, not a race without end', async () => {
    const { bare, lands, push } = await pushing();
    await lands('t-1');
    await writeFile(join(bare, 'refs/heads/main.lock'), '');
    const held = await push();
    expect(held).toMatchObject({ kind: 'held', cause: 'rejected', commits: 1 });
    await rm(join(bare, 'refs/heads/main.lock'));
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 1 });
  });

  it('a secret in an idea stops its landing, with file and commit, and nothing leaves', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const { b, works, land, push, inBare } = await pushing();
    const input = await works('t-1', { 'config.txt': `token = ${token}\n` });
    await expect(land(input)).rejects.toThrow(
      /config\.txt in commit [0-9a-f]{10} has a text that looks like a token \(gh…\).*origin/s,
    );
    expect(await b.git('log', '--format=%s', 'main')).toBe('start');
    expect(await push()).toMatchObject({ commits: 0 });
    expect(await inBare('log', '--format=%s', 'main')).toBe('start');
  });

  it.each<[string, Record<string, string | Buffer>, string]>([
    ['below an attribute that hides it', { '.gitattributes': '*.txt -diff\n', 'c.txt': 'TOKEN\n' }, 'c.txt'],
    ['beside a zero byte', { 'c.bin': '\0TOKEN\n' }, 'c.bin'],
    ['in UTF-16', { 'c.txt': Buffer.from('token TOKEN\n', 'utf16le') }, 'c.txt'],
  ])('a secret %s stops the push', async (_, files, path) => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const { b, push } = await pushing();
    for (const [name, text] of Object.entries(files)) {
      const bytes = Buffer.isBuffer(text) ? text.toString('utf16le') : text;
      await writeFile(join(b.repo, name), bytes.replace('TOKEN', token), Buffer.isBuffer(text) ? 'utf16le' : 'utf8');
    }
    await b.commit('feat: c\n\nRalph-Idea: t-1');
    expect(await push()).toMatchObject({ kind: 'held', cause: 'secret', why: expect.stringContaining(path) });
  });

  it('a secret in a message stops the push', async () => {
    const { b, push } = await pushing();
    await b.write({ 'c.txt': 'x' });
    await b.commit(`feat: use ghp_${'a1B2'.repeat(9)}\n\nRalph-Idea: t-1`);
    expect(await push()).toMatchObject({ kind: 'held', cause: 'secret', why: expect.stringContaining('the message') });
  });

  it('a secret that a later commit takes away counts, and an allowed file does not', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    const { b, push, inBare } = await pushing({ config: { landing: { secretsAllowed: ['fixtures/**'] } } });
    await b.write({ 'fixtures/x.txt': token });
    await b.commit('feat: x\n\nRalph-Idea: t-1');
    expect(await push()).toMatchObject({ kind: 'pushed', commits: 1 });
    await b.write({ 'a.txt': token });
    await b.commit('feat: a\n\nRalph-Idea: t-2');
    await b.write({ 'a.txt': 'clean\n' });
    await b.commit('feat: b\n\nRalph-Idea: t-2');
    const held = await push();
    expect(held).toMatchObject({ kind: 'held', cause: 'secret', commits: 2 });
    expect(JSON.stringify(held)).not.toContain(token);
    expect(await inBare('log', '-1', '--format=%s', 'main')).toBe('feat: x');
  });

  it('the value of a secret variable of the worker counts, too', async () => {
    const { b, works, land } = await pushing();
    b.env.MY_API_KEY = 'q7Zx81LmPw44Ty';
    const input = await works('t-1', { 'k.txt': 'key q7Zx81LmPw44Ty\n' });
    await expect(land(input)).rejects.toThrow(/k\.txt .* the value of a secret variable/);
  });
});

describe('D2 a remote that hangs', () => {
  it('a push that is cancelled ends with all that it started: the hook of the remote, too', async () => {
    const { b, lands, hook, inBare } = await pushing();
    await lands('t-1');
    const before = await inBare('rev-parse', 'main');
    const mark = join(b.base, 'in-hook');
    await hook('pre-receive', `touch '${mark}'; exec tail -f '${mark}'`);
    const call = b.call(b.activities.pushTarget, b.ref);
    await until('the hook', async () => (await pidsWith('tail', mark)).length > 0);
    call.env.cancel();
    await expect(call.done).rejects.toThrow(/cancel/i);
    expect(await pidsWith('tail', mark)).toEqual([]);
    expect(await inBare('rev-parse', 'main')).toBe(before);
  });
});

describe('D2 whose remote, whose login', () => {
  it('pushes nowhere else when an agent swaps the remote', async () => {
    const { b, lands, push } = await pushing();
    const evil = join(b.base, 'evil.git');
    await b.gitIn(b.base, 'init', '--quiet', '--bare', evil);
    await lands('t-1');
    await b.git('remote', 'remove', 'origin');
    await b.git('remote', 'add', 'origin', evil);
    expect(await push()).toMatchObject({ kind: 'held', cause: 'remote', commits: expect.any(Number) });
    expect(await b.gitIn(evil, 'for-each-ref')).toBe('');
  });

  it('a remote that has the address as its name catches nothing', async () => {
    const { b, bare, lands, push, inBare } = await pushing();
    const evil = join(b.base, 'evil.git');
    await b.gitIn(b.base, 'init', '--quiet', '--bare', evil);
    await b.git('config', `remote.${bare}.url`, evil);
    await lands('t-1');
    expect(await push()).toMatchObject({ kind: 'pushed' });
    expect(await b.gitIn(evil, 'for-each-ref')).toBe('');
    expect(await inBare('rev-parse', 'main')).toBe(await b.git('rev-parse', 'main'));
  });

  it('no hook of the repository runs with the login', async () => {
    const { b, lands, push } = await pushing();
    await b.write({ '.git/hooks/pre-push': `#!/bin/sh\nenv > ${b.base}/leaked\n` });
    await chmod(join(b.repo, '.git/hooks/pre-push'), 0o755);
    await lands('t-1');
    expect(await push()).toMatchObject({ kind: 'pushed' });
    await expect(readFile(join(b.base, 'leaked'), 'utf8')).rejects.toThrow(/ENOENT/);
  });

  it('only talking to the remote gets the login of the worker’s environment', async () => {
    const { b, bare, lands, push } = await pushing({ config: { landing: { passEnv: ['HELPER_KEY'] } } });
    const ssh = join(b.base, 'ssh');
    // What ssh does, without a network: the last word is the command on the other host.
    await b.write(
      {
        ssh: `#!/bin/sh\nprintf '%s\\n' "$HELPER_KEY $GH_TOKEN \${OTHER_KEY-none}" >> ${b.base}/used\nfor last; do :; done\nexec sh -c "$last"\n`,
      },
      b.base,
    );
    await chmod(ssh, 0o755);
    Object.assign(b.env, { GIT_SSH: ssh, GIT_SSH_VARIANT: 'simple', HELPER_KEY: 'h', GH_TOKEN: 'g', OTHER_KEY: 'o' });
    await b.git('remote', 'set-url', 'origin', `somehost:${bare}`);
    const remote = await recordRemote(b.repo, { name: 'origin', branch: 'main' });
    const later = { ...b.file, runId: '20260102-000000-aaaa', remote };
    await writeRun(b.root, later, b.ideas);
    await lands('t-1');
    const result = await b.call(b.activities.pushTarget, { project: b.project, runId: '20260102-000000-aaaa' }).done;
    expect(result).toMatchObject({ kind: 'pushed', commits: 1 });
    expect([...new Set((await readFile(join(b.base, 'used'), 'utf8')).trim().split('\n'))]).toEqual(['h g none']);
    expect((await push()).kind).toBe('held');
  });

  it('names no login of an address', async () => {
    const { b } = await pushing();
    await b.git('remote', 'set-url', 'origin', 'https://me:hunter22secret@127.0.0.1:1/r.git');
    const remote = await recordRemote(b.repo, { name: 'origin', branch: 'main' });
    expect(JSON.stringify(remote)).not.toContain('hunter22');
    await writeRun(b.root, { ...b.file, runId: '20260102-000000-aaaa', remote }, b.ideas);
    const result = await b.call(b.activities.pushTarget, { project: b.project, runId: '20260102-000000-aaaa' }).done;
    expect(result).toMatchObject({ kind: 'held', cause: 'unreachable' });
    expect(JSON.stringify(result)).not.toContain('hunter22');
  });
});
