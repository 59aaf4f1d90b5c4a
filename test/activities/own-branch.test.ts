/**
 * The branch of an idea, moved by somebody else: by the agent of another idea with a git that leaves no trace, or by a plain
 * write. It never lands in the idea's name before a person has seen it. Features: C5, F1.
 */
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exists } from '../../src/git/worktrees/list.js';
import type { RunAgentResult } from '../../src/protocol/agent-run.js';
import { until } from '../support/program.js';
import { type Bench, bench, idea, say, whileAgentWorks } from './bench.js';

const TIME = { timeout: 60_000 };
const REF = 'refs/heads/ralph/t-1';
const BARE = 'env -i /usr/bin/env git';

const project = () => bench({ ideas: [idea('t-1'), idea('t-2')] });

/** A commit on top of the idea's branch that its agent did not make. */
async function foreign(b: Bench): Promise<string> {
  const from = await b.git('rev-parse', REF);
  const tree = await b.git('rev-parse', `${from}^{tree}`);
  return b.git('commit-tree', '-m', 'not mine', '-p', from, tree);
}

/** `t-1` works, and `does` happens before it goes on. */
const during = (b: Bench, does: () => Promise<unknown>, then = '') => whileAgentWorks(b, does, { then });

describe('while its agent works', () => {
  it.each([
    ['by a git elsewhere', (b: Bench, to: string) => b.git('update-ref', REF, to)],
    ['by a plain write', (b: Bench, to: string) => writeFile(join(b.repo, '.git', REF), `${to}\n`)],
    [
      'by a plain write with a line in its reflog',
      async (b: Bench, to: string) => {
        const from = await b.git('rev-parse', REF);
        await writeFile(join(b.repo, '.git', REF), `${to}\n`);
        await appendFile(join(b.repo, '.git/logs', REF), `${from} ${to} A <a@b.c> 1 +0000\tcommit: x\n`);
      },
    ],
  ])('C5: %s: it is put back, the commit is kept, a person is asked', TIME, async (_, move) => {
    const b = await project();
    let to = '';
    const result = await during(b, async () => {
      to = await foreign(b);
      await move(b, to);
    });
    expect(result.strayed?.question).toMatch(/^Somebody else changed the work of this idea: ralph\/t-1 moved from/);
    expect(result.strayed?.question).toContain('it is put back, and that commit is saved as refs/ralphctl/save/t-1/');
    expect(await b.git('log', '--format=%s', `main..${REF}`)).not.toContain('not mine');
    expect(await b.git('show', `${REF}:work.txt`)).toBe('work');
    expect(await b.git('for-each-ref', '--format=%(objectname)', 'refs/ralphctl/save/t-1')).toContain(to);
  });

  it('C5: and its agent goes on from there: a person is asked', TIME, async () => {
    const b = await project();
    const result = await during(
      b,
      async () => b.git('update-ref', REF, await foreign(b)),
      'git add -A; git commit -qm mine',
    );
    expect(result.strayed?.question).toMatch(/no git in its worktree moved it; its agent went on from there/);
  });

  it('C5: by the agent of another idea, which hides from the trace', TIME, async () => {
    const b = await project();
    const other = await b.prepare('t-2', { agentName: 'ed-002' });
    const result = await during(b, async () => {
      await b.setAgent(
        `cat > /dev/null; echo x > x.txt; ${BARE} update-ref ${REF} "$(${BARE} commit-tree -m evil -p HEAD 'HEAD^{tree}')"; ${say('COMPLETE')}`,
      );
      await b.call(b.activities.runAgent, b.agentInput(other, { idea: 't-2', agentName: 'ed-002' })).done;
    });
    expect(result.strayed?.what[0]).toMatch(/ralph\/t-1 moved from/);
    expect(await b.git('log', '--format=%s', REF)).not.toContain('evil');
  });

  const inside = (b: Bench, folder: string) =>
    `cat > /dev/null; echo x > x.txt; git --git-dir="${b.repo}/.git/worktrees/${folder}" commit -q --allow-empty -m evil`;

  it.each([
    ['ends first', say('COMPLETE')],
    ['still runs', `touch "$MARKS/evil"; while [ ! -e "$MARKS/go" ]; do sleep 0.1; done; ${say('COMPLETE')}`],
  ])(
    'C5: by the agent of another idea, through the git directory of its worktree; that agent %s',
    TIME,
    async (_, then) => {
      const b = await project();
      const other = await b.prepare('t-2', { agentName: 'ed-002' });
      let running: Promise<RunAgentResult> | undefined;
      const result = await during(b, async () => {
        const own = (await b.git('worktree', 'list', '--porcelain')).match(
          /worktree (\S+)\n[^\n]*\nbranch refs\/heads\/ralph\/t-1/,
        );
        await b.setAgent(`${inside(b, basename(own?.[1] ?? ''))}; ${then}`);
        running = b.call(b.activities.runAgent, b.agentInput(other, { idea: 't-2', agentName: 'ed-002' })).done;
        if (then.includes('evil')) await until('the commit', () => exists(join(b.marks, 'evil')));
        else await running;
      });
      expect(result.strayed?.question).toMatch(
        /^Somebody else changed the work of this idea: the agent of t-2 ran git in its worktree: git --git-dir=/,
      );
      await writeFile(join(b.marks, 'go'), '');
      const culprit = await running;
      expect(culprit?.strayed?.question).toMatch(/ran git in the worktree of t-1: git --git-dir=/);
      // It has been told: the next run is the idea's own again.
      await b.setAgent(`cat > /dev/null; echo more > more.txt; ${say('COMPLETE')}`);
      const again = await b.runAgent({ serial: 2, iteration: 2 });
      expect(again.strayed).toBeUndefined();
    },
  );

  it('C5: what its own agent does with git is its own', TIME, async () => {
    const b = await project();
    const result = await during(
      b,
      async () => b.commit('mine, on main'),
      [
        'git add -A; git commit -qm one; git commit -q --amend -m two; git rebase -q main; git merge -q main',
        'git switch -q -c try; git commit -q --allow-empty -m try; git switch -q ralph/t-1; git merge -q try; git branch -q -D try',
        'git checkout -q --detach; git commit -q --allow-empty -m away; git branch -f ralph/t-1 HEAD; git switch -q ralph/t-1',
        'git reset -q --hard HEAD~1; git update-ref refs/heads/ralph/t-1 "$(git commit-tree -m plumbing -p HEAD "HEAD^{tree}")"',
        'env -i /usr/bin/env git -c user.name=a -c user.email=b commit -q --allow-empty -m hidden; echo more > more.txt; git stash -q -u; git stash pop -q',
      ].join('\n'),
    );
    expect(result.strayed).toBeUndefined();
    expect(await b.git('log', '--format=%s', REF)).toContain('hidden');
  });
});

describe('between two runs', () => {
  const again = async (b: Bench, serial = 2) => {
    await b.setAgent(`cat > /dev/null; echo more >> work.txt; ${say('COMPLETE')}`);
    return b.runAgent({ serial, iteration: serial });
  };

  it(
    'C5: from elsewhere: its agent does not go on before a person has seen it; once seen, it counts',
    TIME,
    async () => {
      const b = await project();
      await b.runAgent();
      await writeFile(join(b.repo, '.git', REF), `${await foreign(b)}\n`);
      await expect(again(b)).rejects.toThrow(
        /ralph\/t-1 moved from .* between two runs of t-1, and no git in its worktree/,
      );
      expect((await again(b)).strayed).toBeUndefined();
    },
  );

  it('C5: and its worktree is removed', TIME, async () => {
    const b = await project();
    const { worktree } = await b.prepare();
    await b.runAgent();
    await b.git('worktree', 'remove', '--force', worktree);
    await b.git('update-ref', REF, await foreign(b));
    await expect(again(b)).rejects.toThrow(/no git in its worktree moved it/);
  });

  it('C5: in its worktree, as a person does who fixes something: it goes on, with a warning', TIME, async () => {
    const b = await project();
    const { worktree } = await b.prepare();
    await b.runAgent();
    await b.gitIn(worktree, 'commit', '-q', '--allow-empty', '-m', 'fixed');
    const result = await again(b);
    expect(result.strayed).toBeUndefined();
    expect(result.noticed).toMatch(
      /ralph\/t-1 moved from .* in its worktree before t-1 went on; if that was not you: git -C/,
    );
    expect((await again(b, 3)).noticed).toBeUndefined();
  });

  it('C5: its worktree lost, the branch as it was: it is made again', TIME, async () => {
    const b = await project();
    const { worktree } = await b.prepare();
    await b.runAgent();
    await rm(worktree, { recursive: true });
    expect((await again(b)).strayed).toBeUndefined();
  });
});
