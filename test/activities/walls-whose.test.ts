/**
 * A change of the shared git directory is held against the agent that made it, not against the one that ends first.
 * Real git, agents as shell scripts. Feature: C5.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../support/program.js';
import { type Bench, bench, idea, say, whileAgentWorks } from './bench.js';

type Ran = Awaited<ReturnType<Bench['runAgent']>>;

/** `act` by the agent of t-2 while that of t-1 works, which ends first. */
async function whoIsAsked(act: string): Promise<{ b: Bench; neighbour: Ran; doer: Ran }> {
  const b = await bench({ ideas: [idea('t-1'), idea('t-2')] });
  const there = async (mark: string) => (await b.read(join(b.marks, mark)).catch(() => undefined)) !== undefined;
  const other = await b.prepare('t-2', { agentName: 'ed-002' });
  let doing: Promise<Ran> | undefined;
  const neighbour = await whileAgentWorks(
    b,
    async () => {
      const wait = `touch "$MARKS/done"; until [ -e "$MARKS/end" ]; do sleep 0.05; done`;
      await b.setAgent(`cat > /dev/null; echo x > x.txt; { ${act}; } > /dev/null 2>&1; ${wait}; ${say('COMPLETE')}`);
      doing = b.call(b.activities.runAgent, b.agentInput(other, { idea: 't-2', agentName: 'ed-002' })).done;
      doing.catch(() => undefined);
      await until('its act', () => there('done'));
    },
    {},
  );
  await writeFile(join(b.marks, 'end'), '');
  if (!doing) throw new Error('nobody did anything');
  return { b, neighbour, doer: await doing };
}

it.each([
  [
    'a setting',
    'git config core.sparseCheckout true',
    /set core\.sparsecheckout in \.git\/config; ralphctl restored it/,
  ],
  [
    'settings by worktree',
    'git config extensions.worktreeConfig true',
    /set extensions\.worktreeconfig in \.git\/config/,
  ],
  ['a sparse checkout', `git sparse-checkout set --no-cone '/*'`, /sparsecheckout|worktreeconfig/],
  [
    'a setting by another git directory',
    'git --git-dir="$(git rev-parse --git-common-dir)" config core.pager x',
    /set core\.pager/,
  ],
  ['a replaced commit', `git replace HEAD "$(git commit-tree -m x 'HEAD^{tree}')"`, /made refs\/replace/],
])('C5: %s: the trace tells whose it is', { timeout: 60_000 }, async (_, act, told) => {
  const { b, neighbour, doer } = await whoIsAsked(act);
  expect(neighbour.strayed).toBeUndefined();
  expect(doer.strayed?.what.join('\n')).toMatch(told);
  expect(doer.strayed?.question).toMatch(/^The agent left its worktree: it /);
  expect(await b.git('config', '--list', '--local')).not.toMatch(/sparse|worktreeconfig|pager/);
});

it.each([
  ['a plain write', `printf '[alias]\\n\\tx = !true\\n' >> "$(git rev-parse --git-common-dir)/config"`],
  [
    'a git without its trace, beside one that reads',
    'git config alias.x; env -u GIT_TRACE2_EVENT git config alias.x !true',
  ],
])('C5: %s: both are asked, and nobody is accused', { timeout: 60_000 }, async (_, act) => {
  const { neighbour, doer } = await whoIsAsked(act);
  for (const { strayed } of [neighbour, doer]) {
    expect(strayed?.what[0]).toMatch(/^set alias\.x in \.git\/config; ralphctl restored it/);
    expect(strayed?.question).toMatch(
      /^While its agent ran, somebody set alias\.x in \.git\/config; ralphctl restored it, .*\. It is not known who: the agent of t-[12], the agent of t-[12] ran then, and a program or person beside them may have done it\.$/m,
    );
    expect(strayed?.question).not.toContain('The agent left its worktree');
  }
});
