/** What an agent does to its own worktree during a run costs no other work. Features: B11 D1. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bench, idea, say } from './bench.js';

const WORK = 'cat > /dev/null; echo kept > kept.txt; git add .; git commit -qm kept; echo mine > mine.txt';

describe('an agent that damages its own worktree', () => {
  it.each([
    ['deletes the HEAD of its git directory', 'rm "$(git rev-parse --absolute-git-dir)/HEAD"', 'were broken'],
    ['overwrites that HEAD', 'echo x > "$(git rev-parse --absolute-git-dir)/HEAD"', 'were broken'],
    ['deletes gitdir', 'rm "$(git rev-parse --absolute-git-dir)/gitdir"', 'were broken'],
    ['overwrites commondir', 'echo x > "$(git rev-parse --absolute-git-dir)/commondir"', 'were broken'],
    ['moves it with git', 'git worktree move . "$MARKS/away"', 'was moved to another folder'],
  ])('%s: its work stays, and the next run finds it', async (_, how, told) => {
    const b = await bench({ agent: `${WORK}\n${how}\n${say('COMPLETE')}` });
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result).toMatchObject({ outcome: { kind: 'ok' }, unfinished: expect.stringContaining(told) });
    expect(await b.git('show', 'ralph/t-1:mine.txt')).toBe('mine');
    await b.setAgent(`cat kept.txt > more.txt\n${say('COMPLETE')}`);
    const next = await b.call(b.activities.runAgent, b.agentInput(at, { serial: 2, iteration: 2 })).done;
    expect(next).toMatchObject({ commits: 1, changed: true });
    expect(next).not.toHaveProperty('unfinished', expect.anything());
  });

  it('moves it away and puts a link there: open work is a save, and the next idea in its slot starts', async () => {
    const b = await bench({
      ideas: [idea('t-1'), idea('t-2')],
      agent: `${WORK}\nd=$PWD; cd /; mv "$d" "$MARKS/away"; ln -s "$MARKS/away" "$d"\n${say('COMPLETE')}`,
    });
    const at = await b.prepare();
    const result = await b.call(b.activities.runAgent, b.agentInput(at)).done;
    expect(result.unfinished).toContain(`what was in its place is in ${at.worktree}.kept-1 now`);
    expect(await b.git('show', 'refs/ralphctl/save/t-1/1:mine.txt')).toBe('mine');
    expect(existsSync(join(b.marks, 'away/mine.txt'))).toBe(true);
    expect(await b.gitIn(at.worktree, 'log', '-1', '--format=%s')).toBe('kept');
    await b.setAgent(`echo two > two.txt\n${say('COMPLETE')}`);
    const other = await b.prepare('t-2');
    const next = await b.call(b.activities.runAgent, b.agentInput(other, { idea: 't-2' })).done;
    expect(next).toMatchObject({ outcome: { kind: 'ok' }, commits: 1, changed: true });
  });
});
