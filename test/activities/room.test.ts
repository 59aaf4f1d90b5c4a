/** Full disks, and worktrees that agents delete: clear kinds of failure, nothing lost. Field pains E. */
import { readdir, readlink, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config/load.js';
import { writeRun } from '../../src/run-files/run.js';
import { yaml } from '../support/program.js';
import { bench, idea, say } from './bench.js';

describe('a full disk', () => {
  it.each([
    ['megabytes', { minFreeMegabytes: 100_000_000 }, /MB free.*disk.minFreeMegabytes/],
    ['files', { minFreeInodes: 1_000_000_000 }, /free inodes.*disk.minFreeInodes/],
  ])('below the floor of %s nothing is started, and the kind says why', async (_, disk, message) => {
    const b = await bench({ agent: `echo ran > $MARKS/ran\n${say('COMPLETE')}` });
    const at = await b.prepare();
    const config = parseConfig(yaml({ version: 1, agent: 'sh', agents: b.file.config.agents, disk }), 'ralphctl.yaml');
    await writeRun(b.root, { ...b.file, config, runId: '20260102-000000-aaaa' }, b.ideas);
    const ref = { ...b.ref, runId: '20260102-000000-aaaa', idea: 't-1', agentName: 'ed-001' };
    const expected = { type: 'ralph.DiskFull', message: expect.stringMatching(message) };
    await expect(b.call(b.activities.prepareIdea, ref).done).rejects.toMatchObject({ ...expected, nonRetryable: true });
    await expect(
      b.call(b.activities.runAgent, b.agentInput(at, { runId: '20260102-000000-aaaa' })).done,
    ).rejects.toMatchObject(expected);
    const landing = { ...ref, title: 'x', worktree: at.worktree, branch: at.branch, base: at.base, head: at.base };
    await expect(b.call(b.activities.landIdea, landing).done).rejects.toMatchObject({
      ...expected,
      nonRetryable: false,
    });
    await expect(b.read(join(b.marks, 'ran'))).rejects.toThrow();
  });
});

describe('an agent that deletes its own worktree', () => {
  it.each([
    ['the folder', 'W=$PWD; cd /; rm -rf "$W"'],
    ['the worktree, with git', 'W=$PWD; cd /; git -C "$W" worktree remove --force "$W"'],
  ])('%s: it is recreated from its branch, and the claim does not count', async (_, how) => {
    const b = await bench({
      agent: `echo kept > kept.txt; git add .; git commit -qm kept\n${how}\n${say('COMPLETE')}`,
    });
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result).toMatchObject({
      outcome: { kind: 'ok' },
      commits: 1,
      unfinished: expect.stringContaining('recreated it from its branch'),
    });
    expect(await b.read(join(at.worktree, 'kept.txt'))).toBe('kept\n');
    await b.setAgent(`cat kept.txt > more.txt\n${say('COMPLETE')}`);
    const next = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
    expect(next).toMatchObject({ commits: 1, changed: true });
    expect(next).not.toHaveProperty('unfinished', expect.anything());
  });

  it.each([
    ['puts a link to the checkout in its place', 'd=$PWD; cd /; mv "$d" "$d.away"; ln -s "$REPO" "$d"', 'checkout'],
    [
      'puts a link to the worktree of another idea in its place',
      'd=$PWD; cd /; mv "$d" "$d.away"; ln -s "$OTHER" "$d"',
      'other',
    ],
  ])('that %s: it is moved aside as it is, and the worktree made anew', async (_, how, kind) => {
    const b = await bench({ ideas: [idea('t-1'), idea('t-2')] });
    const other = await b.prepare('t-2', { agentName: 'ed-002' });
    await b.setAgent(
      `cat > /dev/null; REPO='${b.repo}'; OTHER='${other.worktree}'\necho kept > kept.txt; git add .; git commit -qm kept; echo mine > mine.txt\n${how}\n${say('COMPLETE')}`,
    );
    const checkout = await b.git('status', '--porcelain');
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    const aside = `${at.worktree}.kept-1`;
    expect(result).toMatchObject({
      outcome: { kind: 'ok' },
      commits: 1,
      unfinished: expect.stringContaining(`what was in its place is in ${aside} now`),
    });
    expect(await b.gitIn(at.worktree, 'status', '--porcelain', '--branch')).toBe('## ralph/t-1');
    expect(await b.read(join(at.worktree, 'kept.txt'))).toBe('kept\n');
    expect(await readlink(aside)).toBe(kind === 'checkout' ? b.repo : other.worktree);
    expect(await b.read(join(`${at.worktree}.away`, 'mine.txt'))).toBe('mine\n');
    expect(await b.git('status', '--porcelain')).toBe(checkout);
    expect(await b.gitIn(other.worktree, 'status', '--porcelain', '--branch')).toBe('## ralph/t-2');
    await b.setAgent(`cat kept.txt > more.txt\n${say('COMPLETE')}`);
    const next = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
    expect(next).toMatchObject({ commits: 1, changed: true });
    expect(next).not.toHaveProperty('unfinished', expect.anything());
  });

  it('that does so again and again: of links the newest stays, and a repository without a commit is not kept', async () => {
    const b = await bench({
      agent: `cat > /dev/null; d=$PWD; cd /; rm -rf "$d.away"; mv "$d" "$d.away"; ln -s /nowhere "$d"\n${say('PROGRESS:50')}`,
    });
    const at = await b.prepare();
    for (const serial of [1, 2, 3]) await b.call(b.activities.runAgent, b.agentInput(at, { serial })).done;
    await b.setAgent(
      `cat > /dev/null; rm -rf .git; git init -q .; echo $RALPHCTL_NONCE > new.txt\n${say('PROGRESS:50')}`,
    );
    for (const serial of [4, 5]) await b.call(b.activities.runAgent, b.agentInput(at, { serial })).done;
    const kept = (await readdir(dirname(at.worktree))).filter((name) => name.includes('.kept-'));
    expect(kept).toEqual([`${basename(at.worktree)}.kept-1`]);
    expect(await readlink(`${at.worktree}.kept-1`)).toBe('/nowhere');
  });

  const OWN = 'git init -q -b ralph/t-1 .; git add -A; git -c user.name=A -c user.email=a@b.c commit -qm own';
  it.each([
    ['deletes the link to the repository', 'rm .git', 'COMPLETE', undefined],
    ['points it elsewhere', 'rm .git; git init -q --separate-git-dir "$MARKS/sep"', 'COMPLETE', undefined],
    ['makes a repository of its own of it', `rm .git; ${OWN}`, 'COMPLETE', 'own'],
    ['does that, and goes on', `rm .git; ${OWN}`, 'PROGRESS:50', 'own'],
  ])(
    'that %s: only its .git is put back, its work stays, and the next prompt tells it',
    async (_, how, signal, own) => {
      const b = await bench({
        agent: `cat > /dev/null; echo kept > kept.txt; git add .; git commit -qm kept; echo mine > mine.txt\n${how}\n${say(signal)}`,
      });
      const at = await b.prepare();
      const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
      const aside = `${at.worktree}.kept-1`;
      expect(result).toMatchObject({
        outcome: { kind: 'ok' },
        unfinished: expect.stringMatching(/^the \.git file of the worktree was .* put (it|the file) back/),
        warnings: [expect.stringContaining('the .git file of the worktree')],
      });
      expect(await b.gitIn(at.worktree, 'status', '--porcelain', '--branch')).toMatch(/^## ralph\/t-1\b/);
      expect(await b.read(join(at.worktree, 'mine.txt'))).toBe('mine\n');
      if (own) expect(await b.gitIn(aside, 'log', '-1', '--format=%s')).toBe(own);
      await b.setAgent(`cat > "$MARKS/prompt"; git add -A; git commit -qm next; ${say('COMPLETE')}`);
      const next = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
      expect(await b.read(join(b.marks, 'prompt'))).toContain('The .git file of the worktree was');
      expect(next).toMatchObject({ changed: true });
      expect(next).not.toHaveProperty('unfinished', expect.anything());
      expect(await b.gitIn(at.worktree, 'ls-tree', '--name-only', 'ralph/t-1', 'mine.txt')).toBe('mine.txt');
    },
  );

  it('between two iterations: the next one begins with recreating it', async () => {
    const b = await bench({ agent: `echo kept >> kept.txt\n${say('PROGRESS:50')}` });
    const at = await b.prepare();
    await b.call(b.activities.runAgent, b.agentInput(at)).done;
    await rm(at.worktree, { recursive: true });
    const next = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
    expect(next).toMatchObject({ outcome: { kind: 'ok' }, commits: 1 });
    expect(await b.read(join(at.worktree, 'kept.txt'))).toBe('kept\nkept\n');
  });
});
