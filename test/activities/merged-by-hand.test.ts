/** A person merges the branch of an idea that has a question: its next COMPLETE changes nothing and counts. Features: B4 C5. */
import { expect, it } from 'vitest';
import { bench, idea, say } from './bench.js';

const DONE = `cat > /dev/null\n${say('COMPLETE')}`;

async function merged() {
  const b = await bench({ agent: `cat > /dev/null\necho work > work.txt\n${say('NEEDS_HUMAN: merge it?')}` });
  expect(await b.runAgent()).toMatchObject({ signal: { kind: 'needs-human' }, commits: 1, changed: true });
  await b.git('merge', '-q', '--no-ff', '--no-edit', 'ralph/t-1');
  await b.setAgent(DONE);
  return b;
}

it('B4 C5: the result names the commit that has its work', async () => {
  const b = await merged();
  const claimed = await b.runAgent({ serial: 2, iteration: 2 });
  const work = await b.git('rev-parse', 'ralph/t-1');
  expect(claimed).toMatchObject({ signal: { kind: 'complete' }, commits: 0, changed: false, merged: work });
});

it('C3: not after a rollback, nor for commits that the target lacks', async () => {
  const b = await merged();
  await b.git('revert', '--no-edit', '-m', '1', 'HEAD');
  // As ralphctl words its rollbacks.
  await b.git('commit', '-q', '--amend', '-m', 'revert: do t-1\n\nRalph-Reverted: t-1');
  expect(await b.runAgent({ serial: 2, iteration: 2 })).not.toHaveProperty('merged', expect.anything());

  const other = await bench({ agent: `cat > /dev/null\necho work > work.txt\n${say('PROGRESS:50')}` });
  await other.runAgent();
  await other.setAgent(`cat > /dev/null\ngit rm -q work.txt\n${say('COMPLETE')}`);
  const undone = await other.runAgent({ serial: 2, iteration: 2 });
  expect(undone.changed).toBe(false);
  expect(undone).not.toHaveProperty('merged', expect.anything());
});

it('B4 C5: also where the agent made the commits itself, and where the person rebased them', async () => {
  const own = await bench({
    agent: `cat > /dev/null\necho work > work.txt; git add work.txt; git -c user.name=a -c user.email=a@b commit -q -m mine\n${say('NEEDS_HUMAN: merge it?')}`,
  });
  await own.runAgent();
  await own.git('merge', '-q', '--ff-only', 'ralph/t-1');
  await own.setAgent(DONE);
  const work = await own.git('rev-parse', 'ralph/t-1');
  expect(await own.runAgent({ serial: 2, iteration: 2 })).toMatchObject({ changed: false, merged: work });

  const b = await bench({ agent: `cat > /dev/null\necho work > work.txt\n${say('NEEDS_HUMAN: merge it?')}` });
  const at = await b.prepare();
  await b.call(b.activities.runAgent, b.agentInput(at)).done;
  await b.write({ 'theirs.txt': 'theirs\n' });
  await b.commit('a commit of a person');
  await b.gitIn(at.worktree, 'rebase', '-q', 'main');
  await b.git('merge', '-q', '--ff-only', 'ralph/t-1');
  await b.setAgent(DONE);
  const rebased = await b.git('rev-parse', 'ralph/t-1');
  expect(await b.runAgent({ serial: 2, iteration: 2 })).toMatchObject({ changed: false, merged: rebased });
});

it('C3: not once a person reverted the merge', async () => {
  const b = await merged();
  await b.git('revert', '--no-edit', '-m', '1', 'HEAD');
  expect(await b.runAgent({ serial: 2, iteration: 2 })).not.toHaveProperty('merged', expect.anything());
});

it('B4: an idea that runs again must change something: commits of an earlier run do not count', async () => {
  const b = await bench({ ideas: [idea('t-1')], agent: `cat > /dev/null\necho work > work.txt\n${say('COMPLETE')}` });
  await b.runAgent();
  await b.git('merge', '-q', '--no-ff', '--no-edit', 'ralph/t-1');
  await b.setAgent(DONE);
  const runId = '20260102-000000-bbbb';
  await b.laterRun(runId);
  const again = await b.call(b.activities.prepareIdea, { ...b.ref, runId, idea: 't-1', agentName: 'ed-001' }).done;
  const claimed = await b.call(b.activities.runAgent, b.agentInput(again, { runId })).done;
  expect(claimed.changed).toBe(false);
  expect(claimed).not.toHaveProperty('merged', expect.anything());
});
